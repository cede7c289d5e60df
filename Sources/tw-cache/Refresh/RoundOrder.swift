import Libc
import TweetCore

/// The order in which a round is shown: services send the newest tweet first, people read the oldest first.
extension HeldFile {
  /// A round of more bytes is passed on as it came: an archive is being fetched, which nobody watches tweet by tweet.
  private static let mostSorted = 8 << 20

  /// Puts the tweets in the order of their times; of one second, the one that came last is the oldest. What is no tweet
  /// comes before them.
  func sortByTime() throws(ToolError) {
    guard lseek(descriptor, 0, SEEK_END) <= off_t(Self.mostSorted) else { return }
    rewind()
    let bytes = try StateFile.read(descriptor, name: "records")
    var tweets: [(time: String, place: Int, line: ArraySlice<UInt8>)] = []
    var sorted: [UInt8] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if let document = try? JSONDocument(Array(line)), document.root["tw"]?.equals("tweet") == true {
        tweets.append((document.root["created_at"]?.string ?? "", tweets.count, line))
      } else {
        sorted += line + [UInt8(ascii: "\n")]
      }
    }
    tweets.sort { ($0.time, $1.place) < ($1.time, $0.place) }
    for tweet in tweets { sorted += tweet.line + [UInt8(ascii: "\n")] }
    rewind()
    let fault = sorted.withUnsafeBufferPointer { writeAll($0, to: descriptor) }
    if fault != 0 { throw .inputOutput("cannot keep what was stored: \(describe(errno: fault))") }
  }
}
