import Foundation
import TestSupport
import Testing

/// Pictures of authors, on terminals that answer as kitty, xterm and others do. script(1) makes the terminal; the test
/// reads what is written to it, and answers.
@Suite(.onOwnThread) struct RenderPictureTests {
  static let key = "ab" + String(repeating: "0123456789abcdef", count: 4).dropLast(2)
  static let hasLibraries = dlopen("libchafa.so.0", RTLD_LAZY) != nil && dlopen("libspng.so.0", RTLD_LAZY) != nil
  static let note: Comment = "needs libchafa and libspng"
  private static let kitty = "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}P>|kitty(0.26.5)\u{1B}\\\u{1B}[?62;c"
  private static let vt340 = "\u{1B}P>|XTerm(379)\u{1B}\\\u{1B}[?63;1;2;4;6;9;15;16;22;28c"
  private static let tmux = "\u{1B}P>|tmux 3.3a\u{1B}\\\u{1B}[?1;2c"

  private let home: TemporaryDirectory

  init() throws {
    home = try TemporaryDirectory()
    let folder = "/.local/share/tw/thumbnails/ab"
    try FileManager.default.createDirectory(atPath: home.path + folder, withIntermediateDirectories: true)
    try home.write("\(folder)/\(Self.key).png", PNGPicture(64, 64).bytes)
    try home.write("records", Self.tweet(1) + Self.tweet(2, picture: false) + Self.tweet(3))
  }

  private static func tweet(_ id: Int, _ text: String = "hello", picture: Bool = true) -> String {
    let avatar = picture ? #","avatar":{"key":"\#(key)","type":"image/png"}"# : ""
    return
      #"{"tw":"tweet","id":"\#(id)","service":"x","text":"\#(text)","author":{"id":"2","username":"jack"\#(avatar)}}"#
      + "\n"
  }

  /// A shell on a terminal, 60 columns wide.
  private func terminal(_ script: String, environment: [String: String] = [:]) throws -> RunningTool {
    try home.write("script.sh", "stty cols 60 rows 24\n" + script + "\n")
    return try RunningTool(
      "/usr/bin/script", ["-qec", "/bin/bash script.sh", "/dev/null"],
      environment: ["TERM": "xterm-256color"].merging(environment) { $1 }, home: home)
  }

  /// What is written to a terminal that answers so.
  private func shown(_ answer: String, _ options: String = "", environment: [String: String] = [:]) throws -> String {
    let terminal = try terminal(
      "tw-render \(options) records; stty -a; read -t 0.2 -r x; echo \"<$x>\"", environment: environment)
    try terminal.waitForOutput(containing: "\u{1B}[c")
    terminal.send(ToolInput(answer))
    try terminal.waitForOutput(containing: ">\r\n")
    let output = try terminal.finish().output.replacing("\r\n", with: "\n")
    // The terminal is as it was, and nothing is left for the shell.
    #expect(output.contains(" icanon ") && output.contains(" echo ") && output.hasSuffix("<>\n"), "\(output)")
    return output
  }

  @Test func kittyShowsAPictureThatItWasSent() throws {
    let output = try shown(Self.kitty)
    #expect(output.ranges(of: "\u{1B}_Ga=T,f=100,").count == 1 && output.ranges(of: "\u{1B}_Ga=p,").count == 1)
    // The rows are made before the picture, and its cells are not written on.
    #expect(output.contains("\n\n\n\u{1B}[3A\u{1B}_Ga=T,"))
    #expect(output.contains("\u{1B}\\\u{1B}[8C"))
    // The author without a picture has initials as large as it.
    #expect(output.contains(";48;5;") && output.contains("m  J   \u{1B}[0m  "), "\(output.debugDescription)")
  }

