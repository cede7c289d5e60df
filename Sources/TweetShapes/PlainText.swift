import TweetCore

/// The text of a post that a service has as HTML.
package enum PlainText {
  package static func ofHTML(_ text: String) -> String {
    var html = HTMLText()
    var buffer = ByteBuffer()
    buffer.appendJSONString(text)
    buffer.withBytes { html.read(ByteView(rebasing: $0.dropFirst().dropLast())) }
    return html.text.string
  }
}
