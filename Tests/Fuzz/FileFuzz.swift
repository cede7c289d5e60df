import Libc
import Services
import TweetCore
import TweetNet
import TweetServices

@testable import SQLite
@testable import TweetStore
@testable import tw

// Files that a person or another program may have written: settings, checkpoints, ledgers and stores.
extension FuzzTarget {
  /// A setting that is changed in a file that was accepted has its value then, and all others keep theirs.
  static let settings = FuzzTarget(name: "settings") { input in
    let text = String(decoding: input, as: UTF8.self)
    guard let before = try? Settings(text: text, path: "config") else { return }
    var file = ConfigFile(text: text)
    file.set("budget", to: "5000/day")
    let after = try? Settings(text: file.text, path: "config")
    for key in Settings.Key.allCases {
      require(after?[key] == (key == .budget ? "5000/day" : before[key]), "\(key.rawValue) is \(after?[key] ?? "lost")")
    }
    file.set("budget", to: nil)
    require((try? Settings(text: file.text, path: "config"))?[.budget] == nil, "what was removed is there")
  }

  /// A file of checkpoints, or a ledger, that was accepted keeps what it says of others, and has what is saved in it.
  static let states = FuzzTarget(name: "states", isJSON: true) { input in
    let scratch = Scratch.shared
    scratch.put(input)
    let keys = ["#a", "#b"].map {
      Checkpoint.Key(service: "x", base: "https://api.x.com", account: "jack", feed: $0)
    }
    let file = CheckpointFile(scratch.path)
    if (try? file.checkpoint(of: keys[0])) != nil || (try? file.checkpoint(of: keys[1])) != nil {
      var before = try? file.checkpoint(of: keys[1])
      var checkpoint = Checkpoint(newestID: "7", gaps: [Checkpoint.Gap(since: nil, until: "3")])
      do {
        try file.save([keys[0]: checkpoint])
        let saved = try file.checkpoint(of: keys[0])
        checkpoint.updatedAt = saved?.updatedAt ?? checkpoint.updatedAt
        require(saved == checkpoint, "\(saved.map { "\($0)" } ?? "nothing") was saved")
        let other = try file.checkpoint(of: keys[1])
        // Where the file says no time it is the present.
        if let other { before?.updatedAt = other.updatedAt }
        require(other == before, "another feed's checkpoint is changed")
      } catch {
        require(false, "a checkpoint cannot be saved: \(error)")
      }
    }
    scratch.put(input)
    let ledger = Ledger(path: scratch.path)
    let time = Timestamp(milliseconds: 1_700_000_000_000)
    let bill = Ledger.Bill(service: "x", app: "key", account: "jack")
    func posts() throws -> Int {
      try ledger.entries(since: "2023-11-14").filter { $0.bill == bill }.reduce(0) { $0 + $1.billed[.posts] }
    }
    guard let before = try? posts(), before < 1 << 29 else { return }
    let others = (try? ledger.entries().count) ?? 0
    do {
      let grant = try ledger.reserve(5...5, of: .posts, within: nil, at: time, bill)
      guard case .granted(let reservation) = grant else { return require(false, "nothing is granted without a bound") }
      try ledger.settle(reservation, got: [nil, nil, nil], of: .posts, at: time, bill)
      require(try posts() == before + 3, "posts are not counted")
      require(try ledger.entries().count >= others, "the ledger has lost a line")
    } catch {
      require(false, "the ledger fails: \(error)")
    }
  }

  /// Bytes in the place of a packed record, with the text of its row in the first line, unpack to a record or not at
  /// all.
  static let packed = FuzzTarget(name: "packed") { input in
    let scratch = Scratch.shared
    scratch.empty()
    let parts = input.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    do {
      let database = try Database(scratch.path, TweetStore.kind, .readWrite, syncs: false)
      let unpack = try database.prepare("SELECT record(?1, ?2)")
      unpack.bind([.bytes(Array(parts.last ?? [])), .text(String(decoding: parts[0], as: UTF8.self))])
      require(try unpack.step(), "no row")
    } catch {
      require(false, "unpacking fails: \(error)")
    }
  }

