import ArgumentParser
import TweetCore

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
