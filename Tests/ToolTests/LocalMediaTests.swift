import Foundation
import TestSupport
import Testing
import TweetCore

@testable import tw_local

/// Pictures and polls of users at a tw-local, over real sockets.
@Suite(.onOwnThread) struct LocalMediaTests {
  private let local: LocalService

  init() throws { local = try LocalService() }

  /// A picture, larger than other bodies may be.
  private static let picture = PNGEncoder.encode(Raster.landscape(seed: 7, width: 800, height: 400))
  private static let gif = Array("GIF89a".utf8) + [10, 0, 12, 0, 0, 0, 0, 0x3B]

  private func json(_ path: String, _ body: Any) throws -> LocalAnswer {
    try local.ask("POST", path, body: body)
  }

  private func form(_ path: String, _ parts: KeyValuePairs<String, [UInt8]>) throws -> LocalAnswer {
    var body: [UInt8] = Array("what stands before is ignored\r\n".utf8)
    for (name, bytes) in parts {
      body += Array("--b-1\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"x;y\"\r\n".utf8)
      body += Array("Content-Type: application/octet-stream\r\n\r\n".utf8) + bytes + [13, 10]
    }
    body += Array("--b-1--\r\n".utf8)
    return try local.ask(
      "POST", path, headers: ["Content-Type": "multipart/form-data; boundary=b-1"], raw: body)
  }

  private func upload(_ bytes: [UInt8] = picture) throws -> String {
    let answer = try form("/2/media/upload", ["media": bytes, "media_category": Array("tweet_image".utf8)])
    #expect(answer.status == 200)
    return answer["data"]["id"].text
  }

  private func post(_ body: [String: Any]) throws -> LocalAnswer { try json("/2/tweets", body) }

  @Test func uploadsInParts() throws {
    let picture = Self.picture
    #expect(picture.count > ServerRequest.maxBody)
    let begun = try json("/2/media/upload/initialize", ["media_type": "image/png", "total_bytes": picture.count])
    let id = begun["data"]["id"].text
    #expect(begun.status == 200 && begun["data"]["media_key"].text == "3_\(id)")
    let path = "/2/media/upload/\(id)"
    // In any order, in a form or in JSON; a part that comes again replaces the first.
    let second = Array(picture[100_000...])
    #expect(try form(path + "/append", ["segment_index": Array("1".utf8), "media": second]).status == 200)
    let first = Data(picture[..<100_000]).base64EncodedString()
    for _ in 0..<2 {
      #expect(try json(path + "/append", ["segment_index": 0, "media": first]).status == 200)
    }
    let more = try json(path + "/append", ["segment_index": 2, "media": "AAAA"])
    #expect(more.status == 400 && more["errors"][0]["message"].text.contains("segment"))
    #expect(try post(["text": "too early", "media": ["media_ids": [id]]]).status == 400)
    let finished = try json(path + "/finalize", [:])
    #expect(finished.status == 200 && finished["data"]["size"].number == picture.count)
    #expect(finished["data"]["processing_info"].value == nil)
    #expect(try json("/2/media/metadata", ["id": id, "metadata": ["alt_text": ["text": "a harbour"]]]).status == 200)

    let other = try upload()
    let posted = try post(["text": "look", "media": ["media_ids": [id, other]]])
    #expect(posted.status == 201 && posted["data"]["text"].text.hasPrefix("look http://"))
    let fields = "?expansions=attachments.media_keys&media.fields=url,alt_text,width,height&tweet.fields=entities"
    let shown = try local.ask("GET", "/2/tweets/\(posted["data"]["id"].text)" + fields)
    let media = shown["includes"]["media"].array
    #expect(shown["data"]["attachments"]["media_keys"].array.map(\.text) == ["3_\(id)", "3_\(other)"])
    #expect(media.count == 2 && media[0]["alt_text"] == "a harbour" && media[1]["alt_text"].value == nil)
    #expect(media[0]["width"].number == 800 && media[0]["height"].number == 400)
    #expect(shown["data"]["entities"]["urls"].array.count == 1)
    let address = try #require(URL(string: media[0]["url"].text))
    let got = try local.ask("GET", address.path, token: nil)
    #expect(got.status == 200 && got.body == picture && got.headers["content-type"] == "image/png")
    #expect(got.headers["x-content-type-options"] == "nosniff")
    let old = try local.ask("GET", "/1.1/statuses/show.json?id=\(posted["data"]["id"].text)")
    #expect(old["extended_entities"]["media"].array.map { $0["id_str"].text } == [id, other])
    #expect(old["entities"]["media"].array.count == 1)
    // A picture alone is a post; the same text with another picture is no duplicate.
    #expect(try post(["media": ["media_ids": [upload()]]]).status == 201)
    #expect(try post(["text": "look", "media": ["media_ids": [upload()]]]).status == 201)
  }

