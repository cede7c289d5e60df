import ArgumentParser
import TweetCLI
import TweetCore
import TweetStore

struct Export: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print all that the store holds, as of one moment; import reads it.",
    discussion: "Tweets and users are records as they were stored; tw-db(5) describes the rest.")

  @OptionGroup var store: StoreOptions

  func execute() throws(ToolError) -> ExitStatus {
    var output = RecordWriter()
    try TweetStore(try store.path, .readOnly).export { (line) throws(ToolError) in
      try output.write(line: line)
      return Interruption.signal == nil
    }
    try output.flush()
    return .done
  }
}
