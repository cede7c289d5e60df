import TweetCore

/// Links to this service itself. Its port may differ in the next run, so stored texts have a fixed host instead of its
/// address, one that nobody can own (RFC 2606).
enum OwnLink {
  private static let prefix = "https://tw-local.example.com/"
  /// What the texts of the demo have instead, to be short.
  private static let demoPrefix = "local://"

  /// - Parameter path: without a slash before it.
  static func link(to path: String) -> String { prefix + path }

  /// A text of the demo as it is stored.
  static func expandingDemoLinks(in text: String) -> String { text.replacing(demoPrefix, with: prefix) }

  static func isPhoto(_ link: String) -> Bool { link.hasPrefix(prefix) && link.hasSuffix("/photo/1") }

  /// The path of a link to this service; `nil` for other links.
  static func path(of link: String) -> Substring? { link.hasPrefix(prefix) ? link.dropFirst(prefix.count) : nil }
}

/// Short links, which play the part of X's `t.co`.
enum ShortLink {
  /// The code of a link: ten letters and digits that depend on the link alone, so that it is the same in every run.
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
}

/// The address of the running service, and the addresses below it that answers contain.
struct SiteAddress: Sendable {
  /// `http://127.0.0.1:PORT`
  let base: String

  /// `127.0.0.1:PORT`
  var authority: String { String(base.dropFirst("http://".count)) }

  /// The short link for a link.
  func short(_ link: String) -> String { "\(base)/s/\(ShortLink.code(for: link))" }

  /// A stored link as clients can follow it.
  func resolved(_ link: String) -> String { OwnLink.path(of: link).map { "\(base)/\($0)" } ?? link }

  func address(of media: PostMedia) -> String { "\(base)\(media.path)" }

  /// The address of the picture that is shown: of a video, its preview.
  func pictureAddress(of media: PostMedia) -> String { "\(base)\(media.picturePath)" }

  func portrait(of account: LocalAccount) -> String { "\(base)\(Portraits.path(of: account, size: "_normal"))" }

  /// A stored link as people see it: without its scheme, with the host and at most 16 characters of the path. A link to
  /// a photo or a video is seen as X's are.
  func displayed(_ link: String, isPhoto: Bool = false) -> String {
    if isPhoto { return "pic.\(base.dropFirst("http://".count))/\(ShortLink.code(for: link))" }
    var text = Substring(resolved(link))
    for scheme in ["https://", "http://"] where text.hasPrefix(scheme) { text = text.dropFirst(scheme.count) }
    if text.hasPrefix("www.") { text = text.dropFirst(4) }
    if text.hasSuffix("/") { text = text.dropLast() }
    guard let slash = text.firstIndex(of: "/") else { return String(text) }
    let path = text[slash...]
    return String(text[..<slash]) + (path.count > 16 ? path.prefix(15) + "…" : path)
  }
}