  /// A terminal whose screen is cleared has forgotten the pictures on it.
  @Test func kittyIsSentAPictureAgainAfterItsScreenWasCleared() throws {
    try home.write("records", Self.tweet(1) + ##"{"tw":"query","feed":"#swift"}"## + "\n" + Self.tweet(2))
    let output = try shown(Self.kitty)
    #expect(output.contains("\u{1B}[2J") && output.ranges(of: "\u{1B}_Ga=T,f=100,").count == 2)
  }

  @Test func wezTermShowsAPicture() throws {
    let output = try shown("\u{1B}P>|WezTerm 20240203\u{1B}\\\u{1B}[?65;4;6;18;22c")
    #expect(output.ranges(of: "\u{1B}]1337;File=inline=1;").count == 2)
  }

  @Test(.enabled(if: hasLibraries, note))
  func xtermShowsASixel() throws {
    let output = try shown(Self.vt340)
    #expect(output.ranges(of: "\u{1B}7\u{1B}P0;1;0q\"1;1;60;60#").count == 2, "\(output.debugDescription.prefix(2000))")
  }

  @Test(.enabled(if: hasLibraries, note), arguments: [tmux, "\u{1B}[?6c"])
  func othersShowSymbols(_ answer: String) throws {
    let output = try shown(answer)
    #expect(output.contains("▀") && !output.contains("\u{1B}_Ga=T") && !output.contains("\u{1B}P0;1;0q"))
  }

  /// Nobody is asked where it would do harm.
  @Test(
    .enabled(if: hasLibraries, note),
    arguments: [
      ["TMUX": "/tmp/x,1,0"], ["TERM": "tmux-256color"], ["TERM": "screen-256color"], ["NO_COLOR": "1"],
      ["TERM": "dumb"], ["TERM": "linux"],
    ])
  func someTerminalsAreNotAsked(_ environment: [String: String]) throws {
    let output = try terminal("tw-render records", environment: environment).finish().output
    #expect(!output.contains("\u{1B}[c") && output.contains("hello"))
    let hasColours = environment["NO_COLOR"] == nil && !["dumb", "linux"].contains(environment["TERM"])
    #expect(output.contains("▀") == hasColours, "\(output)")
  }

  /// Without pictures nobody is asked either, and all is as if there were none.
  @Test func withoutPicturesNobodyIsAsked() throws {
    try FileManager.default.removeItem(atPath: home.path + "/.local/share/tw/thumbnails")
    try home.write("records", Self.tweet(1, picture: false))
    let output = try terminal("tw-render records").finish().output
    #expect(!output.contains("\u{1B}[c"))
    #expect(output.contains(" J  \u{1B}[0m  \u{1B}[1mjack"), "\(output.debugDescription)")
  }

  /// A terminal that answers late, or never: what it sends does not become the input of the shell.
  @Test(arguments: ["", kitty])
  func aLateAnswerIsThrownAway(_ answer: String) throws {
    let terminal = try terminal("tw-render --format text records; echo END; stty -a; read -t 0.2 -r x; echo \"<$x>\"")
    // The tweets come without the answer.
    try terminal.waitForOutput(containing: "hello")
    terminal.send(ToolInput(answer))
    let output = try terminal.finish().output.replacing("\r\n", with: "\n")
    #expect(!output.contains("\u{1B}_Ga=T") && !output.contains("OK"))
    #expect(output.contains(" icanon ") && output.contains(" echo ") && output.hasSuffix("<>\n"), "\(output)")
  }

  /// Ctrl-C while nothing has answered yet.
  @Test func anInterruptedQuestionLeavesTheTerminalAsItWas() throws {
    let terminal = try terminal("trap : INT; tw-render records; stty -a; echo \"ended\"")
    try terminal.waitForOutput(containing: "\u{1B}[c")
    terminal.send(ToolInput("\u{03}"))
    let output = try terminal.finish().output
    #expect(output.contains(" icanon ") && output.contains(" echo ") && output.contains("ended"), "\(output)")
  }

  /// Who has typed ahead keeps it: the terminal is not asked then.
  @Test func whatIsTypedAheadIsKept() throws {
    let terminal = try terminal("mkfifo go; echo READY; cat go; tw-render records; read -r x; echo \"<$x>\"")
    try terminal.waitForOutput(containing: "READY")
    terminal.send("typed\n")
    try terminal.waitForOutput(containing: "typed")
    try FileHandle(forWritingTo: URL(fileURLWithPath: home.path + "/go")).close()
    let output = try terminal.finish().output
    #expect(output.contains("<typed>") && !output.contains("\u{1B}[c"), "\(output.debugDescription)")
  }

  /// Keys that are pressed while the terminal is asked reach the program that reads next.
  @Test(.enabled(if: mayPutInput, "needs a kernel that lets programs put input into a terminal"))
  func whatIsTypedMeanwhileIsGivenBack() throws {
    let terminal = try terminal("tw-render records; read -r x; echo \"<$x>\"; stty -a")
    try terminal.waitForOutput(containing: "\u{1B}[c")
    terminal.send("ty")
    terminal.send("\u{1B}[?6c")
    terminal.send("ped\n")
    let output = try terminal.finish().output
    #expect(output.contains("<typed>") && output.contains(" icanon "), "\(output.debugDescription)")
  }

  /// Linux: `dev.tty.legacy_tiocsti`, which older kernels do not have, or all that root may.
  private static var mayPutInput: Bool {
    let setting = try? String(contentsOfFile: "/proc/sys/dev/tty/legacy_tiocsti", encoding: .utf8)
    return setting?.hasPrefix("0") != true || geteuid() == 0
  }

  // MARK: Without a terminal

  private func rendered(_ options: [String], _ records: String? = nil, environment: [String: String] = [:]) throws
    -> ToolResult
  {
    let input = try records ?? String(decoding: home.read("records"), as: UTF8.self)
    return try Tool.run("tw-render", options, stdin: ToolInput(input), environment: environment, home: home)
  }

  @Test func filesHaveNoPictures() throws {
    for format in ["text", "detail"] {
      let plain = try rendered(["--format", format]).output
      #expect(plain.contains("[J ]  jack @jack") && !plain.contains("\u{1B}") && !plain.contains("▀"))
      #expect(try rendered(["--format", format, "--pictures", "none"]).output == plain)
    }
    #expect(try rendered(["--pictures", "kitty"]).output.contains("\u{1B}_Ga=T,f=100,"))
  }

  /// A picture that comes late is not a reason to print a tweet again; the next tweet of its author has it.
  @Test func aLatePictureIsShownWithTheNextTweet() throws {
    let records = Self.tweet(1, "first", picture: false) + Self.tweet(1, "first") + Self.tweet(2, "second")
    let output = try rendered(["--pictures", "kitty"], records).output
    #expect(output.ranges(of: "first").count == 1 && output.ranges(of: "second").count == 1)
    #expect(output.ranges(of: "\u{1B}_Ga=T,").count == 1, "\(output.debugDescription.prefix(500))")
  }

  @Test(.enabled(if: hasLibraries, note), arguments: [20, 39, 40, 41, 60, 80])
  func noRowIsWiderWithPictures(_ width: Int) throws {
    let text = String(repeating: "words 漢字漢字漢字 مرحبا بالعالم 👍🏽 ", count: 8)
    let output = try rendered(
      ["--pictures", "symbols", "--width", "\(width)"], Self.tweet(1, text) + Self.tweet(2, text, picture: false)
    ).output
    #expect(output.contains("▀") == (width >= 40))
    let rows = output.replacing(#/\u{1B}\[[0-9;]*m/#, with: "").split(separator: "\n")
    for row in rows {
      let columns = row.unicodeScalars.reduce(0) { sum, scalar in
        switch scalar.value {
        case 0x4E00...0x9FFF, 0x1F000...0x1FFFF: sum + 2
        case 0x2066...0x2069: sum
        default: sum + 1
        }
      }
      #expect(columns <= width, "\(row)")
    }
  }

  @Test func avatarsCanBeLeftOut() throws {
    let expected = try rendered(["--no-avatars"]).output
    #expect(expected.hasPrefix("jack @jack\nhello\n"), "\(expected)")
    #expect(try rendered(["--no-avatars", "--pictures", "kitty"]).output == expected)
    #expect(try rendered([], environment: ["TW_AVATARS": "off"]).output == expected)
    #expect(try rendered([], environment: ["TW_AVATARS": "no"]).ending == .status(78))
    let config = ["TW_CONFIG": try home.write("config", "avatars = off\n")]
    #expect(try rendered([], environment: config).output == expected)
  }

  @Test func aMissingLibraryIsNamedOnce() throws {
    // A library that cannot be loaded, before the one that can.
    try home.write("lib/libchafa.so.0", "")
    let environment = ["LD_LIBRARY_PATH": home.path + "/lib"]
    let result = try rendered(["--pictures", "symbols"], environment: environment)
    #expect(result.ending == .status(0) && result.output.contains("[J ]    jack @jack"), "\(result.output)")
    #expect(result.errors.ranges(of: "libchafa0").count == 1 && result.errors.split(separator: "\n").count == 1)
    #expect(try rendered(["--pictures", "symbols", "--quiet"], environment: environment).errors.isEmpty)
    // Our own writers need no library.
    #expect(try rendered(["--pictures", "iterm2"], environment: environment).errors.isEmpty)
  }

  /// The whole way: a picture that a service has, fetched, made small, and shown.
  @Test func whatTwAvatarHasFetchedIsShown() throws {
    let pipeline = "tw-stream --once --limit 3 '#swift' | tw-parse | tw-avatar | tw-render --pictures kitty"
    let result = try Tool.run("tw-local", ["--demo", "--quiet", "--", "bash", "-c", pipeline], home: home)
    #expect(result.ending == .status(0) && result.output.contains("\u{1B}_Ga=T,f=100,"), "\(result.errors)")
  }

  @Test(arguments: ["line", "csv", "ids"])
  func formatsWithoutPicturesSaySo(_ format: String) throws {
    let result = try rendered(["--format", format, "--pictures", "kitty"])
    #expect(result.ending == .status(64) && result.errors.contains("--pictures is for"))
  }

  // MARK: Photos

  private static func photo(_ more: String = "", key: String = key) -> String {
    #"{"tw":"tweet","id":"1","service":"x","text":"hello","author":{"id":"2","username":"jack"},"attachments":{"media":[{"type":"#
      + #""photo","url":"https://example.com/1.jpg","picture":{"key":"\#(key)"}}]}\#(more)}"#
  }

  @Test func photosAreShownIfAskedFor() throws {
    try home.write(".local/share/tw/thumbnails/ab/\(Self.key).png", PNGPicture(300, 150).bytes)
    #expect(try !rendered(["--pictures", "kitty"], Self.photo()).output.contains("\u{1B}_G"))
    let output = try rendered(["--pictures", "kitty", "--photos"], Self.photo()).output
    let sequence = try #require(output.firstRange(of: "\u{1B}_Ga=T,f=100,"))
    // 32 columns of 10 pixels, 8 rows of 20: the rows are made first, and those beside it stay empty.
    #expect(output.contains(",c=32,r=8,m=1;"))
    #expect(
      output[..<sequence.lowerBound].hasSuffix("hello\n" + String(repeating: "\n", count: 8) + "\u{1B}[8A        "))
    let below = String(repeating: "        \n".replacing("  \n", with: "\n"), count: 7)
    #expect(
      output.contains("\u{1B}\\\n" + below + "        [photo] https://example.com/1.jpg\n"), "\(output.suffix(300))")
    #expect(
      try rendered(["--pictures", "kitty", "--photos", "--no-avatars"], Self.photo()).output.contains("hello\n\n"))
    #expect(try !rendered(["--photos"], Self.photo()).output.contains("\u{1B}"))
  }

  @Test func photosBehindAWarningAreNotShown() throws {
    for warning in [#","possibly_sensitive":true"#, #","extra":{"spoiler_text":"spiders"}"#] {
      for format in ["text", "html"] {
        let options = ["--format", format, "--photos"] + (format == "text" ? ["--pictures", "kitty"] : [])
        let output = try rendered(options, Self.photo(warning)).output
        #expect(!output.contains("\u{1B}_G"))
        // A page hides what is behind a warning of the author until it is opened.
        #expect(
          output.contains("data:image") == (format == "html" && warning.contains("spoiler")), "\(output.suffix(900))")
      }
    }
  }

  // MARK: Pages

  @Test func aPageHasEachPictureOnce() throws {
    let page = try rendered(["--format", "html"]).output
    let picture = Data(PNGPicture(64, 64).bytes).base64EncodedString()
    #expect(page.ranges(of: picture).count == 1 && page.ranges(of: "<use href=\"#p1\"/>").count == 1)
    #expect(page.ranges(of: "<image id=\"p1\"").count == 1 && page.ranges(of: "<span class=\"face ").count == 1)
    let plain = try rendered(["--format", "html", "--pictures", "none"]).output
    #expect(!plain.contains("data:image") && plain.ranges(of: "<span class=\"face ").count == 3)
    #expect(try !rendered(["--format", "html", "--no-avatars"]).output.contains("class=\"face"))
    #expect(try rendered(["--format", "html", "--photos"], Self.photo()).output.contains(picture))
    #expect(try !rendered(["--format", "html"], Self.photo()).output.contains(picture))
  }

  @Test(arguments: ["atom", "json-feed"])
  func feedsHavePhotosIfAskedFor(_ format: String) throws {
    let picture = Data(PNGPicture(64, 64).bytes).base64EncodedString()
    #expect(try rendered(["--format", format, "--photos"], Self.photo()).output.contains(picture))
    #expect(try !rendered(["--format", format], Self.photo()).output.contains(picture))
  }

  /// Of a photo that was asked for and is not there, a reader learns why.
  @Test(arguments: ["html", "atom", "json-feed", "text"])
  func aMissingPhotoSaysWhy(_ format: String) throws {
    let options = ["--format", format, "--photos"] + (format == "text" ? ["--pictures", "kitty"] : [])
    for (picture, reason) in [(#"{"error":"http 404"}"#, "(http 404)"), ("null", "(not fetched)")] {
      let record = Self.photo().replacing(#"{"key":"\#(Self.key)"}"#, with: picture)
      #expect(try rendered(options, record).output.contains(reason))
      // Nobody asked for it.
      #expect(try !rendered(["--format", format], record).output.contains(reason))
    }
  }

  // MARK: tmux

  @Test(.enabled(if: Terminal.isAvailable && hasLibraries, "needs tmux, libchafa and libspng"))
  func tmuxShowsSymbols() throws {
    let terminal = try Terminal(
      "tw-render records; echo; echo END", columns: 60, environment: Tool.environment(home: home.path), home: home)
    let screen = try terminal.wait(for: "END")
    #expect(screen.contains("▀") && screen.contains("hello"), "\(screen)")
    // Three tweets of three rows, an empty one between them, and what the script prints.
    #expect(try terminal.rows().count == 13, "\(screen)")
  }
}
