/// The targets of the demo's links: one of each kind of link that a link checker meets.
///
/// | path | what |
/// |---|---|
/// | `/articles/NAME` | a page with a title |
/// | `/go/1` | 302, 301, 307, then a page: three redirects, as of shorteners |
/// | `/archive/NAME` | 404 |
/// | `/audio/NAME.mp3` | `audio/mpeg` |
/// | `/slow/NAME` | a page after 3 s |
/// | `/members/NAME` | HEAD gives 405, GET a page |
/// | `/loop/NAME` | redirects without end |
enum LinkTargets {
  private static let articles = [
    "small-tools": "Small tools, long pipes",
    "utf-8-by-hand": "Reading UTF-8 by hand <and living to tell>",
    "reproducible": "Builds you can repeat & trust",
    "sqlite-wal": "What the write-ahead log does while you sleep",
    "one-record-a-line": "One record a line: a format that will outlive us",
    "static-linking": "Static linking, measured",
    "sourdough": "Sourdough for people who forget things",
  ]
  private static let delay: Duration = .seconds(3)

  static func answer(_ request: ServerRequest) async -> ServerResponse {
    let path = request.path
    guard path.count == 2 else { return Page.notFound }
    let name = path[1]
    switch path[0] {
    case "articles":
      guard let title = articles[name] else { return Page.notFound }
      return Page.html(title, "An article that is worth its link.")
    case "go":
      switch name {
      case "1": return redirect(302, "/go/2")
      case "2": return redirect(301, "/go/3")
      case "3": return redirect(307, "/articles/reproducible")
      default: return Page.notFound
      }
    case "audio":
      return tracks.contains(name)
        ? ServerResponse(status: 200, type: "audio/mpeg", body: silence) : Page.notFound
    case "slow":
      // Cancelled only when the service ends.
      try? await Task.sleep(for: delay)
      return Page.html("The whole report", "Thank you for your patience.")
    case "members":
      if request.method == "HEAD" { return Page.methodNotAllowed(allowed: "GET") }
      return Page.html("Members' page", "This page answers GET only.")
    case "loop": return redirect(302, name == "mirror" ? "/loop/rorrim" : "/loop/mirror")
    default: return Page.notFound
    }
  }

  private static func redirect(_ status: Int, _ location: String) -> ServerResponse {
    ServerResponse(status: status, headers: [("location", location)])
  }

  // MARK: Sound

  private static let tracks = ["night-radio-12.mp3", "kettle-drum.mp3"]
  /// Together about one second.
  private static let frameCount = 38

  /// Silence: MPEG-1 layer III frames at 128 kbit/s and 44.1 kHz, with side information of zeros.
  private static let silence: [UInt8] = {
    let frame = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413)
    return Array(repeatElement(frame, count: frameCount).joined())
  }()
}
