import TweetCore

extension TweetMapper {
  /// Appends `,"withheld":{…}`, as v2 has it, of v1.1's three members.
  /// - Parameters:
  ///   - own: a list of codes; until 2013 a text, `"DE, FR"`.
  ///   - user: the same of the author, whose posts are withheld there too.
  ///   - scope: `status` or `user`.
  func appendWithheld(
    in own: JSONValue?, orOfUser user: JSONValue? = nil, scope: JSONValue?, copyright: JSONValue?,
    to out: inout ByteBuffer
  ) {
    guard own ?? user ?? scope ?? copyright != nil else { return }
    let countries = own?.isEmpty ?? true ? user : own
    out.object("withheld") { out in
      if copyright?.kind == .bool { out.member("copyright", copyright) }
      out.array("country_codes") { out in
        if let list = countries?.string {
          for code in list.split(whereSeparator: { !$0.isLetter }) { out.element(String(code)) }
        } else if let countries {
          for code in countries.elements where code.isString && !code.isBlank { out.element(code) }
        }
      }
      if let scope, scope.isString {
        if scope.equals("status") { out.member("scope", "tweet") } else { out.member("scope", scope) }
      } else if own == nil, user != nil {
        out.member("scope", "user")
      }
    }
  }

  /// Appends the author of a search result before v1.1, whose members are those of the result.
  mutating func appendSearchAuthor(_ tweet: JSONValue, _ fields: Fields<V1TweetKey>, to out: inout ByteBuffer) {
    @inline(__always) func value(_ key: V1TweetKey) -> JSONValue? { arena.value(fields, key, in: tweet) }
    guard let id = readID(value(.fromUserIDString), value(.fromUserID)) else { return }
    out.member("author_id", id: id)
    out.object("author") { out in
      out.member("id", id: id)
      out.member("username", value(.fromUser))
      out.member("name", value(.fromUserName))
      out.member("profile_image_url", value(.fromUserImageHTTPS) ?? value(.fromUserImage))
    }
  }
}
