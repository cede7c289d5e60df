import TweetAccounts
import TweetCore
package import TweetNet
package import TweetServices

/// Uploads by the X API v2. Pieces go as base64 in JSON, which the API takes beside multipart forms.
extension V2Writing {
  /// X's limit is 5 MB a piece; base64 makes a third more of it.
  package var mediaPieceSize: Int { 2 << 20 }
  /// Pieces have numbers from 0 to 999.
  package var mostMediaPieces: Int { 1000 }

  package func beginMedia(type: String, size: Int) -> HTTPRequest {
    let category =
      switch type {
      case "image/gif": "tweet_gif"
      case let type where type.hasPrefix("video/"): "tweet_video"
      default: "tweet_image"
      }
    return post("/2/media/upload/initialize") { body in
      body.member("media_type", type)
      body.member("media_category", category)
      body.member("total_bytes", size)
    }
  }

  package func upload(ofType type: String, in answer: HTTPResponse) -> MediaUpload? {
    guard let document = try? JSONDocument(answer.body), let id = document["data"]?["id"]?.nonEmptyString else {
      return nil
    }
    return MediaUpload(id: id, key: document["data"]?["media_key"]?.nonEmptyString, type: type)
  }

  package func appendMedia(_ piece: [UInt8], number: Int, to id: String) -> HTTPRequest {
    var request = post("/2/media/upload/\(PercentEncoding.encode(id))/append") { body in
      body.member("segment_index", number)
      body.member("media", String(base64: piece))
    }
    request.totalTimeout = Self.pieceTimeout
    return request
  }

  /// Milliseconds for a piece on a slow line.
  private static let pieceTimeout = 300_000

  package func finishMedia(_ id: String) -> HTTPRequest {
    requests.postEmpty("/2/media/upload/\(PercentEncoding.encode(id))/finalize")
  }

  package func mediaState(_ id: String) -> HTTPRequest {
    requests.get("/2/media/upload", [("media_id", id), ("command", "STATUS")])
  }

  package func processing(in answer: HTTPResponse) -> MediaProcessing {
    guard let document = try? JSONDocument(answer.body), let info = document["data"]?["processing_info"] else {
      return .done
    }
    switch info["state"]?.string {
    case "failed": return .failed
    case "succeeded": return .done
    default: return .underWay(min(60, max(1, info["check_after_secs"]?.integer ?? 1)) * 1000)
    }
  }

  package func describeMedia(_ id: String, _ text: String) -> HTTPRequest {
    post("/2/media/metadata") { body in
      body.member("id", id)
      body.object("metadata") { $0.object("alt_text") { $0.member("text", text) } }
    }
  }

  private func post(_ path: String, _ members: (inout ByteBuffer) -> Void) -> HTTPRequest {
    var body = ByteBuffer()
    body.object(members)
    return requests.post(path, body.string)
  }
}
