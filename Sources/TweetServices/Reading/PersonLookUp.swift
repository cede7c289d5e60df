package import Services
package import TweetCore

/// Finds whose posts a source of a person has, at the beginning of each round. The first round finds the account by its
/// name; from then on it is the one of that id, whatever its name is, and whoever has the old one.
package struct PersonLookUp: Sendable {
  package enum Question: Sendable, Equatable {
    case name(String)
    case id(String)
  }

  /// The name in the source.
  package let name: String
  /// Who it is, once that is known; a checkpoint keeps it.
  package var person: Checkpoint.Person?
  /// What is asked next; `nil` if nothing is.
  package private(set) var question: Question?
  /// What a person should know about the last answer.
  package private(set) var notice: Notice?
  private let feed: String

  /// - Parameter feed: the source, for notices.
  package init(_ name: String, feed: String) {
    (self.name, self.feed) = (name, feed)
    question = .name(name)
  }

  /// Goes on from an earlier round.
  package mutating func resume(_ person: Checkpoint.Person?) {
    guard let person else { return }
    self.person = person
    question = person.isNameTaken ? .id(person.id) : .name(name)
  }

  /// Whether the answer may be that nobody is there: then the account is asked for in another way.
  package func reads(_ status: Int) -> Bool { person != nil && [400, 404, 410].contains(status) }

  /// Reads who was found; `nil` for nobody.
  /// - Parameter problem: why nobody was.
  package mutating func read(_ found: (id: String, name: String?)?, problem: String) throws(ToolError) {
    notice = nil
    guard var known = person else {
      guard let found else { throw .refused("no user '\(name)': \(problem)") }
      return finish(Checkpoint.Person(id: found.id))
    }
    guard case .id = question else {
      if let found, found.id == known.id {
        if known.username != nil { notice = changed("@\(known.username ?? "") is now @\(name) again") }
        return finish(Checkpoint.Person(id: known.id))
      }
      if let found {
        known.isNameTaken = true
        notice = changed("the name @\(name) is somebody else now (\(found.id)): '\(feed)' still follows \(known.id)")
      }
      (person, question) = (known, .id(known.id))
      return
    }
    guard let found else {
      throw .refused(
        known.isNameTaken
          ? "@\(name) is somebody else now, and the account that was followed, \(known.id), is gone: \(problem)"
          : "no user '\(name)', whose id was \(known.id): \(problem)")
    }
    if let new = found.name, new.lowercased() != (known.username ?? name).lowercased() {
      notice = changed("@\(known.username ?? name) is now @\(new)")
      known.username = new
    }
    finish(known)
  }

  private mutating func finish(_ person: Checkpoint.Person) { (self.person, question) = (person, nil) }

  private func changed(_ text: String) -> Notice {
    Notice(.warning, "renamed", text).with("feed", feed)
  }
}
