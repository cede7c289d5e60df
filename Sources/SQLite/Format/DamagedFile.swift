package import TweetCore

/// The pages of a database file that may be damaged, with those of its log, read without SQLite
/// (sqlite.org/fileformat2.html).
package struct DamagedFile {
  private static let pageSizes = [8192, 16_384, 4096, 32_768, 65_536, 2048, 1024, 512]

  private let file: RawFile
  private let log: RawFile?
  private let frames: LogFrames?
  package let pageSize: Int
  /// Bytes of each page that hold data.
  package var usableSize: Int { pageSize }
  /// How many pages the file should have, as its head says; else as far as it has data.
  private var expectedPages: Int
  /// The pages that are not in use, as far as the list of them can be read. What they hold was removed.
  private(set) var freePages: Set<UInt32> = []

  /// The sizes that its pages may have, the likeliest first. A log whose head is sound knows; the head of the file may
  /// be wrong.
  package static func pageSizes(of path: String) -> [Int] {
    if let size = RawFile(path + "-wal").flatMap(LogFrames.pageSize), pageSizes.contains(size) { return [size] }
    guard let head = RawFile(path)?.bytes(at: 0, count: 100) else { return pageSizes }
    let told = head.half(16) == 1 ? 65_536 : head.half(16)
    return pageSizes.contains(told) ? [told] + pageSizes.filter { $0 != told } : pageSizes
  }

  /// `nil` if the file cannot be read.
  package init?(_ path: String, pageSize: Int) {
    guard let file = RawFile(path) else { return nil }
    let log = RawFile(path + "-wal")
    let frames = log.map { LogFrames($0, pageSize: pageSize) }
    self.pageSize = pageSize
    self.file = file
    self.log = log
    self.frames = frames
    let last = max((Self.endOfData(of: file) + pageSize - 1) / pageSize, Int(frames?.pages.keys.max() ?? 0))
    expectedPages = last
    let told = page(1).map { Int($0.word(28)) } ?? 0
    // A number that is damaged itself says nothing.
    if told > last, told < 2 * last + 1000 { expectedPages = told }
    freePages = readFreePages()
  }

  private static func endOfData(of file: RawFile) -> Int {
    var end = 0
    while let range = file.data(from: end) { end = range.upperBound }
    return end
  }

  /// Whether the log has commits that SQLite does not read.
  package var hasLostCommits: Bool { frames.map { $0.lostCommits > 0 } ?? false }

  /// The images of pages in damaged frames of the log, the newest first.
  package func damagedImages() -> some Sequence<[UInt8]> {
    (frames?.damaged ?? []).lazy.compactMap { log?.bytes(at: $0, count: pageSize) }
  }

  /// Calls `body` with each page that is in use and not empty, and with how far that is in percent.
  /// - Returns: how many pages should be in use, but are missing or empty. What was on them is not known.
  package func forEachPage(
    _ body: (_ number: UInt32, _ page: [UInt8], _ percent: Int) throws(ToolError) -> Void
  ) throws(ToolError) -> Int {
    // "The Lock-Byte Page" is never used.
    let lockPage = UInt32((1 << 30) / pageSize + 1)
    var found = 0
    func use(_ number: UInt32, _ page: [UInt8], _ percent: Int) throws(ToolError) {
      if freePages.contains(number) || number == lockPage || page.allSatisfy({ $0 == 0 }) { return }
      found += 1
      try body(number, page, percent)
    }
    for number in (frames?.pages ?? [:]).keys.sorted() { if let page = page(number) { try use(number, page, 0) } }
    var (next, offset) = (1, 0)
    while let range = file.data(from: offset) {
      next = max(next, range.lowerBound / pageSize + 1)
      while (next - 1) * pageSize < range.upperBound, let number = UInt32(exactly: next) {
        if frames?.pages[number] == nil, let page = page(number) {
          try use(number, page, (next - 1) * pageSize / max(file.size / 100, 1))
        }
        next += 1
      }
      offset = range.upperBound
    }
    let unused = freePages.count { $0 <= expectedPages } + (Int(lockPage) <= expectedPages ? 1 : 0)
    return max(0, expectedPages - unused - found)
  }

  /// The content of a page; `nil` if the file ends before it. Pages count from 1.
  package func page(_ number: UInt32) -> [UInt8]? {
    if let offset = frames?.pages[number], let page = log?.bytes(at: offset, count: pageSize) { return page }
    return number == 0 ? nil : file.bytes(at: (Int(number) - 1) * pageSize, count: pageSize)
  }

  /// Some pages, from all over the file: as many bytes of each size of pages.
  package func sample() -> [(number: UInt32, page: [UInt8])] {
    let (piece, most) = (65_536, 64)
    var pieces: [Int] = []
    var offset = 0
    while let range = file.data(from: offset) {
      let first = range.lowerBound / piece
      let last = (range.upperBound - 1) / piece
      // A file with more holes than that is sampled at its beginning.
      if pieces.count < 100_000 { pieces += Array(first...min(last, first + 100_000)) }
      offset = range.upperBound
    }
    let step = max(1, pieces.count / most)
    let numbers = stride(from: 0, to: pieces.count, by: step).flatMap { index in
      (0..<piece / pageSize).map { pieces[index] * (piece / pageSize) + $0 + 1 }
    }
    return numbers.compactMap { number in
      UInt32(exactly: number).flatMap { number in page(number).map { (number, $0) } }
    }
  }

  /// The offset of a page's own head: the first page has that of the file before it.
  package static func headOffset(_ number: UInt32) -> Int { number == 1 ? 100 : 0 }

  /// "The Freelist": each trunk page has the number of the next one, and those of pages. A list with another length
  /// than the head says is not believed: it could name pages with rows.
  private func readFreePages() -> Set<UInt32> {
    var found: Set<UInt32> = []
    guard let head = page(1) else { return found }
    var trunk = head.word(32)
    let told = Int(head.word(36))
    while trunk != 0, found.count < told, found.insert(trunk).inserted, let page = page(trunk) {
      let count = min(Int(page.word(4)), usableSize / 4 - 2)
      for index in 0..<max(count, 0) { found.insert(page.word(8 + 4 * index)) }
      trunk = page.word(0)
    }
    return found.count == told ? found : []
  }
}
