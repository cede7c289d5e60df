package import TweetCore

extension MediaStore {
  /// How many entries a transaction takes out.
  private static let batch = 200
  /// Pages that one step of shrinking the file moves.
  private static let pages = 1024

  /// Takes out pictures and links that were last looked at before a time; gives how many.
  package func prune(before time: Timestamp) throws(ToolError) -> Int {
    try prune { () throws(ToolError) in try removeOldest(before: time.rfc3339) }
  }

  /// Takes out the oldest pictures and links until what is stored needs no more than `size` bytes; gives how many.
  package func prune(downTo size: Int) throws(ToolError) -> Int {
    try prune { () throws(ToolError) in try bytesInUse() > size ? removeOldest(before: "~") : 0 }
  }

  /// Bytes that are in use in the file.
  package func bytesInUse() throws(ToolError) -> Int { try database.bytesInUse() }

  private func prune(_ step: () throws(ToolError) -> Int) throws(ToolError) -> Int {
    var removed = 0
    while Interruption.signal == nil {
      let count = try step()
      if count == 0 { break }
      removed += count
    }
    if removed > 0 { try database.shrink(pages: Self.pages) }
    return removed
  }

  private func removeOldest(before time: String) throws(ToolError) -> Int {
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
      // A picture is there as long as some URL leads to it.
      try database.run("DELETE FROM pictures WHERE NOT EXISTS (SELECT 1 FROM avatars WHERE avatars.key = pictures.key)")
      return removed
    }
  }
}
