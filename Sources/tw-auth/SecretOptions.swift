import ArgumentParser
import TweetAccounts
import TweetCLI
import TweetCore

/// Where secrets come from. None has an option for the secret itself: every user of the machine can read command lines.
struct SecretOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Read the secret of the client id or the API key from this file.", valueName: "file"),
    completion: .file())
  var clientSecretFile: String?

  @Option(help: ArgumentHelp("Have this command print that secret, now and each time.", valueName: "command"))
  var clientSecretCommand: String?

  @Option(help: ArgumentHelp("Read the password from this file.", valueName: "file"), completion: .file())
  var passwordFile: String?

  @Option(help: ArgumentHelp("Have this command print the password.", valueName: "command"))
  var passwordCommand: String?

  @Option(
    help: ArgumentHelp("Read a token that you have from this file; '-' is standard input.", valueName: "file"),
    completion: .file())
  var tokenFile: String?

  @Option(help: ArgumentHelp("Have this command print the token, now and each time.", valueName: "command"))
  var tokenCommand: String?

  func validate() throws {
    for (name, file, command) in [
      ("client-secret", clientSecretFile, clientSecretCommand), ("password", passwordFile, passwordCommand),
      ("token", tokenFile, tokenCommand),
    ] where file != nil && command != nil {
      throw ValidationError("--\(name)-file and --\(name)-command exclude each other")
    }
    if [clientSecretFile, passwordFile, tokenFile].count(where: { $0 == "-" }) > 1 {
      throw ValidationError("only one secret can come from standard input")
    }
  }

  /// The client's secret; `nil` if no option says where it is.
  func clientSecret() throws(ToolError) -> StoredSecret? {
    if let clientSecretCommand { return .command(clientSecretCommand) }
    return try clientSecretFile.map { (path) throws(ToolError) in .text(try Self.secret(in: path)) }
  }

  /// The same, asked for at the terminal if no option says where it is.
  func requiredClientSecret() throws(ToolError) -> StoredSecret {
    if let secret = try clientSecret() { return secret }
    return .text(try Self.ask("the API key's secret", option: "--client-secret-file"))
  }

  /// - Parameter what: what it is called at the service.
  func password(of name: String, called what: String = "password") throws(ToolError) -> Secret {
    if let passwordCommand { return try StoredSecret.command(passwordCommand).reveal("the password") }
    if let passwordFile { return try Self.secret(in: passwordFile) }
    return try Self.ask("\(what) of '\(name)'", option: "--password-file")
  }

  /// The lines of the file of `--token-file`: a token, and in a second line its secret for OAuth 1.0a.
  func tokenLines() throws(ToolError) -> [Secret] {
    guard let tokenFile else { return [try Self.ask("token", option: "--token-file")] }
    let lines = String(decoding: try Self.bytes(of: tokenFile), as: UTF8.self)
      .split(whereSeparator: \.isNewline).compactMap { Secret(firstLineOf: Array($0.utf8)) }
    guard !lines.isEmpty else { throw .badData("'\(tokenFile)' holds no token") }
    return lines
  }

  private static func secret(in path: String) throws(ToolError) -> Secret {
    guard let secret = Secret(firstLineOf: try bytes(of: path)) else { throw .badData("'\(path)' holds no secret") }
    return secret
  }

  private static func bytes(of path: String) throws(ToolError) -> [UInt8] {
    let file = try InputFile(path, mayWait: true)
    return file.head + (try StateFile.read(file.descriptor, name: path))
  }

  private static func ask(_ what: String, option: String) throws(ToolError) -> Secret {
    guard let text = try Prompt.ask(what, isSecret: true) else {
      throw .usage("there is no terminal to ask for \(what) at: \(option) names a file")
    }
    guard !text.isEmpty else { throw .usage("nothing was typed") }
    return Secret(text)
  }
}
