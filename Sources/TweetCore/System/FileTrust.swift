package import Libc

/// Whether nobody else can have written a file which decides whose credential goes where, or what is run: as ssh(1)
/// asks it of its own (its `StrictModes`). This holds for root too, who else would run what any user has written.
package struct FileTrust {
  /// What is wrong, for people.
  package let fault: String
  /// The command that mends it.
  package let mend: String

  /// - Parameters:
  ///   - status: of the file that was opened.
  ///   - path: where it was opened.
  ///   - isSecret: whether others may not read it either.
  /// - Returns: what is wrong; `nil` if nothing is.
  package static func fault(of status: stat, at path: String, isSecret: Bool) -> FileTrust? {
    let mode = octal(status.st_mode)
    if let owner = stranger(status) {
      return FileTrust(fault: "'\(path)' belongs to \(owner)", mend: "chown \(geteuid()) \(shellWord(path))")
    }
    if isSecret, status.st_mode & 0o077 != 0 {
      return FileTrust(
        fault: "'\(path)' has secrets in it, and its mode \(mode) lets other users at them",
        mend: "chmod 600 \(shellWord(path))")
    }
    if othersMayWrite(status) {
      return FileTrust(
        fault: "other users may change '\(path)' (mode \(mode))", mend: "chmod go-w \(shellWord(path))")
    }
    return fault(ofFolderOf: path)
  }

  /// Refuses an open file that others might have written. A pipe or a device is as whoever names it wants it.
  package static func require(_ descriptor: Int32, at path: String) throws(ToolError) {
    guard let status = stat(of: descriptor), status.isFile else { return }
    if let trust = fault(of: status, at: path, isSecret: false) { throw trust.error }
  }

  /// Whether others can put another file in the place of this one, or a folder of theirs above it.
  ///
  /// - Returns: what is wrong; `nil` if nothing is.
  package static func fault(ofFolderOf path: String) -> FileTrust? {
    // It need not be there yet.
    var folder = Paths.real(path) ?? Paths.real(Paths.folder(of: path)).map { $0 + "/" } ?? path
    var isOwn = true
    while let slash = folder.lastIndex(of: "/") {
      folder = String(folder[..<slash])
      let name = folder.isEmpty ? "/" : folder
      guard let status = stat(of: name) else { continue }
      if isOwn, let owner = stranger(status) {
        return FileTrust(
          fault: "'\(path)' is in a folder of \(owner), '\(name)'", mend: "chown \(geteuid()) \(shellWord(name))")
      }
      isOwn = false
      // In a folder such as /tmp nobody moves what is another's.
      if !othersMayWrite(status) || status.st_mode & S_ISVTX != 0 { continue }
      return FileTrust(
        fault: "other users may replace '\(path)': they may write in '\(name)' (mode \(octal(status.st_mode)))",
        mend: "chmod go-w \(shellWord(name))")
    }
    return nil
  }

  package var error: ToolError { .configuration("\(fault): \(mend)") }

  /// The owner, if that is neither this user nor root.
  private static func stranger(_ status: stat) -> String? {
    if status.st_uid == geteuid() || status.st_uid == 0 { return nil }
    let name = getpwuid(status.st_uid).flatMap { $0.pointee.pw_name }.map { String(cString: $0) }
    return "user '\(name ?? String(status.st_uid))'"
  }

  /// A group that has the name of the user and nobody else in it is the user: so Debian, Ubuntu and Fedora make them,
  /// with a umask of 002, and their ssh(1) lets it pass too.
  private static func othersMayWrite(_ status: stat) -> Bool {
    if status.st_mode & 0o022 != 0o020 { return status.st_mode & 0o022 != 0 }
    guard let user = getpwuid(geteuid())?.pointee, user.pw_gid == status.st_gid, let name = user.pw_name,
      let group = getgrgid(status.st_gid)?.pointee, strcmp(name, group.gr_name) == 0
    else { return true }
    var member = group.gr_mem
    while let other = member?.pointee {
      if strcmp(name, other) != 0 { return true }
      member = member?.successor()
    }
    return false
  }

  private static func octal(_ mode: mode_t) -> String { "0" + String(mode & 0o7777, radix: 8) }
}
