import TweetAccounts
import TweetCore

/// v1.1's uploads, and the profile picture.
extension Endpoint {
  private static let access = Access(scopes: [.mediaWrite], needsUser: true)

  static let v1Uploads = [
    Endpoint("GET", "POST", path: "/1.1/media/upload.json", limit: 1875, access: access) { try $0.v1Upload($1) },
    Endpoint("POST", path: "/1.1/media/metadata/create.json", limit: 500, access: access) { service, call in
      let body = try RequestBody(call.request)
      let media = try service.upload(body.requiredID("media_id"), of: call.account)
      try service.describe(media, as: body.root["alt_text"]?["text"]?.string ?? "")
      return ServerResponse(status: 200, type: ServerResponse.jsonType, body: [])
    },
    Endpoint("POST", path: "/1.1/account/update_profile_image.json", limit: 15, access: .user(.tweetWrite)) {
      service, call in
      let account = try call.account
      let form = MultipartForm(call.request)
      // Some clients send the bytes, most send them as base64.
      let sent = form?["image"] ?? Array((call.request.parameter("image") ?? "").utf8)
      let bytes =
        PictureHeader(sent) != nil ? sent : Crypto.bytes(base64: String(decoding: sent, as: UTF8.self)) ?? []
      let media = try service.uploadPicture(bytes, for: account)
      try service.store.write { () throws(ToolError) in try service.store.setPicture(media, of: account) }
      return ServerResponse(json: try service.v1UserView(call).user(try service.store.account(account.id) ?? account))
    },
  ]
}

extension Service {
  /// One address, four commands; without a command, all at once.
  fileprivate func v1Upload(_ call: Call) throws -> ServerResponse {
    let (request, account) = (call.request, try call.account)
    let form = MultipartForm(request)
    func value(_ name: String) -> String? { form?.text(name) ?? request.parameter(name) }
    func bytes() -> [UInt8] {
      form?["media"] ?? value("media_data").flatMap { Crypto.bytes(base64: $0) } ?? []
    }
    func media() throws -> LocalStore.Media { try upload(value("media_id").flatMap { Int($0) }, of: account) }
    switch value("command") {
    case "INIT":
      let size = value("total_bytes").flatMap { Int($0) } ?? 0
      return v1Answer(try beginUpload(account, type: value("media_type") ?? "", size: size), status: 202)
    case "APPEND":
      try append(bytes(), part: value("segment_index").flatMap { Int($0) }, to: media())
      return ServerResponse(status: 204)
    case "FINALIZE": return v1Answer(try finishUpload(media()), status: 201)
    case "STATUS": return v1Answer(try media())
    case nil where request.method == "POST": return v1Answer(try uploadPicture(bytes(), for: account))
    default: throw Problem.v1(status: 400, code: 38, message: "command parameter is invalid.")
    }
  }

  private func v1Answer(_ media: LocalStore.Media, status: Int = 200) -> ServerResponse {
    var members: JSON.Members = [
      ("media_id", .number(media.id)), ("media_id_string", .id(media.id)),
      ("expires_after_secs", .number(Int(LocalStore.mediaLife / 1000))),
    ]
    if media.finished != nil { members.append(("size", .number(media.size))) }
    if media.finished != nil, let video = media.video {
      members.append(("video", ["video_type": .string(video.rawValue)]))
    } else if media.finished != nil {
      members.append(
        (
          "image",
          ["image_type": .string(media.type), "w": .number(media.width), "h": .number(media.height)]
        ))
    }
    if let processing = processing(media) { members.append(("processing_info", processing)) }
    return ServerResponse(status: status, json: .object(members))
  }
}
