import Foundation
import TestSupport
import Testing

/// Captures of which many lie together: in folders of folders, in a tar file and in a zip file, each compressed by
/// itself, as the Internet Archive has the sample stream.
@Suite(.onOwnThread) struct ParseCaptureTests {
  private func post(_ number: Int) -> String {
    #"{"id":"\#(number + 10)","text":"hi \#(number)","author_id":"5"}"# + "\n"
  }

  /// A month `2023` of two days, each with an hour of two minutes, and files that are not captures.
  private func makeMonth() throws -> TemporaryDirectory {
    let home = try TemporaryDirectory()
    for (number, name) in ["01/00/00", "01/00/01", "02/00/00", "02/00/01"].enumerated() {
      try home.write("2023/01/\(name).json", post(number))
      _ = try Tool.shell("bzip2 2023/01/\(name).json", home: home)
    }
    try home.write("2023/01/readme.txt", "about")
    try home.write("2023/.now/half.ndjson", post(9))
    return home
  }

  private func ids(_ result: ToolResult) throws -> [String] {
    try JSONObject.list(result.lines).compactMap { $0["id"] as? String }
  }

  /// Whatever the order in which they were packed, they are read in that of their names.
  @Test(arguments: [
    "tw-parse 2023", "tw-parse 2023/", "tw-parse 2023/01", "tar -cf m.tar 2023 && tw-parse m.tar",
    "find 2023 -type f | sort -r | tar -cf m.tar -T - && tw-parse m.tar",
    "find 2023 -type f | sort | tar -cf m.tar -T - && tw-parse < m.tar",
    "find . -type f | sort -r | tar -czf m.tgz -T - && tw-parse m.tgz",
    "find . -type f | sort | tar --format=pax -cf - -T - | xz > m.txz && tw-parse m.txz",
    "tar --format=ustar -cf m.tar 2023 && tw-parse m.tar",
    "zip -qr m.zip 2023 && tw-parse m.zip",
  ])
  func capturesAreReadInTheOrderOfTheirNames(_ reading: String) throws {
    let home = try makeMonth()
    let result = try Tool.shell(reading, home: home)
    #expect(try ids(result) == ["10", "11", "12", "13"])
    #expect(result.ending == .status(0) && result.errors == "", "\(result.errors)")
  }

  /// What is not read of them is named, and a record says where it comes from.
  @Test(arguments: ["2023", "m.tar", "m.zip"])
  func theRestIsNamed(_ input: String) throws {
    let home = try makeMonth()
    try home.write("2023/01/03.ndjson", #"{"tw":"context","service":"local"}"# + "\n" + post(4) + "no JSON\n")
    _ = try Tool.shell("tar -cf m.tar 2023; zip -qr m.zip 2023", home: home)
    let result = try Tool.run("tw-parse", ["--summary", input], home: home)
    #expect(try ids(result) == ["10", "11", "12", "13", "14"])
    #expect(result.lines.last?.contains(#""id":"14","service":"local""#) == true)
    let label = input == "2023" ? "" : input + "/"
    #expect(result.errors.contains("\(label)2023/01/03.ndjson:3: bad record: "), "\(result.errors)")
    let rest = input == "2023" ? "not read: 01/readme.txt\n" : "not read: 1 file of 2023/.now, 1 file of 2023/01\n"
    #expect(result.errors.contains(rest), "\(result.errors)")
    #expect(result.ending == .status(1))
  }

  /// Long names, and those that other programs would take for patterns or options.
  @Test func namesOfEveryKind() throws {
    let home = try TemporaryDirectory()
    let long = String(repeating: "d", count: 90)
    let names = ["-x/[a]*.json", "a b\u{e9}.json", "\(long)/\(long)/\(long)/1.json"]
    for (number, name) in names.enumerated() { try home.write("f/\(name)", post(number)) }
    for format in ["gnu", "pax"] {
      let result = try Tool.shell("cd f && tar --format=\(format) -cf ../m.tar . && tw-parse ../m.tar", home: home)
      #expect(try ids(result) == ["10", "11", "12"], "\(format): \(result.errors)")
    }
    // The newer of two with one name.
    _ = try Tool.shell("cd f && tar -cf ../m.tar ./-x", home: home)
    try home.write("f/-x/[a]*.json", post(7))
    let result = try Tool.shell("cd f && tar -rf ../m.tar ./-x && tw-parse ../m.tar", home: home)
    #expect(try ids(result) == ["17"], "\(result.errors)")
  }

  /// A damaged capture costs itself; what is cut off is said, wherever the cut is.
  @Test func damageIsSaid() throws {
    let home = try makeMonth()
    let cut = try Tool.shell(
      "head -c 50 2023/01/01/00/01.json.bz2 > x && mv x 2023/01/01/00/01.json.bz2 && tar --sort=name -cf m.tar 2023"
        + " && tw-parse m.tar", home: home)
    #expect(try ids(cut) == ["10", "12", "13"])
    #expect(
      cut.errors.contains("cannot read 'm.tar/2023/01/01/00/01.json.bz2' to its end: 'bzip2' says"), "\(cut.errors)")
    #expect(cut.ending == .status(1))
    // An archive that was cut, in whatever place: also between two files.
    _ = try Tool.shell("rm 2023/01/01/00/01.json.bz2 && tar --sort=name -cf m.tar 2023", home: home)
    let whole = try home.read("m.tar")
    let end = ((whole.lastIndex { $0 != 0 } ?? 0) / 512 + 1) * 512
    for length in Array(stride(from: 600, to: end, by: 701)) + [end - 512, end] {
      try home.write("n.tar", Array(whole.prefix(length)))
      let result = try Tool.run("tw-parse", ["n.tar"], home: home)
      #expect(result.errors.contains("the archive is damaged or cut off"), "\(length): \(result.errors)")
      #expect(result.ending == .status(result.lines.isEmpty ? 65 : 1))
    }
    let packed = try Tool.shell(
      "gzip -c m.tar > n.tgz; tw-parse n.tgz; head -c 500 n.tgz > c.tgz; tw-parse c.tgz", home: home)
    #expect(packed.lines.count >= 3 && packed.status != 0, "\(packed.errors)")
    #expect(packed.errors.contains("'gzip' says that the file is damaged or cut off"), "\(packed.errors)")
  }

