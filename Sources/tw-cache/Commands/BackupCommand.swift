import ArgumentParser
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

struct BackupCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the store to one file, and check the copy.",
    usage: "tw-cache backup [<options>] <file>",
    discussion: """
      EXAMPLES:
        tw-cache backup ~/tweets.db
        tw-cache backup --quiet tweets-copy.db

      The copy shows the store at one moment; programs may write meanwhile. An older copy of that name is replaced when the \
      new one is on disk and without faults.
      """)

  @Argument(help: "The file to write.", completion: .file())
  var file: String

  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let tweets = try store.open(showsIncoming: false)
    let progress = WorkProgress(isQuiet: isQuiet)
    try StoreBackup.write(tweets, to: file) { progress?.update($0, of: $1, $2) }
    return .done
  }
}

struct RestoreCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Make the store from a copy that 'backup' has written.",
    usage: "tw-cache restore [<options>] <file>",
    discussion: """
      EXAMPLES:
        tw-cache restore ~/tweets.db
        tw-cache restore --db copy.db ~/tweets.db

      The copy is checked first. A store that is there already is kept under another name. Asks first if what was forgotten since \
      the copy was made would come back.
      """)

  @Argument(help: "The copy to read.", completion: .file())
  var file: String

  @OptionGroup var destroying: DestroyingOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    guard try isAllowed(try store.path) else { return .done }
    let progress = WorkProgress(isQuiet: isQuiet)
    let old = try StoreBackup.restore(file, to: try store.path) { progress?.update($0, of: $1, $2) }
    progress?.clear()
    if let old {
      Diagnostics.note("the store that was there is now '\(old)'")
    }
    return .done
  }

  /// Says what would come back, and asks. Of a store that cannot be read nobody knows that.
  private func isAllowed(_ path: String) throws(ToolError) -> Bool {
    let copy = try TweetStore(file, .readOnly, showsIncoming: false)
    var returning = StoreBackup.Returning()
    do throws(ToolError) {
      returning = try StoreBackup.returning(from: copy, to: path)
    } catch {
      Diagnostics.note("what was forgotten since then is not known, and may come back: \(error.message ?? "")")
    }
    let people = returning.people.map(\.text)
    let parts = [
      returning.forgotten > 0 ? counted(returning.forgotten, "forgotten tweet") : nil,
      people.isEmpty ? nil : "forgotten people (\(people.joined(separator: ", ")))",
      returning.deleted > 0 ? counted(returning.deleted, "deleted tweet") : nil,
    ].compactMap { $0 }
    if returning.isHarmless, !destroying.dryRun { return true }
    let what = parts.isEmpty ? "" : ", from which can come back: \(parts.joined(separator: ", "))"
    return try destroying.allows("make '\(path)' from '\(file)'\(what)")
  }
}
