import TweetCLI
import TweetCore

/// The service's web site: short links, profile pictures, photos, pages of posts, and what the demo's posts link to.
extension Service {
  nonisolated func site(_ request: HTTPRequest) async -> HTTPResponse {
    guard request.method == "GET" || request.method == "HEAD" else { return Self.methodNotAllowed("GET, HEAD") }
    let path = request.path
    switch path.first {
    case nil:
      return Page.html("tw-local", "A small service for trying tw. Its API is below <code>/2/</code>.")
    case "s" where path.count == 2:
      guard let link = await linkTarget(path[1]) else { return Page.notFound }
      return HTTPResponse(status: 301, headers: [("location", OwnLink.resolved(link, base: base))])
    case "profile_images" where path.count == 3:
      guard let id = Int(path[1]), let account = await account(id) else { return Page.notFound }
      return Portraits.answer(request, file: path[2], of: account)
    case "media" where path.count == 2: return Photos.answer(request, file: path[1])
    case "i" where path.count == 4 && path[2] == "status":
      guard let id = Int(path[3]), let author = await author(of: id) else { return Page.notFound }
      return HTTPResponse(status: 302, headers: [("location", "\(base)/\(author)/status/\(id)")])
    case _ where path.count >= 3 && path[1] == "status":
      guard let id = Int(path[2]), let title = await postTitle(id, by: path[0]) else { return Page.notFound }
      return Page.html(title.title, title.text)
    default: return await LinkTargets.answer(request)
    }
  }

  static func methodNotAllowed(_ allowed: String) -> HTTPResponse {
    var response = Page.html("405 Method Not Allowed", "", status: 405)
    response.headers.append(("allow", allowed))
    return response
  }

  private func linkTarget(_ code: String) -> String? { told { () throws(ToolError) in try store.link(code) } }

  private func author(of post: Int) -> String? {
    told { () throws(ToolError) in
      guard let post = try store.post(post) else { return nil }
      return try store.account(post.authorID)?.username
    }
  }

  private func account(_ id: Int) -> Account? { told { () throws(ToolError) in try store.account(id) } }

  private func postTitle(_ id: Int, by username: String) -> (title: String, text: String)? {
    told { () throws(ToolError) in
      guard let post = try store.post(id), let author = try store.account(post.authorID),
        author.username.lowercased() == username.lowercased()
      else { return nil }
      return ("\(author.name) (@\(author.username))", Page.escaped(post.text))
    }
  }

  /// What was found; a store that fails is told of and looks like nothing found.
  private func told<Found>(_ body: () throws(ToolError) -> Found?) -> Found? {
    do throws(ToolError) {
      return try body()
    } catch {
      Diagnostics.report(error)
      return nil
    }
  }
}

/// Small HTML pages.
enum Page {
  static var notFound: HTTPResponse { html("404 Not Found", "There is nothing here.", status: 404) }

  /// - Parameters:
  ///   - title: plain text.
  ///   - body: HTML.
  static func html(_ title: String, _ body: String, status: Int = 200) -> HTTPResponse {
    let title = escaped(title)
    let page = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>\(title)</title></head>
      <body><h1>\(title)</h1><p>\(body)</p></body></html>

      """
    return HTTPResponse(status: status, type: "text/html; charset=utf-8", body: Array(page.utf8))
  }

  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
  }
}
