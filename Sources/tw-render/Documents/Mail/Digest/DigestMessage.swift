import TweetCLI
import TweetCore
import TweetDisplay

/// Writes a digest as a whole message (RFC 5322): plain text, and beside it HTML with its pictures.
struct DigestMessage {
  private static let longestTitle = 60
  // Text in quoted-printable or base64 never has "=_" in it (RFC 2045 §6.7).
  private static let alternative: StaticString = "=_tw-alternative"
  private static let related: StaticString = "=_tw-related"
  private static let piece = 48 << 10

  private let title: String
  private let locale: ReaderLocale
  private let from: MailAddress?
  private let to: [MailAddress]
  private let parts: DigestParts

  init(_ look: DigestLook, from: MailAddress?, to: [MailAddress], _ parts: DigestParts) {
    (title, locale) = (look.title, look.locale)
    (self.from, self.to, self.parts) = (from, to, parts)
  }

  /// Bytes of HTML after which Gmail hides the rest.
  private static let clippedAt = 102_400

  func write(to writer: inout RecordWriter) throws(ToolError) {
    if parts.html.count > Self.clippedAt {
      Diagnostics.note(
        "the message has \(parts.html.count >> 10) kB of HTML: Gmail shows the first 102 and hides the rest; send fewer "
          + "tweets in one message")
    }
    appendHeader(to: &writer.buffer)
    appendStart(of: Self.alternative, to: &writer.buffer)
    writer.buffer.append("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n")
    try write(parts.text, to: &writer) { output in
      appendHeading(to: &output)
      output.append("\n")
    }
    let pictures = parts.pictures?.keys ?? []
    appendStart(of: Self.alternative, to: &writer.buffer)
    if !pictures.isEmpty {
      writer.buffer.append("Content-Type: multipart/related; type=\"text/html\"; boundary=\"\(Self.related)\"\n")
      appendStart(of: Self.related, to: &writer.buffer)
    }
    writer.buffer.append("Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n")
    try write(parts.html, to: &writer, before: appendHead, after: "</table>\n</td></tr></table>\n</body>\n</html>\n")
    if !pictures.isEmpty {
      for (key, kind) in pictures {
        append(picture: key, kind, to: &writer.buffer)
        try writer.flushIfLarge()
      }
      append(endOf: Self.related, to: &writer.buffer)
    }
    append(endOf: Self.alternative, to: &writer.buffer)
    try writer.flush()
  }

  // MARK: Header

  private func appendHeader(to output: inout ByteBuffer) {
    if let from {
      output.append("From: ")
      from.append(to: &output)
      output.append("\n")
    }
    for (index, address) in to.enumerated() {
      output.append(index == 0 ? "To: " : ",\n ")
      address.append(to: &output)
    }
    output.append(to.isEmpty ? "Subject: " : "\nSubject: ")
    var subject = ByteBuffer(capacity: 256)
    appendHeading(to: &subject)
    subject.withBytes { MailHeader.append(text: $0, to: &output) }
    let now = Timestamp.shown
    output.append("\nDate: ")
    MailTime(now).appendDate(to: &output)
    // The same message has the same name, and another one another.
    output.append(
      "\nMessage-ID: <\(now.milliseconds).\(String(parts.hash, radix: 36))@\(from?.domain ?? "tw.invalid")>")
    // No program answers that somebody is on holiday (RFC 3834 §5).
    output.append("\nAuto-Submitted: auto-generated\nMIME-Version: 1.0\n")
    output.append("Content-Type: multipart/alternative; boundary=\"\(Self.alternative)\"\n")
  }

  /// Appends `This week: 12 tweets`, as text on one line.
  private func appendHeading(to output: inout ByteBuffer) {
    title.withBytes { output.append(firstWordsOf: $0, most: Self.longestTitle) }
    output.append(": ")
    locale.append(.tweets, count: parts.count, to: &output)
  }

  // MARK: Parts

  private func appendStart(of boundary: StaticString, to output: inout ByteBuffer) {
    output.append("\n--")
    output.append(boundary)
    output.append("\n")
  }

  private func append(endOf boundary: StaticString, to output: inout ByteBuffer) {
    output.append("\n--")
    output.append(boundary)
    output.append("--\n")
  }

  /// Writes text that waits on disk, and what stands before and after it.
  private func write(
    _ spool: RecordSpool, to writer: inout RecordWriter, before: (inout ByteBuffer) -> Void, after: StaticString = ""
  ) throws(ToolError) {
    var encoder = QuotedPrintable()
    var start = ByteBuffer()
    before(&start)
    start.withBytes { encoder.append($0, to: &writer.buffer) }
    var offset = 0
    while offset < spool.count {
      let bytes = try spool.read(at: offset, count: min(Self.piece, spool.count - offset))
      bytes.withBytes { encoder.append($0, to: &writer.buffer) }
      offset += bytes.count
      try writer.flushIfLarge()
    }
    encoder.append(after.bytes, to: &writer.buffer)
    encoder.finish(&writer.buffer)
  }

  private func appendHead(to output: inout ByteBuffer) {
    var heading = ByteBuffer(capacity: 256)
    title.withBytes { heading.append(firstWordsOf: $0, most: 1000) }
    output.append(
      "<!DOCTYPE html>\n<html lang=\"\(locale.wordsLanguage)\"\(locale.isRightToLeft ? " dir=\"rtl\"" : "")>\n")
    output.append(
      """
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <style>
      """)
    output.append(InlineStyles.darkSheet)
    output.append(
      """
      </style>
      <title>
      """)
    heading.withBytes { output.append(markup: $0) }
    output.append(
      """
      </title>
      </head>
      <body style="margin:0;padding:0">
      <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>
      <td align="center" style="padding:20px 12px">
      <table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" \
      style="width:100%;max-width:600px;text-align:start;font:16px/1.5 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
      <tr><td style="padding:0 0 16px"><div dir="auto" style="font-size:24px;line-height:1.3;font-weight:bold">
      """)
    heading.withBytes { output.append(markup: $0) }
    output.append("</div><div class=\"dim\" style=\"\(InlineStyles.dim)\">")
    locale.append(.tweets, count: parts.count, to: &output)
    output.append("</div></td></tr>\n")
  }

  /// Appends a picture as a part. One that was removed meanwhile is left out.
  private func append(picture key: PictureKey, _ kind: PictureFolder.Kind, to output: inout ByteBuffer) {
    guard let png = parts.pictures?.read(key, kind) else { return }
    appendStart(of: Self.related, to: &output)
    output.append("Content-Type: image/png\nContent-Transfer-Encoding: base64\nContent-Disposition: inline\n")
    output.append("Content-ID: <\(DigestPictures.name(of: key))>\n\n")
    // 57 bytes are 76 digits, the longest line (RFC 2045 §6.8).
    for start in stride(from: 0, to: png.count, by: 57) {
      output.append(base64: Array(png[start..<min(start + 57, png.count)]))
      output.append("\n")
    }
  }
}
