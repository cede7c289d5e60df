package import Services

/// Ids of posts as tests write them: `5`, `"3k7"`.
extension PostID: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  package init(integerLiteral value: Int) { self = .number(value) }
  package init(stringLiteral value: String) { self.init(value) }
}
