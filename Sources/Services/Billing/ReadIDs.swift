import Libc
import TweetCore

/// The ids of the posts, or of the accounts, that an application has read on one day: X bills each once a day (UTC),
/// however often it is read.
///
/// A file for each service, application and kind beside the ledger, whose lock protects it: sixteen bytes that name the
/// day, then eight bytes an id, little-endian. A new day empties it. It holds half a million ids (4 MiB); beyond that,
/// a post that is read again counts again. So the ledger counts too much rather than too little.
struct ReadIDs {
  private static let mostIDs = 1 << 19
  private static let size = 8
  /// The longest file name that Linux's and macOS's file systems take.
  private static let longestName = 255

  /// `nil` if the application's name is too long for a file's.
  private let path: String?
  /// The whole file, up to its last whole id.
  private let bytes: [UInt8]
  private let header: [UInt8]

  /// Reads the file.
  ///
  /// - Parameters:
  ///   - ledger: the ledger's path.
  ///   - day: as in `Ledger.Entry`.
  init(beside ledger: String, day: String, _ bill: Ledger.Bill, _ kind: BilledKind) throws(ToolError) {
    let header = Array("ids \(day) \n".utf8)
    self.header = header
    let name = "\(Self.fileName(bill.service))-\(Self.fileName(bill.app))-\(kind.rawValue)"
    let path = "\(ledger)-ids/\(name)"
    let found = name.utf8.count <= Self.longestName ? try StateFile.read(path) ?? [] : []
    self.path = name.utf8.count <= Self.longestName ? path : nil
    let isOfDay = found.starts(with: header)
    bytes = isOfDay ? Array(found.prefix(found.count - (found.count - header.count) % Self.size)) : header
  }

  /// Those of some ids that were not read before, each once. What has no id is new each time.
  func new(in ids: [UInt64?]) -> [UInt64?] {
    var wanted = Set(ids.compactMap { $0 })
    let nameless = ids.count { $0 == nil }
    bytes.withUnsafeBytes { bytes in
      var offset = header.count
      while offset < bytes.count, !wanted.isEmpty {
        wanted.remove(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        offset += Self.size
      }
    }
    return wanted.sorted() + Array(repeating: nil, count: nameless)
  }

  /// Adds ids to the file, as long as it has room.
  func append(_ ids: [UInt64?]) throws(ToolError) {
    let room = Self.mostIDs - (bytes.count - header.count) / Self.size
    let added = ids.compactMap { $0 }.prefix(room)
    guard let path, !added.isEmpty else { return }
    try Paths.createDirectory(of: path)
    guard let file = Descriptor(path, O_WRONLY | O_CREAT) else { throw .cannotCreate("cannot create '\(path)'", errno) }
    let isNew = bytes.count == header.count
    var text = isNew ? header : []
    for id in added { withUnsafeBytes(of: id.littleEndian) { text += $0 } }
    let offset = isNew ? 0 : bytes.count
    // What follows is of another day, or the rest of an id that a full disk cut off.
    var count = Int(ftruncate(file.number, off_t(offset)))
    if count == 0 { count = pwrite(file.number, text, text.count, off_t(offset)) }
    if count != text.count {
      throw .inputOutput("cannot write '\(path)': \(describe(errno: count < 0 ? errno : ENOSPC))")
    }
  }

  /// A name as part of a file's name: everything but letters, digits, `.` and `_` as `%` and two digits.
  private static func fileName(_ text: String) -> String {
    text.utf8.map { byte in
      if byte.isASCIILetterOrDigit || "._".utf8.contains(byte) { return String(UnicodeScalar(byte)) }
      return "%" + String(hexadecimal: [byte])
    }.joined()
  }
}
