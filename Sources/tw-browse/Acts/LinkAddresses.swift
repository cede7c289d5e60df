import TweetCore
import TweetDisplay

extension JSONDocument {
  /// The addresses of a tweet's links, each once, in their order: those that a browser may be given.
  var linkAddresses: [String] {
    read { tweet in
      var found: [String] = []
      guard let links = tweet["entities"]?["urls"] else { return found }
      for link in links.elements {
        guard let text = ShownAddress.target(of: link)?.string, text.isWebAddress, !found.contains(text) else {
          continue
        }
        found.append(text)
      }
      return found
    }
  }
}

extension String {
  /// Whether a browser may be given it.
  var isWebAddress: Bool { hasPrefix("https://") || hasPrefix("http://") }
}
