import ArgumentParser
import Libc
import Services
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

struct CronCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "cron",
    abstract: "Print the line for cron that refreshes the registered sources.",
    discussion: """
      EXAMPLES:
        tw-cache cron
        tw-cache cron --db tweets.db

      Add the line with 'crontab -e'. It names this program and the settings of the environment, since cron starts \
      programs without them. It runs as often as the sources need it.
      """)

  /// Where cron(8) of Debian, Fedora and BSD looks for the program that mails what a job prints.
  private static let mailer = "/usr/sbin/sendmail"

  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let registered = try registeredSources()
    let sources = registered.filter { !$0.isPaused }
    if registered.isEmpty { Diagnostics.note("no source is registered: 'tw-cache source add' does that") }
    if !registered.isEmpty, sources.isEmpty {
      Diagnostics.note("all registered sources are paused: 'tw-cache source resume' resumes one")
    }
    if sources.contains(where: { !$0.isPlugin }) { try checkToken() }
    for name in Crontab.secretProxies {
      Diagnostics.warn("\(name) has a password, which the line must not show: set it in a file that cron's shell reads")
    }
    var output = RecordWriter()
    let crontab = Crontab(sources: sources, db: store.db, log: try logFile(), programs: Programs())
    output.buffer.append(try crontab.line())
    try output.endLine()
    try output.flush()
    return .done
  }

  /// None where there is no store yet.
  private func registeredSources() throws(ToolError) -> [RefreshedSource] {
    let path = try store.path
    guard TweetStore.exists(path) else { return [] }
    return try TweetStore(path, .readOnly).sources().filter { $0.every != nil }
  }

  private func checkToken() throws(ToolError) {
    let files = try Settings.load().tokenPaths
    guard !files.isEmpty else {
      if TweetStore.exists(Paths.credentials) { return }
      Diagnostics.warn(
        "cron does not have TW_TOKEN: run 'tw-auth login', or save your token in a file and run "
          + "'tw config set token-file FILE'")
      return
    }
    for (_, path) in files where access(path, R_OK) != 0 {
      Diagnostics.warn("cannot read the token's file '\(path)': \(describe(errno: errno))")
    }
  }

  /// The file for messages where cron cannot mail them and would drop them. Its directory is created: the shell that
  /// opens the file does not do that.
  private func logFile() throws(ToolError) -> String? {
    if access(Self.mailer, X_OK) == 0 { return nil }
    try Paths.createDirectory(Paths.stateDirectory)
    let path = Paths.stateDirectory + "/refresh.log"
    Diagnostics.note("this machine cannot send mail: failures go to '\(path)'")
    return path
  }
}
