import TweetCore

/// ActivityPub's objects are JSON-LD (https://www.w3.org/TR/activitystreams-core/#jsonld): one value may stand for a
/// list of one, and an object for its address.
extension JSONValue {
  /// The values of a list; the value itself where it stands for such a list.
  var each: [JSONValue] { isArray ? Array(elements) : isBlank ? [] : [self] }

  /// The address that a value is, or that the object or the first of the list there has.
  var address: String? {
    guard let first = each.first else { return nil }
    return first.isObject ? (first["id"] ?? first["href"])?.nonEmptyString : first.nonEmptyString
  }

  /// Of the addresses of an object, the one for people: the page, where there are others of other types.
  var page: JSONValue? {
    let page = each.first { $0["mediaType"]?.equals("text/html") ?? $0.isString } ?? each.first
    return page.flatMap { $0.isObject ? $0["href"] : $0 }
  }

  /// Whether it is an object of that type, among others perhaps.
  func isA(_ type: StaticString) -> Bool { self["type"]?.each.contains { $0.equals(type) } ?? false }
}
