import Foundation
import TestSupport
import Testing

/// Signals as other programs send them.
@Suite(.onOwnThread) struct SignalTests {
  /// timeout(1) sends its signal to the program and then at once to its group. The second signal must not keep the tool
  /// from removing its rule.
  @Test func timeoutLeavesNoRuleBehind() throws {
    let script = """
      timeout 2 tw-stream --quiet '#swift'
      echo "ended with $?"
      address=${TW_ENDPOINT#http://}
      exec 3<>"/dev/tcp/${address%:*}/${address#*:}"
      printf 'GET /2/tweets/search/stream/rules HTTP/1.1\\r\\nHost: %s\\r\\nAuthorization: Bearer %s\\r\\n' "$address" "$TW_TOKEN" >&3
      printf 'Connection: close\\r\\n\\r\\n' >&3
      cat <&3
      """
    let result = try Tool.run("tw-local", ["--", "bash", "-c", script])
    #expect(result.output.contains("ended with 124"))
    #expect(result.output.contains("\"result_count\":0"), "\(result.output)")
    #expect(!result.output.contains("tw:#swift"))
  }

  /// The program that decodes a live input waits for it too. A signal ends both.
  @Test func aToolWhoseInputIsDecodedEndsAtOnceToo() throws {
    let script = """
      { printf '{"id_str":"1","text":"x","user":{"id_str":"2"}}\\n' | gzip -c; exec sleep 30; } | tw-parse & echo $! > pid
      sleep 1
      kill -TERM "$(cat pid)"
      for try in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$(cat pid)" 2>/dev/null || { echo gone; break; }; sleep 0.3; done
      kill -KILL 0
      """
    let result = try Tool.shell(script)
    #expect(result.lines.last == "gone")
  }

  /// A reader that does not read does not keep a tool from ending at a signal.
  @Test func aSignalEndsAToolThatWaitsForItsReader() throws {
    let home = try TemporaryDirectory()
    let line = #"{"id_str":"1","text":"x","user":{"id_str":"2"}}"# + "\n"
    _ = try home.write("tweets", String(repeating: line, count: 40_000))
    let script = """
      sleep 30 < <(tw-parse tweets & echo $! > pid; wait) &
      sleeper=$!
      sleep 1
      tool=$(cat pid)
      kill -TERM "$tool"
      sleep 3
      kill -0 "$tool" 2>/dev/null && echo alive || echo gone
      kill "$sleeper"
      """
    let result = try Tool.shell(script, home: home)
    #expect(result.output == "gone\n")
  }

  /// What nohup(1) has the tool ignore stays ignored.
  @Test func aToolUnderNohupOutlivesItsTerminal() throws {
    let tool = try RunningTool("/usr/bin/env", ["nohup", Tool.path("tw-parse")])
    for id in 1...2 {
      tool.send(ToolInput("{\"id_str\":\"\(id)\",\"text\":\"x\",\"user\":{\"id_str\":\"2\"}}\n"))
      #expect(try tool.line()?.contains("\"id\":\"\(id)\"") == true)
      tool.signal(SIGHUP)
    }
    tool.closeInput()
    let result = try tool.finish()
    #expect(result.ending == .status(0), "\(result.errors)")
  }

  /// The first signal has the tool tidy up at a service that does not answer. The second one ends it: by that signal,
  /// while a tool that ends in good order ends by the first.
  @Test func aSecondSignalEndsAStuckTool() throws {
    let service = try FaultyService(
      """
      delete
        hold
      stream
        post 1
        hold
      """)
    let tool = try RunningTool(
      "tw-stream", ["#swift"],
      environment: ["TW_SERVICE": "local", "TW_ENDPOINT": service.base, "TW_TOKEN": "a-token"])
    while let line = try tool.line(), StreamRecords.words(line, of: service) != ["1"] {}
    tool.signal(SIGINT)
    try waitUntil { service.requests.last?.kind == "delete" }
    // Within 300 ms it is still the same signal, sent to the process and to its group.
    usleep(400_000)
    tool.signal(SIGTERM)
    #expect(try tool.finish().ending == .signal(SIGTERM))
  }

  /// Some programs start others with SIGCHLD ignored. The kernel then forgets how a child ended.
  @Test func theFailureOfAChildIsSeenWhereTheCallerIgnoresSIGCHLD() throws {
    let script = """
      env --ignore-signal=CHLD true 2>/dev/null || { echo skipped; exit; }
      printf '{"id_str":"1","text":"x","user":{"id_str":"2"}}\\n' | gzip -c | head -c 40 > bad.gz
      env --ignore-signal=CHLD tw-parse bad.gz
      echo "decoded: $?"
      tw-local --demo -- sh -c '
        env --ignore-signal=CHLD tw-cache refresh @nosuch
        echo "refreshed: $?"
        tw-cache log | cut -f 3,6
        env --ignore-signal=CHLD tw-local -- sh -c "exit 9"
        echo "command: $?"'
      """
    let result = try Tool.shell(script)
    if result.output == "skipped\n" { return print("skipped: this env(1) cannot ignore signals") }
    #expect(result.output == "decoded: 65\nrefreshed: 69\nuser:nosuch\t69\ncommand: 9\n", "\(result.errors)")
  }
}
