import MediaStore
import TweetCore
import TweetNet

extension LinkKind {
  /// What shows the kind: the value of `link_kind_by`.
  enum Evidence: String, Sendable {
    case contentType = "content-type"
    case disposition = "content-disposition"
    case fileExtension = "extension"
    case host, scheme
  }

  struct Finding: Equatable, Sendable {
    var kind: LinkKind
    var evidence: Evidence
  }

  /// - Returns: `nil` when nothing shows the kind, as for a dead link to a plain page.
  static func find(_ result: LinkResult) -> Finding? {
    let addresses = result.addresses
    let suffix = addresses.lazy.compactMap { fileExtension(of: $0.path) }.compactMap { kind(ofExtension: $0) }.first
    // The header of an error page says nothing about what was linked.
    if result.verdict.isGood, let finding = finding(of: result, addresses, suffix) { return finding }
    if let suffix { return Finding(kind: suffix, evidence: .fileExtension) }
    if let kind = kind(ofHosts: addresses) { return Finding(kind: kind, evidence: .host) }
    if let scheme = scheme(of: result.unwoundURL), MusicServices.schemes.contains(scheme) {
      return Finding(kind: .music, evidence: .scheme)
    }
    guard result.verdict.isGood else { return nil }
    if result.isAttachment { return Finding(kind: .download, evidence: .disposition) }
    return result.contentType.map {
      Finding(kind: downloadTypes.contains($0) ? .download : .other, evidence: .contentType)
    }
  }

  /// What the header of an answer shows; `nil` if that is nothing.
  /// - Parameter suffix: the kind that the URL's extension shows.
  private static func finding(of result: LinkResult, _ addresses: [WebAddress], _ suffix: LinkKind?) -> Finding? {
    let named = result.fileName.flatMap(fileExtension(of:)).flatMap(kind(ofExtension:))
    switch result.contentType.map(evidence(ofType:)) ?? .none {
    case .sure(let kind): return Finding(kind: kind, evidence: .contentType)
    case .either(let kind, let alternatives):
      if let named, alternatives.contains(named) { return Finding(kind: named, evidence: .disposition) }
      if let suffix, alternatives.contains(suffix) { return Finding(kind: suffix, evidence: .fileExtension) }
      return Finding(kind: kind, evidence: .contentType)
    case .page:
      // A page that is to be saved is not shown.
      if result.isAttachment { return Finding(kind: named ?? .download, evidence: .disposition) }
      if let kind = kind(ofHosts: addresses) { return Finding(kind: kind, evidence: .host) }
      return Finding(kind: .page, evidence: .contentType)
    case .none: return named.map { Finding(kind: $0, evidence: .disposition) }
    }
  }

  private enum TypeEvidence {
    case sure(LinkKind)
    /// The first kind, unless the file's extension says one of the others.
    case either(LinkKind, [LinkKind])
    /// HTML: a page, unless its host is one of a music or video service.
    case page
    /// The type says nothing, as `application/octet-stream` does.
    case none
  }

  private static func evidence(ofType type: String) -> TypeEvidence {
    if let known = knownTypes[type] { return known }
    switch type.prefix(while: { $0 != "/" }) {
    case "audio": return .sure(speechTypes.contains(type) ? .audio : .music)
    case "video": return .sure(.video)
    case "image": return .sure(.image)
    case "text": return .sure(.document)
    default:
      let isOffice = officeTypes.contains { type.hasPrefix($0) }
      return isOffice ? .sure(.document) : .none
    }
  }

  /// Types whose name does not say what they are. Sources: IANA's media types, shared-mime-info 2.2.
  private static let knownTypes: [String: TypeEvidence] = [
    // Servers that do not know an extension send its files as text.
    "text/plain": .either(.document, [.music, .audio, .playlist, .video, .image, .feed, .archive, .download]),
    "text/html": .page, "application/xhtml+xml": .page,
    // Ogg and MP4 contain sound or pictures or both, whatever type a server sends.
    "application/ogg": .either(.music, [.video]), "application/x-ogg": .either(.music, [.video]),
    "video/ogg": .either(.video, [.music]), "video/mp4": .either(.video, [.music, .audio]),
    "audio/mp4": .either(.music, [.audio]), "audio/x-m4a": .either(.music, [.audio]),
    "video/x-ms-asf": .either(.video, [.music, .playlist]),
    // HLS is mostly video. Only the types in audio/ say that it is sound.
    "application/vnd.apple.mpegurl": .sure(.video), "application/x-mpegurl": .either(.video, [.playlist]),
    "audio/mpegurl": .sure(.playlist), "audio/x-mpegurl": .sure(.playlist), "application/m3u": .sure(.playlist),
    "audio/scpls": .sure(.playlist), "audio/x-scpls": .sure(.playlist), "application/pls": .sure(.playlist),
    "application/pls+xml": .sure(.playlist), "application/xspf+xml": .sure(.playlist),
    "application/x-xspf+xml": .sure(.playlist), "application/smil": .sure(.playlist),
    "application/smil+xml": .sure(.playlist), "application/x-cue": .sure(.playlist),
    "audio/x-ms-asx": .sure(.playlist), "application/x-ms-asx": .sure(.playlist), "application/ram": .sure(.playlist),
    "application/vnd.rn-realmedia": .either(.music, [.video]), "application/x-shorten": .sure(.music),
    "application/pdf": .sure(.document), "application/postscript": .sure(.document),
    "application/rtf": .sure(.document), "application/epub+zip": .sure(.document),
    "application/msword": .sure(.document), "application/json": .sure(.document),
    "application/atom+xml": .sure(.feed), "application/rss+xml": .sure(.feed), "application/feed+json": .sure(.feed),
    "text/xml": .either(.document, [.feed, .playlist]), "application/xml": .either(.document, [.feed, .playlist]),
    "application/zip": .sure(.archive), "application/x-zip-compressed": .sure(.archive),
    "application/gzip": .sure(.archive), "application/x-gzip": .sure(.archive), "application/x-tar": .sure(.archive),
    "application/x-7z-compressed": .sure(.archive), "application/vnd.rar": .sure(.archive),
    "application/x-rar-compressed": .sure(.archive), "application/x-bzip2": .sure(.archive),
    "application/x-xz": .sure(.archive), "application/zstd": .sure(.archive),
  ]

