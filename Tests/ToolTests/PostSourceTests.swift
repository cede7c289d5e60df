import Foundation
import TestSupport
import Testing

/// What is posted is the text that its author wrote, wherever it comes from.
@Suite(.onOwnThread) struct PostSourceTests {
  private let site: CrosspostSite

  init() throws { site = try CrosspostSite() }

  private static func editor(_ bytes: String) -> [String: String] {
    ["EDITOR": "sh -c 'printf \"\(bytes)\" >\"$1\"' x"]
  }

  /// Services end a text at such a character, or fail at it.
  @Test func aTextWithANULIsRefused() throws {
    let read = try site.post(["--to", site.all, "-"], stdin: "one\u{0}two")
    #expect(read.status == 65 && read.errors.contains("NUL"), "\(read.errors)")
    let written = try site.post(["--edit"], Self.editor("one\\000two"))
    #expect(written.status == 65 && written.errors.contains("has a NUL character"), "\(written.errors)")
    #expect(try site.post(["--later", "it waits"]).status == 0)
    let edited = try site.post(["outbox", "edit", "1"], Self.editor("one\\000two"))
    #expect(edited.status == 65, "\(edited.errors)")
    #expect(try site.outbox().map { $0[5] } == ["it waits"])
    #expect(site.counts == [0, 0, 0])
  }

  @Test func theMarkOfAnEncodingIsNoText() throws {
    #expect(try site.post(["--to", site.all, "-"], stdin: "\u{FEFF}from a file\n").status == 0)
    #expect(try site.post(["\u{FEFF}an operand"]).status == 0)
    #expect(try site.post(["--edit"], Self.editor("\\357\\273\\277an editor")).status == 0)
    #expect(site.x.posts.map(\.text) == ["from a file", "an operand", "an editor"])
    #expect(site.mastodon.posts.map(\.text) == ["from a file"] && site.blueskyTexts == ["from a file"])
    #expect(try site.post(["\u{FEFF}"]).status == 65)
  }

  @Test func behindTheMarkAHyphenIsAText() throws {
    #expect(try site.post(["--", "-"], stdin: "no text").status == 0)
    #expect(try site.post(["reply", "1000", "--", "-"], stdin: "no text").status == 0)
    #expect(try site.post(["-"], stdin: "a text").status == 0)
    #expect(site.x.posts.map(\.text) == ["-", "-", "a text"])
    #expect(try site.post(["length", "--", "-"], stdin: "no text").output == "1 of 280\n")
  }

  /// vi(1) would fail, or wait for ever.
  @Test func withoutATerminalAnEditorMustBeSet() throws {
    #expect(try site.post(["--later", "it waits"]).status == 0)
    for words in ["--edit", "outbox edit 1"] {
      let result = try Tool.shell(
        "setsid -w tw-post \(words) < /dev/null", environment: site.environment, home: site.home)
      #expect(result.status == 64 && result.errors.contains("VISUAL or EDITOR"), "\(words): \(result.errors)")
    }
    let set = try Tool.shell(
      "setsid -w tw-post --edit", environment: site.environment.merging(Self.editor("Hello")) { $1 }, home: site.home)
    #expect(set.status == 0 && site.x.posts.map(\.text) == ["Hello"], "\(set.errors)")
    let left = try FileManager.default.contentsOfDirectory(atPath: site.home.path + "/.local/state/tw")
    #expect(!left.contains { $0.hasSuffix(".txt") })
  }
}
