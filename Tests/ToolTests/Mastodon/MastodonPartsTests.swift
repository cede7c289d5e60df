import Foundation
import Synchronization
import TestSupport
import Testing

/// Polls and mentions of posts at servers with Mastodon's API, and posts that these publish themselves.
@Suite(.onOwnThread) struct MastodonPartsTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static let poll =
    #"{"id":"34","expires_at":"2026-11-29T20:00:00.000Z","expired":false,"multiple":true,"votes_count":0,"#
    + #""voters_count":0,"options":[{"title":"one","votes_count":0},{"title":"two","votes_count":0}]}"#
  private static let otto =
    #"{"id":"8","username":"otto","acct":"otto@milk.example","url":"https://milk.example/@otto"}"#

  /// What the server keeps of posts that it publishes later, by the keys of their requests.
  private final class Schedule: Sendable {
    let keys = Mutex<[String]>([])
    let lost: Mutex<Int>
    init(lost: Int) { self.lost = Mutex(lost) }
  }

  /// - Parameters:
  ///   - members: of the answer to a post.
  ///   - lost: how many answers to posts do not come.
  ///   - isNew: whether it is of a version that can be trusted with keys.
  private func server(_ members: String = "", lost: Int = 0, isNew: Bool = false) throws -> (MastodonServer, Schedule) {
    let schedule = Schedule(lost: lost)
    var settings = MastodonServer.Settings()
    settings.posts = 0
    if isNew { settings.instance = PostingMastodon.newVersion + "{}}" }
    settings.first = { request, connection in
      guard request.target == "POST /api/v1/statuses" else { return false }
      let body = LooseJSON(try? JSONSerialization.jsonObject(with: Data(request.body.utf8)))
      let time = body["scheduled_at"].text
      let isLost = schedule.lost.withLock { left in
        left -= 1
        return left >= 0
      }
      let id = schedule.keys.withLock { keys in
        let key = request["Idempotency-Key"] ?? ""
        if !keys.contains(key) { keys.append(key) }
        return keys.firstIndex(of: key) ?? 0
      }
      if isLost {
        connection.reset()
      } else if time.isEmpty {
        connection.answer(200, MastodonServer.status(2000).dropLast(24) + members + #""tags":[]}"#)
      } else {
        connection.answer(200, #"{"id":"\#(id)","scheduled_at":"\#(time)","params":{},"media_attachments":[]}"#)
      }
      return true
    }
    return (try MastodonServer(settings), schedule)
  }

  private func post(_ server: MastodonServer, _ arguments: [String]) throws -> ToolResult {
    try server.run("tw-post", arguments, home: home, token: "t0k")
  }

  private func bodies(_ server: MastodonServer) -> [String] {
    server.server.requests.filter { $0.target == "POST /api/v1/statuses" }.map(\.body)
  }

  // MARK: Records

  /// A record has the ids of the poll and of those who are named, which only the server knows.
  @Test func theRecordHasThePollAndTheMentions() throws {
    let (server, _) = try server(#""mentions":[\#(Self.otto)],"poll":\#(Self.poll),"#)
    let posted = try post(
      server, ["--poll", "one", "--poll", "two", "--poll-multiple", "Which, @otto@milk.example, or <none>?"])
    #expect(posted.status == 0, "\(posted.errors)")
    let record = LooseJSON(try JSONSerialization.jsonObject(with: Data(posted.output.utf8)))
    #expect(record["text"].text == "Which, @otto, or <none>?", "\(posted.output)")
    let mention = record["entities"]["mentions"][0]
    #expect(mention["id"].text == "8" && mention["start"].number == 7 && mention["end"].number == 12)
    let poll = record["attachments"]["poll"]
    #expect(poll["id"].text == "34" && poll["options"][1]["label"].text == "two", "\(posted.output)")
    #expect(poll["end_datetime"].text == "2026-11-29T20:00:00.000Z", "\(posted.output)")
  }

  // MARK: Polls

  @Test func aPollMayHaveSeveralAnswersAndHideItsNumbers() throws {
    let (server, _) = try server(#""mentions":[],"#)
    let options = ["--poll", "one", "--poll", "two", "--poll-multiple", "--poll-hide-totals"]
    #expect(try post(server, options + ["--later", "Which?"]).status == 0)
    #expect(try post(server, ["flush"]).status == 0)
    #expect(
      bodies(server) == [
        #"{"status":"Which?","poll":{"options":["one","two"],"expires_in":86400,"multiple":true,"hide_totals":true}}"#
      ])
    for (option, message) in [
      ("--poll-multiple", "service 'local' has no polls in which several answers may be chosen (--poll-multiple)"),
      ("--poll-hide-totals", "service 'local' has no polls that hide their numbers (--poll-hide-totals)"),
    ] {
      let elsewhere = try Tool.run(
        "tw-post", ["--dry-run", "--poll", "one", "--poll", "two", option, "Which?"],
        environment: PostService().environment, home: home)
      #expect(elsewhere.status == 64 && elsewhere.errors.contains(message), "\(elsewhere.errors)")
      let alone = try post(server, [option, "Which?"])
      #expect(alone.status == 64 && alone.errors.contains("need --poll"), "\(alone.errors)")
    }
  }

  // MARK: Posts that the server publishes itself

  @Test func theServerPublishesThePostLater() throws {
    let (server, schedule) = try server()
    let posted = try post(server, ["--server", "--at", "2030-11-27T18:30:00Z", "Good morning"])
    #expect(posted.status == 0 && posted.output.isEmpty, "\(posted.output)\(posted.errors)")
    #expect(posted.errors.contains("the service has the post, and publishes it at 2030-11-27"), "\(posted.errors)")
    #expect(bodies(server) == [#"{"status":"Good morning","scheduled_at":"2030-11-27T18:30:00.000Z"}"#])
    #expect(try post(server, ["outbox"]).output.isEmpty && post(server, ["flush"]).output.isEmpty)
    #expect(schedule.keys.withLock(\.count) == 1)
    // It has no id that could be deleted by.
    let undone = try post(server, ["--yes", "undo"])
    #expect(undone.status == 66 && undone.errors.contains("delete it there"), "\(undone.errors)")
    #expect(!server.targets.contains { $0.hasPrefix("DELETE") })
  }

  /// A server that publishes it at once has said so.
  @Test func aServerThatDoesNotWaitIsNoticed() throws {
    var settings = MastodonServer.Settings()
    settings.posts = 0
    settings.first = { request, connection in
      guard request.target == "POST /api/v1/statuses" else { return false }
      connection.answer(200, MastodonServer.status(2000))
      return true
    }
    let posted = try post(MastodonServer(settings), ["--server", "--at", "2h", "Good morning"])
    #expect(posted.status == 0 && posted.output.contains(#""id":"2000""#), "\(posted.errors)")
    #expect(posted.errors.contains("has published the post at once"), "\(posted.errors)")
  }

  @Test func whatCannotBeScheduledIsRefusedBefore() throws {
    let (server, _) = try server()
    for (arguments, message) in [
      (["--server"], "--server needs --at"), (["--server", "--at", "2m"], "at least five minutes ahead"),
      (["--server", "--at", "2h", "--later"], "--server excludes"),
      (["--server", "--at", "2h", "--thread"], "--server excludes"),
    ] {
      let refused = try post(server, arguments + ["Good morning"])
      #expect(refused.status == 64 && refused.errors.contains(message), "\(refused.errors)")
    }
    let liked = try post(server, ["--server", "--at", "2h", "like", "1050"])
    #expect(liked.status == 64 && liked.errors.contains("--server is for texts"), "\(liked.errors)")
    #expect(bodies(server).isEmpty)
    let elsewhere = try Tool.run(
      "tw-post", ["--server", "--at", "2h", "Good morning"], environment: PostService().environment, home: home)
    #expect(
      elsewhere.status == 64 && elsewhere.errors.contains("has no posts that it publishes itself"),
      "\(elsewhere.errors)")
  }

  /// A server that keeps keys is asked again; of another nobody can say whether it has the post.
  @Test(arguments: [true, false]) func aLostAnswerDoesNotScheduleTwice(_ isNew: Bool) throws {
    let (server, schedule) = try server(lost: 1, isNew: isNew)
    let command = ["--server", "--at", "2h", "Good morning"]
    let posted = try post(server, command)
    #expect(posted.status == (isNew ? 0 : 75) && posted.output.isEmpty, "\(posted.errors)")
    if !isNew {
      #expect(posted.errors.contains("its scheduled posts do") && posted.errors.contains("outbox drop"))
      let again = try post(server, command)
      #expect(again.status == 75 && again.errors.contains("going on with the same post"), "\(again.errors)")
    }
    #expect(bodies(server).count == (isNew ? 2 : 1) && schedule.keys.withLock(\.count) == 1)
  }
}
