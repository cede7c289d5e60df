import SQLite
import TweetCore

/// What a person or another program has put into the file of a store: tables, indexes, views and triggers that are not
/// ours.
enum OtherObjects {
  /// Copies them from a damaged store to a new one, as far as SQLite can read them. Returns the names of the others.
  static func copy(from damaged: String, to new: String) throws(ToolError) -> [String] {
    let found: [SchemaObject]
    do throws(ToolError) {
      found = try Database.schema(ofDamaged: damaged)
    } catch {
      // Nothing is known of them.
      return []
    }
    let own = Set(try TweetStore.kind.objects().map(\.name))
    let others = found.filter { !$0.sql.isEmpty && !$0.name.hasPrefix("sqlite_") && !own.contains($0.name) }
    if others.isEmpty { return [] }
    let database = try Database(new, TweetStore.kind, .readWrite)
    guard attach(damaged, to: database) else { return others.map(\.name).sorted() }
    let virtual = others.filter { $0.sql.uppercased().hasPrefix("CREATE VIRTUAL") }.map(\.name)
    var failed = virtual
    for type in ["table", "index", "view", "trigger"] {
      // A trigger may name what is not there; then each change of its table would fail.
      let canCopy = type != "trigger" || failed.isEmpty
      for object in others where object.type == type && !virtual.contains(object.name) {
        // A table of a virtual one comes with that.
        if virtual.contains(where: { object.name.hasPrefix($0 + "_") }) { continue }
        if !canCopy || !copy(object, in: database) { failed.append(object.name) }
      }
    }
    return failed.sorted()
  }

  /// Copies the log of refreshes, which has no checksums, as far as SQLite can read it.
  static func copyRuns(from damaged: String, to new: String) throws(ToolError) {
    let database = try Database(new, TweetStore.kind, .readWrite)
    guard attach(damaged, to: database) else { return }
    do throws(ToolError) {
      try database.write { () throws(ToolError) in
        try database.run(
          """
          INSERT OR IGNORE INTO main.runs (key, source, began_at, milliseconds, read, new, status, message)
          SELECT r.key, n.key, r.began_at, r.milliseconds, r.read, r.new, r.status, r.message
          FROM damaged.runs r JOIN damaged.sources d ON d.key = r.source
            JOIN main.sources n ON (n.service, n.account, n.source) = (d.service, d.account, d.source)
          """)
      }
    } catch {
      // What is missing is counted.
    }
  }

  private static func attach(_ damaged: String, to database: borrowing Database) -> Bool {
    do throws(ToolError) {
      try database.run(sql: "ATTACH ? AS damaged", .text(damaged))
      return true
    } catch {
      return false
    }
  }

  /// Returns whether an object was copied whole.
  private static func copy(_ object: SchemaObject, in database: borrowing Database) -> Bool {
    let name = "\"" + object.name.replacing("\"", with: "\"\"") + "\""
    do throws(ToolError) {
      try database.write { () throws(ToolError) in
        try database.execute(object.sql)
        if object.type == "table" { try database.execute("INSERT INTO main.\(name) SELECT * FROM damaged.\(name)") }
      }
      return true
    } catch {
      return false
    }
  }
}
