import Libc
import TweetCore

/// The blocks of a CAR file, version 1 (https://ipld.io/specs/transport/car/carv1/): a header, then blocks in any
/// order, each with its length and its CID before it. The file must have offsets; its blocks are read where they are.
///
/// It holds 16 bytes for each block, not the blocks.
struct CARFile: ~Copyable {
  /// Where a block is, and the first bytes of its CID's digest.
  private struct Entry {
    let digest: UInt64
    let offset: Int
  }

  /// An index of more blocks than this would need more than 256 MiB. The largest repositories have a few million.
  private static let maximumBlocks = 1 << 24
  /// AT Protocol limits records to 1 MiB; nodes of the tree are smaller.
  static let longestBlock = 4 << 20
  /// The longest head of a block that is read: a length of ten bytes and a CID.
  private static let longestHead = 128
  /// Digests with the same first bytes are made on purpose. At most this many of them are read.
  private static let maximumTwins = 16

  private let descriptor: Int32
  private var index: [Entry] = []
  /// The CID of the first root.
  private(set) var root: [UInt8] = []
  /// What is wrong after the blocks that were indexed; `nil` when the file is whole.
  private(set) var damage: String?

  var blockCount: Int { index.count }

  /// Reads the header, and where each block is. A file that is cut off has the blocks before that.
  /// - Parameter descriptor: of a file with offsets; it stays the caller's.
  init(_ descriptor: Int32) throws(CBORFault) {
    self.descriptor = descriptor
    var window = FileWindow(descriptor)
    let length = window.varint(at: 0)
    guard let length, length.value <= Self.longestBlock, let header = window.bytes(at: length.end, count: length.value)
    else { throw CBORFault(reason: "its header is cut off") }
    root = try header.withBytes { bytes throws(CBORFault) in try Self.firstRoot(in: bytes) }
    var offset = length.end + length.value
    while let section = window.varint(at: offset) {
      guard Interruption.signal == nil else { return }
      guard let head = window.bytes(at: section.end, count: min(section.value, Self.longestHead)) else {
        damage = "it is cut off"
        break
      }
      guard let cid = CID(head), index.count < Self.maximumBlocks else {
        damage = index.count < Self.maximumBlocks ? "a block without a CID" : "more than \(Self.maximumBlocks) blocks"
        break
      }
      guard section.end + section.value <= window.size else {
        damage = "it is cut off"
        break
      }
      index.append(Entry(digest: cid.digestPrefix, offset: offset))
      offset = section.end + section.value
    }
    if damage == nil, offset < window.size { damage = "it is cut off" }
    index.sort { $0.digest < $1.digest }
  }

  /// The first CID of `roots` in a header `{"roots":[…],"version":1}`.
  private static func firstRoot(in header: ByteView) throws(CBORFault) -> [UInt8] {
    var reader = CBORReader(header)
    var root: [UInt8]?
    var version: UInt64?
    for _ in 0..<(try reader.count(of: .map)) {
      let key = try reader.key()
      if key.elementsEqual("version".utf8) {
        version = try reader.next(.unsigned).argument
      } else if key.elementsEqual("roots".utf8) {
        for number in 0..<(try reader.count(of: .array)) {
          let link = try reader.link()
          if number == 0 { root = link.map { Array($0) } }
        }
      } else {
        try reader.skip()
      }
    }
    guard version == 1 else { throw CBORFault(reason: "it is no CAR file of version 1") }
    guard let root else { throw CBORFault(reason: "it names no root") }
    return root
  }

  /// The content of a block; `nil` when the file does not have it, or it is longer than it may be.
  func block(_ cid: ByteView, upTo limit: Int = longestBlock) -> [UInt8]? {
    guard let wanted = CID(Array(cid)), wanted.length == cid.count else { return nil }
    var at = firstEntry(of: wanted.digestPrefix)
    let last = at + Self.maximumTwins
    while at < min(index.count, last), index[at].digest == wanted.digestPrefix {
      if let block = block(at: index[at].offset, named: cid, upTo: limit) { return block }
      at += 1
    }
    return nil
  }

