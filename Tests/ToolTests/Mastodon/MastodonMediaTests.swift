import Foundation
import Synchronization
import TestSupport
import Testing

/// Pictures and videos at a server with Mastodon's API.
@Suite(.onOwnThread(minutes: 5)) struct MastodonMediaTests {
  private let home: TemporaryDirectory

  init() throws {
    home = try TemporaryDirectory()
    try home.write("a.png", PictureSample.png(width: 3, height: 2))
  }

  /// - Parameters:
  ///   - states: how it answers an upload, and then questions about it.
  ///   - lost: uploads whose answers do not come.
  private func server(
    _ configuration: String = "{}", instance: String? = nil, states: [Int] = [200], lost: Int = 0
  ) throws -> MastodonServer {
    let left = Mutex((states: states, lost: lost, id: 0))
    var settings = MastodonServer.Settings()
    (settings.posts, settings.configuration, settings.instance) = (0, configuration, instance)
    settings.first = { request, connection in
      let path = request.target.split(separator: "?")[0]
      let isUpload = path == "POST /api/v2/media"
      guard isUpload || path.hasPrefix("GET /api/v1/media/") else {
        guard path == "POST /api/v1/statuses" else { return false }
        connection.answer(200, MastodonServer.status(2000))
        return true
      }
      let (state, isLost, id) = left.withLock { left in
        if isUpload { left.id += 1 }
        if isUpload, left.lost > 0 {
          left.lost -= 1
          return (200, true, left.id)
        }
        return (left.states.count > 1 ? left.states.removeFirst() : left.states[0], false, left.id)
      }
      if isLost {
        connection.reset()
      } else if state == 422 {
        connection.answer(422, #"{"error":"Error processing thumbnail for uploaded media"}"#)
      } else {
        let url = state == 200 ? "\"https://tea.example/\(id).png\"" : "null"
        connection.answer(state, #"{"id":"\#(id)","type":"image","url":\#(url)}"#)
      }
      return true
    }
    return try MastodonServer(settings)
  }

  private func post(_ server: MastodonServer, _ arguments: [String]) throws -> ToolResult {
    try server.run("tw-post", arguments, home: home, token: "t0k")
  }

  private func uploads(_ server: MastodonServer) -> [LoopbackServer.Request] {
    server.server.requests.filter { $0.target == "POST /api/v2/media" }
  }

  private func statuses(_ server: MastodonServer) -> [LoopbackServer.Request] {
    server.server.requests.filter { $0.target == "POST /api/v1/statuses" }
  }

  /// The post waits for the picture.
  @Test func aPictureIsUploadedAndWaitedFor() throws {
    let server = try server(states: [202, 206, 206, 200])
    let posted = try post(server, ["--sensitive", "--media", "a.png", "--alt", "a \"cup\", hot", "Look here"])
    #expect(posted.status == 0, "\(posted.errors)")
    let form = try #require(uploads(server).first)
    let boundary = try #require(form["Content-Type"]?.split(separator: "boundary=").last)
    #expect(form["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
    let parts = form.body.components(separatedBy: "--\(boundary)")
    try #require(parts.count == 4)
    #expect(
      parts[1].contains("name=\"file\"; filename=\"media.png\"\r\nContent-Type: image/png\r\n\r\n"),
      "no name of the file")
    #expect(parts[2].hasSuffix("name=\"description\"\r\n\r\na \"cup\", hot\r\n") && parts[3] == "--\r\n")
    #expect(server.targets.filter { $0 == "GET /api/v1/media/1" }.count == 3)
    #expect(statuses(server).map(\.body) == [#"{"status":"Look here","media_ids":["1"],"sensitive":true}"#])
    let output = posted.output
    #expect(output.contains("https://tea.example/1.png") && output.contains(#""width":3,"height":2"#), "\(output)")
    #expect(output.contains(#"a \"cup\", hot"#), "\(output)")
  }

  /// Nobody sees an upload that no post shows: one whose answer is lost is made again.
  @Test func anUploadWithoutAnAnswerIsMadeAgain() throws {
    let server = try server(lost: 1)
    let posted = try post(server, ["--media", "a.png", "Look here"])
    #expect(posted.status == 0 && uploads(server).count == 2, "\(posted.errors)")
    #expect(statuses(server).map(\.body) == [#"{"status":"Look here","media_ids":["2"]}"#])
  }

  @Test func aPictureThatTheServerCannotUseIsRefused() throws {
    let server = try server(states: [202, 422])
    let posted = try post(server, ["--media", "a.png", "Look here"])
    #expect(posted.status == 69 && posted.errors.contains("Error processing thumbnail"), "\(posted.errors)")
    #expect(statuses(server).isEmpty && uploads(server).count == 1)
  }

  /// What the server says of its limits is kept before anything is sent.
  @Test func theServerSaysWhatItTakes() throws {
    let configuration =
      #"{"statuses":{"max_media_attachments":2},"media_attachments":{"supported_mime_types":["image/png","image/jpeg","#
      + #""video/mp4"],"description_limit":10,"image_size_limit":300000,"image_matrix_limit":90000,"video_size_limit":50}}"#
    let server = try server(configuration)
    try home.write("a.gif", PictureSample.gif(width: 3, height: 2, frames: 2))
    try home.write("a.mp4", MediaSample.film(width: 320, height: 240))
    for (arguments, status, message) in [
      (["--media", "a.gif"], 65, "takes no image/gif"), (["--media", "a.mp4"], 65, "takes 50: make it smaller"),
      (["--media", "a.png", "--alt", "12345678901"], 64, "has 11 characters, and service"),
      (["--media", "a.png", "--media", "a.png", "--media", "a.png"], 64, "shows at most 2 pictures"),
      (["--media", "a.png", "--media", "a.mp4"], 65, "takes 50"),
      (["--media", "a.png", "--quote-settings", "nobody", "--card", "https://a.example/"], 64, "has no link cards"),
      (["--media", "a.png", "--reply-settings", "nobody"], 64, "has no choice of who may answer"),
      (["--media", "a.png", "--language", "de", "--language", "en"], 64, "has one --language"),
      (["--media", "a.png", "quote", "1050"], 64, "shows no poll, picture or video"),
    ] {
      let refused = try post(server, arguments + ["Look here"])
      #expect(refused.status == Int32(status) && refused.errors.contains(message), "\(arguments): \(refused.errors)")
    }
    #expect(uploads(server).isEmpty && statuses(server).isEmpty)
    // A picture of more pixels is made smaller.
    try home.write("big.png", try PictureSample.noise(width: 400, height: 400))
    let posted = try post(server, ["--media", "big.png", "Look here"])
    #expect(posted.status == 0 && posted.errors.contains("it is posted with 300 × 300 pixels"), "\(posted.errors)")
    #expect(uploads(server).first?.body.contains("Content-Type: image/jpeg") == true)
  }

  /// Mastodon makes a video of a GIF that moves, which stands alone; of one picture it makes none.
  @Test func aGIFThatMovesStandsAlone() throws {
    let server = try server(instance: PostingMastodon.newVersion + "{}}")
    try home.write("moving.gif", PictureSample.gif(width: 3, height: 2, frames: 2))
    try home.write("still.gif", PictureSample.gif(width: 3, height: 2, frames: 1))
    for mode in [["--dry-run"], ["--later"], []] {
      let refused = try post(server, mode + ["--media", "a.png", "--media", "moving.gif", "Look here"])
      #expect(refused.status == 65 && refused.errors.contains("a GIF that moves is a video there"), "\(refused.errors)")
    }
    #expect(uploads(server).isEmpty && statuses(server).isEmpty)
    #expect(try post(server, ["--media", "moving.gif", "Look here"]).status == 0)
    let both = try post(server, ["--media", "a.png", "--media", "still.gif", "Look here too"])
    #expect(both.status == 0 && statuses(server).count == 2, "\(both.errors)")
  }

  /// Pixelfed is for pictures, Pleroma takes what has any type, and says its limits elsewhere.
  @Test func dialects() throws {
    let pixelfed = try server(instance: #"{"version":"3.5.3 (compatible; Pixelfed 0.12.3)"}"#)
    let refused = try post(pixelfed, ["Hej då"])
    #expect(
      refused.status == 64 && refused.errors.contains("shows a picture or a video: give --media"), "\(refused.errors)")
    #expect(try post(pixelfed, ["--media", "a.png", "Hej då"]).status == 0)
    let pleroma = try server(
      instance: #"{"version":"2.7.2 (compatible; Pleroma 2.7.0)","upload_limit":40,"description_limit":5,"#
        + #""configuration":{"media_attachments":{"supported_mime_types":["application/octet-stream"]}}}"#)
    let long = try post(pleroma, ["--media", "a.png", "--alt", "123456", "Hej då"])
    #expect(long.status == 64 && long.errors.contains("takes 5"), "\(long.errors)")
    try home.write("a.webm", MediaSample.webM().file)
    let large = try post(pleroma, ["--media", "a.webm", "Hej då"])
    #expect(large.status == 65 && large.errors.contains("takes 40"), "\(large.errors)")
  }

  /// Killed at any moment and said again: one post.
  @Test func killedWhileItUploads() throws {
    let server = try server(states: [202, 206, 200])
    let tool = try RunningTool(
      "tw-post", ["--media", "a.png", "Look here"], environment: server.environment(token: "t0k"), home: home)
    try waitUntil { server.targets.contains("GET /api/v1/media/1") }
    tool.signal(SIGKILL)
    _ = try tool.finish()
    #expect(statuses(server).isEmpty)
    // The file may be gone meanwhile: the outbox has its copy.
    let again = try post(server, ["flush"])
    #expect(again.status == 0 && again.lines.count == 1, "\(again.errors)")
    #expect(statuses(server).map(\.body) == [#"{"status":"Look here","media_ids":["2"]}"#])
  }
}
