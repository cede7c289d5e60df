import TweetNet

/// Where music is on the web: hosts and URI schemes, and what one piece of it is called, whichever of a service's URLs
/// leads to it.
///
/// Facts from MusicBrainz' link types, yt-dlp's extractors and the services' own documentation, as of 2026. General
/// shorteners (`apple.co`, `smarturl.it`) are left out: they lead anywhere, and what counts is where a link ends.
enum MusicPlaces {
  /// Of links that players take over, without http.
  static let schemes: Set<String> = [
    "itms", "itmss", "music", "musics", "spotify", "deezer", "tidal", "soundcloud", "rhapsody", "mms", "mmsh", "mmst",
    "icy", "icyx", "pnm", "uvox",
  ]

  /// The host, and every host below it, plays or sells music.
  private static let hosts: Set<String> = [
    "soundcloud.com", "snd.sc", "open.spotify.com", "play.spotify.com", "spotify.link", "spoti.fi", "bandcamp.com",
    "music.apple.com", "itunes.apple.com", "itun.es", "music.youtube.com", "mixcloud.com", "audiomack.com", "audius.co",
    "deezer.com", "deezer.page.link", "tidal.com", "pandora.com", "pandora.app.link", "napster.com", "rhapsody.com",
    "qobuz.com", "beatport.com", "traxsource.com", "juno.co.uk", "boomkat.com", "7digital.com", "zdigital.com.au",
    "jamendo.com", "freemusicarchive.org", "dogmazic.net", "last.fm", "hypem.com", "reverbnation.com", "purevolume.com",
    "genius.com", "discogs.com", "anghami.com", "boomplay.com", "jiosaavn.com", "gaana.com", "kkbox.com", "kkbox.fm",
    "melon.com", "music.bugs.co.kr", "m.bugs.co.kr", "genie.co.kr", "vibe.naver.com", "music-flo.com", "music.line.me",
    "awa.fm", "mora.jp", "ototoy.jp", "recochoku.jp", "e-onkyo.com", "music.163.com", "y.qq.com", "kuwo.cn",
    "music.migu.cn", "zvuk.com", "piapro.jp", "nts.live", "hearthis.at", "song.link", "album.link", "odesli.co",
    "lnk.to", "fanlink.to", "ffm.to", "orcd.co", "hyperfollow.com", "toneden.io",
  ]

  /// `music.amazon.TLD` and `music.yandex.TLD`: the last part is the country's.
  private static let countryHosts = ["music.amazon.", "music.yandex."]

  /// Sound, but spoken or noise: radio, podcasts, voice notes, audio books.
  private static let soundHosts: Set<String> = [
    "podcasts.apple.com", "librivox.org", "tunein.com", "tun.in", "radiko.jp", "iheart.com", "audioboom.com",
    "freesound.org", "vocaroo.com", "clyp.it", "whyp.it", "chirb.it", "podcasts.google.com", "pca.st",
  ]

  static func kind(of address: WebAddress) -> LinkKind? {
    let parts = address.path.split(separator: "/")
    if Hosts.match(address.host, soundHosts) { return .audio }
    if Hosts.match(address.host, ["open.spotify.com"]), parts.contains(where: { $0 == "episode" || $0 == "show" }) {
      return .audio
    }
    let isMusic =
      Hosts.match(address.host, hosts) || countryHosts.contains { address.host.hasPrefix($0) }
      || Hosts.match(address.host, ["amazon.com"]) && parts.first == "music"
    guard isMusic else { return nil }
    return parts.contains { playlistParts.contains(String($0)) } ? .playlist : .music
  }

  private static let playlistParts: Set<String> = ["playlist", "playlists", "sets"]

  /// A name for one track, album, artist or list that is the same for every URL of it: `spotify:track:ID`,
  /// `youtube:ID`, `apple:album:ID`, `deezer:track:ID`, `tidal:track:ID`, `soundcloud:USER/TRACK`,
  /// `bandcamp:ARTIST/track/NAME`. `nil` where the URL does not name one.
  static func identifier(of url: String) -> String? {
    if LinkKind.scheme(of: url) == "spotify" { return spotify(url.split(separator: ":").dropFirst().map(String.init)) }
    guard let address = WebAddress(url) else { return nil }
    let parts = address.path.split(separator: "/").map(String.init)
    switch Hosts.bare(address.host) {
    case "open.spotify.com", "play.spotify.com": return spotify(parts)
    case "music.youtube.com": return youTube(address, parts)
    case "music.apple.com", "itunes.apple.com": return apple(address, parts)
    case "deezer.com": return numbered("deezer", parts, ["track", "album", "artist", "playlist"])
    case "tidal.com", "listen.tidal.com": return numbered("tidal", parts, ["track", "album", "artist"])
    case "soundcloud.com": return soundCloud(parts)
    default: return bandcamp(address.host, parts)
    }
  }

