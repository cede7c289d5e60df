import Libc
import TweetCore
import TweetShapes

// Bytes → records. What must hold:
//
// - what comes out is lines, each one whole JSON document, an object with "tw" first;
// - records, as --rejects would get them, and bad pieces stand in the input, byte for byte, in order, none of it twice;
// - a page that is given in parts is the same;
// - the output put in again comes out unchanged, and none of it is bad;
// - it does not matter in which pieces an input arrives that is JSON throughout.
extension FuzzTarget {
  static let records = FuzzTarget(name: "records", isJSON: true) { input in
    let whole = Parsed(input, in: [])
    for parsed in [whole, Parsed(input, in: Pieces.cuts(of: input).last ?? [], maxRecord: 256)] {
      parsed.checkLines()
      parsed.checkShares(of: input)
    }
    let parts = Parsed(input, in: [], partLength: 1)
    require(
      parts.output == whole.output && parts.reasons == whole.reasons,
      "a page in parts is another:\n\(whole.summary)--- and in parts:\n\(parts.summary)")
    let again = Parsed(whole.output, in: [])
    require(again.bad.isEmpty, "the output has bad records: \(again.reasons)")
    require(again.output == whole.output, "the output changes when it is parsed again")
    // How much a broken place takes along may depend on what was at hand with it.
    for cuts in whole.isBroken ? [] : Pieces.cuts(of: input) {
      let pieced = Parsed(input, in: cuts)
      require(
        pieced.output == whole.output && pieced.bad.joined().elementsEqual(whole.bad.joined()),
        """
        it matters in which pieces the input comes, cut at \(cuts):
        \(whole.summary)--- and in pieces:
        \(pieced.summary)
        """)
    }
  }
}

/// All that one run over some input gave.
struct Parsed {
  private(set) var output: [UInt8] = []
  /// What would go to --rejects, in order: what is not JSON, and documents of no known shape.
  private(set) var bad: [[UInt8]] = []
  private(set) var reasons: [String] = []
  /// Whether some of the input is no JSON.
  private(set) var isBroken = false
  /// What all that was found stands for in the input, records and bad ones, in order.
  private var shares: [[UInt8]] = []

  /// - Parameters:
  ///   - cuts: where the input is cut into the pieces that arrive one by one, ascending.
  ///   - maxRecord: as the scanner's; without one no record is too large.
  ///   - partLength: as the mapper's.
  init(_ input: [UInt8], in cuts: [Int], maxRecord: Int = 1 << 20, partLength: Int = 1 << 20) {
    var source = Pieces(input, cuts: cuts)
    var mapper = TweetMapper(partLength: partLength)
    var out = ByteBuffer()
    var scanner = RecordScanner(
      descriptor: source.descriptor, name: "input", maxRecord: maxRecord, head: source.head)
    var isAtEnd = false
    while true {
      switch scanner.next() {
      case .record(let record):
        keep(record)
        var reason = mapper.map(record, into: &out)
        while mapper.hasMore { reason = mapper.map(record, into: &out) }
        guard let reason else { continue }
        bad.append(Array(record.source))
        reasons.append("line \(record.line): \(reason)")
      case .bad(let piece):
        bad.append(Array(piece.bytes))
        shares.append(Array(piece.bytes))
        isBroken = true
        if let reason = piece.reason { reasons.append("line \(piece.line): \(reason)") }
      case .needsInput:
        require(!isAtEnd, "more input is asked for after its end")
        isAtEnd = !source.sendNext()
        do throws(ToolError) { try scanner.fill() } catch { require(false, "cannot read: \(error)") }
      case .end:
        require(isAtEnd, "an end before the end")
        output = out.array
        return
      }
    }
  }

  private mutating func keep(_ record: Record) {
    let bytes = Array(record.bytes)
    require((try? JSONDocument(bytes)) != nil, "a record is no JSON document")
    require(!bytes.contains(0x0A), "a record has a newline")
    shares.append(Array(record.source))
  }

  var summary: String {
    String(decoding: output, as: UTF8.self) + reasons.map { $0 + "\n" }.joined()
  }

  /// That each line of the output is a record.
  func checkLines() {
    guard let last = output.last else { return }
    require(last == 0x0A, "the output does not end with a newline")
    for line in output.dropLast().split(separator: 0x0A, omittingEmptySubsequences: false) {
      let shown = String(decoding: line.prefix(400), as: UTF8.self)
      require(isRecord(Array(line)), "a line of the output is no JSON object with \"tw\" first: \(shown)")
    }
  }

  /// That records and bad pieces, as they would go to --rejects, are the input's own bytes, in order, nothing given
  /// twice.
  func checkShares(of input: [UInt8]) {
    var at = 0
    for share in shares {
      let found = input.firstPlace(of: share, from: at)
      require(found != nil, "a record is not what stood in the input: \(String(decoding: share, as: UTF8.self))")
      at = (found ?? at) + share.count
    }
  }
}

/// A record that is passed on keeps its bytes, spaces included: so its first key is looked at, not its first bytes.
private func isRecord(_ line: [UInt8]) -> Bool {
  guard let document = try? JSONDocument(line), document.isObject else { return false }
  for (key, value) in document.members { return key.equals("tw") && value.isString }
  return false
}

/// An input that arrives in pieces: the first as the bytes taken from the descriptor already, the others through a
/// pipe.
struct Pieces: ~Copyable {
  let descriptor: Int32
  let head: [UInt8]
  private let writer: Int32
  private var rest: [ArraySlice<UInt8>] = []

  init(_ input: [UInt8], cuts: [Int]) {
    var ends: [Int32] = [-1, -1]
    require(pipe(&ends) == 0, "no pipe")
    (descriptor, writer) = (ends[0], ends[1])
    var pieces: [ArraySlice<UInt8>] = []
    var from = 0
    for cut in cuts + [input.count] where cut > from {
      pieces.append(input[from..<cut])
      from = cut
    }
    head = Array(pieces.first ?? [])
    rest = pieces.dropFirst().reversed()
  }

  deinit {
    close(descriptor)
    close(writer)
  }

  /// Puts the next piece into the pipe; after the last one closes it and gives false.
  mutating func sendNext() -> Bool {
    guard let piece = rest.popLast() else {
      // Another descriptor in its place, so that deinit has one to close.
      let null = open("/dev/null", O_RDONLY)
      dup2(null, writer)
      close(null)
      return false
    }
    // A piece is no larger than a pipe's room: `run` keeps inputs below 64 KiB.
    let sent = piece.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
    require(sent == piece.count, "a pipe took \(sent) of \(piece.count) bytes")
    return true
  }

  /// Ways to cut an input: at one place that depends on its bytes, and at its newlines.
  static func cuts(of input: [UInt8]) -> [[Int]] {
    guard input.count > 1 else { return [] }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in input { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let lineEnds = input.indices.filter { input[$0] == 0x0A }.map { $0 + 1 }.prefix(64)
    return [[1 + Int(hash % UInt64(input.count - 1))], Array(lineEnds)]
  }
}

extension [UInt8] {
  fileprivate func firstPlace(of piece: [UInt8], from: Int) -> Int? {
    guard let first = piece.first else { return from }
    var at = from
    while at + piece.count <= count, let found = self[at...].firstIndex(of: first), found + piece.count <= count {
      if self[found..<found + piece.count].elementsEqual(piece) { return found }
      at = found + 1
    }
    return nil
  }
}
