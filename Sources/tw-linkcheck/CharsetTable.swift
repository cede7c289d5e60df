/// The names of encodings that pages use, and iconv's names of the encodings that browsers take them for (WHATWG
/// Encoding Standard §4.2): Latin-1, for example, is read as its Windows variant.
enum CharsetTable {
  static let names: [String: String] = Dictionary(
    uniqueKeysWithValues: rows.flatMap { row in row.1.map { ($0, row.0) } })

  private static let rows: [(String, [String])] = [
    ("UTF-8", ["utf-8", "utf8", "unicode-1-1-utf-8", "x-unicode20utf8", "unicode11utf8", "unicode20utf8"]),
    ("UTF-16LE", ["utf-16", "utf-16le", "unicode", "ucs-2", "iso-10646-ucs-2", "csunicode", "unicodefeff"]),
    ("UTF-16BE", ["utf-16be", "unicodefffe"]),
    (
      "WINDOWS-1252",
      [
        "windows-1252", "cp1252", "x-cp1252", "iso-8859-1", "iso8859-1", "iso_8859-1", "iso88591", "latin1", "l1",
        "ascii", "us-ascii", "ansi_x3.4-1968", "cp819", "ibm819", "csisolatin1", "iso-ir-100", "iso_8859-1:1987",
      ]
    ),
    ("WINDOWS-1250", ["windows-1250", "cp1250", "x-cp1250"]),
    ("ISO-8859-2", ["iso-8859-2", "iso8859-2", "iso_8859-2", "iso88592", "latin2", "l2", "csisolatin2"]),
    ("ISO-8859-3", ["iso-8859-3", "iso8859-3", "latin3", "l3"]),
    ("ISO-8859-4", ["iso-8859-4", "iso8859-4", "latin4", "l4"]),
    ("WINDOWS-1251", ["windows-1251", "cp1251", "x-cp1251"]),
    ("ISO-8859-5", ["iso-8859-5", "iso8859-5", "iso_8859-5", "cyrillic", "csisolatincyrillic"]),
    ("KOI8-R", ["koi8-r", "koi8", "koi", "koi8_r", "cskoi8r"]), ("KOI8-U", ["koi8-u", "koi8-ru"]),
    ("CP866", ["ibm866", "866", "cp866", "csibm866"]), ("MAC-CYRILLIC", ["x-mac-cyrillic", "x-mac-ukrainian"]),
    ("WINDOWS-1253", ["windows-1253", "cp1253", "x-cp1253"]),
    (
      "ISO-8859-7",
      ["iso-8859-7", "iso8859-7", "iso_8859-7", "greek", "greek8", "ecma-118", "elot_928", "sun_eu_greek"]
    ),
    ("WINDOWS-1254", ["windows-1254", "cp1254", "x-cp1254", "iso-8859-9", "iso8859-9", "latin5", "l5", "csisolatin5"]),
    ("WINDOWS-1255", ["windows-1255", "cp1255", "x-cp1255"]),
    ("ISO-8859-8", ["iso-8859-8", "iso8859-8", "iso-8859-8-i", "iso-8859-8-e", "hebrew", "visual", "logical"]),
    ("WINDOWS-1256", ["windows-1256", "cp1256", "x-cp1256"]),
    ("ISO-8859-6", ["iso-8859-6", "iso8859-6", "arabic", "asmo-708", "ecma-114"]),
    ("WINDOWS-1257", ["windows-1257", "cp1257", "x-cp1257"]), ("WINDOWS-1258", ["windows-1258", "cp1258", "x-cp1258"]),
    ("ISO-8859-10", ["iso-8859-10", "iso8859-10", "latin6", "l6"]), ("ISO-8859-13", ["iso-8859-13", "iso8859-13"]),
    ("ISO-8859-14", ["iso-8859-14", "iso8859-14"]), ("ISO-8859-15", ["iso-8859-15", "iso8859-15", "latin9", "l9"]),
    ("ISO-8859-16", ["iso-8859-16"]), ("MACINTOSH", ["macintosh", "mac", "x-mac-roman", "csmacintosh"]),
    ("CP874", ["windows-874", "dos-874", "tis-620", "iso-8859-11", "iso8859-11"]),
    ("GB18030", ["gb18030", "gbk", "gb2312", "gb_2312", "gb_2312-80", "x-gbk", "chinese", "csgb2312", "iso-ir-58"]),
    ("BIG5-HKSCS", ["big5", "big5-hkscs", "cn-big5", "x-x-big5", "csbig5"]),
    ("CP932", ["shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "ms932", "windows-31j", "csshiftjis"]),
    ("EUC-JP", ["euc-jp", "x-euc-jp", "cseucpkdfmtjapanese"]), ("ISO-2022-JP", ["iso-2022-jp", "csiso2022jp"]),
    (
      "CP949",
      [
        "euc-kr", "ks_c_5601-1987", "ks_c_5601-1989", "ksc5601", "ksc_5601", "windows-949", "korean", "cseuckr",
        "csksc56011987", "iso-ir-149",
      ]
    ),
  ]
}
