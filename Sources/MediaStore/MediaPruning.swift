import SQLite
package import TweetCore

extension MediaStore {
  /// How many entries are removed in one transaction.
  private static let batch = 200
  /// How many pages are freed in one transaction.
  private static let pages = 1024

  /// Removes pictures and links that were last checked before a time. Returns how many.
  package func prune(before time: Timestamp) throws(ToolError) -> Int {
    try prune { () throws(ToolError) in try removeOldest(before: time.rfc3339) }
  }

  /// How many pictures and links ``prune(before:)`` would remove.
  package func countPruned(before time: Timestamp) throws(ToolError) -> Int {
    try use { (database) throws(ToolError) in
      try database.first(
        """
        SELECT (SELECT count(*) FROM links WHERE checked_at < ?1) + (SELECT count(*) FROM avatars WHERE fetched_at < ?1)
          + (SELECT count(*) FROM hops WHERE seen_at < ?1)
        """, .text(time.rfc3339)
      ) { $0.integer(0) } ?? 0
    }
  }

  /// Removes the oldest pictures and links until the rest needs at most `size` bytes. Returns how many.
  package func prune(downTo size: Int) throws(ToolError) -> Int {
    try prune { () throws(ToolError) in try bytesInUse() > size ? removeOldest(before: Self.endOfTime) : 0 }
  }

  /// Removes what is known of these addresses, and the pictures that nobody else has. Returns how many addresses it
  /// were.
  package func prune(avatars urls: [String]) throws(ToolError) -> Int {
    var rest = urls[...]
    return try prune { () throws(ToolError) in
      let some = rest.prefix(Self.batch)
      rest = rest.dropFirst(Self.batch)
      if some.isEmpty { return 0 }
      try use { (database) throws(ToolError) in
        try database.write { () throws(ToolError) in
          for url in some { try database.run("DELETE FROM avatars WHERE url = ?", .text(url)) }
          try Self.removeUnreferenced(from: database)
        }
      }
      return some.count
    }
  }

  /// Removes what is known of pictures and links, and writes the file anew, so that nothing of them is left in it.
  /// - Returns: the folders in which pages of these links are saved.
  package func forget(avatars: [String], links: Set<String>) throws(ToolError) -> Set<String> {
    _ = try prune(avatars: avatars)
    return try use { (database) throws(ToolError) in
      var folders: Set<String> = []
      try database.write { () throws(ToolError) in
        for link in links {
          try database.forEachRow("SELECT saved_in FROM links WHERE url = ?", .text(link)) { row in
            if let folder = row.text(0) { folders.insert(folder) }
          }
          try database.run("DELETE FROM links WHERE url = ?1 OR unwound_url = ?1", .text(link))
          try database.run("DELETE FROM hops WHERE url = ?1 OR target = ?1", .text(link))
        }
      }
      try database.rewrite()
      return folders
    }
  }

  /// The folders in which pages are saved.
  package func pageFolders() throws(ToolError) -> Set<String> {
    try use { (database) throws(ToolError) in
      var folders: Set<String> = []
      try database.forEachRow("SELECT DISTINCT saved_in FROM links WHERE saved_in IS NOT NULL") { row in
        folders.insert(row.text(0) ?? "")
      }
      return folders
    }
  }

  /// Calls `report` with the table and the key of each row that has a word.
  package func forEachTrace(
    of word: TracedWord, _ report: (_ table: String, _ row: String) -> Void
  ) throws(ToolError) {
    try use { (database) throws(ToolError) in
      try database.forEachTrace(of: word, json: { _ in "json" }, report)
    }
  }

  /// A picture stays as long as a URL refers to it.
  private static func removeUnreferenced(from database: borrowing Database) throws(ToolError) {
    try database.run("DELETE FROM pictures WHERE NOT EXISTS (SELECT 1 FROM avatars WHERE avatars.key = pictures.key)")
  }

  /// Text that sorts after every time.
  private static let endOfTime = "~"

  /// Bytes of the file that are in use.
  package func bytesInUse() throws(ToolError) -> Int {
    try use { (database) throws(ToolError) in try database.bytesInUse() }
  }

  private func prune(_ step: () throws(ToolError) -> Int) throws(ToolError) -> Int {
    var removed = 0
    while Interruption.signal == nil {
      let count = try step()
      if count == 0 { break }
      removed += count
    }
    if removed > 0 { try use { (database) throws(ToolError) in try database.shrink(pages: Self.pages) } }
    // A thumbnail is written when its picture is in the store, so none of a program that runs now is taken for a stray.
    try thumbnails.removeStrays { key throws(ToolError) in try hasPicture(key) }
    return removed
  }

  private func removeOldest(before time: String) throws(ToolError) -> Int {
    try use { (database) throws(ToolError) in
      try database.write { () throws(ToolError) in
        try database.run(
          """
          DELETE FROM links WHERE url IN (
            SELECT url FROM links WHERE checked_at < ? ORDER BY checked_at LIMIT ?)
          """, .text(time), .integer(Self.batch))
        var removed = database.changes
        try database.run(
          """
          DELETE FROM avatars WHERE url IN (
            SELECT url FROM avatars WHERE fetched_at < ? ORDER BY fetched_at LIMIT ?)
          """, .text(time), .integer(Self.batch))
        removed += database.changes
        try database.run(
          """
          DELETE FROM hops WHERE url IN (
            SELECT url FROM hops WHERE seen_at < ? ORDER BY seen_at LIMIT ?)
          """, .text(time), .integer(Self.batch))
        removed += database.changes
        try Self.removeUnreferenced(from: database)
        return removed
      }
    }
  }
}
