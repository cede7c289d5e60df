import ArgumentParser

/// Which size of a picture is fetched. X serves each profile picture in several sizes, named at the end of the file's
/// name before its extension.
enum PictureSize: String, CaseIterable, ExpressibleByArgument, Sendable {
  /// 48 × 48.
  case normal
  /// 73 × 73.
  case bigger
  /// 400 × 400. It is widely used, but X does not document it.
  case large = "400x400"
  /// As the user uploaded it.
  case original

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
}
