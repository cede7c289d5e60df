import Libc
import TweetCLI
import TweetCore
import TweetDisplay

/// Posts that are written at the bottom of the screen, and sent by tw-post.
extension Browser {
  // MARK: Beginning

  /// Begins a post, an answer to the tweet under the cursor, or a quote of it. A draft that was left is there again.
  func compose(_ kind: ComposedDraft.Kind) {
    var (tweet, title) = ("", "a post")
    if kind != .post {
      guard let target else { return }
      let author = selected?.document?.read { TweetTarget($0)?.username }
      (tweet, composedService) = (target.name, target.service)
      title = "\(kind.rawValue) to \(author.map { "@\($0)" } ?? target.name)"
      if kind == .quote { title = "quote of \(author.map { "@\($0)" } ?? target.name)" }
      if selected?.document?.read({ TweetFields($0).isPrivate }) == true { title += ", whose post is not public" }
    } else {
      composedService = nil
    }
    do throws(ToolError) {
      let (file, draft) = try DraftFile.open(for: ComposedDraft(kind, tweet: tweet), in: tools.state + "/drafts")
      composedFile = file
      var composition = Composition(title, draft)
      if draft.wasSent {
        composition.notice = "this was being sent when tw-browse ended: see if it is there before you send it"
      } else if !draft.isEmpty {
        composition.notice = "the draft that you left"
      }
      screen.composition = composition
      fitLayout()
      startCounting()
    } catch {
      screen.message = error.message
    }
  }

  // MARK: Keys

  /// Gives a key to what is written.
  func takeInComposition(_ key: Key) {
    if case .control = key, let action = screen.keys[key], action == .suspend || action == .redraw {
      return perform(action)
    }
    guard var composition = screen.composition else { return }
    let before = composition.draft
    composition.width = ComposeRows.textWidth(layout.columns)
    let wish = composition.take(key)
    if composition.draft != before {
      // What is changed is another post than the one that may be there.
      composition.set(wasSent: false)
      composedFile?.save(composition.draft)
    }
    screen.composition = composition
    if composition.draft.targets != before.targets { startCounting() }
    if composition.draft.text != before.text { counter?.ask(composition.draft.parts) }
    switch wish {
    case .nothing: break
    case .other: takeInList(key)
    case .send: send()
    case .edit: editComposition()
    case .nextAccount: chooseNextAccountForPost()
    case .keep:
      let hasDraft = !composition.draft.isEmpty
      composedFile?.wait()
      // Nothing would have it then.
      if hasDraft, let failure = composedFile?.failure {
        screen.composition?.notice = "not kept: \(failure); ^X throws it away"
        return
      }
      endComposition { $0.keep() }
      if hasDraft { screen.message = "the draft is kept" }
    case .remove:
      endComposition { $0.remove() }
      screen.message = "thrown away"
    }
  }

  /// Closes what is written.
  private func endComposition(_ body: (DraftFile) -> Void) {
    if let file = composedFile { body(file) }
    (composedFile, screen.composition) = (nil, nil)
    counter?.stop()
    counter = nil
    fitLayout()
  }

  private func chooseNextAccountForPost() {
    chooseNextAccount()
    // The message row is above what is written.
    let notice = screen.message
    screen.composition?.notice = notice
    startCounting()
  }

  // MARK: Lengths

  /// Asks tw-post for the lengths by the rules of where the post goes.
  private func startCounting() {
    counter?.stop()
    counter = nil
    guard let draft = screen.composition?.draft else { return }
    screen.composition?.lengths = []
    screen.composition?.lengthFault = nil
    let words = ["length", "--lines", "--quiet"]
    let command =
      draft.targets.map { tools.crosspost(["--to", $0] + words) } ?? tools.post(words, at: composedService)
    do throws(ToolError) {
      counter = try LengthCounter(command)
      counter?.ask(draft.parts)
    } catch {
      screen.composition?.lengthFault = error.message
    }
  }

