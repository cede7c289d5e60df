import Libc
import TweetCore
import TweetDisplay

/// Writes the names of shown tweets to a file, `service:id` on a line: each only when all of the tweet has been written
/// to standard output. So who reads the file knows what a person can have seen, however the tool ends.
struct WrittenTweets: ~Copyable {
  private var output: RecordWriter
  private let descriptor: Int32
  private var decoder = StringDecoder()
  /// Where the output of tweets ends that is not known to be written, and their names.
  private var waiting = Queue<(end: Int, name: [UInt8])>()

  /// - Parameter path: a file, which lines are added to, or a pipe.
  init(_ path: String) throws(ToolError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    output = RecordWriter(descriptor: descriptor, name: "'\(path)'")
    guard descriptor >= 0 else { throw .cannotCreate("cannot open '\(path)'", errno) }
    if FileTarget.isDatabase(descriptor) { throw .usage("'\(path)' is a database: names cannot be written there") }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Adds a tweet.
  /// - Parameter end: how many bytes of output there are with it.
  mutating func append(_ tweet: TweetFields, end: Int) {
    guard let id = tweet.id, let service = tweet.service else { return }
    var name = ByteBuffer(capacity: 64)
    Printable.append(decoder.decode(service), to: &name)
    name.append(UInt8(ascii: ":"))
    Printable.append(decoder.decode(id), to: &name)
    name.append(UInt8(ascii: "\n"))
    waiting.append((end, name.array))
  }

  /// Writes the names of the tweets whose output has been written.
  /// - Parameter count: how many bytes of output were written.
  mutating func write(upTo count: Int) throws(ToolError) {
    while let next = waiting.first, next.end <= count {
      output.buffer.append(next.name)
      _ = waiting.popFirst()
    }
    try output.flush()
  }
}