  /// What browsers save, and show in no other way.
  private static let downloadTypes: Set<String> = [
    "application/octet-stream", "binary/octet-stream", "application/x-msdownload", "application/x-msi",
    "application/vnd.microsoft.portable-executable", "application/vnd.debian.binary-package", "application/x-rpm",
    "application/vnd.android.package-archive", "application/x-apple-diskimage", "application/x-iso9660-image",
    "application/x-bittorrent", "application/java-archive", "application/x-executable",
  ]

  private static let officeTypes = [
    "application/vnd.openxmlformats-officedocument", "application/vnd.oasis.opendocument", "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint", "application/vnd.ms-word",
  ]

  private static let speechTypes: Set<String> = [
    "audio/amr", "audio/amr-wb", "audio/gsm", "audio/x-gsm", "audio/speex", "audio/x-speex", "audio/vnd.audible",
    "audio/x-pn-audibleaudio",
  ]

  /// The extension of the last path segment, in lower case. Host names and queries are not looked at, because they end
  /// in `.it`, `.mod` and `.ra` too.
  static func fileExtension(of path: String) -> String? {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let name = path[(slash.map(path.utf8.index(after:)) ?? path.startIndex)...]
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return nil }
    let suffix = name[name.index(after: dot)...].lowercased()
    return suffix.isEmpty || suffix.utf8.count > 8 ? nil : suffix
  }

  private static func kind(ofExtension suffix: String) -> LinkKind? {
    for (kind, suffixes) in extensions where suffixes.contains(suffix) { return kind }
    return nil
  }

  /// Module files (`mod`, `it`, `xm`, `sid`) are left out: these extensions mean other things more often than music.
  private static let extensions: [(LinkKind, Set<String>)] = [
    (
      .music,
      [
        "mp3", "mpga", "mp2", "m4a", "m4r", "f4a", "aac", "adts", "ogg", "oga", "opus", "flac", "wav", "aif", "aiff",
        "aifc", "au", "snd", "wma", "ra", "mka", "weba", "mpc", "mp+", "mpp", "ape", "wv", "tta", "shn", "ac3", "dts",
        "mid", "midi", "kar", "s3m", "dsf", "dff", "caf",
      ]
    ),
    (.audio, ["amr", "awb", "spx", "gsm", "3ga", "m4b", "aax"]),
    (.playlist, ["m3u", "pls", "xspf", "asx", "wax", "cue", "ram", "smil", "pla", "b4s"]),
    (.video, ["mp4", "m4v", "webm", "mkv", "mov", "avi", "ogv", "mpg", "mpeg", "wmv", "flv", "3gp", "m3u8", "mpd"]),
    (.image, ["jpg", "jpeg", "png", "gif", "webp", "avif", "svg", "bmp", "tif", "tiff", "heic"]),
    (.document, ["pdf", "ps", "epub", "doc", "docx", "odt", "rtf", "txt", "csv", "xls", "xlsx", "ods", "ppt", "pptx"]),
    (.feed, ["rss", "atom"]), (.archive, ["zip", "tar", "gz", "tgz", "bz2", "xz", "txz", "zst", "7z", "rar"]),
    (.download, ["exe", "msi", "dmg", "pkg", "deb", "rpm", "apk", "ipa", "appimage", "iso", "jar", "torrent"]),
    (.page, ["html", "htm", "xhtml", "php", "asp", "aspx", "jsp"]),
  ]

  private static func kind(ofHosts addresses: [WebAddress]) -> LinkKind? {
    addresses.lazy.compactMap { MusicServices.kind(of: $0) ?? VideoServices.kind(of: $0) }.first
  }

  /// The scheme of a URL of any kind, in lower case; `nil` when there is none.
  static func scheme(of url: String) -> String? {
    guard let colon = url.firstIndex(of: ":") else { return nil }
    let scheme = url[..<colon].lowercased()
    let isName = scheme.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || byte.isASCIIDigit || "+-.".utf8.contains(byte)
    }
    return isName && scheme.first?.isLetter == true ? scheme : nil
  }
}
