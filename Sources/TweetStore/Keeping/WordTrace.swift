import SQLite
package import TweetCore

extension TweetStore {
  /// Calls `report` with each row that has a word: with its table, and what it is called there. Packed records are read
  /// too. A word that is left in the full-text index alone is told as a row of it.
  package func forEachTrace(
    of word: TracedWord, _ report: (_ table: String, _ row: String) -> Void
  ) throws(ToolError) {
    try database.forEachTrace(
      of: word, json: { $0.contains("text") ? RecordPacker.tweet() : RecordPacker.user }, report)
    try database.readWithTemporaryTables { () throws(ToolError) in
      try database.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab (main, tweet_search, 'instance')")
      let find = try database.prepare(
        """
        SELECT DISTINCT w.term FROM temp.words w
        WHERE instr(w.term, ?) > 0 AND NOT EXISTS (SELECT 1 FROM main.tweets WHERE key = w.doc)
        """)
      for form in word.forms {
        find.bind(1, form)
        while try find.step() { report("tweet_search", find.row.text(0) ?? "") }
        find.reset()
      }
    }
  }
}
