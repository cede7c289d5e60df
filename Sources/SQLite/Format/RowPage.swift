/// A page with rows of a table, or with entries of an index (sqlite.org/fileformat2.html, "B-tree Pages"). Its numbers
/// may be damaged. An inner page of an index has entries too, and so has one of a table without row ids.
package struct RowPage {
  private static let tableLeaf: UInt8 = 0x0D
  private static let indexLeaf: UInt8 = 0x0A
  private static let innerIndex: UInt8 = 0x02

  /// Whether it has rows with keys; else entries of an index, or rows of a table without row ids.
  package let isTable: Bool
  let usableSize: Int
  /// The offsets of its cells.
  package private(set) var cells: [Int] = []
  /// Bytes of a cell before its row: the number of the page below.
  private let cellHead: Int
  private let bytes: [UInt8]

  /// `nil` if the page is of another kind.
  package init?(_ bytes: [UInt8], headOffset: Int, usableSize: Int) {
    guard bytes.count >= headOffset + 8 else { return nil }
    switch bytes[headOffset] {
    case Self.tableLeaf: (isTable, cellHead) = (true, 0)
    case Self.indexLeaf: (isTable, cellHead) = (false, 0)
    case Self.innerIndex: (isTable, cellHead) = (false, 4)
    default: return nil
    }
    let headSize = 8 + cellHead
    self.bytes = bytes
    self.usableSize = usableSize
    let count = bytes.half(headOffset + 3)
    // Each cell has a pointer of two bytes, and at least four bytes of its own.
    guard headOffset + headSize + count * 6 <= usableSize else { return nil }
    let first = headOffset + headSize + count * 2
    cells = (0..<count).map { bytes.half(headOffset + headSize + $0 * 2) }.filter { $0 >= first && $0 < usableSize }
  }

  /// The row at a cell; `nil` if the cell makes no sense.
  /// - Parameter overflow: gives the content of a page that a long row goes on in.
  package func row(at offset: Int, overflow: (UInt32) -> [UInt8]?) -> RawRow? {
    var at = offset + cellHead
    guard let length = bytes.varint(&at), length > 0, length < 1 << 31 else { return nil }
    var key: Int64?
    if isTable {
      guard let number = bytes.varint(&at) else { return nil }
      key = number
    }
    guard let payload = payload(at: at, Int(length), overflow) else { return nil }
    return RawRow(payload, key: key.map(Int.init))
  }

  /// "Cell Payload Overflow Pages": how much of a row is on its own page follows from its length.
  private func payload(at: Int, _ length: Int, _ overflow: (UInt32) -> [UInt8]?) -> [UInt8]? {
    let most = isTable ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
    if length <= most { return at + length <= usableSize ? Array(bytes[at..<at + length]) : nil }
    let least = (usableSize - 12) * 32 / 255 - 23
    let rest = least + (length - least) % (usableSize - 4)
    let local = rest <= most ? rest : least
    guard at + local + 4 <= usableSize else { return nil }
    var payload = Array(bytes[at..<at + local])
    // Bytes that are not a row rarely have the length that their head says.
    guard RawRow.length(fromHead: payload).map({ $0 == length }) ?? true else { return nil }
    var next = bytes.word(at + local)
    var used: Set<UInt32> = []
    while payload.count < length {
      // A ring of pages is not a row.
      guard next != 0, used.insert(next).inserted, let page = overflow(next) else { return nil }
      payload += page[4..<min(4 + length - payload.count, usableSize)]
      next = page.word(0)
    }
    return payload
  }
}

/// A row as it stands in a file ("Record Format").
package struct RawRow {
  package enum Value: Equatable {
    case null
    case integer(Int)
    case text([UInt8])
    case bytes([UInt8])
    case real([UInt8])
  }

  package let key: Int?
  package private(set) var values: [Value] = []

  /// More columns than any of our tables has.
  private static let mostColumns = 64

  init?(_ payload: [UInt8], key: Int?) {
    self.key = key
    var at = 0
    guard let headSize = payload.varint(&at), headSize >= 1, headSize <= payload.count else { return nil }
    var body = Int(headSize)
    while at < Int(headSize) {
      guard values.count < Self.mostColumns, let type = payload.varint(&at),
        let value = Self.value(type, payload, &body)
      else { return nil }
      values.append(value)
    }
    guard at == Int(headSize) else { return nil }
  }

  /// How many bytes a row has, as its head says; `nil` if the head goes on beyond these bytes, or makes no sense.
  static func length(fromHead bytes: [UInt8]) -> Int? {
    var at = 0
    guard let headSize = bytes.varint(&at), headSize >= 1, headSize <= bytes.count else { return nil }
    var length = Int(headSize)
    while at < Int(headSize) {
      guard let type = bytes.varint(&at), type >= 0 else { return nil }
      let size = type >= 12 ? Int((type - 12) / 2) : [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0][Int(type)]
      guard length < 1 << 31, size < 1 << 31 else { return nil }
      length += size
    }
    return length
  }

  /// "Serial Type Codes Of The Record Format".
  private static func value(_ type: Int64, _ payload: [UInt8], _ body: inout Int) -> Value? {
    func integer(_ size: Int) -> Value? {
      guard body + size <= payload.count else { return nil }
      var number = Int(Int8(bitPattern: payload[body]))
      for byte in payload[(body + 1)..<(body + size)] { number = number << 8 | Int(byte) }
      body += size
      return .integer(number)
    }
    switch type {
    case 0: return .null
    case 1, 2, 3, 4: return integer(Int(type))
    case 5: return integer(6)
    case 6: return integer(8)
    case 8, 9: return .integer(Int(type) - 8)
    case 7, 12...:
      let size = type == 7 ? 8 : Int((type - 12) / 2)
      guard size <= payload.count - body else { return nil }
      let bytes = Array(payload[body..<body + size])
      body += size
      return type == 7 ? .real(bytes) : type % 2 == 0 ? .bytes(bytes) : .text(bytes)
    default: return nil
    }
  }
}

extension [UInt8] {
  /// Reads a number of one to nine bytes and moves past it; `nil` at the end of the bytes.
  fileprivate func varint(_ at: inout Int) -> Int64? {
    var number: UInt64 = 0
    for index in 0..<9 {
      guard at < count else { return nil }
      let byte = self[at]
      at += 1
      if index == 8 { return Int64(bitPattern: number << 8 | UInt64(byte)) }
      number = number << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return Int64(bitPattern: number) }
    }
    return nil
  }
}
