import Libc
package import TweetCore

/// What the requests of one feed have reserved, in a file beside the ledger that is locked while the feed's program
/// runs. So the next one knows what a killed one had asked for, and settles it when it has read the same posts.
package final class RequestNote: Sendable {
  /// A request without an answer.
  package struct Request: Sendable, Equatable {
    package var reservation: Ledger.Reservation
    /// When it was sent.
    package let at: Timestamp
    /// The post below which it asked; `nil` for the newest ones.
    package var until: String?

    package init(_ reservation: Ledger.Reservation, at: Timestamp, until: String?) {
      (self.reservation, self.at, self.until) = (reservation, at, until)
    }
  }

  private let path: String
  private let file: Descriptor
  /// Those of killed programs.
  package let found: [Request]

  /// Opens and locks the file.
  ///
  /// - Parameters:
  ///   - ledger: the ledger's path.
  ///   - feed: the SOURCE.
  /// - Returns: `nil` if another program asks for the feed now, or if there can be no file: then what a killed program
  ///   had reserved stays counted.
  package init?(beside ledger: String, _ bill: Ledger.Bill, feed: String) {
    let owner = [bill.service, bill.app, bill.account, feed].joined(separator: "\n")
    let folder = ledger + "-open"
    guard (try? Paths.createDirectory(folder)) != nil else { return nil }
    let path = folder + "/" + String(fingerprint(owner.utf8), radix: 16)
    guard let file = Descriptor(path, O_RDWR | O_CREAT), flock(file.number, LOCK_EX | LOCK_NB) == 0,
      let bytes = try? StateFile.read(file.number, name: path)
    else { return nil }
    self.path = path
    self.file = file
    found = bytes.split(separator: UInt8(ascii: "\n")).compactMap { Request($0) }
  }

  deinit {
    // A program that has just opened it works without a note.
    if stat(of: file.number)?.size == 0 { unlink(path) }
  }

  /// Notes the requests without an answer. What cannot be noted stays counted if the program is killed.
  package func write(_ requests: [Request]) {
    var text = ByteBuffer()
    for request in requests {
      text.object { out in
        out.member("day", request.reservation.day)
        out.member("kind", request.reservation.kind.rawValue)
        out.member("count", request.reservation.count)
        out.member("at", request.at)
        out.member("until_id", request.until)
      }
      text.append("\n")
    }
    guard ftruncate(file.number, 0) == 0 else { return }
    _ = text.withBytes { pwrite(file.number, $0.baseAddress, $0.count, 0) }
  }
}

extension RequestNote.Request {
  fileprivate init?(_ line: ArraySlice<UInt8>) {
    guard let document = try? JSONDocument(Array(line)), let day = document["day"]?.string, Timestamp(day: day) != nil,
      let kind = document["kind"]?.string.flatMap(BilledKind.init(rawValue:)),
      let count = document["count"]?.integer, count > 0,
      let at = document["at"]?.string.flatMap({ Timestamp(parsing: $0) })
    else { return nil }
    self.init(
      Ledger.Reservation(day: day, kind: kind, count: count), at: at, until: document["until_id"]?.nonEmptyString)
  }
}