  @Test func uploadsByV1() throws {
    let path = "/1.1/media/upload.json"
    let begun = try form(
      path,
      [
        "command": Array("INIT".utf8), "media_type": Array("image/gif".utf8),
        "total_bytes": Array(String(Self.gif.count).utf8),
      ])
    #expect(begun.status == 202)
    let id = Array(begun["media_id_string"].text.utf8)
    let sent = try form(
      path, ["command": Array("APPEND".utf8), "media_id": id, "segment_index": [0x30], "media": Self.gif])
    #expect(sent.status == 204 && sent.headers["content-length"] == nil)
    let finished = try form(path, ["command": Array("FINALIZE".utf8), "media_id": id])
    #expect(finished.status == 201 && finished["processing_info"]["state"] == "pending")
    #expect(finished["image"]["w"].number == 10 && finished["image"]["h"].number == 12)
    let update = "/1.1/statuses/update.json?status=moving&media_ids=\(String(decoding: id, as: UTF8.self))"
    #expect(try local.ask("POST", update)["errors"][0]["code"].number == 324)
    try waitUntil {
      let status = try local.ask("GET", path + "?command=STATUS&media_id=\(String(decoding: id, as: UTF8.self))")
      if status["processing_info"]["state"] == "succeeded" { return true }
      try #require(status["processing_info"]["check_after_secs"].number == 1)
      return false
    }
    let posted = try local.ask("POST", update)
    #expect(posted["extended_entities"]["media"][0]["media_url"].text.hasSuffix(".gif"))
    let simple = try form(path, ["media": Self.picture])
    #expect(simple.status == 200 && simple["size"].number == Self.picture.count)
    let described = try json(
      "/1.1/media/metadata/create.json",
      ["media_id": simple["media_id_string"].text, "alt_text": ["text": "hills"]])
    #expect(described.status == 200 && described.body.isEmpty)
  }

  private static let video = Array("\0\0\0\u{18}ftypisom".utf8) + (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }

