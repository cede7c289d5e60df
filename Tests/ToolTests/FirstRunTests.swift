import Foundation
import TestSupport
import Testing

/// What a person meets who runs the tools for the first time.
@Suite(.onOwnThread) struct FirstRunTests {
  @Test func withoutATokenItSaysWhatWorks() throws {
    let home = try TemporaryDirectory()
    for (tool, words) in [("tw-stream", ["--once", "#swift"]), ("tw-cache", ["refresh", "#swift"])] {
      let result = try Tool.run(tool, words, home: home)
      #expect(result.ending == .status(77))
      for advice in ["'tw config set token-file FILE'", "tw-local --demo -- "] {
        #expect(result.errors.contains(advice))
      }
    }
    let service = try LocalService(["--demo", "--rate", "0"])
    try home.write("token", service.token + "\n")
    // What the message says, with a file in the place of FILE.
    let advice = "tw config set token-file ~/token && tw-stream --quiet --once '#swift'"
    let result = try Tool.shell(
      advice, environment: ["TW_SERVICE": "local", "TW_ENDPOINT": service.base], home: home)
    #expect(result.ending == .status(0) && result.lines.count > 1, "\(result.errors)")
  }
}
