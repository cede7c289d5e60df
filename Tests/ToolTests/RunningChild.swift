import Foundation

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