  private func firstEntry(of digest: UInt64) -> Int {
    var (low, high) = (0, index.count)
    while low < high {
      let middle = (low + high) / 2
      if index[middle].digest < digest { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func block(at offset: Int, named cid: ByteView, upTo limit: Int) -> [UInt8]? {
    let head = FileWindow.read(descriptor, at: offset, count: Self.longestHead)
    guard let section = Varint(head[...]), section.value >= cid.count, head[section.end...].starts(with: cid) else {
      return nil
    }
    let length = section.value - cid.count
    guard length <= limit else { return nil }
    let block = FileWindow.read(descriptor, at: offset + section.end + cid.count, count: length)
    return block.count == length ? block : nil
  }
}

/// An unsigned number as LEB128, as in https://github.com/multiformats/unsigned-varint, and the offset after it.
struct Varint {
  let value: Int
  let end: Int

  /// `nil` when the bytes end within it, or it has more than 63 bits.
  init?(_ bytes: ArraySlice<UInt8>) {
    var value = 0
    for (number, byte) in bytes.prefix(9).enumerated() {
      value |= Int(byte & 0x7F) << (7 * number)
      if byte < 0x80 {
        (self.value, end) = (value, bytes.startIndex + number + 1)
        return
      }
    }
    return nil
  }

  init(value: Int, end: Int) { (self.value, self.end) = (value, end) }
}

/// A content identifier (https://github.com/multiformats/cid) at the start of some bytes.
struct CID {
  /// How many bytes it has.
  let length: Int
  /// The first eight bytes of its digest.
  let digestPrefix: UInt64

  /// `nil` for bytes that start with none. A digest of less than eight bytes is none.
  init?(_ bytes: [UInt8]) {
    var at = 0
    // Version 0 is a digest alone: SHA-256, of 32 bytes.
    if !bytes.starts(with: [0x12, 0x20]) {
      guard let version = Varint(bytes[...]), version.value == 1, let codec = Varint(bytes[version.end...]) else {
        return nil
      }
      at = codec.end
    }
    guard let hash = Varint(bytes[at...]), let size = Varint(bytes[hash.end...]), size.value >= 8,
      bytes.count - size.end >= size.value
    else { return nil }
    length = size.end + size.value
    digestPrefix = bytes[size.end..<size.end + 8].reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// A file that is read from front to back, a piece at a time.
private struct FileWindow {
  private static let pieceSize = 256 << 10

  let size: Int
  private let descriptor: Int32
  private var start = 0
  private var piece: [UInt8] = []

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    size = stat(of: descriptor)?.size ?? 0
  }

  /// Bytes at an offset; `nil` when the file does not have this many.
  mutating func bytes(at offset: Int, count: Int) -> [UInt8]? {
    guard offset >= 0, count <= size - offset else { return nil }
    load(offset, count)
    let first = offset - start
    return first + count <= piece.count ? Array(piece[first..<first + count]) : nil
  }

  /// The number at an offset; its end is an offset in the file too.
  mutating func varint(at offset: Int) -> Varint? {
    guard offset < size else { return nil }
    load(offset, min(10, size - offset))
    guard let number = Varint(piece[min(offset - start, piece.count)...]) else { return nil }
    return Varint(value: number.value, end: start + number.end)
  }

  private mutating func load(_ offset: Int, _ count: Int) {
    if offset >= start, offset + count <= start + piece.count { return }
    (start, piece) = (offset, Self.read(descriptor, at: offset, count: max(count, Self.pieceSize)))
  }

  /// Up to `count` bytes; fewer at the end of the file, and where it cannot be read.
  static func read(_ descriptor: Int32, at offset: Int, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      while filled < count, let base = room.baseAddress {
        let got = pread(descriptor, base + filled, count - filled, off_t(offset + filled))
        if got < 0, errno == EINTR, Interruption.signal == nil { continue }
        if got <= 0 { return }
        filled += got
      }
    }
  }
}
