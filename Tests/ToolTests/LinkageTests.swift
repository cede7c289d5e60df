import Foundation
import TestSupport
import Testing

/// Who links what: libcurl alone costs a tool more start-up time than all else, so only those that use a network link
/// it.
@Suite(.onOwnThread, .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ldd"), "needs ldd"))
struct LinkageTests {
  /// Every library that starting the tool loads.
  static func libraries(of tool: String) throws -> [String] {
    let result = try Tool.run("/usr/bin/ldd", [Tool.path(tool)])
    try #require(result.ending == .status(0), "\(result.errors)")
    return result.lines.compactMap { $0.split(whereSeparator: \.isWhitespace).first.map(String.init) }
  }

  static let tools = [
    "tw", "tw-stream", "tw-parse", "tw-cache", "tw-avatar", "tw-linkcheck", "tw-render", "tw-post", "tw-auth",
    "tw-local",
  ]

  @Test(arguments: tools)
  func onlyWhatItNeedsIsLinked(_ tool: String) throws {
    let libraries = try Self.libraries(of: tool)
    func links(_ name: String) -> Bool { libraries.contains { $0.hasPrefix(name + ".") } }
    // SQLite adds 0.3 ms to a start, libcrypto 1.3 ms, libcurl and what it loads 5 ms (docs/decisions/binaries.md).
    let hasNetwork = ["tw-stream", "tw-avatar", "tw-linkcheck", "tw-post", "tw-auth"].contains(tool)
    #expect(links("libcurl") == hasNetwork)
    #expect(links("libcrypto") == (hasNetwork || tool == "tw-local"))
    #expect(links("libsqlite3"))
    // They are loaded by the process that decodes pictures.
    #expect(!links("libspng") && !links("libturbojpeg") && !links("libwebp") && !links("libgif"))
    #expect(!links("libFoundation") && !links("lib_FoundationICU") && !links("libFoundationNetworking"))
  }
}
