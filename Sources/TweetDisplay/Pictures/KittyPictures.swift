package import TweetCore

/// Pictures by kitty's graphics protocol (<https://sw.kovidgoyal.net/kitty/graphics-protocol/>): a picture is sent
/// once, under an id, and then shown by it.
///
/// The terminal keeps what it was sent for as long as it likes, and says nothing when it forgets a picture. So after a
/// while all are sent again, long before kitty's quota (320 MB of pixels) or its rows of history (2000) are used up.
package struct KittyPictures {
  /// Payloads may not be longer.
  private static let mostPayload = 4096
  /// Of pixels that were sent, four bytes each.
  private static let mostBytes = 64 << 20
  private static let mostShown = 300

  /// One showing of a picture: its cells, and the number that tells it from other showings of the same picture. Shown
  /// again under this number it moves to the cursor, until all pictures are sent again.
  package struct Placement {
    package let key: PictureKey
    package let kind: PictureFolder.Kind
    package let area: PictureArea
    fileprivate let number: UInt32
  }

  /// The sizes of this many pictures are remembered.
  private static let mostSizes = 10_000

  /// The ids of the pictures that the terminal has.
  private var sent: [PictureKey: UInt32] = [:]
  /// In pixels.
  private var sizes: [PictureKey: (width: Int, height: Int)] = [:]
  private var bytes = 0
  private var shown = 0
  private var nextID: UInt32
  private var nextNumber: UInt32 = 1

  /// - Parameter firstID: ids go up from here. A random number: two programs of one terminal must not have the same.
  package init(firstID: UInt32 = .random(in: 1...UInt32.max)) { nextID = firstID }

  /// Sends all pictures again from now on. Clearing the screen makes the terminal forget them.
  package mutating func forget() {
    sent.removeAll()
    (bytes, shown) = (0, 0)
  }

  /// A new placement of a picture.
  /// - Parameters:
  ///   - fit: gives the cells for a picture of this width and height.
  ///   - read: gives the picture; it is called only if its size is not known.
  /// - Returns: `nil` if there is no picture.
  package mutating func placement(
    of key: PictureKey, _ kind: PictureFolder.Kind, fit: (Int, Int) -> PictureArea, read: () -> SmallPicture?
  ) -> Placement? {
    guard let (width, height) = sizes[key] ?? read().map({ ($0.width, $0.height) }) else { return nil }
    if sizes.count >= Self.mostSizes { sizes.removeAll() }
    sizes[key] = (width, height)
    let number = nextNumber
    nextNumber = Self.number(after: number)
    return Placement(key: key, kind: kind, area: fit(width, height), number: number)
  }

  /// 0 is not an id.
  private static func number(after number: UInt32) -> UInt32 { number == .max ? 1 : number + 1 }

  /// Appends what shows a placement at the cursor; nothing if the picture is gone.
  /// - Parameter read: gives the picture; it is called only if the picture must be sent.
  package mutating func append(
    _ placement: Placement, to output: inout ByteBuffer, read: () -> SmallPicture?
  ) {
    if shown >= Self.mostShown || bytes >= Self.mostBytes { forget() }
    if let known = sent[placement.key] {
      shown += 1
      output.append("\u{1B}_Ga=p,q=2,C=1,i=")
      Self.append(known, placement, to: &output)
      output.append("\u{1B}\\")
      return
    }
    guard let picture = read() else { return }
    let id = nextID
    nextID = Self.number(after: id)
    sent[placement.key] = id
    shown += 1
    bytes += picture.width * picture.height * 4
    Self.append(picture, id: id, placement, to: &output)
  }

  /// Appends the commands that send a PNG file and show it: no answer (`q=2`), the cursor stays (`C=1`).
  private static func append(
    _ picture: SmallPicture, id: UInt32, _ placement: Placement, to output: inout ByteBuffer
  ) {
    var payload = ByteBuffer(capacity: picture.png.count * 4 / 3 + 4)
    payload.append(base64: picture.png)
    var offset = 0
    while offset < payload.count {
      let end = min(offset + mostPayload, payload.count)
      output.append("\u{1B}_G")
      if offset == 0 {
        output.append("a=T,f=100,q=2,C=1,i=")
        append(id, placement, to: &output)
        output.append(",")
      }
      output.append(end < payload.count ? "m=1;" : "m=0;")
      payload.withBytes { output.append(ByteView(rebasing: $0[offset..<end])) }
      output.append("\u{1B}\\")
      offset = end
    }
  }

  private static func append(_ id: UInt32, _ placement: Placement, to output: inout ByteBuffer) {
    output.append(decimal: Int(id))
    output.append(",p=")
    output.append(decimal: Int(placement.number))
    output.append(",c=")
    output.append(decimal: placement.area.columns)
    output.append(",r=")
    output.append(decimal: placement.area.rows)
  }
}
