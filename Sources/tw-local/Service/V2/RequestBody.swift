import TweetCore

/// The JSON object in the body of a request. Faults are described in X's words.
struct RequestBody {
  let root: JSONDocument

  init(_ request: ServerRequest) throws(Problem) {
    root = try Self.parse(request.body)
  }

  private static func parse(_ body: [UInt8]) throws(Problem) -> JSONDocument {
    let document: JSONDocument
    do {
      document = try JSONDocument(body)
    } catch {
      throw fault("The request body is not valid JSON")
    }
    guard document.isObject else { throw fault("$: is not of type object") }
    return document
  }

  static func fault(_ message: String) -> Problem { .invalid("body", "", message) }

  /// The id in a member that must be there.
  func requiredID(_ name: String) throws(Problem) -> Int {
    guard let value = root.member(named: name) else { throw Self.fault("$.\(name): is missing but it is required") }
    return try Self.id(value, name)
  }

  /// - Parameter name: the path of the member, for the message.
  static func text(_ value: JSONDocument, _ name: String) throws(Problem) -> String {
    guard let text = value.string else { throw fault("$.\(name): is not of type string") }
    return text
  }

  static func id(_ value: JSONDocument, _ name: String) throws(Problem) -> Int {
    try ServerRequest.id(text(value, name), of: name)
  }
}
