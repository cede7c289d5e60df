import Libc
import Services
import TweetCLI
import TweetCore

/// The config file, the variables of the environment, the files that they name, and the rights of the kit's folders.
struct SettingsCheck {
  func findings() -> [Finding] {
    var faults: [Finding] = []
    let settings: Settings
    if let trust = FileMode(Settings.path)?.trust(at: Settings.path, isSecret: false) {
      return [.fault(.settings, trust.fault, mend: trust.mend)] + folders()
    }
    do throws(ToolError) {
      settings = try Settings.load()
      _ = try KeyMap(settings)
    } catch {
      return [unusable(error.message ?? "cannot read '\(Settings.path)'")] + folders()
    }
    faults += variables(settings)
    if let name = settings.value(.service), Services.named(name) == nil {
      faults.append(.fault(.settings, "service '\(name)' is none of \(Services.names)", mend: unset(.service)))
    }
    let authorities = settings.value(.caFile).map { [(name: settings.name(of: .caFile), path: $0)] } ?? []
    for (name, path) in settings.tokenPaths + authorities where access(path, R_OK) != 0 {
      let mend = name.hasPrefix("TW_") ? "unset \(name)" : "tw config unset \(name)"
      faults.append(.fault(.settings, "\(name): cannot open '\(path)': \(describe(errno: errno))", mend: mend))
    }
    faults += tokenModes(settings) + folders()
    if Paths.environment("TW_NOW") != nil {
      faults.append(.note(.settings, "TW_NOW says what time it is, which is for tests", mend: "unset TW_NOW"))
    }
    let set = Settings.Key.allCases.filter { settings.value($0) != nil }.map(\.rawValue)
    let place = access(Settings.path, F_OK) == 0 ? "'\(Settings.path)'" : "no config file"
    return faults.isEmpty
      ? [.ok(.settings, "\(place), set: \(set.isEmpty ? "nothing" : set.joined(separator: ", "))")] : faults
  }

  /// What the environment has in place of a setting, which the file would not have let pass.
  private func variables(_ settings: Settings) -> [Finding] {
    var messages: [String?] = []
    do throws(ToolError) { _ = try settings.budget } catch { messages.append(error.message) }
    do throws(ToolError) { _ = try settings.newLabels } catch { messages.append(error.message) }
    do throws(ToolError) { _ = try settings.hasAvatars } catch { messages.append(error.message) }
    do throws(ToolError) { _ = try settings.requiresAlt } catch { messages.append(error.message) }
    return messages.compactMap { $0 }.map { .fault(.settings, $0, mend: "unset \($0.prefix { $0 != ":" })") }
  }

  /// A file with an error. The line becomes a comment.
  private func unusable(_ message: String) -> Finding {
    let path = Settings.path
    let number = message.hasPrefix("\(path):") ? Int(message.dropFirst(path.utf8.count + 1).prefix { $0 != ":" }) : nil
    let mend =
      number.map { "sed -i '\($0)s/^/# /' \(shellWord(path))" }
      ?? (access(path, R_OK) == 0
        ? "mv \(shellWord(path)) \(shellWord(path + ".old"))" : "chmod 600 \(shellWord(path))")
    return .fault(.settings, message, mend: mend)
  }

  private func unset(_ key: Settings.Key) -> String {
    Paths.environment(key.variable) == nil ? "tw config unset \(key.rawValue)" : "unset \(key.variable)"
  }

  private func tokenModes(_ settings: Settings) -> [Finding] {
    settings.tokenPaths.compactMap { _, path in
      guard let trust = FileMode(path)?.trust(at: path, isSecret: true) else { return nil }
      return .fault(.settings, trust.fault, mend: trust.mend)
    }
  }

  /// What a run by root has left behind is a usual trouble.
  private func folders() -> [Finding] {
    let settings = try? Settings.load()
    let store = settings?.tweetStore ?? Paths.dataDirectory + "/tw.db"
    let paths = [
      Paths.configDirectory, Paths.credentials, Paths.dataDirectory, store, Paths.mediaStore(besides: store),
      Paths.stateDirectory, Paths.stateDirectory + "/ledger", Paths.stateDirectory + "/tokens",
    ]
    return paths.compactMap { path in
      guard let mode = FileMode(path), access(path, R_OK | W_OK | (mode.isDirectory ? X_OK : 0)) != 0 else {
        return nil
      }
      let mend =
        mode.isOwn ? "chmod u+rw\(mode.isDirectory ? "x" : "")" : "\(SystemPrograms.asRoot)chown -R \(geteuid())"
      return .fault(.settings, "this user may not read and write '\(path)'", mend: "\(mend) \(shellWord(path))")
    }
  }
}

/// Whose a file is, and who may do what with it.
struct FileMode: CustomStringConvertible {
  private let status: stat

  /// `nil` if there is no file.
  init?(_ path: String) {
    guard let status = stat(of: path) else { return nil }
    self.status = status
  }

  /// Why others might have written it, or may read what is secret; `nil` if nothing is wrong.
  func trust(at path: String, isSecret: Bool) -> FileTrust? {
    FileTrust.fault(of: status, at: path, isSecret: isSecret)
  }

  var isDirectory: Bool { status.isFolder }
  var isOwn: Bool { status.st_uid == geteuid() }
  var description: String { "0" + String(status.st_mode & 0o777, radix: 8) }
}
