// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Synchronization
import TestSupport

/// The server of one account, and the directory that says where it is: `did:plc:alice`, `alice.example`. It keeps
/// records as the reference server does: what is put twice under one key is one record.
final class FakePDS: Sendable {
  /// What becomes of a request that writes.
  enum Fault: Sendable {
    /// It is done, and its answer does not come.
    case lostAnswer
    /// It is not done.
    case answer(Int, String, [String])
  }

  struct State: Sendable {
    var records: [String: String] = [:]
    var faults: [Fault] = []
    var refresh = 0
    /// The number of the last access token that has expired.
    var expired = -1
    /// Refresh tokens that were spent, in their order.
    var spent: [String] = []
    /// Seconds until a token ends, as it says.
    var lifetime = 7200
    var refreshDelay = 0.0
    /// What is done while a refresh token that was spent has no answer yet.
    var onRefresh: @Sendable () -> Void = {}
    /// What the document says is its account; `nil` is this one.
    var documentID: String?
    var refuses = false
    /// Seconds between a write and its answer.
    var writeDelay = 0.0
    /// The names that the document has.
    var names = ["at://alice.example"]
    /// What the AppView knows that the reader has done, as members of `viewer`.
    var viewer = ""
    /// What it answers in place of the DIDs of the next names that it is asked for: codes and errors.
    var nameFaults: [(code: Int, error: String)] = []
    /// Each write that was carried out or was there already.
    var puts: [String] = []
    /// What it says of who signs its accounts in; `nil` where it does that by passwords alone.
    var resource: String?
    /// What the document says is the account's server; `nil` is this one.
    var place: String?
  }

  static let password = "abcd-efgh-ijkl-mnop"
  static let did = "did:plc:alice"
  static let handles = ["alice.example": did, "bob.example": "did:plc:bob"]

  let state = Mutex(State())
  /// Who signs its accounts in by OAuth.
  let authorization = Mutex<FakeAuthorization?>(nil)
  private let box = Mutex<LoopbackServer?>(nil)
  var server: LoopbackServer { box.withLock { $0! } }
  var base: String { server.base }

  init() throws {
    // A request may still come when the test is over.
    let server = try LoopbackServer { [weak self] request, connection in
      guard let self else { return }
      // Bluesky's client reads nothing else.
      connection.fields.append("Content-Type: application/json")
      serve(request, connection)
    }
    box.withLock { $0 = server }
  }

  var environment: [String: String] { ["TW_SERVICE": "bluesky", "TW_DIRECTORY_BLUESKY": base] }
  /// Those of a collection, by their keys.
  func records(_ collection: String = "app.bsky.feed.post") -> [String: String] {
    state.withLock { state in
      var found: [String: String] = [:]
      for (path, record) in state.records where path.hasPrefix(collection + "/") {
        found[String(path.dropFirst(collection.count + 1))] = record
      }
      return found
    }
  }

  func calls(_ method: String) -> [LoopbackServer.Request] {
    server.requests.filter { $0.path.split(separator: "?").first.map(String.init) == "/xrpc/\(method)" }
  }

  func signIn(_ home: TemporaryDirectory) throws -> ToolResult {
    try home.write("password", Self.password + "\n")
    return try Tool.run(
      "tw-auth",
      ["login", "--service", "bluesky", "--endpoint", base, "--password-file", "password", "alice.example"],
      environment: environment, home: home)
  }

