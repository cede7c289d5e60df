import TweetCore

/// The lists of a document, or the records of a file, of which nothing is read: a notice names and counts them.
struct LeftOutLists {
  /// The names come from the document, and it may have any number of them.
  private static let mostNamed = 32

  private var counts: [(name: String, count: Int)] = []

  mutating func add(_ name: String, _ count: Int = 1) {
    if count <= 0 { return }
    if let index = counts.firstIndex(where: { $0.name == name }) {
      counts[index].count += count
    } else {
      counts.append((counts.count < Self.mostNamed ? name : "others", count))
    }
  }

  /// Appends the notice; nothing when there are none.
  /// - Parameter service: the inside of a JSON string; `nil` when it is not known.
  func append(service: [UInt8]?, to out: inout ByteBuffer) {
    if counts.isEmpty { return }
    let message = "not read: " + counts.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    out.notice("info", "not-read", message, service: service) { out in
      out.object("lists") { out in
        for (name, count) in counts {
          out.append(",")
          out.appendJSONString(name)
          out.append(":")
          out.append(decimal: count)
        }
      }
    }
  }
}

extension TweetMapper {
  /// Appends a notice of the lists of a document that are not in `read` and have something in them.
  func appendNotRead(
    of document: JSONValue, except read: [StaticString], service: [UInt8]?, to out: inout ByteBuffer
  ) {
    var lists = LeftOutLists()
    for (key, list) in document.members where list.isArray && !list.isEmpty {
      if !read.contains(where: { key.spells($0) }) { lists.add(key.string ?? "", list.count) }
    }
    lists.append(service: service, to: &out)
  }

  /// Appends the notice of the records of a repository that are not read.
  func mapRepository(leftOut collections: JSONValue, into out: inout ByteBuffer) -> String? {
    var lists = LeftOutLists()
    for (name, count) in collections.members { lists.add(name.string ?? "", count.integer ?? 0) }
    lists.append(service: Array("bluesky".utf8), to: &out)
    return nil
  }
}
