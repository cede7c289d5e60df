/// The fragments of links.
enum LinkAddress {
  /// The fragment never goes to the server: links that differ only in it are checked once.
  static func withoutFragment(_ url: String) -> String {
    url.firstIndex(of: "#").map { String(url[..<$0]) } ?? url
  }

  /// The fragment with its `#`; `nil` when there is none.
  static func fragment(of url: String) -> String? {
    url.firstIndex(of: "#").map { String(url[$0...]) }
  }

  /// Where a link that began at `original` ended, with its fragment. A redirect that has a fragment replaces the one
  /// before; without one the fragment stays (RFC 9110 §10.2.2).
  static func inheritingFragment(_ url: String, from original: String) -> String {
    fragment(of: url) == nil ? url + (fragment(of: original) ?? "") : url
  }
}
