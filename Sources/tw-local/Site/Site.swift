import TweetCLI
import TweetCore

/// The web site of the service: short links, pictures, pages of posts, and the targets of the demo's links.
extension Service {
  nonisolated func answerSite(_ request: ServerRequest) async -> ServerResponse {
    guard request.method == "GET" || request.method == "HEAD" else {
      return Page.methodNotAllowed(allowed: "GET, HEAD")
    }
    let path = request.path
    switch path.first {
    case nil:
      return Page.html("tw-local", "A small service for trying tw. Its API is below <code>/2/</code>.")
    case "s" where path.count == 2:
      guard let link = await link(code: path[1]) else { return Page.notFound }
      return ServerResponse(status: 301, headers: [("location", site.resolved(link))])
    case "profile_images" where path.count == 3:
      guard let id = Int(path[1]), let account = await account(id) else { return Page.notFound }
      if let (media, bytes) = await portrait(of: account, file: path[2]) {
        return PictureAnswer.answer(request, bytes, type: media.type, changed: media.finished ?? .now)
      }
      return Portraits.answer(request, file: path[2], of: account)
    case "media" where path.count == 2:
      if let (media, bytes) = await uploadedMedia(path[1]) {
        return PictureAnswer.answer(request, bytes, type: media.type, changed: media.finished ?? .now)
      }
      if let video = await videoOfPreview(path[1]) { return Photos.answer(request, previewOf: video) }
      return Photos.answer(request, file: path[1])
    case "i" where path.count == 4 && path[2] == "status":
      guard let id = Int(path[3]), let found = await postAndAuthor(id) else { return Page.notFound }
      return ServerResponse(
        status: 302, headers: [("location", "\(site.base)/\(found.author.username)/status/\(id)")])
    // Where pages of Mastodon would be.
    case let name? where name.hasPrefix("@") && path.count == 2:
      guard let id = TimedID.id(mastodon: path[1]), let found = await postAndAuthor(id) else { return Page.notFound }
      return ServerResponse(
        status: 302, headers: [("location", "\(site.base)/\(found.author.username)/status/\(id)")])
    case _ where path.count >= 3 && path[1] == "status":
      guard let id = Int(path[2]), let (post, author) = await postAndAuthor(id),
        author.username.lowercased() == path[0].lowercased()
      else { return Page.notFound }
      return Page.html("\(author.name) (@\(author.username))", post.text.htmlEscaped)
    default: return await LinkTargets.answer(request)
    }
  }

  private func link(code: String) -> String? { lookUp { () throws(ToolError) in try store.link(code: code) } }

  private func account(_ id: Int) -> LocalAccount? { lookUp { () throws(ToolError) in try store.account(id) } }

  private func uploadedMedia(_ file: String) -> (media: LocalStore.Media, bytes: [UInt8])? {
    lookUp { () throws(ToolError) in try uploadedMedia(file: file) }
  }

  private func videoOfPreview(_ file: String) -> LocalStore.Media? {
    lookUp { () throws(ToolError) in try videoOfPreview(file: file) }
  }

  /// The picture that an account has uploaded, which is the same in each size.
  private func portrait(of account: LocalAccount, file: String) -> (media: LocalStore.Media, bytes: [UInt8])? {
    guard let picture = account.picture, Portraits.isFile(file, of: account) else { return nil }
    return uploadedMedia(picture)
  }

  private func postAndAuthor(_ id: Int) -> (post: Post, author: LocalAccount)? {
    lookUp { () throws(ToolError) in
      guard let post = try store.post(id) else { return nil }
      return (post, try reader.author(of: post))
    }
  }

  /// The result of a look-up. An error of the store is reported, and looks like nothing found.
  private func lookUp<Result>(_ body: () throws(ToolError) -> Result?) -> Result? {
    do throws(ToolError) {
      return try body()
    } catch {
      Diagnostics.report(error)
      return nil
    }
  }
}
