/// Where the newest committed version of each page lies in a write-ahead log (sqlite.org/fileformat2.html, "The
/// Write-Ahead Log").
struct LogFrames {
  private static let headSize = 32
  private static let frameHeadSize = 24
  /// The magic number of a log; its last bit says whether the words of its checksums are big-endian.
  private static let magic: UInt32 = 0x377F_0682

  /// The offset of a page's content in the log.
  private(set) var pages: [UInt32: Int] = [:]

  /// Reads the frames up to the first one that is not sound, as SQLite does. Without a sound head there are none.
  init(_ log: RawFile, pageSize: Int) {
    guard let head = log.bytes(at: 0, count: Self.headSize), head.word(0) & ~1 == Self.magic,
      Int(head.word(8)) == pageSize
    else { return }
    let isBigEndian = head.word(0) & 1 == 1
    var sum = Checksum(isBigEndian: isBigEndian)
    sum.add(head[..<24])
    guard sum.first == head.word(24), sum.second == head.word(28) else { return }
    var pending: [UInt32: Int] = [:]
    var offset = Self.headSize
    while let frame = log.bytes(at: offset, count: Self.frameHeadSize + pageSize) {
      guard frame[8..<16].elementsEqual(head[16..<24]) else { return }
      sum.add(frame[..<8])
      sum.add(frame[Self.frameHeadSize...])
      guard sum.first == frame.word(16), sum.second == frame.word(20) else { return }
      pending[frame.word(0)] = offset + Self.frameHeadSize
      // A frame that ends a transaction has the size of the database.
      if frame.word(4) != 0 {
        pages.merge(pending) { $1 }
        pending.removeAll(keepingCapacity: true)
      }
      offset += Self.frameHeadSize + pageSize
    }
  }

  /// The log's checksum ("Checksum Algorithm").
  private struct Checksum {
    let isBigEndian: Bool
    private(set) var first: UInt32 = 0
    private(set) var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
      var at = bytes.startIndex
      while at + 8 <= bytes.endIndex {
        first = first &+ word(bytes, at) &+ second
        second = second &+ word(bytes, at + 4) &+ first
        at += 8
      }
    }

    private func word(_ bytes: ArraySlice<UInt8>, _ at: Int) -> UInt32 {
      let word = Array(bytes[at..<at + 4]).word(0)
      return isBigEndian ? word : word.byteSwapped
    }
  }
}

extension [UInt8] {
  /// The big-endian number of four bytes at an offset.
  func word(_ at: Int) -> UInt32 {
    UInt32(self[at]) << 24 | UInt32(self[at + 1]) << 16 | UInt32(self[at + 2]) << 8 | UInt32(self[at + 3])
  }

  /// The big-endian number of two bytes at an offset.
  func half(_ at: Int) -> Int { Int(self[at]) << 8 | Int(self[at + 1]) }
}
