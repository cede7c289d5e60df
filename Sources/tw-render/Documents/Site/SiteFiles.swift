import TweetCore

/// Writes the files of a site.
final class SiteFiles {
  private var folder: SiteFolder
  /// What went wrong with a picture; ``check()`` throws it.
  private var failure: ToolError?

  init(_ folder: consuming SiteFolder) { self.folder = folder }

  /// Takes files into the site before any is written, so that a file that is not the site's stops it in time.
  func add(_ names: [String]) throws(ToolError) {
    for name in names { try folder.add(name) }
    try folder.list(names)
  }

  /// Makes the directories of the site that are missing.
  func createFolders() throws(ToolError) { try folder.createFolders() }

  /// A file of the site, to be written.
  /// - Parameter number: another one for each of the files that are written at a time.
  func open(_ name: String, _ number: Int = 0) -> ChangedFile {
    ChangedFile("\(folder.path)/\(name)", temporary: folder.temporary(number))
  }

  /// Writes a whole file that was not added before.
  /// - Returns: whether it is there.
  func write(_ bytes: [UInt8], to name: String) -> Bool {
    if failure != nil { return false }
    do throws(ToolError) {
      try add([name])
      var file = open(name, 2)
      try file.append { $0.append(bytes) }
      try file.finish()
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Throws what went wrong meanwhile.
  func check() throws(ToolError) { if let failure { throw failure } }

  /// Removes the files that the site no longer has.
  func finish(tweets: Int) throws(ToolError) { try folder.finish(tweets: tweets) }
}
