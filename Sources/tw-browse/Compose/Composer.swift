import TweetCLI
import TweetCore
import TweetDisplay

/// The post that is written, its draft on disk, and the posts that tw-post makes now.
final class Composer {
  private unowned let model: BrowseModel
  private(set) var file: DraftFile?
  /// The service of the tweet that is answered or quoted.
  private(set) var service: String?
  private var counter: LengthCounter?
  private var nextOutgoing = 0

  init(_ model: BrowseModel) { self.model = model }

  // MARK: Beginning

  /// Begins a post, an answer to the tweet under the cursor, or a quote of it. A draft that was left is there again.
  func begin(_ kind: ComposedDraft.Kind) {
    var (tweet, title) = ("", "a post")
    service = nil
    if kind != .post {
      guard let target = model.acts.target else { return }
      (tweet, service) = (target.name, target.service)
      title = "\(kind == .quote ? "quote of" : "\(kind) to") \(target.username.map { "@\($0)" } ?? target.name)"
      let isPrivate = model.selectedEntry?.document?.read { TweetFields($0).isPrivate }
      if isPrivate == true { title += ", whose post is not public" }
    }
    do throws(ToolError) {
      let (file, draft) = try DraftFile.open(for: ComposedDraft(kind, tweet: tweet), in: model.tools.state + "/drafts")
      var composition = Composition(title, draft)
      if draft.wasSent {
        composition.notice = "this was being sent when tw-browse ended: see if it is there before you send it"
      } else if !draft.isEmpty {
        composition.notice = "the draft that you left"
      }
      (self.file, model.state.composition) = (file, composition)
      startCounting()
    } catch {
      model.say(error.message)
    }
  }

  // MARK: Keys

  /// Gives a key to what is written.
  /// - Parameter width: the columns of the text.
  /// - Returns: what else the person asks for: the editor, or what the list does with the key.
  func take(_ key: Key, width: Int) -> Composition.Wish {
    guard var composition = model.state.composition else { return .nothing }
    let before = composition.draft
    composition.width = width
    let wish = composition.take(key)
    if composition.draft != before {
      // What is changed is another post than the one that may be there.
      composition.draft.wasSent = false
      file?.save(composition.draft)
    }
    model.state.composition = composition
    if composition.draft.targets != before.targets { startCounting() }
    if composition.draft.text != before.text { counter?.ask(composition.draft.parts) }
    switch wish {
    case .nothing, .other, .edit: return wish
    case .send: send()
    case .nextAccount:
      model.chooseAccount()
      // What was said is above what is written.
      let notice = model.state.message
      model.state.composition?.notice = notice
      startCounting()
    case .keep:
      let hasDraft = !composition.draft.isEmpty
      file?.wait()
      // Nothing would have it then.
      if hasDraft, let failure = file?.failure {
        model.state.composition?.notice = "not kept: \(failure); ^X throws it away"
        return .nothing
      }
      file?.keep()
      end()
      if hasDraft { model.say("the draft is kept") }
    case .remove:
      file?.remove()
      end()
      model.say("thrown away")
    }
    return .nothing
  }

  /// Has another text in place of what is written. Nothing is sent.
  func replace(with text: String) {
    guard let draft = model.state.composition?.draft else { return }
    model.state.composition?.replace(text)
    guard let changed = model.state.composition?.draft, changed != draft else { return }
    file?.save(changed)
    counter?.ask(changed.parts)
  }

  /// Closes what is written.
  private func end() {
    (file, model.state.composition) = (nil, nil)
    counter?.stop()
    counter = nil
  }

  // MARK: Lengths

  /// Asks tw-post for the lengths by the rules of where the post goes.
  private func startCounting() {
    counter?.stop()
    counter = nil
    guard let draft = model.state.composition?.draft else { return }
    model.state.composition?.lengths = []
    model.state.composition?.lengthFault = nil
    do throws(ToolError) {
      counter = try LengthCounter(post(["length", "--lines", "--quiet"], draft, service), model.jobs) {
        [weak self] in self?.take($0)
      }
      counter?.ask(draft.parts)
    } catch {
      model.state.composition?.lengthFault = error.message
    }
  }

