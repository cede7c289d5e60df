import TweetCLI
import TweetCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A temporary folder, for this user only: the service's data and all that the command's tools keep.
struct WorkFolder {
  let path: String

  init() throws(ToolError) {
    let parent = Paths.environment("TMPDIR") ?? "/tmp"
    var template = Array("\(parent)/tw-local.XXXXXX".utf8CString)
    // mkdtemp(3) makes it with mode 0700.
    guard mkdtemp(&template) != nil else {
      throw .cannotCreate("cannot make a folder in '\(parent)': \(describe(errno: errno))")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The command's environment: its own, with the kit's settings pointing at the service and into this folder.
  func environment(_ access: Access, at address: String) -> [String] {
    // Settings that would lead the tools elsewhere.
    let removed = ["TW_TOKEN_FILE", "TW_CONFIG", "TW_AVATARS"]
    let settings =
      access.variables(at: address) + [
        ("XDG_CONFIG_HOME", path + "/config"), ("XDG_DATA_HOME", path + "/data"), ("XDG_STATE_HOME", path + "/state"),
        ("TW_DB", path + "/data/tw/tw.db"),
      ]
    let own = settings.map { "\($0.name)=\($0.value)" }
    let names = Set(settings.map(\.name) + removed)
    return Self.inherited().filter { !names.contains(String($0.prefix { $0 != "=" })) } + own
  }

  private static func inherited() -> [String] {
    var variables: [String] = []
    var at = environ
    while let variable = at.pointee {
      variables.append(String(cString: variable))
      at += 1
    }
    return variables
  }

  /// Removes the folder and all that is in it.
  func remove() {
    let fault = Self.remove(path)
    if let fault { Diagnostics.warn("cannot remove '\(path)': \(describe(errno: fault))") }
  }

  /// Links are removed, never followed. Gives the first `errno` met.
  private static func remove(_ path: String) -> Int32? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno }
    guard status.st_mode & S_IFMT == S_IFDIR else { return unlink(path) == 0 ? nil : errno }
    guard let folder = opendir(path) else { return errno }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    closedir(folder)
    var fault: Int32?
    for name in names where name != "." && name != ".." {
      fault = fault ?? remove(path + "/" + name)
    }
    return rmdir(path) == 0 ? fault : fault ?? errno
  }
}
