package import TweetCore

/// The person's browser.
package enum WebBrowser {
  /// What opens a page in a window, if there are windows.
  private static var usual: String? {
    #if os(Linux)
      let hasWindows = Paths.environment("DISPLAY") != nil || Paths.environment("WAYLAND_DISPLAY") != nil
      return hasWindows ? "xdg-open" : nil
    #else
      return "open"
    #endif
  }

  /// The commands that may open a page, the wanted ones first: those of `$BROWSER`, between colons, else the system's.
  /// A `%s` stands for the address, which is the last word where there is none.
  private static func commands(_ page: String) -> [[String]] {
    guard let wanted = Paths.environment("BROWSER") ?? usual else { return [] }
    return wanted.split(separator: ":").map { command in
      let words = command.split(separator: " ").map { String($0).replacing("%s", with: page) }
      return command.contains("%s") ? words : words + [page]
    }.filter { $0.count > 1 }
  }

  /// Opens a page in a window, and goes on at once.
  /// - Returns: whether a browser was started.
  @discardableResult
  package static func open(_ page: String) -> Bool {
    let nothing = ChildProcess.nothing
    return commands(page).contains { command in
      // Not waited for: it may run until the person closes its window.
      ChildProcess.spawn(command, input: nothing, output: nothing, errors: nothing, leadsGroup: true) != nil
    }
  }

  /// Opens a page in a browser that may need the terminal, and waits until the browser has ended or has handed the page
  /// to a window.
  /// - Returns: how it ended; `nil` if there is no browser.
  package static func show(_ page: String) -> ChildProcess.Ending? {
    for command in commands(page) {
      guard var child = ChildProcess(command) else { continue }
      return child.wait()
    }
    return nil
  }
}
