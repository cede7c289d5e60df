import Services
import TweetCore

/// A list of followed accounts as the networks' own files have it: a header, and a line for each account.
struct FollowsTable {
  /// The columns that may name an account, the one that is believed first. Mastodon's export has the first one
  /// (mastodon, app/models/export.rb), tools for Bluesky and X the others. A DID stays with its account, a handle may
  /// not.
  private static let names = ["account address", "did", "handle", "username", "screen_name"]

  /// The accounts that the lines name.
  private(set) var accounts: [String] = []
  /// The lines that name none: their numbers, and what they say.
  private(set) var faults: [(line: Int, text: String)] = []
  /// How many lines ask that an account's retweets are not shown, or that its posts are notified of.
  private(set) var withSettings = 0

  /// Reads a file. One without a header has the accounts in its first column.
  /// - Parameter service: whose accounts they are.
  init(_ text: String, of service: any ServiceKind) {
    var column = 0
    var seen: Set<String> = []
    var settings: [(column: Int, usual: String)] = []
    for (index, fields) in Self.rows(text).enumerated() {
      if index == 0 {
        let header = fields.map { $0.lowercased() }
        if let name = Self.names.first(where: header.contains) {
          column = header.firstIndex(of: name) ?? 0
          settings = [("show boosts", "true"), ("notify on new posts", "false")].compactMap { name, usual in
            header.firstIndex(of: name).map { ($0, usual) }
          }
          continue
        }
      }
      guard fields.contains(where: { !$0.isEmpty }) else { continue }
      let field = fields.indices.contains(column) ? fields[column] : ""
      guard let name = service.userName(field[...]) else {
        faults.append((index + 1, field))
        continue
      }
      if settings.contains(where: {
        fields.indices.contains($0.column) && ![$0.usual, ""].contains(fields[$0.column].lowercased())
      }) {
        withSettings += 1
      }
      if seen.insert(name.lowercased()).inserted { accounts.append(name) }
    }
  }

  /// The fields of each line (RFC 4180). A quoted field with a line break in it names no account, so lines are lines.
  private static func rows(_ text: String) -> [[String]] {
    let bare = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    return bare.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
      var fields: [String] = []
      var field = ""
      var isQuoted = false
      for character in line {
        if character == "\"" {
          isQuoted.toggle()
        } else if character == ",", !isQuoted {
          fields.append(field)
          field = ""
        } else {
          field.append(character)
        }
      }
      return (fields + [field]).map(\.trimmed)
    }
  }

  /// The header of a service's file.
  static func header(of service: String) -> String {
    if service.hasPrefix("mastodon:") { return "Account address,Show boosts,Notify on new posts,Languages\n" }
    return service == "bluesky" ? "handle,did\n" : "username,id\n"
  }

  /// The line of a `user` record; `nil` if it has no name.
  static func line(of user: JSONValue, service: String) -> String? {
    guard let name = user["username"]?.nonEmptyString else { return nil }
    if let host = service.split(separator: ":", maxSplits: 1).dropFirst().first, service.hasPrefix("mastodon:") {
      return field(name.contains("@") ? name : "\(name)@\(host)") + ",true,false,\n"
    }
    return field(name) + "," + field(user["id"]?.string ?? "") + "\n"
  }

  private static func field(_ text: String) -> String {
    let isPlain = !text.contains { $0 == "," || $0 == "\"" || $0.isNewline }
    return isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
