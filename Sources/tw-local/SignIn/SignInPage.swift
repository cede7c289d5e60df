import TweetCore

/// The page that asks a person for a name and a password. It has no script and no picture.
enum SignInPage {
  /// - Parameters:
  ///   - scopes: what the program may do; `nil` means everything.
  ///   - fault: what was wrong with the last try.
  static func ask(
    for client: Client, scopes: Set<Scope>?, username: String = "", fault: SignInFault? = nil
  ) -> ServerResponse {
    let purposes =
      scopes.map { scopes in Scope.allCases.filter(scopes.contains).compactMap(\.purpose) }
      ?? ["do everything that you can do here"]
    let list = purposes.map { "<li>\($0)</li>" }.joined()
    let problem = fault.map { "<p role=\"alert\"><strong>\($0.message.htmlEscaped)</strong></p>" } ?? ""
    // Without an action the form is sent to the address of the page, which has the parameters of the request.
    let form = """
      \(problem)<p>\(client.name.htmlEscaped) asks to:</p><ul>\(list)</ul>
      <form method="post">
      <p><label>User name<br><input name="username" value="\(username.htmlEscaped)" autocomplete="username" \
      maxlength="15" required autofocus></label></p>
      <p><label>Password<br><input name="password" type="password" autocomplete="current-password" maxlength="128" \
      required></label></p>
      <p><button name="action" value="allow">Sign in and allow</button>
      <button name="action" value="create">Make this account and allow</button>
      <button name="action" value="deny" formnovalidate>Cancel</button></p>
      </form>
      """
    var response = page("Sign in", form, status: fault?.status ?? 200)
    if let seconds = fault?.retryAfter { response.headers.append(("retry-after", String(seconds))) }
    return response
  }

  /// - Parameter text: plain text.
  static func message(_ title: String, _ text: String, status: Int = 200) -> ServerResponse {
    page(title, "<p>\(text.htmlEscaped)</p>", status: status)
  }

  /// The number, or the code, that a person copies into a program.
  static func pin(_ pin: String, for client: Client) -> ServerResponse {
    page(
      "You are signed in", "<p>Type this into \(client.name.htmlEscaped):</p><p><strong>\(pin)</strong></p>")
  }

  /// Nobody may show the page in a frame, and nobody keeps it. Its own address is told to this service only; with
  /// `no-referrer` a browser would send the form with the origin `null`.
  private static func page(_ title: String, _ body: String, status: Int = 200) -> ServerResponse {
    var response = Page.document(title, body, status: status)
    response.headers += [
      ("cache-control", "no-store"), ("referrer-policy", "same-origin"), ("x-frame-options", "DENY"),
      ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ]
    return response
  }
}
