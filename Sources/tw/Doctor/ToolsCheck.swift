import Libc
import TweetCLI
import TweetCore

/// The tools of the kit: that all are there, start, and are of one version.
struct ToolsCheck {
  let programs: Programs

  func findings() throws(ToolError) -> [Finding] {
    var faults: [Finding] = []
    for tool in KitTool.all {
      guard let path = programs.path(of: tool.name) else {
        faults.append(.fault(.tools, "tw-\(tool.name) is missing", mend: restore(tool)))
        continue
      }
      let answer = try ProgramAnswer.of([path, "--version"], patience: 3000)
      guard let answer, answer.ending == .exited(0) else {
        let reason = answer?.reason ?? describe(errno: errno)
        // The system's loader says which library it has not found.
        let library = LinkedLibrary.all.first { reason.contains("\($0.file).") }
        faults.append(
          .fault(.tools, "'\(path)' does not start: \(reason)", mend: library?.package.install ?? install))
        continue
      }
      let version = answer.lines.first ?? ""
      if version != Version.number {
        faults.append(
          .fault(
            .tools,
            "'\(path)' is of version \(version), and this is \(Version.number): install them together, from one folder "
              + "of sources", mend: install))
      }
    }
    return faults.isEmpty
      ? [.ok(.tools, "all \(KitTool.all.count + 1) are there, of version \(Version.number)")] : faults
  }

  private var directory: String { programs.directories.first ?? "." }

  private var asWriter: String { access(directory, W_OK) == 0 ? "" : SystemPrograms.asRoot }

  /// The command, in the folder of the sources, that installs the kit where this program is.
  private var install: String {
    let prefix = directory.hasSuffix("/bin") ? String(directory.dropLast(4)) : "/usr/local"
    return "\(asWriter)make install" + (prefix == "/usr/local" ? "" : " PREFIX=\(shellWord(prefix))")
  }

  /// The command that brings a tool back: most are links to a file of several tools.
  private func restore(_ tool: KitTool) -> String {
    guard let file = tool.file, access("\(directory)/\(file)", X_OK) == 0 else { return install }
    return "\(asWriter)ln -s \(file) \(shellWord("\(directory)/tw-\(tool.name)"))"
  }
}
