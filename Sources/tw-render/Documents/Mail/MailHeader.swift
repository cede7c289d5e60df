import ArgumentParser
import TweetCore

/// The fields of a message's header, and the encodings of MIME.
enum MailHeader {
  private static let longestDomain = 200

  /// Appends a display name (RFC 5322 §3.4): as it stands if it is ASCII words, else as encoded words.
  static func append(phrase text: ByteView, to output: inout ByteBuffer) {
    if text.allSatisfy({ isWordByte($0) || $0 == 0x20 }), text.count < 60 {
      output.append(text)
    } else {
      append(encoded: text, to: &output)
    }
  }

  /// Appends free text of one line: as it stands if it is ASCII that cannot be taken for an encoded word.
  static func append(text: ByteView, to output: inout ByteBuffer) {
    let isPlain =
      text.allSatisfy { $0 &- 0x20 < 0x5F }
      && !text.indices.dropLast().contains { text[$0] == 0x3D && text[$0 + 1] == 0x3F }
    if isPlain { output.append(text) } else { append(encoded: text, to: &output) }
  }

  /// The longest line with an encoded word (RFC 2047 §2), and what one has besides its digits.
  private static let (longestLine, frame) = (76, "=?UTF-8?B??=".utf8.count)

  /// The characters of the line that is begun.
  private static func column(of output: borrowing ByteBuffer) -> Int {
    output.withBytes { bytes in bytes.count - (bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) }
  }

  /// Appends ` <jane@x.invalid>`, on a line of its own if the one that is begun has no room for it.
  static func append(address: ByteView, to output: inout ByteBuffer) {
    output.append(column(of: output) + address.count + 3 > longestLine ? "\n <" : " <")
    output.append(address)
    output.append(">")
  }

  /// Appends encoded words (RFC 2047): base64 of UTF-8, each of whole characters, in lines that are short enough.
  private static func append(encoded text: ByteView, to output: inout ByteBuffer) {
    var start = 0
    while start < text.count {
      if start > 0 { output.append("\n ") }
      // Three bytes are four digits.
      let room = max(1, (longestLine - frame - column(of: output)) / 4) * 3
      var end = min(start + room, text.count)
      while end < text.count, end > start, text[end] & 0xC0 == 0x80 { end -= 1 }
      output.append("=?UTF-8?B?")
      output.append(base64: Array(text[start..<end]))
      output.append("?=")
      start = end
    }
  }

  /// Appends the part of an address before the `@`, from any text: bytes that no word has become `_`.
  static func append(local text: ByteView, to output: inout ByteBuffer) {
    if text.isEmpty { output.append("unknown") }
    for byte in text { output.append(isWordByte(byte) ? byte : UInt8(ascii: "_")) }
  }

  /// Appends the domain of a service: `mastodon.social.mastodon.invalid`, `x.invalid`. Bytes that no domain has are `-`
  /// and their hexadecimal digits, so that different services stay different.
  static func append(domain service: JSONValue?, to output: inout ByteBuffer) {
    let parts = (service?.rawString ?? ByteView.empty).prefix(200)
      .split(separator: UInt8(ascii: ":"))
    let start = output.count
    // With an id of 240 bytes, a field is a line of mail.
    for part in parts.reversed() where output.count - start < Self.longestDomain {
      for index in part.indices where output.count - start < Self.longestDomain {
        let isEnd =
          part[index] == 0x2E && part[..<index].last.map(isNameByte) == true
          && part[(index + 1)...].first.map(isNameByte) == true
        if isEnd || isNameByte(part[index]) {
          output.append(part[index])
        } else {
          output.append("-")
          output.append(hex: part[index])
        }
      }
      output.append(".")
    }
    output.append("invalid")
  }