  /// `track/ID`, also behind a region (`intl-de/track/ID`), a user (`user/NAME/playlist/ID`) or `embed`.
  private static func spotify(_ parts: [String]) -> String? {
    let kinds: Set<String> = ["track", "album", "artist", "playlist", "episode", "show"]
    guard let at = parts.firstIndex(where: kinds.contains), at + 1 < parts.count else { return nil }
    let id = parts[at + 1]
    return isPlain(id) ? "spotify:\(parts[at]):\(id)" : nil
  }

  private static func youTube(_ address: WebAddress, _ parts: [String]) -> String? {
    let query = Query(address.query)
    if parts.first == "watch", let id = query["v"], isPlain(id) { return "youtube:\(id)" }
    if parts.first == "playlist", let id = query["list"], isPlain(id) { return "youtube:playlist:\(id)" }
    return nil
  }

  /// `/us/album/NAME/ID?i=TRACK`; older URLs write `idNUMBER`.
  private static func apple(_ address: WebAddress, _ parts: [String]) -> String? {
    if let track = Query(address.query)["i"], isNumber(track) { return "apple:song:\(track)" }
    guard let kind = parts.first(where: { ["album", "song", "artist", "playlist"].contains($0) }),
      let last = parts.last
    else { return nil }
    let id = last.hasPrefix("id") ? String(last.dropFirst(2)) : last
    return isNumber(id) || kind == "playlist" && isPlain(id) ? "apple:\(kind):\(id)" : nil
  }

  private static func numbered(_ service: String, _ parts: [String], _ kinds: [String]) -> String? {
    guard let at = parts.firstIndex(where: kinds.contains), at + 1 < parts.count, isNumber(parts[at + 1]) else {
      return nil
    }
    return "\(service):\(parts[at]):\(parts[at + 1])"
  }

  private static func soundCloud(_ parts: [String]) -> String? {
    guard parts.count >= 2, parts.allSatisfy(isPlain), !soundCloudPages.contains(parts[0]) else { return nil }
    return "soundcloud:" + parts.prefix(parts[1] == "sets" ? 3 : 2).joined(separator: "/")
  }

  private static let soundCloudPages: Set<String> = ["discover", "search", "stream", "you", "pages", "charts", "tags"]

  private static func bandcamp(_ host: String, _ parts: [String]) -> String? {
    let suffix = ".bandcamp.com"
    guard host.hasSuffix(suffix), parts.count == 2, parts[0] == "track" || parts[0] == "album", isPlain(parts[1]) else {
      return nil
    }
    return "bandcamp:\(host.dropLast(suffix.count))/\(parts[0])/\(parts[1])"
  }

  private static func isNumber(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Nothing in it that could be taken for a part of the identifier around it.
  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 200
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || "-_.".utf8.contains(byte)
      }
  }
}

/// The few places whose pages are a video.
enum VideoPlaces {
  static func kind(of address: WebAddress) -> LinkKind? {
    let parts = address.path.split(separator: "/")
    guard let first = parts.first else { return nil }
    switch Hosts.bare(address.host) {
    case "youtu.be", "dai.ly": return .video
    case "vimeo.com": return first.allSatisfy(\.isNumber) ? .video : nil
    case "youtube.com": return ["watch", "shorts", "live", "embed"].contains(first) ? .video : nil
    case "dailymotion.com": return first == "video" ? .video : nil
    case "nicovideo.jp": return first == "watch" ? .video : nil
    case "bilibili.com": return first == "video" ? .video : nil
    case "tiktok.com": return parts.contains("video") ? .video : nil
    case "twitch.tv": return first == "videos" || parts.contains("clip") ? .video : nil
    default: return nil
    }
  }
}

/// How hosts are compared.
enum Hosts {
  /// Without the labels that say for whom a page is laid out.
  static func bare(_ host: String) -> String {
    for label in ["www.", "m.", "mobile."] where host.hasPrefix(label) { return String(host.dropFirst(label.count)) }
    return host
  }

  /// Whether the host, or one it is below, is in the set.
  static func match(_ host: String, _ set: Set<String>) -> Bool {
    var rest = host[...]
    while true {
      if set.contains(String(rest)) { return true }
      guard let dot = rest.firstIndex(of: ".") else { return false }
      rest = rest[rest.index(after: dot)...]
    }
  }
}