  /// Whatever records say, the store takes them or refuses them with a reason, stays whole, and gives back what it
  /// took.
  static let stored = FuzzTarget(name: "stored", isJSON: true) { input in
    let scratch = Scratch.shared
    scratch.empty()
    do {
      var writer = try TweetWriter(TweetStore(scratch.path, .readWrite, syncs: false))
      try writer.begin()
      for line in input.split(separator: 0x0A) {
        _ = try (try? JSONDocument(Array(line)))?.read { (record) throws(ToolError) -> AddResult? in
          guard let type = record["tw"], TweetWriter.accepts(type, record) else { return nil }
          return try writer.add(record)
        }
      }
      try writer.commit()
    } catch {
      require(false, "the store fails: \(error)")
    }
    do {
      let store = try TweetStore(scratch.path, .readWrite, syncs: false)
      try store.check { require(false, "the store is damaged: \($0)") }
      let damaged = try store.export { (lines) throws(ToolError) in
        for line in lines.split(separator: 0x0A) {
          require((try? JSONDocument(Array(line))) != nil, "no JSON: \(String(decoding: line, as: UTF8.self))")
        }
        return true
      }
      require(damaged.count == 0, "the store has damaged rows")
    } catch {
      require(false, "the store fails: \(error)")
    }
  }

  /// A store with wrong bytes in it is read as far as it goes, or refused. The input is a list of changes to a store's
  /// file, each an offset of three bytes and a byte.
  static let databases = FuzzTarget(name: "databases") { input in
    let scratch = Scratch.shared
    var bytes = scratch.sample
    for at in stride(from: 0, to: input.count - 3, by: 4) {
      let offset = Int(input[at]) << 16 | Int(input[at + 1]) << 8 | Int(input[at + 2])
      bytes[offset % bytes.count] = input[at + 3]
    }
    scratch.put(bytes)
    do throws(ToolError) {
      let store = try TweetStore(scratch.path, .readOnly)
      _ = try store.statistics()
      if var pages = try store.pages(TweetQuery()) {
        while !pages.isAtEnd { try pages.read { _, _ in .more } }
      }
      _ = try store.export { _ in true }
      try store.check { _ in }
    } catch {
      // Refused.
      require(error.message != nil, "refused without a reason")
    }
    // A repair reads the pages by itself.
    for size in DamagedFile.pageSizes(of: scratch.path).prefix(2) {
      guard let file = DamagedFile(scratch.path, pageSize: size) else { return }
      _ = file.sample()
      _ = try? file.forEachPage { number, bytes, _ in
        guard let page = RowPage(bytes, headOffset: DamagedFile.headOffset(number), usableSize: file.usableSize) else {
          return
        }
        for cell in page.cells { _ = page.row(at: cell, overflow: file.page) }
      }
    }
  }
}

/// One store's file, in memory where the system has room for that.
final class Scratch: Sendable {
  static let shared = Scratch()

  let path: String
  /// The bytes of a store with a few records.
  let sample: [UInt8]

  private init() {
    let folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    let path = "\(folder)/tw-fuzz-\(getpid()).db"
    self.path = path
    let records = (1...40).map { number in
      """
      {"tw":"tweet","id":"\(number)","service":"x","text":"number \(number) #tag https://e.fr",\
      "author":{"id":"\(number % 3)","username":"a"},"created_at":"2021-11-03T21:30:\(10 + number).000Z",\
      "entities":{"hashtags":[{"start":9,"end":13,"tag":"tag"}]},"feeds":["#tag"]}
      """
    }
    do {
      var writer = try TweetWriter(TweetStore(path, .readWrite, syncs: false))
      try writer.begin()
      for record in records {
        let document = try JSONDocument(record)
        _ = try document.read { try writer.add($0) }
      }
      try writer.commit()
    } catch {
      fatalError("no sample store: \(error)")
    }
    sample = (try? StateFile.read(path)) ?? []
    require(sample.count > 4096, "the sample store is empty")
    atexit { Scratch.shared.empty() }
  }

  func empty() {
    for suffix in ["", "-wal", "-shm", ".lock", "-journal"] { unlink(path + suffix) }
  }

  /// Makes these bytes the store's file.
  func put(_ bytes: [UInt8]) {
    empty()
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let failure = bytes.withBytes { writeAll($0, to: descriptor) }
    close(descriptor)
    require(failure == 0, "cannot write \(path)")
  }
}
