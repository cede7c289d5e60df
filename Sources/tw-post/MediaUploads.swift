import TweetCore
import TweetNet
import TweetServices

/// Uploads the files of posts, each once in a run.
final class MediaUploads {
  private let api: any WriteAPI
  private let exchange: Exchange
  private let files: OutboxFiles
  private let clock: WritingClock
  private let service: String
  /// By the digests and descriptions of the files.
  private var known: [String: MediaUpload] = [:]

  init(_ api: any WriteAPI, _ exchange: Exchange, _ files: OutboxFiles, _ clock: WritingClock, service: String) {
    (self.api, self.exchange, self.files, self.clock, self.service) = (api, exchange, files, clock, service)
  }

  /// Uploads the files of a post, and says in the draft what the service calls them. Nobody sees them before the post,
  /// so whatever fails is asked again.
  ///
  /// - Returns: why the service will never take a file, although it may take other posts; `nil` if it has all.
  func complete(_ draft: inout PostDraft) throws(ToolError) -> ToolError? {
    do throws(ToolError) {
      try upload(&draft.media)
      if var picture = draft.card?.picture.map({ [$0] }) {
        try upload(&picture)
        draft.card?.picture = picture[0]
      }
      return nil
    } catch {
      switch error {
      case .refused where exchange.refusalScope != .account: return error
      case .badData, .noInput: return error
      default: throw error
      }
    }
  }

  private func upload(_ media: inout [PostDraft.Media]) throws(ToolError) {
    for index in media.indices {
      let key = "\(media[index].digest ?? media[index].path)\n\(media[index].altText ?? "")"
      if known[key] == nil { known[key] = try upload(media[index]) }
      media[index].upload = known[key]
    }
  }

  private func upload(_ media: PostDraft.Media) throws(ToolError) -> MediaUpload {
    let refusal = api.refusal
    let name = "'\(media.path)'"
    let path = media.digest.map { files.path($0) } ?? media.path
    let file = try MediaFile(path, named: media.digest == nil ? name : "the outbox's copy of \(name)")
    if let api = api.wholeMedia { return try upload(file, media.altText, to: api) }
    guard let api = api.media else { throw .refused("service '\(service)' takes no pictures or videos") }
    guard file.size <= api.mediaPieceSize * api.mostMediaPieces else { throw .badData("\(name) is too large") }
    let type = file.type
    var upload = try exchange.ask(api.beginMedia(type: type, size: file.size), refusal: refusal) {
      api.upload(ofType: type, in: $0)
    }
    let id = upload.id
    var (offset, number) = (0, 0)
    while offset < file.size {
      let piece = try file.piece(at: offset, length: api.mediaPieceSize)
      if offset == 0 { try setShape(of: &upload, file, piece) }
      _ = try exchange.ask(api.appendMedia(piece, number: number, to: id), refusal: refusal) { $0.status }
      (offset, number) = (offset + piece.count, number + 1)
    }
    let state = try exchange.ask(api.finishMedia(id), refusal: refusal) { api.processing(in: $0) }
    try wait(state, of: name) { () throws(ToolError) in
      try exchange.ask(api.mediaState(id), refusal: refusal) { api.processing(in: $0) }
    }
    if let text = media.altText {
      _ = try exchange.ask(api.describeMedia(id, text), refusal: refusal) { $0.status }
    }
    return upload
  }

  private func upload(
    _ file: borrowing MediaFile, _ description: String?, to api: any WholeMediaAPI
  ) throws(ToolError) -> MediaUpload {
    let (name, type) = (file.name, file.type)
    let bytes = try file.piece(at: 0, length: file.size)
    let request = api.upload(bytes, type: type, description: description)
    var (upload, state) = try exchange.ask(request, refusal: self.api.refusal) { answer in
      api.upload(ofType: type, in: answer).map { ($0, api.processing(in: answer)) }
    }
    try wait(state, of: name) { () throws(ToolError) in
      guard let question = api.mediaState(upload.id) else { return .done }
      (upload, state) = try exchange.ask(question, refusal: self.api.refusal) { answer in
        // While it is worked on, some servers send nothing more than that.
        (api.upload(ofType: type, in: answer) ?? upload, api.processing(in: answer))
      }
      return state
    }
    try setShape(of: &upload, file, bytes)
    return upload
  }

  /// Waits until the service has worked through a file.
  /// - Parameter ask: asks how far it is.
  private func wait(
    _ state: MediaProcessing, of name: String, _ ask: () throws(ToolError) -> MediaProcessing
  ) throws(ToolError) {
    var state = state
    while case .underWay(let pause) = state {
      try clock.sleep(pause)
      state = try ask()
    }
    if state == .failed { throw .refused("the service cannot use \(name)") }
  }

  /// Says how wide and high a file is when it is shown, where it says that itself.
  /// - Parameter start: the first bytes of the file.
  private func setShape(
    of upload: inout MediaUpload, _ file: borrowing MediaFile, _ start: [UInt8]
  ) throws(ToolError) {
    if let header = PictureHeader(start) {
      (upload.width, upload.height) = (header.width, header.height)
      // It lies on its side.
      if (Exif.orientation(of: start) ?? 1) >= 5 { (upload.width, upload.height) = (header.height, header.width) }
    } else if let format = VideoFormat(rawValue: file.type), format != .webM,
      let size = try MP4Metadata.size(of: file)
    {
      (upload.width, upload.height) = (size.width, size.height)
    }
  }
}
