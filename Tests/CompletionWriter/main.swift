// Writes the completions of tools, which lie in the folder of this program:
//
//   CompletionWriter FOLDER TOOL …

import Libc

guard CommandLine.arguments.count > 2, let slash = CommandLine.arguments[0].lastIndex(of: "/") else {
  print("usage: DIRECTORY-OF-THE-TOOLS/CompletionWriter FOLDER TOOL ...")
  exit(64)
}
let directory = String(CommandLine.arguments[0][..<slash])
let folder = CommandLine.arguments[1]
for tool in CommandLine.arguments.dropFirst(2) {
  for shell in ["bash", "zsh", "fish"] {
    let completion = Completion(tool: tool, shell: shell)
    let script = try completion.script(by: directory)
    _ = mkdir(folder + "/" + shell, 0o755)
    guard let file = fopen(folder + "/" + completion.path, "w"), fputs(script, file) >= 0, fclose(file) == 0 else {
      perror(folder + "/" + completion.path)
      exit(73)
    }
  }
}
