import ArgumentParser
import TweetCLI
import TweetCore
import TweetNet

/// The options of `--save`: where pages are kept, and how much of them.
struct SaveOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Save what working links lead to as WARC files in this directory, and write the text of pages into the records; "
        + "includes --titles and --get.", valueName: "directory"), completion: .directory)
  var save: String?

  @Option(
    help: ArgumentHelp("Save only what is at these hosts and their subdomains.", valueName: "host,..."),
    transform: SaveOptions.hosts)
  var saveHosts: Set<String> = []

  @Option(
    help: ArgumentHelp("Save at most this much of a page (default: 4M).", valueName: "size"),
    transform: SaveOptions.pageSize)
  var savePageSize = 4 << 20

  @Option(
    help: ArgumentHelp("Begin another WARC file after this much (default: 1G).", valueName: "size"),
    transform: ByteSize.parse)
  var saveFileSize = 1 << 30

  @Option(
    help: ArgumentHelp(
      "Save no more when all WARC files of the directory have this size (default: 10G).", valueName: "size"),
    transform: ByteSize.parse)
  var saveTotalSize = 10 << 30

  mutating func validate() throws {
    let isChanged =
      !saveHosts.isEmpty || savePageSize != 4 << 20 || saveFileSize != 1 << 30 || saveTotalSize != 10 << 30
    if save == nil, isChanged { throw ValidationError("--save-... says how --save works, which is not given") }
  }

  /// - Returns: `nil` if nothing is saved.
  func archive() throws(ToolError) -> PageArchive? {
    guard let save else { return nil }
    return try PageArchive(
      directory: save, choice: SaveChoice(pageSize: savePageSize, hosts: saveHosts), fileSize: saveFileSize,
      totalSize: saveTotalSize)
  }

  /// Each page that is asked for is in memory.
  private static func pageSize(_ text: String) throws -> Int {
    let size = try ByteSize.parse(text)
    guard size <= 64 << 20 else { throw ValidationError("'\(text)' is too large: 64M at most") }
    return size
  }

  private static func hosts(_ text: String) throws -> Set<String> {
    var hosts: Set<String> = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let host = WebAddress("http://" + name)?.host, !name.contains("/"), !name.isEmpty else {
        throw ValidationError("'\(name)' is not a host")
      }
      hosts.insert(host)
    }
    return hosts
  }
}

/// Which pages are saved, and how much of each.
struct SaveChoice {
  /// In bytes.
  let pageSize: Int
  /// Empty for all.
  let hosts: Set<String>

  /// Whether what is at this host is saved: it, or a domain above it, is among the hosts.
  func contains(host: String) -> Bool {
    if hosts.isEmpty { return true }
    var rest = host[...]
    while !rest.isEmpty {
      if hosts.contains(String(rest)) { return true }
      guard let dot = rest.firstIndex(of: ".") else { break }
      rest = rest[rest.index(after: dot)...]
    }
    return false
  }
}
