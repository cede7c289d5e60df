import TweetCore

/// Ids, which are read only in the form of their service: one in another form finds nothing at the service, or another
/// post.
extension TweetMapper {
  /// The first of two values that is an id: the string rather than the number, which programs have rounded. `nil` when
  /// none is; if one was to be an id and is none, the record is bad: ``takeFaultOfID()`` says why.
  @inline(__always)
  mutating func readID(_ text: JSONValue?, _ number: JSONValue? = nil) -> JSONValue? {
    if let text, text.isString, text.rawString.isNumericID { return text }
    return text == nil && number == nil ? nil : otherID(text, number)
  }

  /// The id of a v1.1 object.
  mutating func v1ID(_ object: JSONValue?) -> JSONValue? { readID(object?["id_str"], object?["id"]) }

  @inline(never)
  private mutating func otherID(_ text: JSONValue?, _ number: JSONValue?) -> JSONValue? {
    var fault: String?
    for value in [text, number] {
      // 0 stands for none.
      guard let value = value?.asID, !value.idBytes.elementsEqual("0".utf8) else { continue }
      if !context.hasNumericIDs || value.idBytes.isNumericID { return value }
      fault = fault ?? value.faultOfID
    }
    faultOfID = faultOfID ?? fault
    return nil
  }

  /// What is wrong with an id of the document or element that was mapped last; `nil` for none.
  mutating func takeFaultOfID() -> String? {
    guard let fault = faultOfID else { return nil }
    faultOfID = nil
    return fault
  }
}

extension JSONValue {
  /// The bytes of an id in a record: those of a string, or of a number. Programs that know no whole numbers beside
  /// missing ones (pandas) write `12.0`.
  var idBytes: ByteView {
    let bytes = isString ? rawString : raw
    guard bytes.last == UInt8(ascii: "0"), let point = bytes.firstIndex(of: UInt8(ascii: ".")),
      // A longer number has been rounded.
      point <= 15, bytes[(point + 1)...].allSatisfy({ $0 == UInt8(ascii: "0") })
    else { return bytes }
    return bytes.extracting(..<point)
  }

  /// Why it is not an id in the form of X's.
  var faultOfID: String {
    // A number with a fraction or an exponent.
    let digits = isString ? rawString : raw
    let isRounded =
      Double(String(decoding: digits, as: UTF8.self)) != nil
      && digits.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
    return isRounded ? "an id that was rounded by another program" : "an id that the service does not have"
  }

  /// Whether it can be an id of a server of the fediverse: a word, which is a whole number at most servers.
  var isServerID: Bool {
    guard isString else { return kind == .number && raw.isNumericID }
    let word = rawString
    let isFraction = word.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "+") }
    return !word.isEmpty && word.allSatisfy { $0 > 0x20 }
      && !(isFraction && Double(String(decoding: word, as: UTF8.self)) != nil)
  }
}

extension ByteView {
  /// Whether it is an id as X assigns them: a whole number without a sign, of up to 19 digits.
  var isNumericID: Bool {
    guard let start = baseAddress, 1...19 ~= count, start[0] != UInt8(ascii: "0") else { return false }
    if count < 8 { return allSatisfy(\.isASCIIDigit) }
    return start.hasEightDigits && (start + (count - 8)).hasEightDigits && (count <= 16 || (start + 8).hasEightDigits)
  }
}

extension UnsafePointer<UInt8> {
  /// Whether eight digits start here.
  @inline(__always)
  fileprivate var hasEightDigits: Bool {
    let word = UnsafeRawPointer(self).loadUnaligned(as: UInt64.self)
    let high: UInt64 = 0xF0F0_F0F0_F0F0_F0F0
    // A digit plus six is still below 0x40; any larger byte is not.
    return word & high == 0x3030_3030_3030_3030 && (word &+ 0x0606_0606_0606_0606) & high == 0x3030_3030_3030_3030
  }
}
