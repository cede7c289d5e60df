import Libc
import MediaStore
import TweetCore

/// An extended regular expression, as grep -E reads it.
///
/// It is a class because the C library's compiled expression must be freed once.
final class Pattern {
  private var expression = regex_t()

  /// - Throws: `ToolError.usage` if `text` is not a regular expression.
  init(_ text: String) throws(ToolError) {
    let code = regcomp(&expression, text, REG_EXTENDED | REG_NOSUB)
    guard code != 0 else { return }
    var message = [CChar](repeating: 0, count: 128)
    regerror(code, &expression, &message, message.count)
    let reason = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    throw .usage("'\(text)' is not a regular expression: \(reason)")
  }

  deinit { regfree(&expression) }

  /// Whether it matches a part of `text`.
  func matches(_ text: String) -> Bool { regexec(&expression, text, 0, nil, 0) == 0 }
}

/// Which links are checked.
struct LinkSelection {
  /// One of them must match, unless there are none.
  var included: [Pattern] = []
  /// None of them may match.
  var excluded: [Pattern] = []

  func contains(_ url: String) -> Bool {
    (included.isEmpty || included.contains { $0.matches(url) }) && !excluded.contains { $0.matches(url) }
  }
}

/// Which records are printed: those with a link of one of the verdicts and of one of the kinds, or with a new verdict.
struct LinkFilter {
  /// Empty for all.
  var verdicts: Set<LinkVerdict> = []
  var kinds: Set<LinkKind> = []
  /// Whether the check before must have found another verdict.
  var isChanged = false

  /// Whether all are.
  var isEmpty: Bool { verdicts.isEmpty && kinds.isEmpty && !isChanged }

  func matches(_ answers: some Sequence<LinkAnswer>) -> Bool {
    if isEmpty { return true }
    return answers.contains { answer in
      (verdicts.isEmpty || verdicts.contains(answer.verdict))
        && (kinds.isEmpty || answer.kind.map(kinds.contains) == true) && (!isChanged || answer.hasChanged)
    }
  }
}

/// How many links have which verdict and kind.
struct LinkCounts {
  private struct Cell: Hashable {
    let verdict: LinkVerdict
    let kind: LinkKind?
  }

  private var cells: [Cell: Int] = [:]

  mutating func add(_ answer: LinkAnswer) { cells[Cell(verdict: answer.verdict, kind: answer.kind), default: 0] += 1 }

  var verdicts: Set<LinkVerdict> { Set(cells.keys.map(\.verdict)) }

  /// A table for people: a row for each verdict that occurs, a column for each kind, `-` being none, and the sums.
  var table: String {
    let kinds = (LinkKind.allCases.map { Optional($0) } + [nil]).filter { kind in
      cells.keys.contains { $0.kind == kind }
    }
    let verdicts = LinkVerdict.allCases.filter(self.verdicts.contains)
    var rows = [["verdict"] + kinds.map { $0?.rawValue ?? "-" } + ["links"]]
    for verdict in verdicts {
      let row = kinds.map { cells[Cell(verdict: verdict, kind: $0)] ?? 0 }
      rows.append([verdict.rawValue] + (row + [row.reduce(0, +)]).map(String.init))
    }
    let sums = kinds.map { kind in verdicts.reduce(0) { $0 + (cells[Cell(verdict: $1, kind: kind)] ?? 0) } }
    rows.append(["links"] + (sums + [sums.reduce(0, +)]).map(String.init))
    return AlignedTable.numbers(rows)
  }
}
