package import TweetCore

/// Measures text in terminal columns.
///
/// A grapheme cluster is as wide as its scalars together, but at most two columns: that is right for wide letters,
/// conjuncts, flags, skin tones and families of joined emoji. Ambiguous widths (Greek, box drawing) are one. An emoji
/// that is a text sign by default becomes wide with U+FE0F after it. Terminals differ on rare clusters, so nothing that
/// must line up should be after text from outside.
package enum DisplayWidth {
  /// The columns of printable UTF-8 text. A control character would count as one.
  package static func of(_ text: ByteView) -> Int {
    if text.allSatisfy({ $0 < 0x80 }) { return text.count }
    var clusters = ClusterReader(text)
    var width = 0
    while let cluster = clusters.next() { width += cluster.width }
    return width
  }

  /// The columns of printable UTF-8 text in the terminals that draw it the widest: tmux(1) gives a thumb with a skin
  /// tone four, xterm(1) a family six. What must not break a row is measured so.
  package static func widest(of text: ByteView) -> Int {
    if text.allSatisfy({ $0 < 0x80 }) { return text.count }
    var clusters = ClusterReader(text)
    var width = 0
    while let cluster = clusters.next() { width += cluster.widest }
    return width
  }

  /// Where `text` ends, in whole clusters, if it must fit into `most` columns in every terminal; `nil` if it fits. What
  /// comes later is not looked at.
  /// - Parameter room: columns that what stands for the rest takes.
  package static func cut(_ text: ByteView, most: Int, leaving room: Int) -> Int? {
    var clusters = ClusterReader(text)
    var end = 0
    var width = 0
    while let cluster = clusters.next() {
      width += cluster.widest
      if width > most { return end }
      if width <= most - room { end = cluster.end }
    }
    return nil
  }
}
