import TweetCore

@testable import tw_local

// What clients ask tw-local: requests and queries.
extension FuzzTarget {
  /// A request has a method, a path and headers without line ends, or is refused. The input is its head; what stands
  /// after an empty line is its body.
  static let requests = FuzzTarget(name: "requests") { input in
    let end = input.indices.first { input[$0...].starts(with: "\r\n\r\n".utf8) } ?? input.count
    guard var request = try? ServerRequest(head: Array(input[..<end])) else { return }
    require(!request.method.isEmpty && !request.method.contains(" "), "the method '\(request.method)'")
    require(request.path.allSatisfy { !$0.isEmpty }, "an empty part of the path")
    for (name, value) in request.headers {
      require(name == name.lowercased(), "the header's name '\(name)'")
      require(!name.contains("\n") && !value.contains("\n"), "the header \(name): \(value)")
    }
    let site = SiteAddress(base: "http://127.0.0.1:1")
    if let host = request.headers["host"], site.refusal(of: request) == nil {
      require(["127.0.0.1:1", "localhost:1"].contains(host.lowercased()), "a request to the host '\(host)'")
    }
    request.body = Array(input[end...].dropFirst(4))
    _ = try? TrackFilter(request) { _ in nil }
    _ = try? RequestBody(request)
    _ = request.basicCredentials
    if let form = MultipartForm(request) {
      require(form.parts.allSatisfy { $0.bytes.count < request.body.count }, "a part larger than the body")
    }
    if let signed = SignedRequest(request, authority: "127.0.0.1:1") {
      require((try? signed.isSigned(secret: "x", tokenSecret: "")) == false, "a signature was guessed")
    }
  }

  /// A query is understood, or refused with the position of what is wrong.
  static let queries = FuzzTarget(name: "queries") { input in
    let text = String(decoding: input, as: UTF8.self)
    for dialect in [QueryParser.Dialect.search, .stream, .standard] {
      do throws(QueryParser.Fault) {
        _ = try QueryParser.parse(text, as: dialect)
      } catch {
        require(!error.message.isEmpty, "refused without a reason")
      }
    }
  }
}
