import CProcess

/// The session on a terminal that this process belongs to, whatever its standard streams are: a login, a window, a
/// pane.
package enum TerminalSession {
  /// What tells it from all others of this machine, also from earlier ones on the same terminal, as a part of a file's
  /// name; `nil` where the process has no terminal, as under cron.
  package static var name: String? {
    var text = [CChar](repeating: 0, count: 128)
    guard tw_terminal_session(&text, text.count) else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