  /// Takes what tw-post says of lengths.
  func readLengths() {
    guard let outcome = counter?.read() else { return }
    switch outcome {
    case .lengths(let lengths): screen.composition?.lengths = lengths
    case .fault(let reason):
      counter = nil
      screen.composition?.lengthFault = reason
    }
  }

  // MARK: The editor

  /// Has the person's editor change the text. Nothing is sent.
  private func editComposition() {
    guard let draft = screen.composition?.draft else { return }
    withTerminal {
      do throws(ToolError) {
        let text = try EditorFile.edit(draft.text, terminal: terminal.descriptor)
        screen.composition?.replace(text)
      } catch {
        screen.composition?.notice = error.message
      }
    }
    fitLayout()
    guard let changed = screen.composition?.draft, changed != draft else { return }
    composedFile?.save(changed)
    counter?.ask(changed.parts)
  }

  // MARK: Sending

  private func send() {
    guard var composition = screen.composition, let file = composedFile else { return }
    if composition.draft.isEmpty {
      screen.composition?.notice = "there is nothing to send"
      return
    }
    if !composition.draft.isThread, let long = composition.lengths.first?.first(where: \.isTooLong) {
      screen.composition?.notice = "too long, \(long.text): shorten it, or begin another post with a line of ---"
      return
    }
    composition.set(wasSent: true)
    let (draft, title, service) = (composition.draft, composition.title, composedService)
    file.save(draft)
    file.wait()
    let words = draft.words
    let command = draft.targets.map { tools.crosspost(["--to", $0] + words) } ?? tools.post(words, at: service)
    endComposition { _ in }
    let number = nextOutgoing
    nextOutgoing += 1
    screen.outgoing.append(Outgoing(number: number, text: "\(title): \(draft.text.split(separator: "\n").first ?? "")"))
    fitLayout()
    let hasStarted = start([command, tools.add], input: Array(draft.text.utf8), readsOutput: true) {
      [weak self] ending, command in
      self?.finish(number, Sent(draft: draft, title: title, service: service, file: file), ending, command)
    }
    if !hasStarted { comeBack(number, Sent(draft: draft, title: title, service: service, file: file), screen.message) }
  }

  /// A post that was given to tw-post.
  private struct Sent {
    let draft: ComposedDraft
    let title: String
    let service: String?
    let file: DraftFile
  }

  private func finish(_ number: Int, _ sent: Sent, _ ending: ChildProcess.Ending, _ command: BackgroundCommand) {
    guard ending.status == .done else {
      return comeBack(number, sent, command.lastWords ?? "tw-post ended \(ending)")
    }
    screen.outgoing.removeAll { $0.number == number }
    sent.file.remove()
    fitLayout()
    screen.message = "posted"
    // Of a post at several services one copy stands for all.
    var made: [(service: String, name: String)] = []
    for line in command.takeLines() {
      guard let record = try? JSONDocument(line), record["tw"]?.equals("tweet") == true,
        let service = record["service"]?.string, let id = record["id"]?.string
      else { continue }
      made.append((service, "\(service):\(id)"))
    }
    guard let service = made.first?.service else { return }
    let names = made.filter { $0.service == service }.map(\.name)
    offer(Act(verb: "post", target: names.joined(separator: " "), service: service))
  }

  /// A post that was not made is there to be written again, with the reason.
  private func comeBack(_ number: Int, _ sent: Sent, _ reason: String?) {
    screen.outgoing.removeAll { $0.number == number }
    let message = "not posted: \(reason ?? "")"
    var draft = sent.draft
    draft.wasSent = false
    sent.file.save(draft)
    defer { fitLayout() }
    guard screen.composition == nil, !isLeaving else {
      sent.file.wait()
      let fate = sent.file.failure.map { "not kept: \($0): \(draft.text)" } ?? "the draft is kept"
      sent.file.keep()
      screen.message = message + " (\(fate))"
      if isLeaving { Diagnostics.warn("\(sent.title): \(message); \(fate)") }
      return
    }
    (composedFile, composedService) = (sent.file, sent.service)
    var composition = Composition(sent.title, draft)
    composition.notice = message
    screen.composition = composition
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
