import Libc
import TweetCLI
import TweetCore

/// What is written at the bottom of the screen: the post, the question that is asked below it, and what is known of it.
struct Composition {
  /// A question about the post, with the answer as far as it is typed.
  struct Question: Equatable {
    enum Subject: Equatable {
      case picture
      /// What the picture of this path shows.
      case description(path: String)
      case targets
      /// Whether to throw the post away.
      case removal
    }

    let subject: Subject
    var answer: EditedText

    var label: String {
      switch subject {
      case .picture: "picture, a path: "
      case .description: "what it shows, for those who cannot see it: "
      case .targets: "to (x,mastodon:HOST,bluesky:NAME; nothing: the account in use): "
      case .removal: "throw this away? [y/n] "
      }
    }
  }

  /// What a person asks for by a key.
  enum Wish: Equatable {
    case nothing, send, edit, keep, remove, nextAccount
    /// A key that the list takes: the wheel scrolls it.
    case other
  }

  /// What it is called: `reply to @jack`.
  let title: String
  var draft: ComposedDraft
  private(set) var edited: EditedText
  var question: Question?
  /// What went wrong, or was done, until the next key.
  var notice: String?
  /// How long each part is at each target, as tw-post has said it last.
  var lengths: [[PostLength]] = []
  /// Why there are no lengths.
  var lengthFault: String?
  /// The columns that the text was wrapped to last.
  var width = 80

  init(_ title: String, _ draft: ComposedDraft) {
    (self.title, self.draft) = (title, draft)
    edited = EditedText(draft.text)
  }

  /// Takes a text that was written elsewhere.
  mutating func replace(_ text: String) {
    edited = EditedText(text)
    draft.text = edited.text
  }

  /// The number of the part that has the cursor, from 0 on.
  var part: Int {
    var before = draft
    before.text = edited.before
    return before.parts.count - 1
  }

  // MARK: Keys

  mutating func take(_ key: Key) -> Wish {
    notice = nil
    if question != nil { return answer(key) }
    switch key {
    case .control("s"): return .send
    case .control("e"): return .edit
    case .control("a"): question = Question(subject: .picture, answer: EditedText())
    case .control("t"): question = Question(subject: .targets, answer: EditedText(draft.targets ?? ""))
    case .control("o"): return .nextAccount
    case .control("x"): question = Question(subject: .removal, answer: EditedText())
    case .escape, .control("c"), .control("g"): return .keep
    case .wheelUp, .wheelDown, .click: return .other
    case .enter: edited.insert("\n")
    case .up: moveRow(-1)
    case .down: moveRow(1)
    case .pageUp: edited.toStart()
    case .pageDown: edited.toEnd()
    default: _ = edited.take(key)
    }
    draft.text = edited.text
    return .nothing
  }

  /// Moves to the same column of another row on the screen.
  private mutating func moveRow(_ count: Int) {
    let wrapped = WrappedText(edited, width: width)
    let row = wrapped.cursor.row + count
    if row < 0 { return edited.toStart() }
    if row >= wrapped.rows.count { return edited.toEnd() }
    edited.move(to: wrapped.offset(row: row, column: wrapped.cursor.column))
  }

  private mutating func answer(_ key: Key) -> Wish {
    guard var open = question else { return .nothing }
    switch key {
    case .escape, .control("c"), .control("g"): question = nil
    case .enter: return take(answer: open.answer.text.trimmed, to: open.subject)
    case .wheelUp, .wheelDown, .click: return .other
    case .paste(let pasted): open.answer.insert(pasted.filter { !$0.isNewline })
    default: _ = open.answer.take(key)
    }
    if question != nil { question = open }
    if open.subject == .removal, case .character(let letter) = key { return take(answer: String(letter), to: .removal) }
    return .nothing
  }

  private mutating func take(answer: String, to subject: Question.Subject) -> Wish {
    question = nil
    switch subject {
    case .picture:
      if answer.isEmpty { return .nothing }
      let path = answer.hasPrefix("~/") ? (Paths.environment("HOME") ?? "~") + answer.dropFirst() : answer
      guard let file = Self.file(path) else {
        notice = "there is no file '\(path)'"
        return .nothing
      }
      question = Question(subject: .description(path: file), answer: EditedText())
    case .description(let path): draft.pictures.append(ComposedDraft.Picture(path: path, description: answer))
    case .targets: draft.targets = answer.isEmpty ? nil : answer
    case .removal: return answer.lowercased() == "y" ? .remove : .nothing
    }
    return .nothing
  }

  /// The full path of a file; `nil` if there is none. Whether it is a picture tw-post says.
  private static func file(_ text: String) -> String? {
    var status = stat()
    guard let path = Paths.real(text), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return path
  }
}

/// How long a post is at a service, and how long it may be.
struct PostLength: Equatable {
  /// The target, where there are several.
  let name: String?
  let length: Int
  let longest: Int

  var isTooLong: Bool { length > longest }
  var text: String { (name.map { "\($0): " } ?? "") + "\(length) of \(longest)" }

  /// Reads a line of `tw-post length --lines`: `43 of 280`, or `x: 43 of 280` for each target, with tabs between them.
  /// - Returns: none for another line.
  static func list(_ line: String) -> [PostLength] {
    line.split(separator: "\t").compactMap { part in
      let words = part.split(separator: " ")
      guard words.count >= 3, let length = Int(words[words.count - 3]), let longest = Int(words[words.count - 1]) else {
        return nil
      }
      let name = words.count > 3 ? words[0].dropLast() : ""
      return PostLength(name: name.isEmpty ? nil : String(name), length: length, longest: longest)
    }
  }
}