  /// Sizes and checksums that are not so.
  @Test(arguments: ["huge", "negative", "checksum", "name"])
  func hostileTarFilesEnd(_ kind: String) throws {
    let home = try makeMonth()
    _ = try Tool.shell("tar --sort=name -cf m.tar 2023/01/01/00/00.json.bz2 2023/01/01/00/01.json.bz2", home: home)
    var bytes = try home.read("m.tar")
    // The header of the second file is its third block.
    let at = 1024
    switch kind {
    case "huge": bytes.replaceSubrange((at + 124)..<(at + 136), with: [0x80] + [UInt8](repeating: 0x7F, count: 11))
    case "negative": bytes.replaceSubrange((at + 124)..<(at + 136), with: [UInt8](repeating: 0xFF, count: 12))
    case "checksum": bytes[at + 5] ^= 1
    default:
      bytes.replaceSubrange(at..<(at + 4), with: Array("../x".utf8))
    }
    if kind != "checksum" {
      bytes.replaceSubrange((at + 148)..<(at + 156), with: [UInt8](repeating: 0x20, count: 8))
      let sum = bytes[at..<(at + 512)].reduce(0) { $0 + Int($1) }
      bytes.replaceSubrange((at + 148)..<(at + 156), with: Array((String(format: "%06o", sum) + "\0 ").utf8))
    }
    try home.write("m.tar", bytes)
    let result = try Tool.run("tw-parse", ["m.tar"], home: home)
    #expect(try ids(result) == ["10"])
    #expect(result.ending == .status(kind == "name" ? 0 : 1), "\(result.errors)")
    #expect(kind == "name" || result.errors.contains("the archive is damaged or cut off"), "\(result.errors)")
  }

  /// Members of a pax header whose lengths leave no room for what they have.
  @Test(arguments: ["4 a=", "5 a=", "3 a=b\n", "99 path=x\n", "0 path=x\n", "path=x", "=", " ="])
  func hostilePaxHeadersEnd(_ member: String) throws {
    let home = try makeMonth()
    let make = """
      import sys, tarfile
      header = tarfile.TarInfo("x")
      (header.type, header.size) = (b"x", len(sys.argv[1]))
      data = sys.argv[1].encode()
      with open("m.tar", "wb") as out:
          out.write(header.tobuf(tarfile.USTAR_FORMAT) + data + bytes(-len(data) % 512))
          file = tarfile.TarInfo("a.json")
          text = b'{"id":"10","text":"hi","author_id":"5"}'
          file.size = len(text)
          out.write(file.tobuf(tarfile.USTAR_FORMAT) + text + bytes(-len(text) % 512) + bytes(1024))
      """
    let made = try Tool.run("/usr/bin/env", ["python3", "-c", make, member], home: home, directory: home.path)
    try #require(made.status == 0, "\(made.errors)")
    let result = try Tool.run("tw-parse", ["m.tar"], home: home, directory: home.path)
    #expect(try ids(result) == ["10"] && result.ending == .status(0), "\(result.ending) \(result.errors)")
  }

