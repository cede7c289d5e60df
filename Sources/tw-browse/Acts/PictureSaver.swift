import Libc
import TweetCLI
import TweetCore

/// Saves the pictures of tweets as files: has tw-avatar fetch them, and a thread write them.
final class PictureSaver {
  private unowned let model: BrowseModel
  /// A disk may take its time.
  private var writer: Worker<PictureSaving, String>?
  /// How often pictures are written now.
  private var running = 0

  init(_ model: BrowseModel) { self.model = model }

  /// Whether none are written now.
  var isIdle: Bool { running == 0 }

  /// Where the folder is named that was chosen last.
  private var folderFile: String { model.tools.state + "/browse.pictures" }

  /// The folder that was chosen last.
  var folder: String {
    // One that cannot be read is asked for again.
    guard let last = try? StateFile.read(folderFile) else { return Paths.environment("HOME") ?? "." }
    return String(decoding: last, as: UTF8.self).trimmed
  }

  /// How many pictures the tweet under the cursor has; says so if it has none.
  var count: Int? {
    guard let document = model.selected?.document else { return nil }
    let count = TweetSubjects(document).pictures.count
    if count == 0 { model.say("the tweet has no pictures") }
    return count == 0 ? nil : count
  }

  /// Fetches the pictures of the tweet under the cursor that are not stored yet, and writes all of them into a folder.
  func save(_ count: Int, in text: String) {
    let folder = text.hasPrefix("~/") ? (Paths.environment("HOME") ?? "~") + text.dropFirst() : text
    var status = stat()
    guard !folder.isEmpty, stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, let path = Paths.real(folder)
    else { return model.say("there is no folder '\(folder)'") }
    do throws(ToolError) { try remember(path) } catch { model.say(error.message) }
    guard let record = model.selected?.document?.line else { return }
    model.say("fetching \(count == 1 ? "a picture" : "\(count) pictures") …")
    do throws(ToolError) {
      let file = try UnnamedFile.holding(record)
      let command = try model.jobs.start([model.tools.wholePictures], reading: file.descriptor, readsOutput: true) {
        [weak self] in self?.take($1, $0, path)
      }
      command.isExpendable = true
    } catch {
      model.say(error.message)
    }
  }

  private func remember(_ folder: String) throws(ToolError) {
    var text = ByteBuffer(capacity: 256)
    text.append(folder + "\n")
    try Paths.createDirectory(model.tools.state)
    try StateFile.replace(folderFile, with: text)
  }

  private func take(_ command: BackgroundCommand, _ ending: ChildProcess.Ending, _ folder: String) {
    guard let line = command.takeLines().first, let document = try? JSONDocument(line) else {
      return model.tell("the pictures: \(command.lastWords ?? "tw-avatar ended \(ending)")")
    }
    let pictures = TweetSubjects(document).pictures
    let target = document.read { TweetTarget($0) }
    let items = pictures.enumerated().compactMap { index, picture in
      picture.key.map {
        let stem = PictureSaving.stem(author: target?.username, id: target?.id ?? "", number: index + 1)
        return PictureSaving.Item(key: $0, stem: stem)
      }
    }
    let reason = pictures.lazy.compactMap(\.error).first
    guard !items.isEmpty else {
      return model.tell("the pictures could not be fetched: \(reason ?? command.lastWords ?? "")")
    }
    let missing = items.count < pictures.count ? "\(pictures.count - items.count) not fetched: \(reason ?? "")" : nil
    let store = Paths.mediaStore(besides: model.tools.media)
    do throws(ToolError) {
      if writer == nil {
        writer = try Worker { requests, answers in
          while true { for saving in requests.takeAll() { answers.put(saving.run()) } }
        }
      }
      writer?.ask(PictureSaving(items: items, store: store, folder: folder, missing: missing))
      running += 1
    } catch {
      model.tell(error.message)
    }
  }

  /// Says what was saved.
  func read() {
    for words in writer?.takeAnswers() ?? [] {
      running -= 1
      model.tell(words)
    }
  }
}
