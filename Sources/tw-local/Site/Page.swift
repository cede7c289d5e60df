import TweetCore

/// Small HTML pages.
enum Page {
  static var notFound: ServerResponse { html("404 Not Found", "There is nothing here.", status: 404) }

  static func methodNotAllowed(allowed: String) -> ServerResponse {
    var response = html("405 Method Not Allowed", "", status: 405)
    response.headers.append(("allow", allowed))
    return response
  }

  /// - Parameters:
  ///   - title: plain text.
  ///   - paragraph: HTML, which becomes one paragraph.
  static func html(_ title: String, _ paragraph: String, status: Int = 200) -> ServerResponse {
    document(title, "<p>\(paragraph)</p>", status: status)
  }

  /// - Parameters:
  ///   - title: plain text.
  ///   - body: HTML.
  static func document(_ title: String, _ body: String, status: Int = 200) -> ServerResponse {
    let title = title.htmlEscaped
    let page = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>\(title)</title></head>
      <body><h1>\(title)</h1>\(body)</body></html>

      """
    return ServerResponse(status: status, type: "text/html; charset=utf-8", body: Array(page.utf8))
  }
}
