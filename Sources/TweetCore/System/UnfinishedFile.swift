import Libc

/// Files that are written under another name first, in folders of people and of other programs, where several processes
/// may write the same one at once.
package enum UnfinishedFile {
  /// Milliseconds after which a draft is one of a program that was killed.
  private static let abandonedAge: Int64 = 3_600_000

  /// What a file is called before it is whole: hidden, and with the process's id.
  package static func path(for path: String) -> String {
    let (folder, name) = split(path)
    return "\(folder).\(name).\(getpid()).tmp"
  }

  /// Removes the drafts of a file that programs left that were killed; those of all files of the folder if `path` ends
  /// with a slash.
  package static func removeAbandoned(for path: String) {
    let (folder, name) = split(path)
    for draft in Directory.names(in: folder.isEmpty ? "." : folder) ?? []
    where isDraft(draft, of: name) {
      var status = stat()
      guard lstat(folder + draft, &status) == 0, status.st_mode & S_IFMT != S_IFDIR,
        Timestamp.now.milliseconds - Int64(status.modificationTime.tv_sec) * 1000 > abandonedAge
      else { continue }
      unlink(folder + draft)
    }
  }

  /// Whether a name is that of a draft of this file; of any if there is no file's name.
  private static func isDraft(_ draft: String, of name: String) -> Bool {
    guard draft.hasPrefix("."), draft.hasSuffix(".tmp") else { return false }
    let stem = draft.dropFirst().dropLast(4)
    guard let dot = stem.lastIndex(of: "."), dot > stem.startIndex, name.isEmpty || stem[..<dot] == name else {
      return false
    }
    let process = stem[dot...].dropFirst()
    return !process.isEmpty && process.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// The folder with its slash, and the name.
  private static func split(_ path: String) -> (folder: String, name: String) {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? path
    return (String(path.dropLast(name.count)), name)
  }
}
