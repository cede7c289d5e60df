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
