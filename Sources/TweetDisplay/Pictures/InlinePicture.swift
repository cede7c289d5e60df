package import TweetCore

/// A picture by iTerm2's protocol (<https://iterm2.com/documentation-images.html>): the file itself, drawn once.
package enum InlinePicture {
  /// Appends the sequence, within those that save and restore the cursor (DECSC, DECRC): terminals differ in where they
  /// leave it.
  package static func append(_ picture: SmallPicture, _ area: PictureArea, to output: inout ByteBuffer) {
    output.append("\u{1B}7\u{1B}]1337;File=inline=1;size=")
    output.append(decimal: picture.png.count)
    output.append(";width=")
    output.append(decimal: area.columns)
    output.append(";height=")
    output.append(decimal: area.rows)
    output.append(";preserveAspectRatio=0:")
    output.append(base64: picture.png)
    output.append("\u{07}\u{1B}8")
  }
}
