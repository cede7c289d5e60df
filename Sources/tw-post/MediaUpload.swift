import Libc
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// A picture or video on disk.
struct MediaFile: ~Copyable {
  /// What messages call it.
  let name: String
  /// The media type.
  let type: String
  /// In bytes.
  let size: Int
  private let descriptor: Int32

  /// - Parameter name: what messages call it, if that is not its path.
  /// - Throws: `ToolError.noInput` for a file that cannot be read, `ToolError.badData` for one that is not a picture or
  ///   video.
  init(_ path: String, named name: String? = nil) throws(ToolError) {
    let name = name ?? "'\(path)'"
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .noInput("cannot open \(name)", errno) }
    var status = stat()
    var start = [UInt8](repeating: 0, count: 12)
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      pread(descriptor, &start, start.count, 0) == start.count, let type = Self.type(start)
    else {
      close(descriptor)
      if let format = HEIFFormat(start) {
        throw .badData(
          "\(name) is a picture as \(format.rawValue), which services do not take: make a JPEG of it, such as with heif-convert"
        )
      }
      throw .badData("\(name) is not a picture or video that can be posted (JPEG, PNG, GIF, WebP, MP4, MOV, WebM)")
    }
    self.name = name
    self.type = type
    self.descriptor = descriptor
    size = Int(status.st_size)
  }

  deinit { close(descriptor) }

  /// The media type by the first bytes of the file.
  private static func type(_ start: [UInt8]) -> String? {
    func has(_ text: String, at offset: Int = 0) -> Bool { start[offset...].starts(with: text.utf8) }
    if start.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if start.starts(with: [0x89] + Array("PNG".utf8)) { return "image/png" }
    if has("GIF8") { return "image/gif" }
    if has("RIFF"), has("WEBP", at: 8) { return "image/webp" }
    return VideoFormat(start)?.rawValue
  }

  /// A piece of the file; none after its end.
  func piece(at offset: Int, length: Int) throws(ToolError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: min(length, max(0, size - offset)))
    var count = 0
    while count < bytes.count {
      let got = bytes[count...].withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress, $0.count, off_t(offset + count))
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else {
        throw .inputOutput("cannot read \(name): \(got < 0 ? describe(errno: errno) : "it became shorter")")
      }
      count += got
    }
    return bytes
  }
}

extension WritingSession {
  /// - Returns: why the service will never take a file, although it may take other posts; `nil` if it has all.
  func uploadFiles(_ draft: inout PostDraft) throws(ToolError) -> ToolError? {
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

  /// Uploads the files of a post, each once in a run, and says in `media` what the service calls them. Nobody sees them
  /// before the post, so whatever fails is asked again.
  func upload(_ media: inout [PostDraft.Media]) throws(ToolError) {
    for index in media.indices {
      let key = "\(media[index].digest ?? media[index].path)\n\(media[index].altText ?? "")"
      if let upload = uploads[key] {
        media[index].upload = upload
      } else {
        media[index].upload = try upload(media[index])
        uploads[key] = media[index].upload
      }
    }
  }

  private func upload(_ media: PostDraft.Media) throws(ToolError) -> MediaUpload {
    let refusal = api.refusal
    let name = "'\(media.path)'"
    let path = media.digest.map { outbox.files.path($0) } ?? media.path
    let file = try MediaFile(path, named: media.digest == nil ? name : "the outbox's copy of \(name)")
    if let api = api.wholeMedia { return try upload(file, media.altText, to: api) }
    guard let api = api.media else { throw .refused("service '\(access.service)' takes no pictures or videos") }
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

  /// - Parameter start: the first bytes of the file.
  private func setShape(
    of upload: inout MediaUpload, _ file: borrowing MediaFile, _ start: [UInt8]
  ) throws(ToolError) {
    if let shape = try MediaShape(file, start) { (upload.width, upload.height) = (shape.width, shape.height) }
  }
}
