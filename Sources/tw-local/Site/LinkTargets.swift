/// What the demo's posts link to: one of each kind of link a link checker meets.
///
/// | path | what |
/// |---|---|
/// | `/articles/NAME` | a page with a title |
/// | `/go/1` | 302, 301, 307, then a page: a shortener's three hops |
/// | `/archive/NAME` | 404 |
/// | `/audio/NAME.mp3` | `audio/mpeg`, ranges allowed |
/// | `/slow/NAME` | a page after 3 s |
/// | `/members/NAME` | HEAD gives 405, GET a page |
/// | `/loop/NAME` | redirects for ever |
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

  static func answer(_ request: HTTPRequest) async -> HTTPResponse {
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
    case "audio": return audio(request, name)
    case "slow":
      // Cancelled only when the service ends or the client has left.
      try? await Task.sleep(for: delay)
      return Page.html("The whole report", "Thank you for your patience.")
    case "members":
      if request.method == "HEAD" { return Service.methodNotAllowed("GET") }
      return Page.html("Members' page", "This page answers GET only.")
    case "loop": return redirect(302, name == "mirror" ? "/loop/rorrim" : "/loop/mirror")
    default: return Page.notFound
    }
  }

  private static func redirect(_ status: Int, _ location: String) -> HTTPResponse {
    HTTPResponse(status: status, headers: [("location", location)])
  }

  // MARK: Sound

  private static let tracks = ["night-radio-12.mp3", "kettle-drum.mp3"]
  /// About one second.
  private static let frames = 38

  /// Silence: MPEG-1 layer III frames at 128 kbit/s and 44.1 kHz whose side information is all zeros.
  private static let silence: [UInt8] = {
    let frame = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413)
    return Array(repeatElement(frame, count: frames).joined())
  }()

  private static func audio(_ request: HTTPRequest, _ name: String) -> HTTPResponse {
    guard tracks.contains(name) else { return Page.notFound }
    guard let text = request.headers["range"], let range = range(text, count: silence.count) else {
      var response = HTTPResponse(status: 200, type: "audio/mpeg", body: silence)
      response.headers.append(("accept-ranges", "bytes"))
      return response
    }
    guard !range.isEmpty else {
      return HTTPResponse(status: 416, headers: [("content-range", "bytes */\(silence.count)")])
    }
    var response = HTTPResponse(status: 206, type: "audio/mpeg", body: Array(silence[range]))
    response.headers.append(
      ("content-range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(silence.count)"))
    return response
  }

  /// `bytes=FIRST-LAST` or `bytes=FIRST-`; `nil` for any other form, which may be ignored, empty when out of bounds.
  private static func range(_ text: String, count: Int) -> Range<Int>? {
    guard text.hasPrefix("bytes=") else { return nil }
    let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Int(ends[0]), first >= 0 else { return nil }
    let last = ends[1].isEmpty ? count - 1 : Int(ends[1])
    guard let last, last >= first else { return nil }
    return first < count ? first..<min(last, count - 1) + 1 : 0..<0
  }
}
