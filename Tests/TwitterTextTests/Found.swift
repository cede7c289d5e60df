import TweetCore

@testable import TwitterText

/// The entities of a text, each as `kind start-end name`; a list's own name after a bar.
func found(_ text: String, _ kinds: TextEntityKinds = .all) -> [String] {
  withEntities(text, kinds) { entity, name in "\(entity.kind) \(entity.start)-\(entity.end) \(name)" }
}

/// The names of the entities of a text, a list's own name after a bar.
func names(_ text: String, _ kinds: TextEntityKinds) -> [String] {
  withEntities(text, kinds) { _, name in name }
}

private func withEntities(
  _ text: String, _ kinds: TextEntityKinds, _ body: (TextEntity, String) -> String
) -> [String] {
  text.withBytes { bytes in
    TextEntities.find(in: bytes, kinds).map { entity in
      let list = entity.listName.map { "|" + String(decoding: bytes[$0], as: UTF8.self) } ?? ""
      return body(entity, String(decoding: bytes[entity.name], as: UTF8.self) + list)
    }
  }
}
