import SQLite
import TweetCore

/// Short links.
extension LocalStore {
  /// The stored link that a code stands for.
  func link(code: String) throws(ToolError) -> String? {
    try database.first("SELECT link FROM links WHERE code = ?", .text(code)) { (row) throws(ToolError) in
      row.text(0)
    } ?? nil
  }

  /// Makes the short link of a link work.
  func addShortLink(_ link: String) throws(ToolError) {
    try database.run("INSERT OR IGNORE INTO links VALUES (?, ?)", .text(ShortLink.code(for: link)), .text(link))
  }

  /// The links that X puts after the text of a post: to what it quotes, to its photo.
  func attachedLinks(of post: Post) throws(ToolError) -> [String] {
    var links: [String] = []
    if let id = post.quoteOf, let quoted = try self.post(id), let author = try account(quoted.authorID) {
      links.append(OwnLink.link(to: "\(author.username)/status/\(id)"))
    }
    if post.hasMedia, let author = try account(post.authorID) {
      links.append(OwnLink.link(to: "\(author.username)/status/\(post.id)/photo/1"))
    }
    return links
  }
}
