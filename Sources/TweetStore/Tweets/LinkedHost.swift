import SQLite
package import TweetCore

/// A host that tweets link to, by the address as the service expanded it, or by the one where the link ended when it
/// was checked. Its subdomains count too.
package struct LinkedHost: Sendable, Equatable {
  /// In lower case.
  package let name: String
  /// Links that lead elsewhere at first and ended there.
  fileprivate var resolved: Set<String> = []

  /// - Parameter text: a host or an address; `nil` if it is neither.
  package init?(_ text: String) {
    let text = text.lowercased()
    var address = text.contains("://") ? text : "http://" + text
    while address.hasSuffix(".") { address.removeLast() }
    guard let host = address.withBytes({ Self.host(of: $0).map(Array.init) }) else { return nil }
    name = String(decoding: host, as: UTF8.self)
    if name.isEmpty || name.contains(where: { $0 == " " || $0 == "/" || $0 == "@" }) { return nil }
  }

  /// The host of an address without its port; `nil` if it has none.
  private static func host(of url: ByteView) -> Slice<ByteView>? {
    var start = 0
    while start + 2 < url.count, url[start] != UInt8(ascii: ":") || url[start + 1] != UInt8(ascii: "/") { start += 1 }
    start += 3
    guard start < url.count else { return nil }
    var end = start
    var first = start
    while end < url.count {
      let byte = url[end]
      if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
      // A name and a password before the host.
      if byte == UInt8(ascii: "@") { first = end + 1 }
      end += 1
    }
    let host = url[first..<end]
    guard host.first != UInt8(ascii: "["), let colon = host.lastIndex(of: UInt8(ascii: ":")) else { return host }
    return host[..<colon]
  }

  /// Whether an address is at this host or one below it.
  package func has(_ url: ByteView) -> Bool {
    guard var host = Self.host(of: url) else { return false }
    if host.last == UInt8(ascii: ".") { host.removeLast() }
    let extra = host.count - name.utf8.count
    guard extra >= 0 else { return false }
    let end = host.dropFirst(extra)
    let isSame = end.elementsEqual(name.utf8) { one, other in
      one == other || one.asASCIILowercase == other
    }
    return isSame && (extra == 0 || host[host.startIndex + extra - 1] == UInt8(ascii: "."))
  }
}

extension TweetQuery {
  /// Whether it, or a part of it, asks for the kind of what links lead to.
  package var needsLinkKinds: Bool { all.contains { $0.linkKind != nil } }

  /// Whether something about links must be looked up before it is asked: their kinds, or where they end.
  package var needsLinks: Bool { needsLinkKinds || all.contains { !$0.hosts.isEmpty } }

  /// The user names that it and its parts ask for, and of which service; `nil` for any.
  package var namedAuthors: [(name: String, service: String?)] {
    wanted.flatMap { part in part.authors.map { ($0, part.service ?? service) } }
  }

  /// Its labels and those of its parts.
  package var allLabels: [TweetLabel] { wanted.flatMap(\.labels) }

  /// Gives its hosts the links that ended there when they were checked.
  /// - Parameter find: gives those of a host.
  package mutating func resolveHosts(
    _ find: (LinkedHost) throws(ToolError) -> Set<String>
  ) throws(ToolError) {
    try forEach { (query) throws(ToolError) in
      for index in query.hosts.indices { query.hosts[index].resolved = try find(query.hosts[index]) }
    }
  }
}

extension TweetStore {
  /// Finds the tweets with a link to a host, and returns the value of the column `host` of `temp.host_tweets` for them.
  /// No index is in the order that this needs: an index of hosts would be as large as a hundredth of the store, and all
  /// links of 100 000 tweets are read in a quarter of a second by a debug build.
  func find(tweetsLinkingTo host: LinkedHost) throws(ToolError) -> SQLValue {
    try database.writeTemporaryTables { () throws(ToolError) in
      try database.execute(
        """
        CREATE TEMP TABLE IF NOT EXISTS host_tweets (
          host TEXT NOT NULL, tweet INTEGER NOT NULL, PRIMARY KEY (host, tweet)) WITHOUT ROWID
        """)
      try database.run("DELETE FROM temp.host_tweets WHERE host = ?", .text(host.name))
      let insert = try database.prepare("INSERT OR IGNORE INTO temp.host_tweets VALUES (?, ?)")
      insert.bind(1, host.name)
      try database.forEachRow("SELECT url, tweet FROM tweet_urls") { (row) throws(ToolError) in
        guard host.has(row.bytes(0)) || !host.resolved.isEmpty && host.resolved.contains(row.text(0) ?? "") else {
          return
        }
        insert.bind(2, row.integer(1))
        try insert.run()
      }
    }
    return .text(host.name)
  }
}