  @Test func takesVideosAsTheyAre() throws {
    let home = try TemporaryDirectory()
    try home.write("clip.mp4", Self.video)
    // The tool uploads it in parts, and waits while it is processed.
    let posted = try Tool.run(
      "tw-post", ["--keep-metadata", "--media", "clip.mp4", "--alt", "A wave", "it moves"],
      environment: local.environment, home: home)
    #expect(posted.ending == .status(0), "\(posted.errors)")
    let id = try String(#require(posted.output.firstMatch(of: /"id":"([0-9]+)"/)).1)
    let fields = "?expansions=attachments.media_keys&media.fields=url,preview_image_url,variants,width,height"
    let shown = try local.ask("GET", "/2/tweets/\(id)" + fields)
    let media = shown["includes"]["media"][0]
    #expect(media["type"] == "video" && media["media_key"].text.hasPrefix("7_") && media["url"].value == nil)
    #expect(shown["data"]["attachments"]["media_keys"][0].text == media["media_key"].text)
    let variant = media["variants"][0]
    #expect(variant["content_type"] == "video/mp4")
    let served = try local.ask("GET", #require(URL(string: variant["url"].text)).path, token: nil)
    #expect(served.status == 200 && served.body == Self.video && served.headers["content-type"] == "video/mp4")
    #expect(served.headers["x-content-type-options"] == "nosniff")
    let preview = try local.ask("GET", #require(URL(string: media["preview_image_url"].text)).path, token: nil)
    #expect(PictureHeader(preview.body)?.width == media["width"].number)
    let old = try local.ask("GET", "/1.1/statuses/show.json?id=\(id)")
    let extended = old["extended_entities"]["media"][0]
    #expect(old["entities"]["media"][0]["type"] == "photo" && extended["type"] == "video")
    #expect(extended["media_url"].text == media["preview_image_url"].text)
    #expect(extended["video_info"]["variants"][0]["url"].text == variant["url"].text)
    #expect(try local.search("has:videos moves")["data"].array.count == 1)
    #expect(try local.search("has:images moves")["data"].array.isEmpty)
  }

  @Test func refusesWhatIsNoVideo() throws {
    func video(_ bytes: [UInt8]) throws -> LocalAnswer {
      let begun = try json("/2/media/upload/initialize", ["media_type": "video/webm", "total_bytes": bytes.count])
      let path = "/2/media/upload/\(begun["data"]["id"].text)"
      for (index, start) in stride(from: 0, to: bytes.count, by: 4 << 20).enumerated() {
        let part = Array(bytes[start..<min(bytes.count, start + 4 << 20)])
        #expect(try form(path + "/append", ["segment_index": Array("\(index)".utf8), "media": part]).status == 200)
      }
      return try json(path + "/finalize", [:])
    }
    #expect(try video(Array("RIFF....AVI LIST".utf8)).status == 400)
    // What is said to be a video is not a way around the limit of pictures.
    #expect(try video(Self.picture + [UInt8](repeating: 0, count: 5 << 20)).status == 400)
    var ready: [String] = []
    for _ in 0..<2 {
      let answer = try video([0x1A, 0x45, 0xDF, 0xA3] + Self.video)
      #expect(answer.status == 200 && answer["data"]["processing_info"]["state"] == "pending")
      ready.append(answer["data"]["id"].text)
    }
    #expect(try post(["text": "too early", "media": ["media_ids": [ready[0]]]]).status == 400)
    for id in ready {
      try waitUntil {
        try local.ask("GET", "/2/media/upload?media_id=\(id)")["data"]["processing_info"]["state"] == "succeeded"
      }
    }
    #expect(try post(["text": "two", "media": ["media_ids": ready]]).status == 400)
    #expect(try post(["text": "one", "media": ["media_ids": [ready[0]]]]).status == 201)
    // Nobody looks like a film.
    let image = Data(Self.video).base64EncodedString().addingPercentEncoding(withAllowedCharacters: .alphanumerics)
    let portrait = try local.ask(
      "POST", "/1.1/account/update_profile_image.json",
      headers: ["Content-Type": "application/x-www-form-urlencoded"], raw: Array("image=\(image ?? "")".utf8))
    #expect(portrait.status == 400)
  }

  @Test func refusesWhatIsNoPicture() throws {
    #expect(try json("/2/media/upload/initialize", ["media_type": "video/mp2t", "total_bytes": 9]).status == 400)
    #expect(
      try json("/2/media/upload/initialize", ["media_type": "video/mp4", "total_bytes": 65 << 20]).status == 400)
    for size in [0, -1, 6 << 20, 16 << 20] {
      let body: [String: Any] = ["media_type": "image/png", "total_bytes": size]
      #expect(try json("/2/media/upload/initialize", body).status == 400)
    }
    let page = Array("<html><script>alert(1)</script>".utf8)
    #expect(try form("/2/media/upload", ["media": page]).status == 400)
    #expect(try form("/2/media/upload", ["other": Self.picture]).status == 400)
    let broken = try local.ask(
      "POST", "/2/media/upload", headers: ["Content-Type": "multipart/form-data; boundary=b"],
      raw: Array("--b\r\nContent-Disposition: form-data; name=\"media\"\r\n\r\nno end".utf8))
    #expect(broken.status == 400)
    let begun = try json("/2/media/upload/initialize", ["media_type": "image/png", "total_bytes": 4])
    let path = "/2/media/upload/\(begun["data"]["id"].text)"
    #expect(try json(path + "/finalize", [:])["errors"][0]["message"].text.contains("fewer or more bytes"))
    for part in [-1, 1000] {
      #expect(try json(path + "/append", ["segment_index": part, "media": "AAAA"]).status == 400)
    }
    #expect(try json(path + "/append", ["segment_index": 0, "media": "AAAAAAAA"]).status == 400)
    #expect(
      try json(path + "/append", ["segment_index": 0, "media": Data(page[..<4]).base64EncodedString()]).status == 200)
    #expect(try json(path + "/finalize", [:]).status == 400)
    let text = String(repeating: "x", count: 1001)
    #expect(try json("/2/media/metadata", ["id": upload(), "metadata": ["alt_text": ["text": text]]]).status == 400)
    #expect(try json("/2/media/upload/1/finalize", [:]).status == 400)
  }

  /// A picture belongs to the one who has uploaded it.
  @Test func keepsPicturesApart() throws {
    let demo = LocalProgram(local: try LocalService(["--demo", "--rate", "0"]))
    let scopes = LocalProgram.scopes + " media.write"
    let token = try demo.signIn("yuki_dev", "tw-local", scopes: scopes)["access_token"].text
    let picture = Data(Self.gif).base64EncodedString()
    let sent = try demo.local.ask("POST", "/2/media/upload", token: token, body: ["media": picture])
    let id = sent["data"]["id"].text
    #expect(sent.status == 200)
    #expect(try demo.local.ask("GET", "/2/media/upload?media_id=\(id)", token: token).status == 200)
    #expect(try demo.local.ask("GET", "/2/media/upload?media_id=\(id)").status == 400)
    let body: [String: Any] = ["id": id, "metadata": ["alt_text": ["text": "mine"]]]
    #expect(try demo.local.ask("POST", "/2/media/metadata", body: body).status == 400)
    #expect(try demo.local.ask("POST", "/2/tweets", body: ["media": ["media_ids": [id]]]).status == 400)
    let less = try demo.signIn("yuki_dev", "tw-local")["access_token"].text
    #expect(try demo.local.ask("POST", "/2/media/upload", token: less, body: ["media": picture]).status == 403)
  }

  @Test func changesTheProfilePicture() throws {
    let drawn = try local.ask("GET", "/2/users/me?user.fields=profile_image_url")["data"]["profile_image_url"].text
    let small = PNGEncoder.encode(Raster.portrait(seed: 3, size: 64))
    let image = Data(small).base64EncodedString().addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let user = try local.ask(
      "POST", "/1.1/account/update_profile_image.json",
      headers: ["Content-Type": "application/x-www-form-urlencoded"], raw: Array("image=\(image)".utf8))
    let url = user["profile_image_url_https"].text
    #expect(user.status == 200 && url != drawn && url.hasSuffix("_normal.png"))
    for address in [url, url.replacing("_normal", with: ""), url.replacing("_normal", with: "_400x400")] {
      #expect(try local.ask("GET", #require(URL(string: address)).path, token: nil).body == small)
    }
    #expect(try local.ask("GET", #require(URL(string: url)).path + "x", token: nil).status == 404)
  }

  @Test func postsPolls() throws {
    let poll: [String: Any] = ["options": ["tabs", "spaces"], "duration_minutes": 60]
    let posted = try post(["text": "which?", "poll": poll])
    #expect(posted.status == 201)
    let id = posted["data"]["id"].text
    let shown = try local.ask(
      "GET", "/2/tweets/\(id)?expansions=attachments.poll_ids&poll.fields=duration_minutes,voting_status,end_datetime")
    let found = shown["includes"]["polls"][0]
    #expect(shown["data"]["attachments"]["poll_ids"][0].text == found["id"].text && found["voting_status"] == "open")
    #expect(found["options"].array.map { $0["label"].text } == ["tabs", "spaces"])
    #expect(found["options"][1]["position"].number == 2 && found["duration_minutes"].number == 60)
    for wrong in [
      ["options": ["one"], "duration_minutes": 60], ["options": ["1", "2", "3", "4", "5"], "duration_minutes": 60],
      ["options": ["a", String(repeating: "b", count: 26)], "duration_minutes": 60],
      ["options": ["a", "b"], "duration_minutes": 4], ["options": ["a", "b"], "duration_minutes": 10_081],
      ["options": ["a", ""], "duration_minutes": 60], ["options": ["a", "b"]],
    ] as [[String: Any]] {
      #expect(try post(["text": "wrong", "poll": wrong]).status == 400)
    }
    #expect(try post(["text": "both", "poll": poll, "quote_tweet_id": id]).status == 400)
    #expect(try post(["text": "both", "poll": poll, "media": ["media_ids": [upload()]]]).status == 400)
    #expect(try post(["text": "none", "media": ["media_ids": [String]()]]).status == 400)
  }
}
