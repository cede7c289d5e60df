import Libc
import TweetCore

/// What a tool's completion for a shell must be.
///
/// It is what ArgumentParser prints, except for two things. For bash, words that readline takes apart are put together
/// again, and names from the store are quoted.
/// And version 1.8 describes every command as if it had a subcommand
/// `help`, also a command without subcommands. If such a tool takes files, zsh refuses the whole description ("doubled
/// rest argument definition"), and the other shells offer a word that the tool would read as a file.
struct Completion {
  let tool: String
  let shell: String

  /// Its file in the folder of completions.
  var path: String {
    switch shell {
    case "zsh": "zsh/_\(tool)"
    case "fish": "fish/\(tool).fish"
    default: "bash/\(tool)"
    }
  }

  /// - Parameter directory: the tools'.
  func script(by directory: String) throws -> String {
    let script = try Self.output(of: "'\(directory)/\(tool)' --generate-completion-script \(shell)")
    let dump = try JSONDocument(Self.output(of: "'\(directory)/\(tool)' --experimental-dump-help"))
    let commands = dump["command"]?["subcommands"].map { Array($0.elements) } ?? []
    let hasCommands = commands.contains { $0["commandName"]?.equals("help") != true }
    let whole = hasCommands ? script : withoutHelpCommand(script)
    return shell == "bash" && Self.namesTools.contains(tool) ? withWholeWords(whole) : whole
  }

  /// Those that offer names which strangers have chosen: of a store, of accounts.
  private static let namesTools: Set = ["tw-cache", "tw-browse", "tw-stream", "tw-post", "tw-auth"]

  struct Failure: Error {
    let command: String
  }

  private static func output(of command: String) throws -> String {
    guard let pipe = popen(command, "r") else { throw Failure(command: command) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&piece, 1, piece.count, pipe), count > 0 { bytes += piece[..<count] }
    guard pclose(pipe) == 0 else { throw Failure(command: command) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Puts the words together that readline takes apart, and quotes the names that the tool offers.
  private func withWholeWords(_ script: String) -> String {
    let additions = #"""
      # Names may have any characters in them. readline would quote only some of them.
      __\#(tool)_add_names() {
          offers_names=true
          compopt +o filenames 2>/dev/null
          __\#(tool)_add_completions "${@}"
      }

      # Readline ends a word at ':', '=' and '@' (COMP_WORDBREAKS), but user:jack and @jack are one word.
      _\#(tool)_with_whole_words() {
          local before="${COMP_LINE:0:COMP_POINT}" word
          local -a words=()
          local -i index last=-1
          for ((index = 0; index <= COMP_CWORD; index++)); do
              word="${COMP_WORDS[index]}"
              if ((index == 0)) || [[ "${before}" = [[:space:]]* ]]; then
                  before="${before#"${before%%[![:space:]]*}"}"
                  words[++last]=''
              fi
              ((index == COMP_CWORD)) && word="${before}"
              words[last]+="${word}"
              before="${before#"${word}"}"
          done
          # The part of the word that readline does not replace, and the quote before it.
          local kept="${words[last]%"${2}"}" quote=''
          [[ "${kept}" = [\'\"]* ]] && quote="${kept:0:1}" kept="${kept:1}"
          local -a COMP_WORDS=("${words[@]}")
          local -i COMP_CWORD="${last}"
          local offers_names=false
          _\#(tool) "${1}" "${kept}${2}" "${words[last - 1]}"
          COMPREPLY=("${COMPREPLY[@]#"${kept}"}")
          "${offers_names}" || return
          for index in "${!COMPREPLY[@]}"; do
              word="${COMPREPLY[index]}"
              case "${quote}" in
              "'") word="${word//\'/\'\\\'\'}" ;;
              '"')
                  for before in '\' '"' '$' '`'; do word="${word//"${before}"/\\"${before}"}"; done
                  ;;
              *) printf -v word %q "${word}" ;;
              esac
              COMPREPLY[index]="${word}"
          done
      }
      complete -o filenames -F _\#(tool)_with_whole_words \#(tool)
      """#
    return script.replacing("complete -o filenames -F _\(tool) \(tool)", with: additions)
      .replacing(
        "__\(tool)_add_completions -W \"$(__\(tool)_custom", with: "__\(tool)_add_names -W \"$(__\(tool)_custom")
  }

  private func withoutHelpCommand(_ script: String) -> String {
    var lines = script.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    switch shell {
    case "zsh":
      lines.removeAll { line in
        ["'(-): :->command'", "'(-)*:: :->arg'"].contains { line.hasSuffix($0) && line.drop { $0 == " " } == $0 }
      }
      removeBlock(from: #"    case "${state}" in"#, through: "    esac", in: &lines)
    case "fish":
      lines.removeAll { $0.hasPrefix("complete ") && ($0.contains("-fa 'help'") || $0.contains("\"\(tool) help\"")) }
    default:
      removeBlock(from: "    # Offer subcommand / subcommand argument completions", through: "    esac", in: &lines)
    }
    removeBlock(from: "_\(tool)_help() {", through: "}", in: &lines)
    return lines.joined(separator: "\n")
  }

  private func removeBlock(from first: String, through last: String, in lines: inout [String]) {
    guard let start = lines.firstIndex(of: first), let end = lines[start...].firstIndex(of: last) else { return }
    lines.removeSubrange(start...end)
    // The blank line after it goes too.
    if start < lines.count, lines[start].isEmpty { lines.remove(at: start) }
  }
}