  #if os(Linux)
    /// One file of an archive is held at a time, and of that what one record needs.
    @Test(arguments: ["tar -cf m", "tar -czf m", "zip -q m"])
    func manyCapturesNeedLittleMemory(_ packing: String) throws {
      let home = try TemporaryDirectory()
      let posts = (1...2000).map {
        #"{"id":"\#($0)","text":"\#(String(repeating: "x", count: 2000))","author_id":"5"}"#
      }
      try home.write("c/0.json", posts.joined(separator: "\n"))
      for number in 1..<20 { _ = try Tool.shell("ln c/0.json c/\(number).json; true", home: home) }
      _ = try Tool.shell("bzip2 -kf c/*.json; \(packing) c/*.bz2; [ -e m ] || mv m.zip m", home: home)
      let tool = try RunningTool("tw-parse", ["--only", "refresh", "m", "-"], home: home)
      tool.send(ToolInput("{\"tw\":\"refresh\"}\n"))
      try tool.waitForLines(1, timeout: 120)
      if let peak = tool.peakMemory { #expect(peak < 64 << 20) }
      tool.closeInput()
      #expect(try tool.finish().ending == .status(0))
    }
  #endif

  // MARK: Compression

  /// zstd's frames say how much memory their reader needs: up to 2 GiB is read, and more is said to be that.
  @Test func longWindowsOfZstd() throws {
    let home = try TemporaryDirectory()
    // A frame without a size of its content: magic, flags, window, a last raw block.
    func frame(_ window: UInt8) -> [UInt8] {
      let text = Array(post(1).utf8)
      let block = UInt32(text.count) << 3 | 1
      return [0x28, 0xB5, 0x2F, 0xFD, 0, window, UInt8(block & 0xFF), UInt8(block >> 8 & 0xFF), 0] + text
    }
    try home.write("2g.zst", frame(21 << 3))
    try home.write("4g.zst", frame(22 << 3))
    let long = try Tool.run("tw-parse", ["2g.zst"], home: home)
    #expect(try ids(long) == ["11"] && long.ending == .status(0), "\(long.errors)")
    let longest = try Tool.run("tw-parse", ["4g.zst"], home: home)
    #expect(
      longest.errors.contains("it needs a window of 4096 MiB, and 'zstd' reads up to 2048"), "\(longest.errors)")
    #expect(!longest.errors.contains("damaged") && longest.ending == .status(65))
    // Where memory is short, that may be why. A window that is usual is not named.
    let short = try Tool.shell("ulimit -v 1500000; tw-parse 2g.zst", home: home)
    #expect(short.errors.contains("it needs a window of 2048 MiB: 'zstd' says that memory is short"), "\(short.errors)")
    try home.write("cut.zst", Array(frame(0).prefix(20)))
    let cut = try Tool.run("tw-parse", ["cut.zst"], home: home)
    #expect(cut.errors.contains("'zstd' says that the file is damaged or cut off"), "\(cut.errors)")
    // The window of a file that zstd knows to be shorter is its size.
    _ = try Tool.shell("head -c 140000000 /dev/zero | tr '\\0' '\\n' > w && zstd -q --long=28 w", home: home)
    let whole = try Tool.run("tw-parse", ["w.zst", "2g.zst"], home: home)
    #expect(try ids(whole) == ["11"] && whole.ending == .status(0), "\(whole.errors)")
  }

  /// What follows gzip's data is no damage of them.
  @Test func somethingAfterTheEndOfGzip() throws {
    let home = try TemporaryDirectory()
    try home.write("a.json", post(1))
    let result = try Tool.shell(
      "gzip a.json && echo 'more than nothing' >> a.json.gz && tw-parse a.json.gz", home: home)
    #expect(try ids(result) == ["11"] && result.ending == .status(0))
    #expect(result.errors.contains("'a.json.gz' was read whole; after the end of its gzip data"), "\(result.errors)")
  }
}
