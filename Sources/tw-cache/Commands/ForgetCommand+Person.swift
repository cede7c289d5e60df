import MediaStore
import Services
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

/// `tw-cache forget --person`.
extension ForgetCommand {
  static func bare(_ name: String) -> String { name.hasPrefix("@") ? String(name.dropFirst()) : name }

  /// The one person whom a name means.
  /// - Throws: `ToolError.noInput` if nobody has it, `ToolError.usage` if several have or had it.
  private func found(_ name: String, in reader: borrowing TweetStore, isForgotten: Bool) throws(ToolError) -> Person {
    let name = Self.bare(name)
    var people = isForgotten ? [] : try reader.people(named: name, service: service)
    if people.isEmpty {
      people = try reader.forgottenPeople().filter {
        (service ?? $0.service) == $0.service && ($0.id == name || "\($0.service):\($0.id)" == name)
      }
    }
    if people.count > 1 {
      let list = people.map(\.text).joined(separator: ", ")
      throw .usage("'\(name)' names \(people.count) people: \(list); name one as service:id")
    }
    guard let person = people.first else {
      let what = isForgotten ? "no forgotten person" : "no user"
      throw .noInput("\(what) '\(name)' in '\(reader.path)'")
    }
    return person
  }

  func forget(person name: String) throws(ToolError) -> ExitStatus {
    let reader = try store.openForChanges()
    let person = try found(name, in: reader, isForgotten: false)
    let count = try reader.traces(of: person)
    let parts = [
      Self.noun(count.tweets), count.others > 0 ? "copies in \(Self.noun(count.others)) of others" : nil,
      count.notifications > 0 ? Self.noun(count.notifications, "notification") : nil, "the profile",
    ].compactMap { $0 }
    let path = try store.path
    let what = "forget \(person.text) for good: \(parts.joined(separator: ", ")), in '\(path)'"
    guard try destroying.allows(what) else { return .done }
    let sources = try sources(of: person, in: reader)
    var run = try Forgetting(reader)
    let progress = WorkProgress(isQuiet: isQuiet)
    let traces = try run.run(person) { done, all, noun in progress?.update(done, of: all, noun) }
    try forgetMedia(traces, path)
    progress?.clear()
    Diagnostics.note("forgot \(person.service):\(person.id) and \(Self.noun(traces.tweets))")
    for source in sources {
      Diagnostics.note("the source '\(source)' still asks for this person: 'tw-cache source remove' ends that")
    }
    return .done
  }

  /// Removes pictures, in all their sizes, and links. Saved pages stay, as other pages are in the same files.
  private func forgetMedia(_ traces: Forgetting.Traces, _ path: String) throws(ToolError) {
    let path = Paths.mediaStore(besides: path)
    guard MediaStore.exists(path) else { return }
    let media = try MediaStore(path, note: Diagnostics.warn)
    let names = Set(traces.addresses.map(ProfilePicture.name))
    let pictures = try media.pictureURLs(nil).filter { names.contains(ProfilePicture.name($0)) }
    for folder in try media.forget(avatars: pictures, links: traces.links).sorted() {
      Diagnostics.note("pages that only this person linked to stay saved in '\(folder)'")
    }
  }

  /// The registered sources that bring a person's posts.
  private func sources(of person: Person, in reader: borrowing TweetStore) throws(ToolError) -> [String] {
    var found: [String] = []
    for source in try reader.sources()
    where source.name.service == person.service && source.name.source.hasPrefix("user:") {
      let name = String(source.name.source.dropFirst(5))
      var ids = source.checkpointList.person.map { [$0.id] } ?? []
      if ids.isEmpty { ids = try reader.people(named: name, service: person.service).map(\.id) }
      if ids.contains(person.id) { found.append(source.name.source) }
    }
    return found
  }

  func bringBack(person name: String) throws(ToolError) -> ExitStatus {
    let reader = try store.openForChanges()
    let person = try found(name, in: reader, isForgotten: true)
    if destroying.dryRun {
      _ = try destroying.allows("let posts by \(person.text) be stored again")
      return .done
    }
    let run = try Forgetting(reader)
    try run.undo(person)
    Diagnostics.note("posts by \(person.text) are stored again when they come; what was there is gone")
    return .done
  }
}
