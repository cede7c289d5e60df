import ArgumentParser
import Libc
import Services
import TweetCLI
import TweetCore

extension BudgetPeriod: ExpressibleByArgument {}

/// `tw budget`: what was spent, on what, and what is left.
struct BudgetCommand: MessagingCommand {
  enum Form: String, EnumerableFlag {
    case text, json

    static func help(for form: Form) -> ArgumentHelp? {
      form == .text
        ? "Print text for people, also into a pipe." : "Print JSON, one object per line, also on a terminal."
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "budget",
    abstract: "Show what services have billed, and what is left of the budget.",
    usage: "tw budget [--by PERIOD] [--since TIME] [--app NAME] [--text | --json]",
    discussion: """
      EXAMPLES:
        tw budget
        tw budget --by month --since 2026-01

      Days, weeks (from Monday) and months are those of UTC. Without --since only the current one is shown. The prices are X's \
      of \(Services.usual.prices?.newest ?? "").
      """)

  @Option(help: ArgumentHelp("Add up by day, week or month (default: as the budget is).", valueName: "period"))
  var by: BudgetPeriod?

  @Option(
    help: ArgumentHelp("Begin with the period that this is in: 2026-11, 2026-11-03, 7d, 3mo.", valueName: "time"),
    transform: BudgetCommand.time)
  var since: Timestamp?

  @Option(help: ArgumentHelp("Only this application, or the one of this account.", valueName: "name"))
  var app: String?

  @Flag(exclusivity: .exclusive)
  var form: Form?

  @OptionGroup var messages: MessageOptions

  /// Dates are days of UTC here, as services bill.
  private static func time(_ text: String) throws -> Timestamp {
    for rest in ["T00:00:00Z", "-01T00:00:00Z"] {
      if text.utf8.count >= 7, let day = Timestamp(parsing: text + rest) { return day }
    }
    return try TimeOption.parse(text)
  }

  func execute() throws(ToolError) -> ExitStatus {
    let wanted = try Settings.load().budget
    let now = Timestamp.shown
    let bound = wanted ?? .usual
    let period = by ?? BudgetLimit(bound, prices: Services.usual.prices)?.period ?? .month
    let first = period.firstDay(of: since ?? now)
    let ledger = Ledger()
    let entries = try ledger.entries().filter { app == nil || $0.bill.app == app || $0.bill.account == app }
    let spendings = Spending.all(of: entries.filter { $0.day >= first }, by: period)
    let budgets = BudgetRest.all(of: try ledger.believed(entries, at: now), wanted, at: now)
    if spendings.isEmpty {
      Diagnostics.note(
        app.map { "nothing was billed to '\($0)' since \(first)" } ?? "nothing was billed since \(first)")
    }
    var writer = RecordWriter()
    switch form ?? (isatty(1) == 1 ? .text : .json) {
    case .text:
      for spending in spendings { spending.appendText(to: &writer.buffer) }
      for budget in budgets { budget.appendText(to: &writer.buffer, isOnly: budgets.count == 1) }
    case .json:
      for spending in spendings { spending.appendJSON(to: &writer.buffer) }
      for budget in budgets { budget.appendJSON(to: &writer.buffer) }
    }
    try writer.flush()
    return .done
  }
}
