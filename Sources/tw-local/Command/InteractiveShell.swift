import Libc
import TweetCore

/// A shell that a person runs inside tw-local, with a prompt that shows where it is.
///
/// The person's own start-up files are read first; each shell has its own way to add something after them.
struct InteractiveShell {
  /// What to run in place of the command line.
  let command: [String]
  /// Changes of its environment; `nil` removes a variable.
  let variables: [String: String?]

  private static let mark = "(tw-local) "

  /// `nil` for a command that is not a shell, or that does not read from a terminal.
  /// - Parameter folder: gets the shell's start-up files.
  /// - Throws: `ToolError.cannotCreate`, `ToolError.inputOutput`.
  init?(_ line: [String], folder: String) throws(ToolError) {
    guard line.count == 1, let program = line.first, isatty(0) == 1, isatty(2) == 1 else { return nil }
    switch program.split(separator: "/").last {
    case "bash":
      let file = folder + "/bashrc"
      try Self.write(Self.bashFile, to: file)
      (command, variables) = ([program, "--rcfile", file], [:])
    case "zsh":
      try Paths.createDirectory(folder + "/zsh")
      try Self.write(Self.zshFile(own: Paths.environment("ZDOTDIR")), to: folder + "/zsh/.zshenv")
      (command, variables) = (line, ["ZDOTDIR": folder + "/zsh"])
    case "fish":
      (command, variables) = ([program, "--init-command", Self.fishScript], [:])
    case "sh", "dash", "ash", "ksh", "mksh":
      (command, variables) = (line, ["PS1": Self.mark + (getuid() == 0 ? "# " : "$ ")])
    default: return nil
    }
  }

  private static func write(_ text: String, to path: String) throws(ToolError) {
    var buffer = ByteBuffer(capacity: 512)
    buffer.append(text)
    try StateFile.replace(path, with: buffer)
  }

  /// bash reads it in place of ~/.bashrc. A prompt that PROMPT_COMMAND makes anew each time gets the mark each time.
  private static let bashFile = """
    [ -f ~/.bashrc ] && . ~/.bashrc
    tw_local_prompt() {
      case $PS1 in "\(mark)"*) ;; *) PS1="\(mark)$PS1" ;; esac
    }
    tw_local_prompt
    [ -z "$PROMPT_COMMAND" ] || PROMPT_COMMAND="$PROMPT_COMMAND
    tw_local_prompt"

    """

  /// zsh reads it before all other files. It sets ZDOTDIR back, so that these are the person's own. The mark is set
  /// before each prompt, since those files set the prompt.
  /// - Parameter own: the person's own ZDOTDIR.
  private static func zshFile(own: String?) -> String {
    """
    \(own.map { "ZDOTDIR='" + $0.replacing("'", with: #"'\''"#) + "'" } ?? "unset ZDOTDIR")
    [[ -f ${ZDOTDIR:-$HOME}/.zshenv ]] && . "${ZDOTDIR:-$HOME}/.zshenv"
    tw_local_prompt() {
      [[ $PS1 == "\(mark)"* ]] || PS1="\(mark)$PS1"
    }
    precmd_functions+=(tw_local_prompt)

    """
  }

  /// fish runs it after its start-up files.
  private static let fishScript = """
    functions -q fish_prompt; and functions -c fish_prompt tw_local_prompt
    function fish_prompt; printf '\(mark)'; tw_local_prompt; end
    """
}
