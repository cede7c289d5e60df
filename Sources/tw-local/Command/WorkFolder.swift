import Libc
import TweetCLI
import TweetCore

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

  /// What the command's environment has in place of ours: the kit's settings, pointing at the service and into this
  /// folder; `nil` takes out what would lead the tools elsewhere.
  func variables(_ access: Access, at address: String) -> [String: String?] {
    var variables: [String: String?] = [
      "TW_TOKEN_FILE": nil, "TW_CONFIG": nil, "TW_AVATARS": nil,
      "XDG_CONFIG_HOME": path + "/config", "XDG_DATA_HOME": path + "/data", "XDG_STATE_HOME": path + "/state",
      "TW_DB": path + "/data/tw/tw.db",
    ]
    for (name, value) in access.variables(at: address) { variables[name] = value }
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
    guard let names = Directory.names(in: path) else { return errno }
    var fault: Int32?
    for name in names { fault = fault ?? remove(path + "/" + name) }
    return rmdir(path) == 0 ? fault : fault ?? errno
  }
}
