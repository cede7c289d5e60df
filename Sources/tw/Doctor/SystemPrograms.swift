import Libc
import TweetCore

/// Programs that are not the kit's.
enum SystemPrograms {
  /// The path of a program on PATH; `nil` if it is not installed.
  static func path(of name: String) -> String? {
    // The first directory is that of the kit.
    Programs().directories.dropFirst().map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  static func has(_ name: String) -> Bool { path(of: name) != nil }

  /// `sudo ` for who is not root.
  static var asRoot: String { geteuid() == 0 ? "" : "sudo " }
}

/// The names of a package. packaging/description has them too, and packaging/check compares what the sources load with
/// it.
struct SystemPackage {
  let debian: String
  let fedora: String
  let arch: String
  let homebrew: String

  init(debian: String, fedora: String, arch: String, homebrew: String) {
    (self.debian, self.fedora, self.arch, self.homebrew) = (debian, fedora, arch, homebrew)
  }

  /// For one that has the same name everywhere.
  init(_ name: String) { self.init(debian: name, fedora: name, arch: name, homebrew: name) }

  /// The command that installs it; `nil` if this system has none of the package managers.
  var install: String? {
    let managers = [
      ("apt-get", "apt-get install", debian), ("dnf", "dnf install", fedora), ("pacman", "pacman -S", arch),
    ]
    if let manager = managers.first(where: { SystemPrograms.has($0.0) }) {
      return "\(SystemPrograms.asRoot)\(manager.1) \(manager.2)"
    }
    return SystemPrograms.has("brew") ? "brew install \(homebrew)" : nil
  }
}
