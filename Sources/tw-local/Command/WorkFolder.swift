import TweetAccounts
import TweetCLI
import TweetCore

/// A temporary folder that only this user can read: for the data of the service and of the tools that the command runs.
struct WorkFolder {
  private let folder: TemporaryFolder
  var path: String { folder.path }

  init() throws(ToolError) { folder = try TemporaryFolder("tw-local") }

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
  func remove() { folder.remove() }
}
