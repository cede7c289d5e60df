import TweetNet

/// Why it looks as if a page were missing although its server answers with success. It is a guess, so the verdict
/// stays.
enum SoftNotFound: String, Sendable {
  /// The link to a page of the site leads to the site's first page.
  case homePage = "home-page"
  /// The link leads to an address such as `/404` or `/page-not-found`.
  case address
  /// The title says so.
  case title

  /// - Parameters:
  ///   - original: where the link began.
  ///   - end: where it ended.
  ///   - title: of the page, if it was read.
  static func find(_ original: WebAddress?, _ end: WebAddress?, title: String?) -> SoftNotFound? {
    if let first = original, let last = end, first.url != last.url {
      let isSameSite = Hosts.bare(first.host) == Hosts.bare(last.host)
      if isSameSite, last.path == "/", last.query == nil, !isHome(first) { return .homePage }
      if let name = lastName(of: last), names.contains(name), lastName(of: first) != name { return .address }
    }
    guard let words = title?.lowercased() else { return nil }
    return titles.contains(where: words.contains) || isStatus(words) ? .title : nil
  }

  private static func isHome(_ address: WebAddress) -> Bool {
    address.query == nil && (address.path == "/" || lastName(of: address) == "index")
  }

  /// The last part of the path, in lower case and without its extension.
  private static func lastName(of address: WebAddress) -> String? {
    address.path.split(separator: "/").last?.prefix { $0 != "." }.lowercased()
  }

  private static let names: Set<String> = [
    "404", "404error", "error404", "error-404", "404-error", "not-found", "notfound", "not_found", "page-not-found",
    "pagenotfound", "page_not_found", "404notfound", "404-not-found",
  ]

  /// In the languages of most pages. A title that only contains "404" may be about a car or a flight.
  private static let titles = [
    "page not found", "404 not found", "error 404", "404 error", "http 404", "page cannot be found",
    "page can’t be found", "page can't be found", "page doesn't exist", "page doesn’t exist",
    "page does not exist", "page no longer exists", "no longer available", "nothing found for",
    "seite nicht gefunden", "seite wurde nicht gefunden", "page introuvable", "page non trouvée",
    "página no encontrada", "página não encontrada", "pagina non trovata", "pagina niet gevonden",
    "страница не найдена",
    "ページが見つかりません",
    "页面不存在",
  ]

  /// Whether the title is the status, with the site's name at most: `404`, `Example - 404`, `Not Found | Example`.
  private static func isStatus(_ title: String) -> Bool {
    title.split { "|-–—·:»".contains($0) }.contains { part in
      let words = part.split(separator: " ").joined(separator: " ")
      return words == "404" || words == "not found" || words == "404!"
    }
  }
}
