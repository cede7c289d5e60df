import Libc
import TweetCore
import TweetShapes

extension FuzzTarget {
  /// Whatever a CAR file has in it, what is written are lines, and each is one JSON object as long as its texts are
  /// UTF-8. The same file gives the same lines.
  static let repositories = FuzzTarget(name: "repositories") { input in
    _ = RepositoryExport.isCAR(input)
    let (first, second) = (lines(of: input), lines(of: input))
    require(first == second, "a file gives other lines the second time")
    guard !first.isEmpty else { return }
    require(first.last == 0x0A, "the last line has no end")
    for line in first.split(separator: 0x0A) where String(validating: line, as: UTF8.self) != nil {
      guard let document = try? JSONDocument(Array(line)) else {
        require(false, "no JSON: \(String(decoding: line, as: UTF8.self))")
        continue
      }
      let address = document["uri"]?.string
      // Collections that are not read are counted at the end.
      if document["notRead"] != nil { continue }
      require(address?.hasPrefix("at://did:") ?? false, "no record: \(String(decoding: line, as: UTF8.self))")
    }
  }

  /// What a repository with these bytes is written as.
  private static func lines(of input: [UInt8]) -> [UInt8] {
    let (source, sink) = (temporaryFile(), temporaryFile())
    defer {
      close(source)
      close(sink)
    }
    require(input.withBytes { writeAll($0, to: source) } == 0, "no room for the input")
    _ = RepositoryExport.write(from: source, to: sink)
    var bytes = [UInt8](repeating: 0, count: Int(lseek(sink, 0, SEEK_END)))
    let got = bytes.withUnsafeMutableBytes { pread(sink, $0.baseAddress, $0.count, 0) }
    require(got == bytes.count, "the output cannot be read")
    return bytes
  }

  /// A file without a name, in memory where the system has room for that.
  private static func temporaryFile() -> Int32 {
    var path = Array("\(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")/tw-fuzz-XXXXXX".utf8CString)
    let file = mkstemp(&path)
    unlink(path)
    require(file >= 0, "no temporary file")
    return file
  }
}
