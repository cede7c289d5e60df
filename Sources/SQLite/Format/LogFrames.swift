/// The frames of a write-ahead log that may be damaged (sqlite.org/fileformat2.html, "The Write-Ahead Log").
///
/// SQLite reads a log up to the first frame that is not sound, and overwrites the rest. The checksum of a frame begins
/// with that of the frame before it; since that one is in the file, each frame can be judged by itself.
struct LogFrames {
  private static let headSize = 32
  private static let frameHeadSize = 24
  /// The magic number of a log; its last bit says whether the words of its checksums are big-endian.
  private static let magic: UInt32 = 0x377F_0682

  /// The offset of the newest sound image of each page, up to the last commit.
  private(set) var pages: [UInt32: Int] = [:]
  /// The offsets of images in frames that are not sound, the newest first, where no later frame has the same page. Some
  /// of their rows may be sound.
  private(set) var damaged: [Int] = []
  /// How many frames SQLite reads: up to the last commit before the first frame that is not sound.
  private(set) var readable = 0
  /// How many commits are after that. A power failure leaves at most one there, which was not finished.
  private(set) var lostCommits = 0
  /// The mark of the frames that belong to the log; the file may have older ones at its end.
  private(set) var salts: [UInt8] = []

  /// The size of pages that a log tells whose head is sound; `nil` if it tells none.
  static func pageSize(of log: RawFile) -> Int? { Head(log).flatMap { $0.pageSize } }

  init(_ log: RawFile, pageSize: Int) {
    let size = Self.frameHeadSize + pageSize
    let head = Head(log).flatMap { $0.pageSize == pageSize ? $0 : nil }
    // Without a head SQLite reads nothing. The log begins with its own frames.
    guard let salts = head?.salts ?? log.bytes(at: Self.headSize, count: Self.frameHeadSize).map({ Array($0[8..<16]) })
    else { return }
    self.salts = salts
    /// The checksum that the next frame's begins with.
    var sum = head?.sum
    var (isUnbroken, number, last) = (head != nil, 0, 0)
    var images: [(number: Int, page: UInt32, offset: Int, isSound: Bool)] = []
    for offset in stride(from: Self.headSize, through: max(log.size - size, 0), by: size) {
      guard let told = log.bytes(at: offset, count: Self.frameHeadSize) else { break }
      number += 1
      let stored = Checksum(told.word(16), told.word(20))
      guard told[8..<16].elementsEqual(salts) else {
        (isUnbroken, sum) = (false, stored)
        continue
      }
      guard let frame = log.bytes(at: offset, count: size) else { break }
      let isSound =
        sum?.adding(frame[..<8], isBigEndian: head?.isBigEndian ?? false)
        .adding(frame[Self.frameHeadSize...], isBigEndian: head?.isBigEndian ?? false) == stored
      sum = stored
      if !isSound { isUnbroken = false }
      images.append((number, frame.word(0), offset + Self.frameHeadSize, isSound))
      // A frame that ends a transaction has the size of the database.
      if frame.word(4) == 0 { continue }
      last = number
      if isUnbroken { readable = number } else { lostCommits += 1 }
    }
    for image in images.reversed() where image.number <= last && pages[image.page] == nil {
      if image.isSound { pages[image.page] = image.offset } else { damaged.append(image.offset) }
    }
  }

  /// The head of a log that is sound.
  private struct Head {
    let isBigEndian: Bool
    let pageSize: Int
    let salts: [UInt8]
    let sum: Checksum

    init?(_ log: RawFile) {
      guard let head = log.bytes(at: 0, count: LogFrames.headSize), head.word(0) & ~1 == LogFrames.magic else {
        return nil
      }
      isBigEndian = head.word(0) & 1 == 1
      pageSize = Int(head.word(8))
      salts = Array(head[16..<24])
      sum = Checksum(head.word(24), head.word(28))
      guard Checksum(0, 0).adding(head[..<24], isBigEndian: isBigEndian) == sum else { return nil }
    }
  }

  /// The log's checksum ("Checksum Algorithm").
  struct Checksum: Equatable {
    private var first: UInt32
    private var second: UInt32

    init(_ first: UInt32, _ second: UInt32) { (self.first, self.second) = (first, second) }

    func adding(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> Checksum {
      var sum = self
      bytes.withUnsafeBytes { words in
        for at in stride(from: 0, to: words.count - 7, by: 8) {
          let (one, other) = (word(words, at, isBigEndian), word(words, at + 4, isBigEndian))
          sum.first = sum.first &+ one &+ sum.second
          sum.second = sum.second &+ other &+ sum.first
        }
      }
      return sum
    }

    private func word(_ bytes: UnsafeRawBufferPointer, _ at: Int, _ isBigEndian: Bool) -> UInt32 {
      let word = bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)
      return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
    }
  }
}

extension [UInt8] {
  /// The big-endian number of four bytes at an offset.
  package func word(_ at: Int) -> UInt32 {
    UInt32(self[at]) << 24 | UInt32(self[at + 1]) << 16 | UInt32(self[at + 2]) << 8 | UInt32(self[at + 3])
  }

  /// The big-endian number of two bytes at an offset.
  package func half(_ at: Int) -> Int { Int(self[at]) << 8 | Int(self[at + 1]) }
}
