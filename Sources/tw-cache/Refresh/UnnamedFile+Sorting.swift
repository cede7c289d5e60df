import Libc
import TweetCLI
import TweetCore

/// Services send the newest tweet first; people read the oldest first.
extension UnnamedFile {
  /// A file with more bytes is not sorted: then an archive is being fetched, and nobody watches each tweet.
  private static let mostSorted = 8 << 20

  /// Sorts the tweets by time, oldest first. Of tweets with the same time the last one is the oldest. Other records
  /// come before all tweets.
  func sortByTime() throws(ToolError) {
    guard lseek(descriptor, 0, SEEK_END) <= off_t(Self.mostSorted) else { return }
    rewind()
    let bytes = try StateFile.read(descriptor, name: "records")
    var tweets: [(time: String, index: Int, line: ArraySlice<UInt8>)] = []
    var sorted: [UInt8] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if let document = try? JSONDocument(Array(line)), document["tw"]?.equals("tweet") == true {
        tweets.append((document["created_at"]?.string ?? "", tweets.count, line))
      } else {
        sorted += line + [UInt8(ascii: "\n")]
      }
    }
    tweets.sort { ($0.time, $1.index) < ($1.time, $0.index) }
    for tweet in tweets { sorted += tweet.line + [UInt8(ascii: "\n")] }
    rewind()
    let fault = writeAll(sorted, to: descriptor)
    if fault != 0 { throw .inputOutput("cannot write the new tweets to a file: \(describe(errno: fault))") }
  }
}
