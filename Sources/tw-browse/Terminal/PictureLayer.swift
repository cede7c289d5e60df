import TweetCore
import TweetDisplay

/// The pictures that are drawn over the cells of the screen.
///
/// kitty shows a picture by its id, so it is put and deleted as rows move. Others draw it once, and what is written on
/// its cells destroys it: it is drawn when its rows have not changed for a moment.
struct PictureLayer {
  /// Milliseconds without a change after which pictures are drawn.
  private static let settling = 150
  /// Of pixels that kitty was sent, four bytes each; its own limit is 320 MB.
  private static let mostBytes = 64 << 20
  /// Payloads may not be longer (kitty's graphics protocol).
  private static let mostPayload = 4096

  /// A picture, and the rows of the screen that it may be drawn on.
  struct Wanted {
    let picture: PlacedPicture
    let overlay: PictureOverlay
    let rows: Range<Int>

    /// The rows that it covers.
    var covered: Range<Int> { picture.row..<picture.row + overlay.area.rows }
    /// Whether all of it is in view.
    var isWhole: Bool { covered.clamped(to: rows) == covered }
    fileprivate var shown: Shown { Shown(picture: picture, covered: covered, rows: rows) }
  }

  fileprivate struct Shown: Hashable {
    let picture: PlacedPicture
    let covered: Range<Int>
    let rows: Range<Int>
  }

  private var drawn: [Shown: (id: UInt32, number: UInt32)] = [:]
  private var wanted: Set<Shown> = []
  private var changedAt = 0
  private var sent: [PictureKey: UInt32] = [:]
  private var bytes = 0
  private var nextID = UInt32.random(in: 1...UInt32.max / 2)
  private var nextNumber: UInt32 = 1
  private var isUnfinished = false

  /// Learns which pictures are wanted now.
  /// - Returns: the rows that must be written again, since a picture that is not wanted any more is on them.
  mutating func begin(_ pictures: [Wanted], now: Int) -> Set<Int> {
    let new = Set(pictures.map(\.shown))
    if new != wanted { (wanted, changedAt) = (new, now) }
    var rows: Set<Int> = []
    for (shown, ids) in drawn where !new.contains(shown) && ids.id == 0 {
      rows.formUnion(shown.covered)
      drawn[shown] = nil
    }
    return rows
  }

  /// Learns which rows were written.
  mutating func note(written rows: Set<Int>, now: Int) {
    for (shown, ids) in drawn where ids.id == 0 && shown.covered.contains(where: rows.contains) { drawn[shown] = nil }
    if wanted.contains(where: { $0.covered.contains(where: rows.contains) }) { changedAt = now }
  }

  /// Appends what draws the pictures that are wanted and not drawn: those of kitty at once, a new one at a time, so
  /// that keys come in between; others when the rows have settled.
  mutating func draw(_ pictures: [Wanted], now: Int, to output: inout ByteBuffer) {
    isUnfinished = false
    for (shown, ids) in drawn where !wanted.contains(shown) {
      output.append("\u{1B}_Ga=d,d=i,q=2,i=\(ids.id),p=\(ids.number)\u{1B}\\")
      drawn[shown] = nil
    }
    var hasSent = false
    for picture in pictures {
      let shown = picture.shown
      if drawn[shown] != nil { continue }
      switch picture.overlay.content {
      case .kitty(let small):
        if sent[picture.picture.place.key] == nil {
          if hasSent {
            isUnfinished = true
            continue
          }
          send(small, picture.picture.place.key, to: &output)
          hasSent = true
        }
        put(picture, small, shown, to: &output)
      case .sequence(let sequence):
        // What is not whole in view would be drawn over other rows.
        guard picture.isWhole else { continue }
        guard now - changedAt >= Self.settling, !hasSent else {
          isUnfinished = true
          continue
        }
        output.append("\u{1B}[\(picture.picture.row + 1);\(picture.picture.column + 1)H")
        output.append(sequence)
        drawn[shown] = (0, 0)
        hasSent = true
      }
    }
  }

  /// Milliseconds after which to draw again; `nil` if all is drawn.
  func wait(now: Int) -> Int? { isUnfinished ? max(changedAt + Self.settling - now, 0) : nil }

  /// The screen was cleared, or belongs to another program for a while: all is drawn and sent anew.
  mutating func forget() { (drawn, sent, bytes) = ([:], [:], 0) }

  /// What deletes all that kitty was sent; empty if there is nothing.
  var deletion: String { sent.isEmpty ? "" : "\u{1B}_Ga=d,d=A,q=2\u{1B}\\" }

  // MARK: kitty

  private mutating func send(_ picture: SmallPicture, _ key: PictureKey, to output: inout ByteBuffer) {
    if bytes >= Self.mostBytes {
      output.append(deletion)
      forget()
      isUnfinished = true
    }
    sent[key] = nextID
    bytes += picture.width * picture.height * 4
    var payload = ByteBuffer(capacity: picture.png.count * 4 / 3 + 4)
    payload.append(base64: picture.png)
    var offset = 0
    while offset < payload.count {
      let end = min(offset + Self.mostPayload, payload.count)
      output.append(offset == 0 ? "\u{1B}_Ga=t,f=100,q=2,i=\(nextID)," : "\u{1B}_G")
      output.append(end < payload.count ? "m=1;" : "m=0;")
      payload.withBytes { output.append(ByteView(rebasing: $0[offset..<end])) }
      output.append("\u{1B}\\")
      offset = end
    }
    nextID += 1
  }

  /// Puts the part of a picture that is in view.
  private mutating func put(_ wanted: Wanted, _ picture: SmallPicture, _ shown: Shown, to output: inout ByteBuffer) {
    guard let id = sent[wanted.picture.place.key] else { return }
    let visible = wanted.covered.clamped(to: wanted.rows)
    if visible.isEmpty { return }
    let all = wanted.overlay.area.rows
    let top = picture.height * (visible.lowerBound - wanted.covered.lowerBound) / all
    let bottom = picture.height * (visible.upperBound - wanted.covered.lowerBound) / all
    output.append("\u{1B}[\(visible.lowerBound + 1);\(wanted.picture.column + 1)H")
    output.append("\u{1B}_Ga=p,q=2,C=1,i=\(id),p=\(nextNumber),c=\(wanted.overlay.area.columns),r=\(visible.count)")
    if visible != wanted.covered { output.append(",x=0,y=\(top),w=\(picture.width),h=\(max(bottom - top, 1))") }
    output.append("\u{1B}\\")
    drawn[shown] = (id, nextNumber)
    nextNumber += 1
  }
}
