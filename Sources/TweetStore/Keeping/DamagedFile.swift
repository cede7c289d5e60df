/// The pages of a database file that may be damaged, with those of its log, read without SQLite
/// (sqlite.org/fileformat2.html).
struct DamagedFile {
  private static let pageSizes = [8192, 16_384, 4096, 32_768, 65_536, 2048, 1024, 512]
  /// How many pages show the size of pages where the head of the file does not.
  private static let sample = 200

  private let file: RawFile
  private let log: RawFile?
  private let frames: LogFrames?
  let pageSize: Int
  /// Bytes of each page that hold data.
  let usableSize: Int
  let pageCount: UInt32
  /// The pages that are not in use, as far as the list of them can be read. What they hold was removed.
  private(set) var freePages: Set<UInt32> = []

  /// `nil` if the file cannot be read.
  init?(_ path: String) {
    guard let file = RawFile(path) else { return nil }
    let head = file.bytes(at: 0, count: 100) ?? [UInt8](repeating: 0, count: 100)
    let told = head.half(16) == 1 ? 65_536 : head.half(16)
    let log = RawFile(path + "-wal")
    let size =
      log.flatMap(LogFrames.pageSize)
      ?? (file.beginsAsDatabase && Self.pageSizes.contains(told) ? told : Self.likelySize(of: file))
    pageSize = size
    // The head could say that the end of each page is reserved. In our stores it is not, so such a number is damaged.
    usableSize = size
    frames = log.map { LogFrames($0, pageSize: size) }
    let last = max(UInt32(clamping: (file.size + size - 1) / size), frames?.pages.keys.max() ?? 0)
    pageCount = last
    self.file = file
    self.log = log
    freePages = readFreePages()
  }

  /// How many pages the file should have, or has, whichever is more, and of these are missing or zeroed although they
  /// are in use. What was on them is not known.
  func countLostPages() -> Int {
    let told = page(1).map { $0.word(28) } ?? 0
    // A number that is damaged itself says nothing.
    let expected = told < 2 * pageCount + 1000 ? max(told, pageCount) : pageCount
    // "The Lock-Byte Page" is never used.
    let lockPage = UInt32(1 << 30 / pageSize + 1)
    return (1...expected).count { number in
      if freePages.contains(number) || number == lockPage { return false }
      guard let page = page(number) else { return true }
      return page.allSatisfy { $0 == 0 }
    }
  }

  /// Whether the log has commits that SQLite does not read.
  var hasLostCommits: Bool { frames.map { $0.lostCommits > 0 } ?? false }

  /// The images of pages in damaged frames of the log, the newest first.
  func damagedImages() -> some Sequence<[UInt8]> {
    (frames?.damaged ?? []).lazy.compactMap { log?.bytes(at: $0, count: pageSize) }
  }

  /// The content of a page; `nil` if the file ends before it. Pages count from 1.
  func page(_ number: UInt32) -> [UInt8]? {
    if let offset = frames?.pages[number], let page = log?.bytes(at: offset, count: pageSize) { return page }
    return number == 0 ? nil : file.bytes(at: (Int(number) - 1) * pageSize, count: pageSize)
  }

  /// The offset of a page's own head: the first page has that of the file before it.
  static func headOffset(_ number: UInt32) -> Int { number == 1 ? 100 : 0 }

  /// "The Freelist": each trunk page has the number of the next one, and those of pages. A list with another length than the
  /// head says is not believed: it could name pages with rows.
  private func readFreePages() -> Set<UInt32> {
    var found: Set<UInt32> = []
    guard let head = page(1) else { return found }
    var trunk = head.word(32)
    while trunk != 0, trunk <= pageCount, found.insert(trunk).inserted, let page = page(trunk) {
      let count = min(Int(page.word(4)), usableSize / 4 - 2)
      for index in 0..<max(count, 0) { found.insert(page.word(8 + 4 * index)) }
      trunk = page.word(0)
    }
    if found.count != Int(head.word(36)) { return [] }
    return found
  }

  /// The size with which most pages look like leaves of tables.
  private static func likelySize(of file: RawFile) -> Int {
    var best = (size: pageSizes[0], leaves: 0)
    for size in pageSizes {
      var leaves = 0
      for number in 1...sample {
        guard let page = file.bytes(at: number * size, count: size) else { break }
        // Rows are put at the end of a page first. Where this is not one page, no row or not all of them are there.
        guard let leaf = LeafPage(page, headOffset: 0, usableSize: size), leaf.hasAllCells else { continue }
        if leaf.isTable, let last = leaf.cells.max(), last > size / 2 { leaves += 1 }
      }
      if leaves > best.leaves { best = (size, leaves) }
    }
    return best.size
  }
}
