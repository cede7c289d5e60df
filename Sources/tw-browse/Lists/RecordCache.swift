import TweetCore
import TweetStore

/// The records of the tweets that were on the screen last. More are read again when they are shown again.
struct RecordCache {
  private static let most = 600

  /// A record in memory.
  struct Entry {
    /// `nil` for a tweet that is not stored any more. Of a notification it is the tweet that this is about, if there is
    /// one.
    let document: JSONDocument?
    /// The record, if it is one of a notification.
    var notification: JSONDocument?
    /// `service:id`.
    let name: String
    var isUnread: Bool
    /// Whether what is stored about its links was asked for since it was read.
    fileprivate(set) var hasVerdicts = false

    /// The record as it is stored, with all whose pictures may be shown.
    var picturedDocument: JSONDocument? { notification ?? document }

    /// The service of the tweet.
    var service: String? { document?["service"]?.string }
  }

  /// As whom the records are seen; `nil` for the account that read each last.
  var viewers: ChosenAccounts?
  private var entries: [Int: (entry: Entry, used: Int)] = [:]
  private var asked: Set<Int> = []
  private var clock = 0

  /// The record of a key, if it is here.
  mutating func entry(_ key: Int) -> Entry? {
    clock += 1
    entries[key]?.used = clock
    return entries[key]?.entry
  }

  /// Takes what was read.
  mutating func take(_ records: [ReadRecord]) {
    for record in records {
      asked.remove(record.key)
      clock += 1
      entries[record.key] = (entry(record), clock)
    }
    guard entries.count > Self.most else { return }
    let oldest = entries.values.map(\.used).sorted()[entries.count - Self.most / 2]
    entries = entries.filter { $0.value.used >= oldest }
  }

  private func entry(_ record: ReadRecord) -> Entry {
    var document: JSONDocument?
    // A stored record is sound JSON; what is not is shown as a tweet that is not there.
    do throws(JSONFault) { document = record.bytes.isEmpty ? nil : try JSONDocument(record.bytes) } catch {
      document = nil
    }
    if document?["tw"]?.equals("notification") == true { return entry(notification: document) }
    if let found = document { document = seen(found) }
    let (service, id) = (document?["service"]?.string, document?["id"]?.string)
    return Entry(document: document, name: "\(service ?? ""):\(id ?? "")", isUnread: record.isUnread)
  }

  /// Shows another record until the store says what it is.
  mutating func replace(_ document: JSONDocument, of key: Int) {
    guard let entry = entries[key]?.entry else { return }
    entries[key]?.entry = Entry(
      document: document, notification: entry.notification, name: entry.name, isUnread: entry.isUnread,
      hasVerdicts: entry.hasVerdicts)
  }

  /// A record as the account sees it that is chosen for its service.
  private func seen(_ document: JSONDocument) -> JSONDocument {
    guard let viewers, let service = document["service"]?.string, let account = viewers.name(at: service),
      document["viewer"] != nil || document["viewers"] != nil
    else { return document }
    var out = ByteBuffer(capacity: 2048)
    do throws(ToolError) {
      try document.read { (record) throws(ToolError) in try ViewerChoice(account: account).append(record.raw, to: &out)
      }
    } catch { return document }
    // What was made of a sound record is sound.
    return (try? JSONDocument(out.array)) ?? document
  }

  private func entry(notification: JSONDocument?) -> Entry {
    let tweet = notification?["tweet"].flatMap { $0["text"] == nil ? nil : $0 }
    let (service, id) = (notification?["service"]?.string, tweet?["id"]?.string)
    return Entry(document: tweet, notification: notification, name: "\(service ?? ""):\(id ?? "")", isUnread: false)
  }

  /// The keys of these whose records must be asked for. They count as asked for then.
  mutating func missing(_ keys: some Sequence<Int>) -> [Int] {
    keys.filter { entries[$0] == nil && asked.insert($0).inserted }
  }

  /// The keys of these of which another version is stored now, and that are here.
  mutating func outdated(_ keys: [Int]) -> [Int] { keys.filter { entries[$0] != nil && asked.insert($0).inserted } }

  /// The key of a tweet, if it is here.
  func key(named name: String) -> Int? {
    entries.first { $0.value.entry.name == name && $0.value.entry.notification == nil }?.key
  }

  /// Forgets these, of which another version is stored now.
  mutating func forget(_ keys: [Int]) { for key in keys { entries[key] = nil } }

  /// Notes that what is stored about its links was asked for.
  mutating func noteVerdicts(of key: Int) { entries[key]?.entry.hasVerdicts = true }

  /// Notes whether a tweet is unread.
  mutating func mark(_ key: Int, isUnread: Bool) { entries[key]?.entry.isUnread = isUnread }

  /// What was asked for may be asked for again: no answer will come.
  mutating func forgetQuestions() { asked = [] }

  /// Forgets all.
  mutating func removeAll() { (entries, asked) = ([:], []) }
}
