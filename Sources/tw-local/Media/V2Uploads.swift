import TweetAccounts
import TweetCore

/// v2's uploads.
extension Endpoint {
  private static let access = Access(scopes: [.mediaWrite], needsUser: true)

  static let uploads = [
    Endpoint("POST", path: "/2/media/upload/initialize", limit: 1875, access: access) { service, call in
      let body = try RequestBody(call.request)
      let media = try service.beginUpload(
        call.account, type: body.root["media_type"]?.string ?? "", size: body.root["total_bytes"]?.looseInteger ?? 0)
      return service.answer(media)
    },
    Endpoint("POST", path: "/2/media/upload/*/append", limit: 1875, access: access) { service, call in
      let (bytes, part) = try Self.segment(call.request)
      try service.append(bytes, part: part, to: service.upload(call.mediaID, of: call.account))
      return ServerResponse(json: ["data": ["expires_at": .number(Service.expiry(after: .now))], "meta": [:]])
    },
    Endpoint("POST", path: "/2/media/upload/*/finalize", limit: 1875, access: access) { service, call in
      service.answer(try service.finishUpload(service.upload(call.mediaID, of: call.account)))
    },
    Endpoint("GET", path: "/2/media/upload", limit: 1000, access: access) { service, call in
      guard ["STATUS", nil].contains(call.request.parameter("command")) else {
        throw Problem.invalid("command", call.request.parameter("command") ?? "", value: "", isNotOneOf: ["STATUS"])
      }
      return service.answer(try service.upload(call.request.id("media_id"), of: call.account))
    },
    Endpoint("POST", path: "/2/media/upload", limit: 500, access: access) { service, call in
      service.answer(try service.uploadPicture(Self.picture(call.request), for: call.account))
    },
    Endpoint("POST", path: "/2/media/metadata", limit: 500, access: access) { service, call in
      let body = try RequestBody(call.request)
      let media = try service.upload(body.requiredID("id"), of: call.account)
      let text = body.root["metadata"]?["alt_text"]?["text"]?.string ?? ""
      try service.describe(media, as: text)
      let described: JSON = ["alt_text": ["text": .string(text)]]
      return ServerResponse(json: ["data": ["id": .id(media.id), "associated_metadata": described]])
    },
  ]

  /// The bytes of a picture, from a form or as base64 in JSON.
  private static func picture(_ request: ServerRequest) throws -> [UInt8] {
    if let form = MultipartForm(request) { return form["media"] ?? [] }
    // In a variable, since what is read of a document is valid only as long as that is.
    let body = try RequestBody(request)
    return Crypto.bytes(base64: body.root["media"]?.string ?? "") ?? []
  }

  /// The same for a part of a picture, with its number.
  private static func segment(_ request: ServerRequest) throws -> (bytes: [UInt8], part: Int?) {
    if let form = MultipartForm(request) {
      return (form["media"] ?? [], form.text("segment_index").flatMap { Int($0) })
    }
    let body = try RequestBody(request)
    let part = body.root["segment_index"].flatMap { $0.integer ?? $0.string.flatMap { Int($0) } }
    return (Crypto.bytes(base64: body.root["media"]?.string ?? "") ?? [], part)
  }
}

extension Call {
  fileprivate var mediaID: Int? {
    get throws(Problem) { try ServerRequest.id(pathValues[0], of: "id") }
  }
}

extension Service {
  /// When an upload that begins now is given up, in seconds since 1970.
  fileprivate static func expiry(after time: Timestamp) -> Int {
    Int((time.milliseconds + LocalStore.mediaLife) / 1000)
  }

  fileprivate func answer(_ media: LocalStore.Media) -> ServerResponse {
    var data: JSON.Members = [
      ("id", .id(media.id)), ("media_key", .string(PostMedia(media).key)),
      ("expires_after_secs", .number(Int(LocalStore.mediaLife / 1000))),
    ]
    if media.finished != nil { data.append(("size", .number(media.size))) }
    if let processing = processing(media) { data.append(("processing_info", processing)) }
    // X's contract requires `meta`, and says nothing of what is in it.
    return ServerResponse(json: ["data": .object(data), "meta": [:]])
  }
}
