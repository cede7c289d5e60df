import TweetCore
import TweetStore

/// The records of the tweets that were on the screen last. More are read again when they are shown again. A class: who
/// looks at a record changes which ones stay.
final class RecordCache {
  private static let most = 600

  /// A record in memory.
  struct Entry {
    /// `nil` for a tweet that is not stored any more. Of a notification it is the tweet that this is about, if there is
    /// one.
    fileprivate(set) var document: JSONDocument?
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
  func entry(_ key: Int) -> Entry? {
    clock += 1
    entries[key]?.used = clock
    return entries[key]?.entry
  }

  /// Takes what was read.
  func take(_ records: [ReadRecord]) {
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
    // A stored record is sound JSON; what is not is shown as a tweet that is not there.
    let read = record.bytes.isEmpty ? nil : try? JSONDocument(record.bytes)
    let notification = read?["tw"]?.equals("notification") == true ? read : nil
    let tweet = notification == nil ? read.map(seen) : notification?["tweet"].flatMap { $0["text"] == nil ? nil : $0 }
    let name = "\(read?["service"]?.string ?? ""):\(tweet?["id"]?.string ?? "")"
    return Entry(document: tweet, notification: notification, name: name, isUnread: record.isUnread)
  }

  /// Shows another record until the store says what it is.
  func replace(_ document: JSONDocument, of key: Int) { entries[key]?.entry.document = document }

  /// A record as the account sees it that is chosen for its service.
  private func seen(_ document: JSONDocument) -> JSONDocument {
    guard let viewers, let service = document["service"]?.string, let account = viewers.name(at: service),
      document["viewer"] != nil || document["viewers"] != nil
    else { return document }
    var out = ByteBuffer(capacity: 2048)
    // What was made of a sound record is sound.
    do throws(ToolError) {
      try document.read { (record) throws(ToolError) in try ViewerChoice(account: account).append(record.raw, to: &out)
      }
    } catch { return document }
    return (try? JSONDocument(out.array)) ?? document
  }

  /// The keys of these whose records must be asked for. They count as asked for then.
  func missing(_ keys: some Sequence<Int>) -> [Int] {
    keys.filter { entries[$0] == nil && asked.insert($0).inserted }
  }

  /// The keys of these of which another version is stored now, and that are here.
  func outdated(_ keys: [Int]) -> [Int] { keys.filter { entries[$0] != nil && asked.insert($0).inserted } }

  /// The key of a tweet, if it is here.
  func key(named name: String) -> Int? {
    entries.first { $0.value.entry.name == name && $0.value.entry.notification == nil }?.key
  }

  /// Notes that what is stored about its links was asked for.
  func noteVerdicts(of key: Int) { entries[key]?.entry.hasVerdicts = true }

  /// Notes whether a tweet is unread.
  func mark(_ key: Int, isUnread: Bool) { entries[key]?.entry.isUnread = isUnread }

  /// What was asked for may be asked for again: no answer will come.
  func forgetQuestions() { asked = [] }

  /// Forgets all.
  func removeAll() { (entries, asked) = ([:], []) }
}
