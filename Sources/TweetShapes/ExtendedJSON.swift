import TweetCore

/// MongoDB's extended JSON, in which its tools export documents: numbers, times and ids are objects with one member,
/// such as `{"$numberLong":"951064000000000001"}`.
enum ExtendedJSON {
  /// Hostile documents are nested deeper.
  private static let deepest = 64

  /// A document with the values that its objects stand for; `nil` if it has no such object.
  static func plain(_ document: JSONValue) -> [UInt8]? {
    var out = ByteBuffer(capacity: document.raw.count)
    var isFound = false
    append(document, depth: 0, to: &out, &isFound)
    return isFound ? out.array : nil
  }

  private static func append(_ value: JSONValue, depth: Int, to out: inout ByteBuffer, _ isFound: inout Bool) {
    if depth > deepest { return out.append(value) }
    if value.isObject {
      var members = value.members
      if let (key, inner) = members.next(), key.rawString.first == UInt8(ascii: "$"), members.next() == nil,
        append(inner, as: key, to: &out)
      {
        isFound = true
        return
      }
      out.object { out in
        for (key, inner) in value.members {
          out.key(key)
          append(inner, depth: depth + 1, to: &out, &isFound)
        }
      }
    } else if value.isArray {
      out.array { out in
        for element in value.elements {
          out.append(UInt8(ascii: ","))
          append(element, depth: depth + 1, to: &out, &isFound)
        }
      }
    } else {
      out.append(value)
    }
  }

  /// Appends the value of an object with one member.
  /// - Returns: `false` for one that is nothing of MongoDB's.
  private static func append(_ value: JSONValue, as type: JSONValue, to out: inout ByteBuffer) -> Bool {
    if type.spells("$numberInt") || type.spells("$numberLong") || type.spells("$numberDouble")
      || type.spells("$numberDecimal")
    {
      let digits = value.isString ? Array(value.rawString) : Array(value.raw)
      let isNumber = (try? JSONDocument(digits))?.kind == .number
      // `NaN` and `Infinity` are no numbers of JSON.
      if isNumber { out.append(digits) } else { out.append("null") }
      return true
    }
    if type.spells("$oid"), value.isString {
      out.append(value)
      return true
    }
    if type.spells("$date") {
      let number = value["$numberLong"]?.looseInteger ?? value.integer
      guard let number, let time = Timestamp(milliseconds: Int64(number)).ofRecords else {
        out.append(value)
        return true
      }
      out.append(UInt8(ascii: "\""))
      out.append(time)
      out.append(UInt8(ascii: "\""))
      return true
    }
    return false
  }
}

extension Timestamp {
  /// Itself, if it is in the years that a record can have.
  fileprivate var ofRecords: Timestamp? {
    abs(milliseconds) < 1 << 50 ? Timestamp(parsing: rfc3339) : nil
  }
}
