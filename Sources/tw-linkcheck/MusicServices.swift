import MediaStore
import TweetCore
import TweetNet

/// The hosts and URI schemes of music services, and one identifier for all URLs of the same piece.
///
/// The facts are from MusicBrainz' link types, yt-dlp's extractors and the services' own documentation, as of 2026.
/// General shorteners (`apple.co`, `smarturl.it`) are left out: they lead anywhere, and the end of a link counts.
enum MusicServices {
  /// The schemes of links that a player opens, without http. Sources: the scheme handlers of VLC and Totem, and the
  /// applications of the services.
  static let schemes: Set<String> = [
    "itms", "itmss", "itms-podcasts", "itms-podcastss", "music", "musics", "spotify", "deezer", "tidal", "soundcloud",
    "rhapsody", "mms", "mmsh", "mmst", "rtsp", "rtmp", "rtp", "icy", "icyx", "pnm", "uvox",
  ]

  private enum Content { case music, sound }

  /// What these hosts, and every host below them, play or sell.
  private static let hosts: [Substring: Content] = {
    var contents: [Substring: Content] = [:]
    for host in musicHosts { contents[Substring(host)] = .music }
    for host in soundHosts { contents[Substring(host)] = .sound }
    return contents
  }()

  private static let musicHosts = [
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

  /// `music.amazon.TLD` and `music.yandex.TLD`, with the domain of a country.
  private static let countryHosts = ["music.amazon.", "music.yandex."]

  /// Sound that is not music: radio, podcasts, voice notes, audio books.
  private static let soundHosts = [
    "podcasts.apple.com", "librivox.org", "tunein.com", "tun.in", "radiko.jp", "iheart.com", "audioboom.com",
    "freesound.org", "vocaroo.com", "clyp.it", "whyp.it", "chirb.it", "podcasts.google.com", "pca.st",
  ]

  static func kind(of address: WebAddress) -> LinkKind? {
    let host = address.host
    let content = Hosts.find(host, in: hosts)
    if content == .sound { return .audio }
    let isShop = content == nil && (host == "amazon.com" || host.hasSuffix(".amazon.com"))
    guard content == .music || isShop || countryHosts.contains(where: host.hasPrefix) else { return nil }
    let parts = address.path.split(separator: "/")
    if isShop, parts.first != "music" { return nil }
    let isSpoken = parts.contains { $0 == "episode" || $0 == "show" }
    if isSpoken, host == "open.spotify.com" || host.hasSuffix(".open.spotify.com") { return .audio }
    return parts.contains { playlistParts.contains(String($0)) } ? .playlist : .music
  }

  private static let playlistParts: Set<String> = ["playlist", "playlists", "sets"]

  /// The identifier of a track, album, artist or list, the same for every URL of it: `spotify:track:ID`, `youtube:ID`,
  /// `apple:album:ID`, `deezer:track:ID`, `tidal:track:ID`, `soundcloud:USER/TRACK`, `bandcamp:ARTIST/track/NAME`.
  /// `nil` when the URL does not name one.
  static func identifier(of url: String) -> String? {
    if LinkKind.scheme(of: url) == "spotify" { return spotify(url.split(separator: ":").dropFirst().map(String.init)) }
    return WebAddress(url).flatMap(identifier(of:))
  }

  static func identifier(of address: WebAddress) -> String? {
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

  /// `track/ID`, also after a region (`intl-de/track/ID`), a user (`user/NAME/playlist/ID`) or `embed`.
  private static func spotify(_ parts: [String]) -> String? {
    let kinds: Set<String> = ["track", "album", "artist", "playlist", "episode", "show"]
    guard let at = parts.firstIndex(where: kinds.contains), at + 1 < parts.count else { return nil }
    let id = parts[at + 1]
    return isPlain(id) ? "spotify:\(parts[at]):\(id)" : nil
  }

  private static func youTube(_ address: WebAddress, _ parts: [String]) -> String? {
    let query = URLQuery(address.query)
    if parts.first == "watch", let id = query["v"], isPlain(id) { return "youtube:\(id)" }
    if parts.first == "playlist", let id = query["list"], isPlain(id) { return "youtube:playlist:\(id)" }
    return nil
  }

  /// `/us/album/NAME/ID?i=TRACK`; in older URLs the id is `idNUMBER`.
  private static func apple(_ address: WebAddress, _ parts: [String]) -> String? {
    if let track = URLQuery(address.query)["i"], isNumber(track) { return "apple:song:\(track)" }
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
    !text.isEmpty && text.utf8.allSatisfy(\.isASCIIDigit)
  }

  /// Whether it is safe as a part of an identifier: no colon, slash or other special character.
  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 200
      && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.".utf8.contains($0) }
  }
}