  private func token(_ kind: String, _ number: Int, _ lifetime: Int) -> String {
    let claims =
      #"{"scope":"\#(kind)","n":\#(number),"exp":\#(Int(Date.now.timeIntervalSince1970) / 60 * 60 + lifetime)}"#
    let text = Data(claims.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
    return "eyJhbGciOiJub25lIn0.\(text).s\(number)"
  }

  private func session(_ number: Int, _ lifetime: Int) -> String {
    let access = token("access", number, lifetime)
    return
      #"{"accessJwt":"\#(access)","refreshJwt":"refresh-\#(number)","handle":"alice.example","did":"\#(Self.did)","email":"a@b.example"}"#
  }

  static func post(_ uri: String, _ text: String = "tea", viewer: String = "", reply: String = "") -> String {
    #"{"uri":"\#(uri)","cid":"bafy\#(uri.suffix(4))","author":{"did":"\#(uri.split(separator: "/")[1])","handle":"bob.example"},"#
      + #""record":{"$type":"app.bsky.feed.post","text":"\#(text)","createdAt":"2026-11-26T20:00:00.000Z"\#(reply)},"#
      + #""indexedAt":"2026-11-26T20:00:00.000Z","viewer":{\#(viewer)}}"#
  }

  private func serve(_ request: LoopbackServer.Request, _ connection: TestSupport.Connection) {
    let path = request.path.split(separator: "?").first.map(String.init) ?? ""
    let method = path.replacing("/xrpc/", with: "")
    if path == "/\(Self.did)" {
      let names = state.withLock(\.names).map { "\"\($0)\"" }.joined(separator: ",")
      return connection.answer(
        200,
        ##"{"id":"\##(state.withLock(\.documentID) ?? Self.did)","alsoKnownAs":[\##(names)],"service":[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"\##(state.withLock(\.place) ?? base)"}]}"##
      )
    }
    if path == "/.well-known/oauth-protected-resource", let resource = state.withLock(\.resource) {
      return connection.answer(200, resource)
    }
    if let authorization = authorization.withLock({ $0 }), request["Authorization"]?.hasPrefix("DPoP ") == true {
      if authorization.admits(request, method, at: base, connection) { answer(method, request, connection) }
      return
    }
    switch method {
    case "com.atproto.identity.resolveHandle":
      if let (code, error) = state.withLock({ $0.nameFaults.isEmpty ? nil : $0.nameFaults.removeFirst() }) {
        return connection.answer(code, #"{"error":"\#(error)","message":"no"}"#)
      }
      guard let did = request.decoded("handle").flatMap({ Self.handles[$0] }) else {
        return connection.answer(400, #"{"error":"InvalidRequest","message":"Unable to resolve handle"}"#)
      }
      return connection.answer(200, #"{"did":"\#(did)"}"#)
    case "com.atproto.server.createSession":
      guard request.body.contains("\"password\":\"\(Self.password)\"") else {
        return connection.answer(
          401, #"{"error":"AuthenticationRequired","message":"Invalid identifier or password"}"#)
      }
      return connection.answer(200, state.withLock { session($0.refresh, $0.lifetime) })
    case "com.atproto.server.refreshSession": return renew(request, connection)
    case "com.atproto.server.deleteSession":
      return connection.answer(request["Authorization"] == "Bearer refresh-\(state.withLock(\.refresh))" ? 200 : 400)
    default: break
    }
    let number = state.withLock { $0.refresh > $0.expired ? $0.refresh : -1 }
    guard request["Authorization"]?.hasPrefix("Bearer ") == true,
      request["Authorization"]?.hasSuffix(".s\(number)") == true
    else { return connection.answer(400, #"{"error":"ExpiredToken","message":"Token has expired"}"#) }
    answer(method, request, connection)
  }

  private func renew(_ request: LoopbackServer.Request, _ connection: TestSupport.Connection) {
    let token = request["Authorization"] ?? ""
    let (answer, delay): (String?, Double) = state.withLock { state in
      guard token == "Bearer refresh-\(state.refresh)", request.body.isEmpty, !state.refuses else {
        return (nil, state.refreshDelay)
      }
      state.spent.append(token)
      state.refresh += 1
      return (session(state.refresh, 7200), state.refreshDelay)
    }
    connection.pause(delay)
    state.withLock(\.onRefresh)()
    guard let answer else {
      return connection.answer(400, #"{"error":"ExpiredToken","message":"Token has been revoked"}"#)
    }
    connection.answer(200, answer)
  }

  private func answer(_ method: String, _ request: LoopbackServer.Request, _ connection: TestSupport.Connection) {
    let bob = "at://did:plc:bob/app.bsky.feed.post/3mabcdefghi22"
    switch method {
    case "com.atproto.repo.putRecord", "com.atproto.repo.deleteRecord", "app.bsky.bookmark.createBookmark",
      "app.bsky.bookmark.deleteBookmark":
      write(method, request, connection)
    case "com.atproto.repo.applyWrites": apply(request, connection)
    case "com.atproto.repo.getRecord":
      let path = "\(request.decoded("collection") ?? "")/\(request.decoded("rkey") ?? "")"
      guard let record = state.withLock({ $0.records[path] }) else {
        return connection.answer(400, #"{"error":"RecordNotFound","message":"no"}"#)
      }
      connection.answer(200, #"{"uri":"at://\#(Self.did)/\#(path)","cid":"own\#(path.suffix(4))","value":\#(record)}"#)
    case "com.atproto.repo.listRecords":
      let records = records(request.decoded("collection") ?? "").map {
        #"{"uri":"at://\#(Self.did)/\#(request.decoded("collection") ?? "")/\#($0)","cid":"c","value":\#($1)}"#
      }
      connection.answer(200, #"{"records":[\#(records.joined(separator: ","))]}"#)
    case "com.atproto.repo.uploadBlob":
      connection.answer(
        200,
        #"{"blob":{"$type":"blob","ref":{"$link":"bafkpicture"},"mimeType":"\#(request["Content-Type"] ?? "")","size":\#(request["Content-Length"] ?? "0")}}"#
      )
    case "com.atproto.identity.resolveHandle":
      connection.answer(200, #"{"did":"\#(Self.handles[request.decoded("handle") ?? ""] ?? "-")"}"#)
    case "app.bsky.actor.getProfile":
      let actor = request.decoded("actor") ?? ""
      let did = actor.hasPrefix("did:") ? actor : Self.handles[actor] ?? "did:plc:nobody"
      let handle = Self.handles.first { $0.value == did }?.key ?? "x.example"
      connection.answer(
        200, #"{"did":"\#(did)","handle":"\#(handle)","displayName":"A","viewer":{\#(state.withLock(\.viewer))}}"#)
    case "app.bsky.feed.getPosts":
      let uri = request.decoded("uris") ?? ""
      let reply =
        #","reply":{"root":{"uri":"at://did:plc:bob/app.bsky.feed.post/3mroot","cid":"bafyroot"},"parent":{"uri":"at://x","cid":"y"}}"#
      let isThere = uri.hasPrefix("at://did:plc:bob/") && !uri.hasSuffix("gone")
      let post = Self.post(uri, viewer: state.withLock(\.viewer), reply: uri.hasSuffix("reply") ? reply : "")
      connection.answer(200, #"{"posts":[\#(isThere ? post : "")]}"#)
    case "app.bsky.feed.getTimeline", "app.bsky.feed.getActorLikes":
      let cursor = request.parameter("cursor")
      let items = (0..<2).map {
        #"{"post":\#(Self.post(cursor == nil ? bob.dropLast(1) + "\(6 - $0)" : bob.dropLast(1) + "\(4 - $0)"))}"#
      }
      connection.answer(
        200, #"{"feed":[\#(items.joined(separator: ","))]\#(cursor == nil ? #","cursor":"c1""# : "")}"#)
    case "app.bsky.feed.getAuthorFeed":
      let items = records().sorted { $0.key > $1.key }.map { key, record in
        let time = LooseJSON(try? JSONSerialization.jsonObject(with: Data(record.utf8)))["createdAt"].text
        return
          #"{"post":{"uri":"at://\#(Self.did)/app.bsky.feed.post/\#(key)","cid":"c","author":{"did":"\#(Self.did)","#
          + #""handle":"alice.example"},"record":\#(record),"indexedAt":"\#(time)","same_as":"https://evil.example/1"}}"#
      }
      connection.answer(200, #"{"feed":[\#(items.joined(separator: ","))]}"#)
    case "app.bsky.graph.getFollowers", "app.bsky.graph.getFollows":
      let (name, who) = method.hasSuffix("Followers") ? ("followers", "bob") : ("follows", "eve")
      connection.answer(
        200,
        #"{"subject":{"did":"\#(Self.did)","handle":"alice.example"},"\#(name)":[{"did":"did:plc:\#(who)","handle":"\#(who).example"}]}"#
      )
    case "app.bsky.graph.getLists":
      // Two pages; a list of whom to mute has the name of one to read.
      let isFirst = request.parameter("cursor") == nil
      let purpose = isFirst ? "modlist" : "curatelist"
      connection.answer(
        200,
        #"{"lists":[{"uri":"at://\#(Self.did)/app.bsky.graph.list/3\#(purpose)","name":"Tea","cid":"c","listItemCount":2,"#
          + #""creator":{"did":"\#(Self.did)","handle":"alice.example"},"indexedAt":"2026-11-26T20:00:00.000Z","#
          + #""purpose":"app.bsky.graph.defs#\#(purpose)"}]\#(isFirst ? #","cursor":"l2""# : "")}"#)
    case "app.bsky.feed.getListFeed":
      let isAsked = request.decoded("list") == "at://\(Self.did)/app.bsky.graph.list/3curatelist"
      connection.answer(200, #"{"feed":[\#(isAsked ? #"{"post":\#(Self.post(bob, "listed"))}"# : "")]}"#)
    case "app.bsky.feed.searchPosts": connection.answer(200, #"{"posts":[\#(Self.post(bob, "found"))],"cursor":""}"#)
    case "app.bsky.notification.listNotifications":
      connection.answer(
        200, #"{"notifications":[\#(Self.post(bob, "you there").dropLast()),"reason":"mention","isRead":false}]}"#)
    case "app.bsky.bookmark.getBookmarks":
      connection.answer(
        200,
        #"{"bookmarks":[{"subject":{"uri":"at://did:plc:bob/app.bsky.feed.post/3mgone","cid":"x"},"item":{"$type":"app.bsky.feed.defs#notFoundPost","uri":"at://did:plc:bob/app.bsky.feed.post/3mgone","notFound":true}},{"subject":{"uri":"\#(bob)","cid":"x"},"item":{"$type":"app.bsky.feed.defs#postView",\#(Self.post(bob, "kept").dropFirst())}]}"#
      )
    default: connection.answer(501, #"{"error":"MethodNotImplemented","message":"\#(method)"}"#)
    }
  }

  /// Creates and deletes records, all or none: as at the reference server, a key that is taken, or one that is not
  /// there, is an error of the server.
  private func apply(_ request: LoopbackServer.Request, _ connection: TestSupport.Connection) {
    let fault = state.withLock { $0.faults.isEmpty ? nil : $0.faults.removeFirst() }
    if case .answer(let code, let body, let headers) = fault { return connection.answer(code, body, headers: headers) }
    let input = try? JSONSerialization.jsonObject(with: Data(request.body.utf8)) as? [String: Any]
    var created: [(path: String, record: String)] = []
    var deleted: [String] = []
    for write in input?["writes"] as? [[String: Any]] ?? [] {
      let path = "\(write["collection"] as? String ?? "")/\(write["rkey"] as? String ?? "")"
      if write["$type"] as? String == "com.atproto.repo.applyWrites#delete" {
        deleted.append(path)
        continue
      }
      guard write["$type"] as? String == "com.atproto.repo.applyWrites#create",
        let value = try? JSONSerialization.data(
          withJSONObject: write["value"] ?? [:], options: [.sortedKeys, .withoutEscapingSlashes])
      else { return connection.answer(400, #"{"error":"InvalidRequest","message":"no create"}"#) }
      created.append((path, String(decoding: value, as: UTF8.self)))
    }
    let isWrong = state.withLock { state in
      if created.contains(where: { state.records[$0.path] != nil }) { return true }
      if deleted.contains(where: { state.records[$0] == nil }) { return true }
      for path in deleted { state.records[path] = nil }
      for (path, record) in created { state.records[path] = record }
      state.puts += created.map(\.path)
      return false
    }
    if isWrong { return connection.answer(500, #"{"error":"InternalServerError"}"#) }
    if case .lostAnswer = fault { return connection.reset() }
    connection.pause(state.withLock(\.writeDelay))
    let results =
      deleted.map { _ in #"{"$type":"com.atproto.repo.applyWrites#deleteResult"}"# }
      + created.map {
        #"{"$type":"com.atproto.repo.applyWrites#createResult","uri":"at://\#(Self.did)/\#($0.path)","cid":"c"}"#
      }
    connection.answer(200, #"{"results":[\#(results.joined(separator: ","))]}"#)
  }

  private func write(_ method: String, _ request: LoopbackServer.Request, _ connection: TestSupport.Connection) {
    let fault = state.withLock { $0.faults.isEmpty ? nil : $0.faults.removeFirst() }
    if case .answer(let code, let body, let headers) = fault { return connection.answer(code, body, headers: headers) }
    let input = try? JSONSerialization.jsonObject(with: Data(request.body.utf8)) as? [String: Any]
    let path = "\(input?["collection"] as? String ?? "")/\(input?["rkey"] as? String ?? "")"
    let record = (input?["record"]).flatMap {
      try? JSONSerialization.data(withJSONObject: $0, options: [.sortedKeys, .withoutEscapingSlashes])
    }.map { String(decoding: $0, as: UTF8.self) }
    state.withLock { state in
      if method.hasSuffix("putRecord"), let record {
        state.records[path] = record
        state.puts.append(path)
      } else if method.hasSuffix("deleteRecord") {
        state.records[path] = nil
      }
    }
    if case .lostAnswer = fault { return connection.reset() }
    connection.pause(state.withLock(\.writeDelay))
    connection.answer(
      200, method.hasSuffix("putRecord") ? #"{"uri":"at://\#(Self.did)/\#(path)","cid":"bafynew"}"# : "{}")
  }
}
