package import TweetCore

extension TweetStore {
  /// Looks whether the file is whole: its pages, what its rows refer to, and the full-text index against the texts. Calls
  /// `tell` with each fault.
  ///
  /// The index is compared under the write lock, so that writers wait meanwhile.
  package func check(_ tell: (String) -> Void) throws(ToolError) {
    try step(tell) { () throws(ToolError) in
      try database.forEachRow("PRAGMA integrity_check") { row in
        if let text = row.text(0), text != "ok" { tell(text) }
      }
    }
    try step(tell) { () throws(ToolError) in
      try database.forEachRow("SELECT \"table\", count(*), parent FROM pragma_foreign_key_check GROUP BY 1, 3") { row in
        tell("\(row.integer(1)) rows of \(row.text(0) ?? "") name what is not in \(row.text(2) ?? "")")
      }
    }
    try step(tell) { () throws(ToolError) in
      try database.write { () throws(ToolError) in
        try database.run("INSERT INTO tweet_search (tweet_search, rank) VALUES ('integrity-check', 1)")
      }
    }
  }

  /// What cannot be read is a fault like others.
  private func step(_ tell: (String) -> Void, _ body: () throws(ToolError) -> Void) throws(ToolError) {
    do throws(ToolError) { try body() } catch .inputOutput(let message) { tell(message) }
  }
}