  private func take(_ outcome: LengthCounter.Outcome) {
    switch outcome {
    case .lengths(let lengths): model.state.composition?.lengths = lengths
    case .fault(let reason):
      counter = nil
      model.state.composition?.lengthFault = reason
    }
  }

  /// tw-post with words, as who writes the draft.
  private func post(_ words: [String], _ draft: ComposedDraft, _ service: String?) -> Tools.Command {
    draft.targets.map { model.tools.crosspost(["--to", $0] + words) } ?? model.tools.post(words, at: service)
  }

  // MARK: Sending

  /// A post that was given to tw-post.
  private struct Sent {
    let number: Int
    var draft: ComposedDraft
    let title: String
    let service: String?
    let file: DraftFile
  }

  private func send() {
    guard var composition = model.state.composition, let file else { return }
    if composition.draft.isEmpty {
      model.state.composition?.notice = "there is nothing to send"
      return
    }
    if !composition.draft.isThread, let long = composition.lengths.first?.first(where: \.isTooLong) {
      model.state.composition?.notice =
        "too long, \(long.text): shorten it, or begin another post with a line of ---"
      return
    }
    composition.draft.wasSent = true
    let draft = composition.draft
    let sent = Sent(number: nextOutgoing, draft: draft, title: composition.title, service: service, file: file)
    file.save(draft)
    file.wait()
    end()
    nextOutgoing += 1
    let line = "\(sent.title): \(draft.text.split(separator: "\n").first ?? "")"
    model.state.outgoing.append(Outgoing(number: sent.number, text: line))
    let commands = [post(draft.words, draft, sent.service), model.tools.add]
    do throws(ToolError) {
      try model.jobs.start(commands, input: Array(draft.text.utf8), readsOutput: true) { [weak self] in
        self?.finish(sent, $0, $1)
      }
    } catch { comeBack(sent, error.message) }
  }

  private func finish(_ sent: Sent, _ ending: ChildProcess.Ending, _ command: BackgroundCommand) {
    guard ending.status == .done else { return comeBack(sent, command.lastWords ?? "tw-post ended \(ending)") }
    model.state.outgoing.removeAll { $0.number == sent.number }
    sent.file.remove()
    model.tell("posted")
    // Of a post at several services one copy stands for all.
    var made: [(service: String, name: String)] = []
    for line in command.takeLines() {
      guard let record = try? JSONDocument(line), record["tw"]?.equals("tweet") == true,
        let service = record["service"]?.string, let name = record.name
      else { continue }
      made.append((service, name))
    }
    guard let service = made.first?.service else { return }
    let names = made.filter { $0.service == service }.map(\.name)
    model.acts.offer(Act(verb: .post, target: names.joined(separator: " "), service: service))
  }

  /// A post that was not made is there to be written again, with the reason.
  private func comeBack(_ sent: Sent, _ reason: String?) {
    model.state.outgoing.removeAll { $0.number == sent.number }
    let message = "not posted: \(reason ?? "")"
    var draft = sent.draft
    draft.wasSent = false
    sent.file.save(draft)
    guard model.state.composition == nil, !model.isLeaving else {
      sent.file.wait()
      let fate = sent.file.failure.map { "not kept: \($0): \(draft.text)" } ?? "the draft is kept"
      sent.file.keep()
      model.tell(message + " (\(fate))")
      if model.isLeaving { Diagnostics.warn("\(sent.title): \(message); \(fate)") }
      return
    }
    (file, service) = (sent.file, sent.service)
    var composition = Composition(sent.title, draft)
    composition.notice = message
    model.state.composition = composition
    startCounting()
  }
}

extension ComposedDraft {
  /// The words for tw-post, which reads the text from standard input.
  fileprivate var words: [String] {
    var words = isThread ? ["--thread"] : []
    for picture in pictures { words += ["--media=\(picture.path)", "--alt=\(picture.description)"] }
    return words + (kind == .post ? ["-"] : [kind.rawValue, tweet, "-"])
  }
}

/// A post that is under way.
struct Outgoing: Equatable {
  let number: Int
  /// What is shown of it.
  let text: String
}
