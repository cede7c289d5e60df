import Libc
import TweetAccounts
import TweetCLI
import TweetCore

/// A temporary folder that only this user can read: for the data of the service and of the tools that the command runs.
struct WorkFolder {
  let path: String

  init() throws(ToolError) {
    let parent = Paths.temporary
    var template = Array("\(parent)/tw-local.XXXXXX".utf8CString)
    // mkdtemp(3) makes it with mode 0700.
    guard mkdtemp(&template) != nil else {
      throw .cannotCreate("cannot make a folder in '\(parent)': \(describe(errno: errno))")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Changes of the command's environment: the kit's tools use the service and keep their data in this folder. `nil`
  /// removes a variable that would lead them elsewhere.
  func variables(_ access: LocalAccess, at address: String) -> [String: String?] {
    var variables: [String: String?] = [
      "TW_TOKEN_FILE": nil, "TW_CONFIG": nil, "TW_AVATARS": nil, "TW_AVATAR_DIR": nil,
      "XDG_CONFIG_HOME": path + "/config", "XDG_DATA_HOME": path + "/data", "XDG_STATE_HOME": path + "/state",
      "TW_DB": path + "/data/tw/tw.db",
    ]
    for (name, value) in access.variables(at: address) { variables[name] = value }
    return variables
  }

  /// Writes the file of accounts that the tools of the command read.
  func write(_ accounts: JSON) throws(ToolError) {
    var buffer = ByteBuffer()
    buffer.append(accounts.bytes)
    try PrivateFile.replace(path + "/config/tw/credentials.json", with: buffer)
  }

  /// Removes the folder and everything in it.
  func remove() {
    if let error = Self.remove(path) { Diagnostics.warn("cannot remove '\(path)': \(describe(errno: error))") }
  }

  /// Removes a file or folder; links are not followed. Returns the first `errno`, `nil` on success.
  private static func remove(_ path: String) -> Int32? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno }
    guard status.st_mode & S_IFMT == S_IFDIR else { return unlink(path) == 0 ? nil : errno }
    guard let names = Directory.names(in: path) else { return errno }
    var error: Int32?
    for name in names { error = remove(path + "/" + name) ?? error }
    return rmdir(path) == 0 ? error : error ?? errno
  }
}
