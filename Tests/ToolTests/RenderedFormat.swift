import Foundation
import TestSupport

/// What a format of tw-render makes of records, as one text: of a site all files, of mail the encoded lines as they are
/// read.
enum RenderedFormat {
  /// - Parameter arguments: more of them than the format.
  static func run(_ format: String, _ arguments: [String] = [], records: String) throws -> ToolResult {
    let home = try TemporaryDirectory()
    var command = ["--format", format] + arguments
    if format == "site" { command += ["site", "-"] }
    if format == "mail" { command += ["--to", "reader@example.com"] }
    var result = try Tool.run(
      "tw-render", command, stdin: ToolInput(records), environment: ["TW_NOW": "2021-11-03T21:30:00Z"], home: home)
    if format == "site" { result.stdout = try files(in: home.path + "/site") }
    if format == "mail" { result.stdout = readable(result.stdout) }
    return result
  }

  private static func files(in folder: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for name in (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []).sorted() {
      if name.hasSuffix(".css") || name.hasSuffix(".js") && name.contains("script") { continue }
      bytes += FileManager.default.contents(atPath: folder + "/" + name) ?? Data()
    }
    return bytes
  }

  /// Lines of quoted-printable (RFC 2045, 6.7) as text.
  private static func readable(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    var offset = 0
    while offset < bytes.count {
      guard bytes[offset] == UInt8(ascii: "="), offset + 1 < bytes.count else {
        text.append(bytes[offset])
        offset += 1
        continue
      }
      if bytes[offset + 1] == 0x0A {
        offset += 2
      } else if offset + 2 < bytes.count,
        let byte = UInt8(String(decoding: bytes[(offset + 1)...(offset + 2)], as: UTF8.self), radix: 16)
      {
        text.append(byte)
        offset += 3
      } else {
        text.append(bytes[offset])
        offset += 1
      }
    }
    return text
  }
}
