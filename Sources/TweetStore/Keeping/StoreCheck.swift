package import TweetCore

extension TweetStore {
  /// Checks the pages of the file, the references between its rows, and the full-text index against the texts. Calls
  /// `report` with each fault.
  ///
  /// The check of the full-text index holds the write lock: writers wait.
  package func check(_ report: (String) -> Void) throws(ToolError) {
    try step(report) { () throws(ToolError) in
      try database.forEachRow("PRAGMA integrity_check") { row in
        if let text = row.text(0), text != "ok" { report(text) }
      }
    }
    try step(report) { () throws(ToolError) in
      try database.forEachRow("SELECT \"table\", count(*), parent FROM pragma_foreign_key_check GROUP BY 1, 3") { row in
        report("\(row.integer(1)) rows of \(row.text(0) ?? "") name what is not in \(row.text(2) ?? "")")
      }
    }
    try step(report) { () throws(ToolError) in
      try database.write { () throws(ToolError) in
        try database.run("INSERT INTO tweet_search (tweet_search, rank) VALUES ('integrity-check', 1)")
      }
    }
  }

  /// Runs one step. Data that cannot be read is reported as a fault, and the next step follows.
  private func step(_ report: (String) -> Void, _ body: () throws(ToolError) -> Void) throws(ToolError) {
    do throws(ToolError) { try body() } catch .inputOutput(let message) { report(message) }
  }
}
