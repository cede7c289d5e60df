/// The code a link is shortened to: ten letters and digits that depend on the link alone, so that a link keeps its code
/// whatever order things are stored in.
enum ShortLink {
  static func code(for link: String) -> String {
    let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    var rest = fingerprint(link.utf8)
    var code = ""
    for _ in 0..<10 {
      code.append(digits[Int(rest % 62)])
      rest /= 62
    }
    return code
  }

  /// What a link is shown as: without its scheme, the host and at most 16 characters of the path.
  static func display(_ link: String) -> String {
    var text = Substring(link)
    for scheme in ["https://", "http://"] where text.hasPrefix(scheme) { text = text.dropFirst(scheme.count) }
    if text.hasPrefix("www.") { text = text.dropFirst(4) }
    if text.hasSuffix("/") { text = text.dropLast() }
    guard let slash = text.firstIndex(of: "/") else { return String(text) }
    let path = text[slash...]
    return String(text[..<slash]) + (path.count > 16 ? path.prefix(15) + "…" : path)
  }
}

/// FNV-1a, 64 bits: the same for the same bytes in every run, which Swift's own hashes are not.
func fingerprint(_ bytes: some Sequence<UInt8>) -> UInt64 {
  bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
