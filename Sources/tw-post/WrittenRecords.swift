import Libc
import TweetCLI
import TweetCore
import TweetServices
import TweetShapes

/// Prints what was made or changed: as records, as tw-parse does, or in words for a person at a terminal.
struct WrittenRecords: ~Copyable {
  private var mapper = TweetMapper()
  private var output = RecordWriter()
  private let access: ServiceAccess

  /// Whether a person reads it.
  let isForPeople = isatty(1) == 1

  init(_ access: ServiceAccess) {
    self.access = access
    mapper.takesViewer = true
  }

  /// Prints what was done, in a line.
  mutating func write(words: String) throws(ToolError) {
    output.buffer.append(Printable.line(words, limit: .max) + "\n")
    try output.flush()
  }

  /// The address of a post that a document of the service describes, else its id; and the one by which stores know the
  /// post, if its record has one by itself.
  mutating func address(of document: [UInt8], id: String) throws(ToolError) -> (page: String, canonical: String?) {
    try setContext()
    var record = ByteBuffer()
    try Self.map(document, &mapper, into: &record)
    let post = record.array.split(separator: UInt8(ascii: "\n")).lazy
      .compactMap { try? JSONDocument(Array($0)) }.first { $0["url"]?.nonEmptyString != nil }
    let page = post?["url"]?.nonEmptyString ?? "\(access.service):\(id)"
    return (page, post.flatMap { $0.read { CanonicalAddress.of($0) } })
  }

  /// Says where and when the next document comes from.
  private mutating func setContext() throws(ToolError) {
    var context = ByteBuffer()
    context.record("context") { out in
      out.member("service", access.service)
      out.member("base", access.base)
      out.member("at", .shown)
    }
    var ignored = ByteBuffer()
    try Self.map(context.array, isOwn: true, &mapper, into: &ignored)
  }

  /// Prints a document of the service.
  ///
  /// - Parameters:
  ///   - copies: the addresses of the same post at other services, which the record has in addition.
  ///   - shared: the address by which stores know all of them as one post.
  mutating func write(document: [UInt8], copies: [String] = [], shared: String? = nil) throws(ToolError) {
    try setContext()
    if copies.isEmpty, shared == nil {
      try Self.map(document, &mapper, into: &output.buffer)
    } else {
      var record = ByteBuffer()
      try Self.map(document, &mapper, into: &record)
      for line in record.array.split(separator: UInt8(ascii: "\n")) { try append(Array(line), with: copies, shared) }
    }
    try output.flush()
  }

  /// Appends a record with `extra.copies` and `extra.same_as`.
  private mutating func append(_ line: [UInt8], with copies: [String], _ shared: String?) throws(ToolError) {
    guard let document = try? JSONDocument(line) else { throw .bug("a record was made that is none") }
    let old = document["extra"]?.isObject == true ? document["extra"]?.rawText : nil
    var extra = ByteBuffer()
    extra.object { out in
      if !copies.isEmpty {
        var addresses = ByteBuffer()
        addresses.appendJSONStrings(copies)
        out.member("copies", json: addresses.string)
      }
      out.member(CanonicalAddress.crosspost, shared)
    }
    // Behind what the service has said.
    let added = extra.string.dropFirst()
    let joined = old.map { $0 == "{}" ? "{" + added : $0.dropLast() + "," + added } ?? extra.string
    document.read { record in
      var edits = RecordEdits()
      edits.set("extra", in: record, to: joined)
      edits.apply(to: record, into: &output.buffer)
    }
    try output.endLine()
  }

  /// Prints a record with what the account has done. What its `viewer` says of the same account stays.
  mutating func write(record: [UInt8], _ mark: WrittenMark) throws(ToolError) {
    guard let document = try? JSONDocument(record) else { throw .bug("a record was read that is none") }
    document.read { record in
      var edits = RecordEdits()
      if let viewer = record["viewer"], viewer["account"]?.string == mark.account {
        edits.set(mark.key, in: viewer, to: String(mark.isSet))
      } else {
        edits.set("viewer", in: record, to: mark.json)
      }
      edits.apply(to: record, into: &output.buffer)
    }
    try output.endLine()
    try output.flush()
  }

  /// Prints that a post was deleted.
  mutating func write(deleted id: String, by account: WritingAccount) throws(ToolError) {
    output.buffer.deletion(of: id, service: access.service, user: account.id)
    try output.flush()
  }

  /// - Parameter isOwn: whether it is a record of ours; what a service answers is none, whatever it says.
  private static func map(
    _ bytes: [UInt8], isOwn: Bool = false, _ mapper: inout TweetMapper, into buffer: inout ByteBuffer
  ) throws(ToolError) {
    guard let document = try? JSONDocument(bytes) else { throw .bug("what was written is no JSON") }
    if let fault = document.read({ mapper.map(Record(root: $0, isElement: !isOwn), into: &buffer) }) {
      throw .bug("what was written is not a record: \(fault)")
    }
  }
}
