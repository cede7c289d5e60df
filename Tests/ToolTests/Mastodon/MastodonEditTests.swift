import Foundation
import Synchronization
import TestSupport
import Testing

/// Edits at a server with Mastodon's API.
@Suite(.onOwnThread(minutes: 5)) struct MastodonEditTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static let media =
    #""media_attachments":[{"id":"5","type":"image","url":"https://a.example/5.png","description":"a cup"},"#
    + #"{"id":"6","type":"image","url":"https://a.example/6.png","description":null}]"#

  /// - Parameters:
  ///   - more: members of the post, in place of its own.
  ///   - lost: edits whose answers do not come.
  ///   - isSensitive: whether its pictures are covered.
  ///   - warning: its own.
  ///   - id: what it says that the post is.
  private func server(
    _ more: String = "", author: String = "7", lost: Int = 0, isSensitive: Bool = true, warning: String = "soup",
    id: String = "1050"
  ) throws -> MastodonServer {
    let left = Mutex((lost: lost, isEdited: false))
    var settings = MastodonServer.Settings()
    settings.posts = 0
    settings.first = { request, connection in
      switch request.target {
      case "GET /api/v1/statuses/1050":
        let edited = left.withLock(\.isEdited) ? #","edited_at":"2026-11-27T01:00:00.000Z""# : ""
        connection.answer(
          200,
          #"{"id":"\#(id)","created_at":"2026-11-26T20:00:00.000Z","content":"<p>more tea</p>","language":"sv","#
            + #""sensitive":\#(isSensitive),"account":{"id":"\#(author)","acct":"maja"}\#(edited)\#(more.isEmpty ? "" : ",")\#(more)}"#
        )
      case "GET /api/v1/statuses/1050/source":
        connection.answer(200, #"{"id":"1050","text":"tea @otto","spoiler_text":"\#(warning)"}"#)
      case "PUT /api/v1/statuses/1050":
        let isLost = left.withLock { left in
          left.isEdited = true
          left.lost -= 1
          return left.lost >= 0
        }
        if isLost { connection.reset() } else { connection.answer(200, MastodonServer.status(1050)) }
      default: return false
      }
      return true
    }
    return try MastodonServer(settings)
  }

  private func post(_ server: MastodonServer, _ arguments: [String]) throws -> ToolResult {
    try server.run("tw-post", arguments, home: home, token: "t0k")
  }

  private func edits(_ server: MastodonServer) -> [String] {
    server.server.requests.filter { $0.target == "PUT /api/v1/statuses/1050" }.map(\.body)
  }

  /// What is not said again would be removed by the server.
  @Test func whatIsNotChangedIsKept() throws {
    let server = try server(Self.media)
    let edited = try post(server, ["edit", "1050", "more tea"])
    #expect(edited.status == 0, "\(edited.errors)")
    let kept = #""sensitive":true,"language":"sv","media_ids":["5","6"],"media_attributes":"#
    #expect(
      edits(server) == [
        #"{"status":"more tea","spoiler_text":"soup",\#(kept)[{"id":"5","description":"a cup"},{"id":"6"}]}"#
      ])
    // The record is the post as it is now, with the time of the edit.
    #expect(
      edited.output.contains(#""text":"more tea""#) && edited.output.contains(#""edited_at""#), "\(edited.output)")
    let described = try post(
      server, ["--alt", "a pot", "--alt", "milk", "--language", "en", "--warning", "tea", "edit", "1050"])
    #expect(described.status == 0, "\(described.errors)")
    #expect(
      edits(server).last
        == #"{"status":"tea @otto","spoiler_text":"tea","sensitive":true,"language":"en","media_ids":["5","6"],"#
        + #""media_attributes":[{"id":"5","description":"a pot"},{"id":"6","description":"milk"}]}"#)
    let many = try post(server, ["--alt", "a", "--alt", "b", "--alt", "c", "edit", "1050"])
    #expect(many.status == 65 && many.errors.contains("2 pictures, and more --alt are given"), "\(many.errors)")
    #expect(edits(server).count == 2)
  }

  /// Pictures that were covered stay covered, and the others are covered if that is wanted.
  @Test(arguments: [
    (true, "", [], true), (false, "", [], false), (false, "soup", [], true), (false, "", ["--sensitive"], true),
    (false, "", ["--warning", "tea"], true), (true, "soup", ["--warning", ""], false),
    (true, "", ["--warning", ""], true), (true, "soup", ["--warning", "", "--sensitive"], true),
  ])
  func coveredPicturesStayCovered(
    _ isSensitive: Bool, _ warning: String, _ options: [String], _ isCovered: Bool
  ) throws {
    let server = try server(Self.media, isSensitive: isSensitive, warning: warning)
    let edited = try post(server, options + ["edit", "1050", "more tea"])
    #expect(edited.status == 0, "\(edited.errors)")
    #expect(edits(server).map { $0.contains(#","sensitive":\#(isCovered),"#) } == [true], "\(edits(server))")
  }

  /// An empty text is not a wish to keep the old one, and an empty warning is one to have none.
  @Test func whatIsEmptyIsMeant() throws {
    let server = try server()
    for words in [["edit", "1050", ""], ["edit", "1050", " \n"], ["edit", "1050", "-"]] {
      let edited = try post(server, words)
      #expect(edited.status == 65 && edited.errors.contains("the text is empty"), "\(words): \(edited.errors)")
    }
    #expect(edits(server).isEmpty)
    let edited = try post(server, ["--warning", "", "edit", "1050"])
    #expect(edited.status == 0, "\(edited.errors)")
    #expect(
      edits(server) == [#"{"status":"tea @otto","spoiler_text":"","sensitive":false,"language":"sv"}"#],
      "\(edits(server))")
    #expect(try post(server, ["--warning", "", "a post"]).status == 64)
  }

  @Test func whoMayQuoteCanBeChanged() throws {
    let server = try server()
    #expect(try post(server, ["--quote-settings", "nobody", "edit", "1050", "more tea"]).status == 0)
    #expect(edits(server).map { $0.contains(#","quote_approval_policy":"nobody""#) } == [true], "\(edits(server))")
  }

  /// What is said of another post is nothing to go by.
  @Test func anAnswerOfAnotherPostIsNotTaken() throws {
    let server = try server(Self.media, id: "1051")
    #expect(try post(server, ["edit", "1050", "more tea"]).status != 0)
    #expect(edits(server).isEmpty)
  }

  /// Servers take five minutes to a month: one that ends at once, or never.
  @Test(arguments: [(#""expires_at":"\#(Date.now.addingTimeInterval(60).ISO8601Format())","#, 300), ("", 2_629_746)])
  func aPollHasATimeThatServersTake(_ end: String, _ seconds: Int) throws {
    let poll = #""poll":{"id":"3",\#(end)"expired":false,"multiple":false,"options":[{"title":"a"},{"title":"b"}]}"#
    let server = try server(poll)
    #expect(try post(server, ["edit", "1050", "more tea"]).status == 0)
    #expect(edits(server).map { $0.contains(#""expires_in":\#(seconds),"#) } == [true], "\(edits(server))")
  }

  @Test func aPollGoesOnAsLongAsItWould() throws {
    let end = Date.now.addingTimeInterval(7200).ISO8601Format()
    let poll =
      #""poll":{"id":"3","expires_at":"\#(end)","expired":false,"multiple":true,"options":[{"title":"a"},{"title":"b"}]}"#
    let server = try server(poll)
    #expect(try post(server, ["edit", "1050", "more tea"]).status == 0)
    let body = try #require(edits(server).first)
    let seconds = try #require(body.firstMatch(of: /"poll":{"options":\["a","b"\],"expires_in":(\d+),"multiple":true}/))
    #expect((7100...7200).contains(Int(seconds.1) ?? 0), "\(body)")
    let over = try self.server(#""poll":{"id":"3","expired":true,"options":[]}"#)
    let refused = try post(over, ["edit", "1050", "more tea"])
    #expect(refused.status == 69 && refused.errors.contains("an edit would open it again"), "\(refused.errors)")
    #expect(edits(over).isEmpty)
  }

  /// The same edit twice is one, so nothing is looked for.
  @Test func anEditWithoutAnAnswerIsMadeAgain() throws {
    let server = try server(lost: 1)
    let edited = try post(server, ["edit", "1050", "more tea"])
    #expect(edited.status == 0 && edited.lines.count == 1, "\(edited.errors)")
    #expect(edits(server).count == 2 && Set(edits(server)).count == 1)
    #expect(!server.targets.contains { $0.contains("/accounts/7/statuses") })
  }

  /// An edit that waits is not sent after a later one.
  @Test func theLastEditCounts() throws {
    let server = try server()
    #expect(try post(server, ["--later", "edit", "1050", "old tea"]).status == 0)
    #expect(try post(server, ["edit", "1050", "new tea"]).status == 0)
    #expect(try post(server, ["flush"]).status == 0)
    #expect(edits(server).count == 1 && edits(server)[0].contains("new tea"))
  }

  @Test func whatCannotBeEditedIsRefused() throws {
    let server = try server(author: "8")
    let other = try post(server, ["edit", "1050", "more tea"])
    #expect(other.status == 69 && other.errors.contains("is not one of account 'maja'"), "\(other.errors)")
    let gone = try post(server, ["edit", "1051", "more tea"])
    #expect(gone.status == 69 && gone.errors.contains("there is no post '1051'"), "\(gone.errors)")
    for option in [
      ["--visibility", "private"], ["--poll", "a", "--poll", "b"], ["--thread"], ["--reply-settings", "mentioned"],
    ] {
      let refused = try post(server, option + ["edit", "1050", "more tea"])
      #expect(refused.status == 64 && refused.errors.contains("'edit' changes the text"), "\(refused.errors)")
    }
    let empty = try post(server, ["edit", "1050"])
    #expect(empty.status == 64, "\(empty.errors)")
    #expect(edits(server).isEmpty)
  }

  /// X's edits are not part of its API.
  @Test func xHasNone() throws {
    let refused = try Tool.run(
      "tw-post", ["edit", "1050", "more tea"], environment: ["TW_TOKEN": "t0k", "TW_ENDPOINT": "http://127.0.0.1:1"],
      home: home)
    #expect(refused.status == 64 && refused.errors.contains("service 'x' has no edits of posts"), "\(refused.errors)")
  }
}
