package import TweetCore

/// Pictures by kitty's graphics protocol (<https://sw.kovidgoyal.net/kitty/graphics-protocol/>): a picture is sent once,
/// under an id, and then shown by it.
///
/// The terminal keeps what it was sent for as long as it likes, and says nothing when it forgets a picture. So after a while
/// all are sent again, long before kitty's quota (320 MB of pixels) or its rows of history (2000) are used up.
package struct KittyPictures {
  /// Payloads may not be longer.
  private static let mostPayload = 4096
  /// Of pixels that were sent, four bytes each.
  private static let mostBytes = 64 << 20
  private static let mostShown = 300

  private struct Sent {
    let id: UInt32
    /// In pixels.
    let width, height: Int
  }

  private var sent: [PictureKey: Sent] = [:]
  private var bytes = 0
  private var shown = 0
  private var nextID: UInt32

  /// - Parameter firstID: ids go up from here. A random number: two programs of one terminal must not have the same.
  package init(firstID: UInt32 = .random(in: 1...UInt32.max)) { nextID = firstID }

  /// Sends all pictures again from now on. Clearing the screen makes the terminal forget them.
  package mutating func forget() {
    sent.removeAll()
    (bytes, shown) = (0, 0)
  }

  /// Appends what shows a picture at the cursor.
  /// - Parameters:
  ///   - fit: gives the cells for a picture of this width and height.
  ///   - read: gives the picture; it is called only if the picture must be sent.
  /// - Returns: the cells; `nil` if there is no picture.
  package mutating func append(
    _ key: PictureKey, to output: inout ByteBuffer, fit: (Int, Int) -> PictureArea, read: () -> SmallPicture?
  ) -> PictureArea? {
    if shown >= Self.mostShown || bytes >= Self.mostBytes { forget() }
    if let known = sent[key] {
      shown += 1
      let area = fit(known.width, known.height)
      output.append("\u{1B}_Ga=p,q=2,C=1,i=")
      Self.append(known.id, area, to: &output)
      output.append("\u{1B}\\")
      return area
    }
    guard let picture = read() else { return nil }
    let area = fit(picture.width, picture.height)
    let id = nextID
    // 0 is no id.
    nextID = nextID == .max ? 1 : nextID + 1
    sent[key] = Sent(id: id, width: picture.width, height: picture.height)
    shown += 1
    bytes += picture.width * picture.height * 4
    Self.append(picture, id: id, area, to: &output)
    return area
  }

  /// Appends the commands that send a PNG file and show it: no answer (`q=2`), the cursor stays (`C=1`).
  private static func append(
    _ picture: SmallPicture, id: UInt32, _ area: PictureArea, to output: inout ByteBuffer
  ) {
    var payload = ByteBuffer(capacity: picture.png.count * 4 / 3 + 4)
    payload.append(base64: picture.png)
    var offset = 0
    while offset < payload.count {
      let end = min(offset + mostPayload, payload.count)
      output.append("\u{1B}_G")
      if offset == 0 {
        output.append("a=T,f=100,q=2,C=1,i=")
        append(id, area, to: &output)
        output.append(",")
      }
      output.append(end < payload.count ? "m=1;" : "m=0;")
      payload.withBytes { output.append(UnsafeBufferPointer(rebasing: $0[offset..<end])) }
      output.append("\u{1B}\\")
      offset = end
    }
  }

  private static func append(_ id: UInt32, _ area: PictureArea, to output: inout ByteBuffer) {
    output.append(decimal: Int(id))
    output.append(",c=")
    output.append(decimal: area.columns)
    output.append(",r=")
    output.append(decimal: area.rows)
  }
}
