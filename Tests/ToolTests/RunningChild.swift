import Foundation

/// Whether a process runs: one that has ended, and that nobody has waited for, does not.
func isRunning(_ process: Int32) -> Bool {
  guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
    let nameEnd = stat.lastIndex(of: ")")
  else { return false }
  return stat[nameEnd...].dropFirst(2).first != "Z"
}

/// The process of that name which another process started and which still runs; `nil` where `/proc` does not tell.
func runningChild(_ name: String, of parent: Int32) -> Int32? {
  let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return entries.compactMap { Int32($0) }.first { number in
    guard let stat = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
      let nameEnd = stat.lastIndex(of: ")"), stat[..<nameEnd].hasSuffix("(\(name)")
    else { return false }
    let fields = stat[nameEnd...].split(separator: " ").dropFirst()
    return fields.first != "Z" && fields.dropFirst().first.flatMap { Int32($0) } == parent
  }
}
