import Libc
import Synchronization
import TweetCLI
import TweetCore

/// Pictures of tweets, saved as files.
extension Browser {
  /// Where the folder is named that was chosen last.
  private var folderFile: String { tools.state + "/browse.pictures" }

  /// Asks where the pictures of the tweet under the cursor shall go.
  func savePictures() {
    guard let count = picturesUnderCursor else { return }
    var folder = Paths.environment("HOME") ?? "."
    // A folder that cannot be read is asked for again.
    if let last = try? StateFile.read(folderFile) { folder = String(decoding: last, as: UTF8.self).trimmed }
    screen.prompt = LinePrompt(.folder(count), text: folder)
  }

  /// The same, with the folder.
  func savePictures(in folder: String) {
    if let count = picturesUnderCursor { save(count, in: folder) }
  }

  private var picturesUnderCursor: Int? {
    guard let document = selected?.document else { return nil }
    let count = TweetSubjects(document).pictures.count
    if count == 0 { screen.message = "the tweet has no pictures" }
    return count == 0 ? nil : count
  }

  /// Fetches the pictures that are not stored yet, and writes all of them into a folder.
  func save(_ count: Int, in text: String) {
    let folder = text.hasPrefix("~/") ? (Paths.environment("HOME") ?? "~") + text.dropFirst() : text
    var status = stat()
    guard !folder.isEmpty, stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, let path = Paths.real(folder)
    else { return screen.message = "there is no folder '\(folder)'" }
    remember(path)
    guard let record = selected?.document?.read({ Array($0.raw) + [0x0A] }) else { return }
    screen.message = "fetching \(count == 1 ? "a picture" : "\(count) pictures") …"
    do throws(ToolError) {
      let file = try UnnamedFile.holding(record)
      let command = try BackgroundCommand([tools.wholePictures], reading: file.descriptor, readsOutput: true)
      command.isExpendable = true
      running.append(command) { [weak self] in self?.takePictures($1, $0, path) }
    } catch {
      screen.message = error.message
    }
  }

  private func remember(_ folder: String) {
    var text = ByteBuffer(capacity: 256)
    text.append(folder + "\n")
    do throws(ToolError) {
      try Paths.createDirectory(tools.state)
      try StateFile.replace(folderFile, with: text)
    } catch { screen.message = error.message }
  }

  private func takePictures(_ command: BackgroundCommand, _ ending: ChildProcess.Ending, _ folder: String) {
    guard let line = command.takeLines().first, let document = try? JSONDocument(line) else {
      return screen.message = "the pictures: \(command.lastWords ?? "tw-avatar ended \(ending)")"
    }
    let pictures = TweetSubjects(document).pictures
    let (author, id) = document.read { tweet in
      let target = TweetTarget(tweet)
      return (target?.username, target?.id ?? "")
    }
    let items = pictures.enumerated().compactMap { index, picture in
      picture.key.map {
        PictureSaving.Item(key: $0, stem: PictureSaving.stem(author: author, id: id, number: index + 1))
      }
    }
    let reason = pictures.lazy.compactMap(\.error).first
    guard !items.isEmpty else {
      return screen.message = "the pictures could not be fetched: \(reason ?? command.lastWords ?? "")"
    }
    let missing = items.count < pictures.count ? "\(pictures.count - items.count) not fetched: \(reason ?? "")" : nil
    // A disk may take its time.
    let task = SavingTask(folder: folder, missing: missing)
    let store = Paths.mediaStore(besides: tools.media)
    let failure = startThread { task.finish(PictureSaving.save(items, from: store, in: folder)) }
    if failure != 0 { return screen.message = "cannot start a thread: \(describe(errno: failure))" }
    savings.append(task)
  }

  /// Says what was saved.
  func readSavings() {
    savings.removeAll { task in
      guard let words = task.words else { return false }
      screen.message = words
      return true
    }
  }
}

/// Pictures that a thread saves.
final class SavingTask: Sendable {
  private let folder: String
  private let missing: String?
  private let result = Mutex<PictureSaving.Result?>(nil)

  /// - Parameter missing: what is said of pictures that could not be fetched.
  init(folder: String, missing: String?) { (self.folder, self.missing) = (folder, missing) }

  func finish(_ result: PictureSaving.Result) { self.result.withLock { $0 = result } }

  /// What became of it; `nil` while it goes on.
  var words: String? {
    guard let result = result.withLock({ $0 }) else { return nil }
    var facts: [String] = []
    if result.saved > 0 { facts.append("saved \(result.saved) in \(folder)") }
    if result.known > 0 { facts.append("\(result.known) there already") }
    return (facts + [missing, result.failure].compactMap { $0 }).joined(separator: ", ")
  }
}
