import ArgumentParser
import TweetCore

/// Which size of a picture is fetched. X serves each profile picture in several sizes, named at the end of the file's
/// name before its extension.
enum PictureSize: String, CaseIterable, ExpressibleByArgument, Sendable {
  /// 24 × 24.
  case mini
  /// 48 × 48.
  case normal
  /// 73 × 73.
  case bigger
  /// 400 × 400. It is widely used, but X does not document it.
  case large = "400x400"
  /// As the user uploaded it.
  case original

  /// `400` is short for `400x400`.
  init?(argument: String) { self.init(rawValue: argument == "400" ? Self.large.rawValue : argument) }

  /// Whether it is the picture that a service gives to accounts without one: X's (abs.twimg.com), Mastodon's.
  static func isStandard(_ url: String) -> Bool {
    // To search for a text takes as long as all else about an address, and an underscore is in few of them.
    url.firstIndex(ofASCII: UInt8(ascii: "_")) != nil && url.contains(".twimg.com/sticky/default_profile_images/")
      || url.hasSuffix("/avatars/original/missing.png")
  }

  private static let suffixes = ["_normal", "_bigger", "_mini", "_400x400", "_200x200", "_reasonably_small", "_x96"]

  /// The URLs to try, in order, for a picture that a record names by `url`: this size of it, then `url` itself, because
  /// not every name that ends with `_normal` has other sizes.
  func candidates(for url: String) -> [String] {
    let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
    guard let slash = url[..<end].lastIndex(of: "/") else { return [url] }
    let name = url[url.index(after: slash)..<end]
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    let stem = name[..<dot]
    guard let old = Self.suffixes.first(where: { stem.hasSuffix($0) }), stem.count > old.count else { return [url] }
    let new = self == .original ? "" : "_\(rawValue)"
    let sized = url[..<url.index(after: slash)] + stem.dropLast(old.count) + new + url[dot...]
    return sized == url ? [url] : [String(sized), url]
  }

  /// The names that the file of a picture may have in an archive: that at the end of its URL, and the same without the
  /// size.
  static func fileNames(of url: String) -> [String] {
    let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let last = parts.first?.split(separator: "/").last else { return [] }
    let name = last.prefix { $0 != ":" }
    let format = parts.count == 2 ? parts[1].split(separator: "&").first { $0.hasPrefix("format=") } : nil
    if let format { return ["\(name).\(format.dropFirst("format=".count))"] }
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    guard let size = suffixes.first(where: { name[..<dot].hasSuffix($0) }) else { return [String(name)] }
    return [String(name), String(name[..<dot].dropLast(size.count) + name[dot...])]
  }

  /// The URLs to try, in order, for a photo or a preview that a record names by `url`: X serves those in several sizes,
  /// of which `small` is at most 680 pixels wide, and `orig` is as it was uploaded; then `url` itself. The forms are
  /// `NAME.jpg`, `NAME.jpg:large` and `NAME?format=jpg&name=large` (X's data dictionary); the last one has all sizes.
  static func media(of url: String, isOriginal: Bool) -> [String] {
    guard url.hasPrefix("https://pbs.twimg.com/"), !url.hasPrefix("https://pbs.twimg.com/profile_") else {
      return [url]
    }
    let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var (stem, format) = (parts[0], Substring())
    if parts.count == 2 {
      let fields = parts[1].split(separator: "&")
      format = fields.first { $0.hasPrefix("format=") }.map { $0.dropFirst("format=".count) } ?? ""
    } else if let slash = stem.lastIndex(of: "/"), let dot = stem[slash...].lastIndex(of: ".") {
      format = stem[stem.index(after: dot)...].prefix { $0 != ":" }
      stem = stem[..<dot]
    }
    guard !format.isEmpty, format.allSatisfy(\.isLetter) else { return [url] }
    let sized = "\(stem)?format=\(format)&name=\(isOriginal ? "orig" : "small")"
    return sized == url ? [url] : [sized, url]
  }
}
