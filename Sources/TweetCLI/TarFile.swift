import Libc
import Synchronization
import TweetCore

/// A tar archive, compressed or not: where its files are, and what is in each.
///
/// A file is read where it lies, or, of a compressed archive, further on in the same decompression if it lies there. So
/// files in the order in which they were packed are read in one go, and those in another order are too, but slower.
/// The format is POSIX.1-2017's ustar and pax, with GNU's long names and large numbers.
///
/// It is unchecked Sendable because what it changes is used by whoever holds ``turn``, or before anybody else knows it.
final class TarFile: @unchecked Sendable {
  struct Entry: Sendable {
    var offset: Int
    var size: Int
  }

  private static let blockSize = 512
  private let descriptor: Int32
  private let name: String
  /// The first bytes, by which the program is found that decompresses it.
  private let head: [UInt8]
  private let turn = Mutex(())
  /// The program that decompresses it, and how many bytes of its output were read.
  private var pass: ProgramDecoder?
  private var position = 0
  private(set) var damage: String?

  /// - Parameter descriptor: a file with offsets, which is the archive's from now on.
  init(descriptor: Int32, name: String) {
    // Another program may still read this one, whose offset all its duplicates share.
    let own = open("/dev/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
    if own >= 0 { close(descriptor) }
    let descriptor = own >= 0 ? own : descriptor
    (self.descriptor, self.name) = (descriptor, name)
    var head = [UInt8](repeating: 0, count: InputKind.magicLength)
    let got = head.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    self.head = Array(head.prefix(max(got, 0)))
  }

  deinit { close(descriptor) }

  private var isCompressed: Bool { InputKind.kind(of: head) != nil }

  /// Goes through the archive and reports each file, until `found` returns `false`.
  func list(_ found: (String, Entry) -> Bool) {
    var at = 0
    var longName: [UInt8]?
    var longSize: Int?
    while Interruption.signal == nil {
      let header = bytes(at: at, count: Self.blockSize)
      // Without such a block at its end it was cut off, if only between two files.
      if header.count == Self.blockSize, header.allSatisfy({ $0 == 0 }) { break }
      guard header.count == Self.blockSize, Self.isWhole(header), let own = Self.number(header[124..<136]) else {
        damage = Self.cut
        break
      }
      let (type, data) = (header[156], at + Self.blockSize)
      let isFile = [0, UInt8(ascii: "0"), UInt8(ascii: "7")].contains(type)
      let size = isFile ? longSize ?? own : own
      guard size <= Int.max / 2 - data else {
        damage = Self.cut
        break
      }
      at = data + (size + Self.blockSize - 1) / Self.blockSize * Self.blockSize
      switch type {
      case UInt8(ascii: "L"): longName = bytes(at: data, count: min(size, Self.longestHead)).prefix { $0 != 0 } + []
      case UInt8(ascii: "x"):
        for (key, value) in Self.members(bytes(at: data, count: min(size, Self.longestHead))) {
          if key == "path" { longName = Array(value) }
          if key == "size" { longSize = Int(String(decoding: value, as: UTF8.self)).flatMap { $0 < 0 ? nil : $0 } }
        }
      case UInt8(ascii: "K"), UInt8(ascii: "g"): break
      default:
        let path = longName ?? Self.name(in: header)
        (longName, longSize) = (nil, nil)
        if isFile, !found(String(decoding: path, as: UTF8.self), Entry(offset: data, size: size)) { return }
      }
    }
    // Only at its end a compressed archive says whether it was whole.
    if isCompressed, Interruption.signal == nil {
      while !bytes(at: position, count: 1 << 16).isEmpty {}
      damage = pass?.finish() ?? damage
      pass = nil
    }
  }

  /// Writes one file to a descriptor.
  /// - Returns: what is wrong; `nil` for nothing, and when nobody reads it.
  func write(_ entry: Entry, to output: Int32) -> String? {
    turn.withLock { _ in
      var done = 0
      while done < entry.size, Interruption.signal == nil {
        let piece = bytes(at: entry.offset + done, count: min(entry.size - done, 1 << 16))
        if piece.isEmpty { return pass?.finish() ?? Self.cut }
        if writeAll(piece, to: output) != 0 { return nil }
        done += piece.count
      }
      return nil
    }
  }

  private static let cut = "the archive is damaged or cut off"

  // MARK: Bytes

  /// The bytes from an offset on; fewer at the end.
  private func bytes(at offset: Int, count: Int) -> [UInt8] {
    if isCompressed, !advance(to: offset) { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[filled...])
        let got = read(rest, at: offset + filled)
        if got <= 0 { break }
        filled += got
      }
    }
  }

  private func read(_ room: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    while true {
      let got =
        pass.map { Libc.read($0.output, room.baseAddress, room.count) }
        ?? pread(descriptor, room.baseAddress, room.count, off_t(offset))
      if got < 0, errno == EINTR, Interruption.signal == nil { continue }
      if pass != nil, got > 0 { position += got }
      return got
    }
  }

  /// Goes to an offset of what the program gives, with another run of it if that is behind.
  private func advance(to offset: Int) -> Bool {
    if pass == nil || offset < position {
      // The one before shares the offset of the file, so it must have ended.
      pass = nil
      guard let command = InputKind.kind(of: head)?.command, lseek(descriptor, 0, SEEK_SET) == 0 else { return false }
      (pass, position) = (try? ProgramDecoder(command, descriptor: descriptor, name: name), 0)
    }
    guard pass != nil else { return false }
    return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { room in
      while position < offset, Interruption.signal == nil {
        let rest = UnsafeMutableRawBufferPointer(rebasing: room[..<min(room.count, offset - position)])
        if read(rest, at: position) <= 0 { return false }
      }
      return position == offset
    }
  }

  // MARK: Headers

  /// Long names and the members of a pax header are not read further than that.
  private static let longestHead = 64 << 10

  /// Whether the sum of a header is right.
  private static func isWhole(_ header: [UInt8]) -> Bool {
    var sum = 8 * 0x20
    for (at, byte) in header.enumerated() where !(148..<156).contains(at) { sum += Int(byte) }
    return number(header[148..<156]) == sum
  }

  /// A number in octal digits, or, where the first bit is set, in bytes.
  private static func number(_ field: ArraySlice<UInt8>) -> Int? {
    if let first = field.first, first & 0x80 != 0 {
      guard first == 0x80, field.dropFirst().prefix(field.count - 8).allSatisfy({ $0 == 0 }) else { return nil }
      let value = field.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return Int(exactly: value)
    }
    let digits = field.drop { $0 == 0x20 }.prefix { $0 != 0x20 && $0 != 0 }
    return digits.isEmpty ? 0 : Int(String(decoding: digits, as: UTF8.self), radix: 8).flatMap { $0 < 0 ? nil : $0 }
  }

  private static func name(in header: [UInt8]) -> [UInt8] {
    let name = Array(header[..<100].prefix { $0 != 0 })
    // GNU's own format has other things where POSIX has the folder.
    guard header[257..<263].elementsEqual("ustar\0".utf8), header[345] != 0 else { return name }
    return header[345..<500].prefix { $0 != 0 } + [UInt8(ascii: "/")] + name
  }

  /// The members of a pax header, each `LENGTH KEY=VALUE` and a newline.
  private static func members(_ bytes: [UInt8]) -> [(key: String, value: ArraySlice<UInt8>)] {
    var members: [(String, ArraySlice<UInt8>)] = []
    var rest = bytes[...]
    while let space = rest.firstIndex(of: 0x20), let equals = rest.firstIndex(of: UInt8(ascii: "=")), space < equals,
      // A value may be empty, but its newline is there.
      let length = Int(String(decoding: rest[..<space], as: UTF8.self)), length >= equals - rest.startIndex + 2,
      length <= rest.count
    {
      let end = rest.startIndex + length
      members.append((String(decoding: rest[(space + 1)..<equals], as: UTF8.self), rest[(equals + 1)..<(end - 1)]))
      rest = rest[end...]
    }
    return members
  }
}
