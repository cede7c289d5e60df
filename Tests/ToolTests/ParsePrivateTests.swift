import TestSupport
import Testing

/// Messages between people, and what is only like a post: neither becomes a record.
@Suite(.onOwnThread) struct ParsePrivateTests {
  /// What services and other tools write of messages, and how many there are in it.
  private static let messages: [(json: String, count: Int)] = [
    // Bluesky: an export, a page, a log, the list of conversations, a message that was deleted.
    (
      #"{"id":"3l2a","rev":"2","text":"the code is 4711","sender":{"did":"did:plc:a"},"sentAt":"2026-02-18T10:37:12.000Z"}"#,
      1
    ),
    (
      #"{"messages":[{"$type":"chat.bsky.convo.defs#messageView","id":"3l2a","text":"4711"},{"id":"3l2b","sentAt":"2026-02-18T10:37:12.000Z","sender":{"did":"did:plc:a"}}],"cursor":"x"}"#,
      2
    ),
    (
      #"{"logs":[{"$type":"chat.bsky.convo.defs#logCreateMessage","convoId":"c","message":{"id":"3l2a","text":"4711"}}]}"#,
      1
    ),
    (
      #"{"convos":[{"id":"c","members":[],"lastMessage":{"id":"3l2a","text":"4711","sender":{"did":"did:plc:a"}}}]}"#, 1
    ),
    (#"{"$type":"chat.bsky.convo.defs#deletedMessageView","id":"3l2a","rev":"2"}"#, 1),
    // X API v1.1: the old direct messages, events of messages, what webhooks send.
    (
      #"{"id":11,"id_str":"11","text":"4711","created_at":"Wed Nov 03 21:30:00 +0000 2021","entities":{},"sender":{"id":1,"screen_name":"ann"},"sender_id":1,"recipient":{"id":2},"recipient_id":2}"#,
      1
    ),
    (
      #"{"events":[{"type":"message_create","id":"11","created_timestamp":"1","message_create":{"sender_id":"1","message_data":{"text":"4711"}}},{"type":"message_create","id":"12","message_create":{}}],"apps":{}}"#,
      2
    ),
    (#"{"event":{"type":"message_create","id":"11","message_create":{"message_data":{"text":"4711"}}}}"#, 1),
    (#"{"for_user_id":"1","direct_message_events":[{"type":"message_create","message_create":{}}],"users":{}}"#, 1),
    // X API v2: a page, one alone, one without a text.
    (
      #"{"data":[{"id":"1585321444547837956","text":"4711","event_type":"MessageCreate"},{"id":"1585321444547837957","event_type":"ParticipantsJoin"}],"meta":{"result_count":2}}"#,
      2
    ),
    (
      #"{"data":{"id":"1585321444547837956","text":"4711","sender_id":"7","dm_conversation_id":"1-7","created_at":"2022-10-26T17:24:21.000Z"}}"#,
      1
    ),
    (#"{"id":"1585321444547837956","text":"4711","event_type":"MessageCreate","author_id":"7"}"#, 1),
    // X's archive.
    (
      #"{"dmConversation":{"conversationId":"1-2","messages":[{"messageCreate":{"recipientId":"2","text":"4711","senderId":"1","id":"11","createdAt":"2021-11-03T21:30:00.000Z"}},{"messageCreate":{"id":"12"}}]}}"#,
      2
    ),
    // Misskey's notes for few.
    (
      #"{"id":"9abc","createdAt":"2026-02-18T10:37:12.000Z","userId":"8x","user":{"id":"8x","username":"ann"},"text":"4711","visibility":"followers"}"#,
      1
    ),
    (
      #"{"id":"98","createdAt":"2026-02-18T10:37:12.000Z","text":"4711","visibility":"specified","visibleUserIds":["8y"]}"#,
      1
    ),
    // Other tools and servers.
    (#"{"participants":[{"name":"Ann"}],"messages":[{"sender_name":"Ann","timestamp_ms":1,"content":"4711"}]}"#, 1),
    (
      #"{"id":"77","text":"4711","author":{"id":"5","username":"ann"},"channel_id":"9","created_at":"2026-02-18T10:37:12Z"}"#,
      1
    ),
    (#"{"id":"77","account_id":"5","chat_id":"9","content":"4711","created_at":"2026-02-18T10:37:12Z"}"#, 1),
  ]

  @Test func messagesAreLeftOutAndCounted() throws {
    for (json, count) in Self.messages {
      for input in [json, "[\(json)]"] {
        let result = try Tool.run("tw-parse", stdin: ToolInput(input + "\n"))
        let text = "\(count) private message\(count == 1 ? "" : "s") left out: only posts become records"
        #expect(
          result.output
            == #"{"tw":"notice","level":"warning","code":"private-messages","message":"\#(text)","count":\#(count)}"#
            + "\n",
          "\(json)")
        #expect(result.errors == "tw-parse: \(text)\n")
        #expect(result.ending == .status(0))
      }
    }
  }

  /// A shape that is named is not a reason to publish a message.
  @Test(arguments: ["x-v1", "x-v2"])
  func aNamedShapeReadsNoMessage(_ shape: String) throws {
    let input = Self.messages.map(\.json).joined(separator: "\n") + "\n"
    let result = try Tool.run("tw-parse", ["--from", shape, "--only", "tweet"], stdin: ToolInput(input))
    #expect(result.output == "")
    #expect(result.errors.contains("private messages left out"))
  }

  /// On all cores as on one, and whatever the selection.
  @Test func messagesOfALargeFileAreCounted() throws {
    let home = try TemporaryDirectory()
    let post =
      #"{"id_str":"7","text":"\#(String(repeating: "x", count: 900))","user":{"id_str":"1","screen_name":"a"}}"# + "\n"
    let message = Self.messages[0].json + "\n"
    let count = 9000
    let path = try home.write("mixed", String(repeating: post + message, count: count))
    let result = try Tool.run("tw-parse", ["--only", "tweet", "--summary", path], home: home)
    #expect(result.lines.count == count)
    #expect(result.errors.hasPrefix("tw-parse: \(count) private messages left out: only posts become records\n"))
  }

  /// An id and a text have many things.
  @Test(arguments: [
    #"{"id":"1456","text":"a note"}"#, #"{"data":{"id":"1456","text":"a note"}}"#,
    #"{"data":[{"id":"1456","text":"a note"}],"meta":{"result_count":1}}"#,
    #"{"id":1456,"text":"a to-do","created_at":1700000000,"user_id":"7"}"#,
    #"{"id":"1456","text":"a to-do","created_at":"1700000000"}"#,
    #"{"id":1456,"text":"a comment","user":"ann"}"#, #"{"id_str":"1456","full_text":"a note"}"#,
    #"{"id":"9abc","createdAt":"2026-02-18T10:37:12.000Z","user":{"id":"8x","username":"ann"},"text":"hi","visibility":"public"}"#,
    #"{"id":"5f1e","text":"a comment","user":{"id":"5f1f","name":"Ann"},"created_at":"2026-02-18T10:37:12Z"}"#,
    #"{"name":"Ann","type":"personal_chat","id":123,"messages":[{"id":1,"type":"message","from":"Ann","text":"hi"}]}"#,
    #"{"client_msg_id":"1","type":"message","user":"U1","text":"hi","ts":"1.2"}"#,
  ])
  func whatIsOnlyAlikeIsBad(_ json: String) throws {
    let result = try Tool.run("tw-parse", stdin: ToolInput(json + "\n"))
    #expect(result.output == "")
    #expect(result.errors.contains("bad record"))
    #expect(result.ending == .status(65))
  }

  /// What X has sent with the least that it sends.
  @Test(arguments: [
    #"{"data":{"id":"1456","text":"hi","edit_history_tweet_ids":["1456"]}}"#,
    #"{"data":[{"id":"1456","text":"hi"}],"meta":{"newest_id":"1456","oldest_id":"1456","result_count":1}}"#,
    #"{"data":{"id":"1456","text":"hi"},"matching_rules":[{"id":"1"}]}"#,
    #"{"id":"1456","text":"hi","author_id":"7"}"#, #"{"id":"1456","text":"hi","public_metrics":{"like_count":1}}"#,
    #"{"id":"1456","text":"hi","created_at":"2021-11-03T21:30:00.000Z"}"#,
    #"{"id":1456,"text":"hi","created_at":"Wed Nov 03 21:30:00 +0000 2021"}"#,
    #"{"id_str":"1456","full_text":"hi","favorite_count":"0"}"#,
    #"{"tw":"context","service":"x"}"# + "\n" + #"{"id":"1456","text":"hi"}"#,
    #"{"tw":"context","service":"my-service"}"# + "\n" + #"{"id":"abc/1","text":"hi"}"#,
  ])
  func aPostIsRead(_ json: String) throws {
    let result = try Tool.run("tw-parse", ["--only", "tweet"], stdin: ToolInput(json + "\n"))
    #expect(result.lines.count == 1 && result.output.contains(#""text":"hi""#))
    #expect(result.ending == .status(0))
  }

  /// Ids that are none of X's, in each place that has one.
  @Test(arguments: [
    "id", "user", "reply", "quote", "v2", "v2-author", "v2-reference", "gnip", "like", "delete", "mastodon",
  ])
  func idsAreChecked(_ place: String) throws {
    func document(_ id: String) -> String {
      switch place {
      case "id": #"{"id":\#(id),"text":"t","user":{"id":7}}"#
      case "user": #"{"id":1,"text":"t","user":{"id":\#(id)}}"#
      case "reply": #"{"id":1,"text":"t","user":{"id":7},"in_reply_to_status_id":\#(id)}"#
      case "quote": #"{"id":1,"text":"t","user":{"id":7},"quoted_status_id_str":\#(id)}"#
      case "v2": #"{"id":\#(id),"text":"t","author_id":"7"}"#
      case "v2-author": #"{"id":"1","text":"t","author_id":\#(id)}"#
      case "v2-reference": #"{"id":"1","text":"t","author_id":"7","referenced_tweets":[{"type":"quoted","id":\#(id)}]}"#
      case "gnip":
        #"{"objectType":"activity","verb":"post","id":\#(id),"actor":{"id":"id:twitter.com:7"},"body":"t"}"#
      case "like": #"{"like":{"tweetId":\#(id),"fullText":"t"}}"#
      case "delete": #"{"delete":{"status":{"id":\#(id)}}}"#
      default:
        #"{"id":\#(id),"content":"t","visibility":"public","account":{"id":"1","acct":"a","url":"https://a.example/@a"}}"#
      }
    }
    for id in [
      "9.51064e+17", "951064000000000000.0", #""9.51064e+17""#, #""951064000000000000.0""#, "-5", #""abc def""#,
    ] {
      let result = try Tool.run("tw-parse", stdin: ToolInput(document(id) + "\n"))
      #expect(result.output == "", "\(place) \(id)")
      let isRounded = id.contains("0e") || id.contains("4e") || id.contains(".")
      if isRounded, place != "gnip" { #expect(result.errors.contains("an id that was rounded by another program")) }
      #expect(result.ending == .status(65), "\(place) \(id)")
    }
    if !["gnip", "mastodon"].contains(place) {
      let result = try Tool.run("tw-parse", stdin: ToolInput(document(#""x951064000000000000""#) + "\n"))
      #expect(result.ending == .status(65), "\(place)")
    }
  }

  /// Whole numbers are ids, also where another program has put a point and zeros behind them.
  @Test(arguments: ["123456", #""123456""#, "123456.0", #""123456.0""#])
  func wholeNumbersAreIDs(_ id: String) throws {
    let input = """
      {"id":\(id),"text":"t","user":{"id":\(id),"screen_name":"a"},"in_reply_to_status_id":\(id),"in_reply_to_user_id":\(id)}
      {"id":\(id),"text":"t","author_id":\(id),"in_reply_to_user_id":\(id),"referenced_tweets":[{"type":"quoted","id":\(id)}]}

      """
    let result = try Tool.run("tw-parse", stdin: ToolInput(input))
    #expect(
      result.lines == [
        #"{"tw":"tweet","id":"123456","service":"x","url":"https://x.com/a/status/123456","text":"t","author_id":"123456","author":{"id":"123456","username":"a"},"in_reply_to_user_id":"123456","referenced_tweets":[{"type":"replied_to","id":"123456"}]}"#,
        #"{"tw":"tweet","id":"123456","service":"x","url":"https://x.com/i/status/123456","text":"t","author_id":"123456","author":{"id":"123456"},"in_reply_to_user_id":"123456","referenced_tweets":[{"type":"quoted","id":"123456"}]}"#,
      ])
  }
}
