import TweetCore
import TweetNet
import TweetServices

/// Pictures and videos are attachments: each is uploaded by itself, and may be worked on for a while before a post can
/// show it. Nobody sees one that no post shows, and servers remove it after some time.
struct MastodonMedia: WholeMediaAPI {
  let requests: MastodonRequests

  /// Milliseconds between two questions about an attachment that is worked on.
  private static let pause = 1_000

  /// The form of RFC 7578. Its parts are the file, under a name that says nothing, and what is in it.
  func upload(_ bytes: [UInt8], type: String, description: String?) -> HTTPRequest {
    let boundary = Self.boundary()
    var body: [UInt8] = []
    body.reserveCapacity(bytes.count + 1024)
    func field(_ head: String, _ content: some Collection<UInt8>) {
      body += "--\(boundary)\r\nContent-Disposition: form-data; \(head)\r\n\r\n".utf8
      body += content
      body += "\r\n".utf8
    }
    let kind =
      PictureHeader.Format(rawValue: type)?.fileExtension ?? VideoFormat(rawValue: type)?.fileExtension ?? "bin"
    field("name=\"file\"; filename=\"media.\(kind)\"\r\nContent-Type: \(type)", bytes)
    if let description { field("name=\"description\"", description.utf8) }
    body += "--\(boundary)--\r\n".utf8
    var request = requests.post("/api/v2/media")
    request.headers = [HTTPHeader("Content-Type", "multipart/form-data; boundary=\(boundary)")]
    request.body = body
    request.totalTimeout = 300_000
    return request
  }

  /// 40 characters by chance, which no file has in it.
  private static func boundary() -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    return "tw-" + String((0..<37).map { _ in letters.randomElement() ?? "a" })
  }

  func upload(ofType type: String, in answer: HTTPResponse) -> MediaUpload? {
    guard let document = try? JSONDocument(answer.body), let id = document["id"]?.text else { return nil }
    return MediaUpload(id: id, key: document["url"]?.nonEmptyString, type: type)
  }

  /// 200 when it is done, 202 to an upload and 206 to a question when it is not.
  func processing(in answer: HTTPResponse) -> MediaProcessing {
    answer.status == 200 ? .done : .underWay(Self.pause)
  }

  func mediaState(_ id: String) -> HTTPRequest? {
    requests.get("/api/v1/media/\(PercentEncoding.encode(id))")
  }
}