  private static func isNameByte(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") }

  /// Appends `<20@x.invalid>`. Bytes of an id that no word has are percent-encoded, so that different ids stay
  /// different.
  static func append(messageID id: JSONValue?, of service: JSONValue?, to output: inout ByteBuffer) {
    output.append("<")
    for byte in (id?.rawString ?? ByteView.empty).prefix(240) {
      if isWordByte(byte), byte != UInt8(ascii: "%") {
        output.append(byte)
      } else {
        output.append(percentEncoded: byte)
      }
    }
    output.append("@")
    append(domain: service, to: &output)
    output.append(">")
  }

  /// The characters of RFC 5322's `atext`.
  static func isWordByte(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
  }
}

/// A moment as mail writes it, in UTC.
struct MailTime {
  private let time: Timestamp

  init(_ time: Timestamp) { self.time = time }

  /// `Wed, 03 Nov 2021 21:25:00 +0000` (RFC 5322 §3.3).
  func appendDate(to output: inout ByteBuffer) {
    output.append(weekday)
    output.append(", ")
    output.append(decimal: time.date.day, width: 2)
    output.append(" ")
    output.append(month)
    output.append(" ")
    output.append(decimal: time.date.year, width: 4)
    output.append(" ")
    appendClock(to: &output)
    output.append(" +0000")
  }

  /// `Wed Nov  3 21:25:00 2021`, as ctime(3) writes it (RFC 4155, Appendix A).
  func appendPostmark(to output: inout ByteBuffer) {
    output.append(weekday)
    output.append(" ")
    output.append(month)
    output.append(time.date.day < 10 ? "  " : " ")
    output.append(decimal: time.date.day)
    output.append(" ")
    appendClock(to: &output)
    output.append(" ")
    output.append(decimal: time.date.year, width: 4)
  }

  private var seconds: Int { Int((time.milliseconds % 86_400_000 + 86_400_000) % 86_400_000 / 1000) }

  private func appendClock(to output: inout ByteBuffer) {
    output.append(decimal: seconds / 3600, width: 2)
    output.append(":")
    output.append(decimal: seconds / 60 % 60, width: 2)
    output.append(":")
    output.append(decimal: seconds % 60, width: 2)
  }

  private var weekday: ByteView {
    let names: StaticString = "ThuFriSatSunMonTueWed"
    let days = Int((Double(time.milliseconds) / 86_400_000).rounded(.down))
    // The first of January 1970 was a Thursday.
    return ByteView(start: names.utf8Start + (days % 7 + 7) % 7 * 3, count: 3)
  }

  private var month: ByteView {
    let names: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
    return ByteView(start: names.utf8Start + (time.date.month - 1) * 3, count: 3)
  }
}

/// An address of mail, as a person gives it: `me@example.org`, `Jane Smith <me@example.org>`, or `me` on this machine.
struct MailAddress: ExpressibleByArgument {
  private let name: String
  private let address: String

  init?(argument: String) {
    guard argument.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else { return nil }
    if argument.hasSuffix(">"), let start = argument.lastIndex(of: "<") {
      name = argument[..<start].split(separator: " ").joined(separator: " ").replacing("\"", with: "")
      address = String(argument[argument.index(after: start)...].dropLast())
    } else {
      (name, address) = ("", argument)
    }
    // A dot-atom on each side (RFC 5322 §3.4.1). Others need quotes, and no mailbox of today has them.
    let parts = address.split(separator: "@", omittingEmptySubsequences: false)
    let isAtom = parts.allSatisfy { part in
      part.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
        !atom.isEmpty && atom.utf8.allSatisfy(MailHeader.isWordByte)
      }
    }
    guard parts.count <= 2, isAtom, !name.contains(where: { "<>@".contains($0) }), argument.utf8.count < 300 else {
      return nil
    }
  }

  /// The part after the `@`; `nil` if it has none.
  var domain: Substring? { address.split(separator: "@").dropFirst().first }

  func append(to output: inout ByteBuffer) {
    guard !name.isEmpty else { return output.append(address) }
    name.withBytes { MailHeader.append(phrase: $0, to: &output) }
    address.withBytes { MailHeader.append(address: $0, to: &output) }
  }
}
