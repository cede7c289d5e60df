import TweetCore

/// The language of a tweet, as HTML and JSON Feed name it: only those of two letters (ISO 639-1), since services also
/// write codes of their own, as X's `qme` for texts of links alone.
struct TweetLanguage {
  /// Two lower-case letters.
  let tag: ByteView

  /// - Parameter code: the value of `lang`; a region after it, as in `pt-BR`, is left out.
  init?(_ code: JSONValue?) {
    guard let code else { return nil }
    let bytes = code.rawString
    guard bytes.count >= 2, bytes.count == 2 || bytes[2] == UInt8(ascii: "-") else { return nil }
    let table = Self.codes.bytes
    for offset in stride(from: 0, to: table.count, by: 3) {
      guard table[offset] == bytes[0], table[offset + 1] == bytes[1] else { continue }
      // X writes the old codes of Hebrew and Indonesian.
      let isOld = bytes[0] == UInt8(ascii: "i") && (bytes[1] == UInt8(ascii: "w") || bytes[1] == UInt8(ascii: "n"))
      let tag = isOld ? (bytes[1] == UInt8(ascii: "w") ? "he" : "id") as StaticString : nil
      self.tag =
        tag.map { ByteView(start: $0.utf8Start, count: 2) } ?? ByteView(rebasing: bytes[..<2])
      return
    }
    return nil
  }

  private static let codes: StaticString = """
    aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es \
    et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik in io is it iu iw ja jv ka kg \
    ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no \
    nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg \
    th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu \

    """
}
