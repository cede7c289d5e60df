import Foundation
import TestSupport
import Testing

/// Pictures in tw-browse: in tmux, and on terminals that the test plays.
@Suite(.onOwnThread) struct BrowsePictureTests: CacheSuite {
  private static let key = RenderPictureTests.key
  private static let hasLibraries: Bool = Terminal.isAvailable && RenderPictureTests.hasLibraries

  let home: TemporaryDirectory

  init() throws {
    home = try TemporaryDirectory()
    let photo =
      #","attachments":{"media":[{"type":"photo","url":"https://a.example/1.jpg","width":800,"height":400,"alt_text":"a hill","picture":{"key":"\#(Self.key)"}}]}"#
    let records = tweet(1, second: 1, text: "no picture") + tweet(2, second: 2, text: "a picture", more: photo)
    #expect(try add(records).status == 0)
  }

  private func storeThumbnail(_ bytes: [UInt8] = PNGPicture(300, 150).bytes) throws {
    let folder = "/.local/share/tw/thumbnails/ab"
    try FileManager.default.createDirectory(atPath: home.path + folder, withIntermediateDirectories: true)
    try home.write("\(folder)/\(Self.key).png", bytes)
  }

  // MARK: In tmux

  /// The rows of a photo are as many before it is there as with it, and say why it is not.
  @Test(.enabled(if: hasLibraries, "needs tmux, libchafa and libspng"))
  func aPlaceHasTheSizeOfItsPicture() throws {
    func rowBelow(_ isThere: (String) -> Bool) throws -> Int {
      let terminal = try Terminal("tw-browse --offline", columns: 120, home: home)
      let screen = try terminal.wait("the photo's place") { isThere($0) && $0.contains("[photo] a hill") }
      return try #require(try terminal.rows().firstIndex { $0.contains("[photo] a hill") }, "\(screen)")
    }
    let missing = try rowBelow { $0.contains("not cached") }
    try storeThumbnail(Array("no picture at all".utf8))
    #expect(try rowBelow { $0.contains("not cached") } == missing)
    try storeThumbnail()
    #expect(try rowBelow(Self.hasSymbols) == missing)
  }

  /// Block elements, but not that of the cursor.
  private static func hasSymbols(_ screen: String) -> Bool { screen.contains { "▀▄█▐▖▗▘▝▚▞".contains($0) } }

  /// After the terminal has another size, pictures have their places anew.
  @Test(.enabled(if: hasLibraries, "needs tmux, libchafa and libspng"))
  func picturesComeAlongWhenTheSizeChanges() throws {
    try storeThumbnail()
    let terminal = try Terminal("tw-browse --offline", columns: 120, home: home)
    try terminal.wait("beside the list") { Self.hasSymbols($0) }
    try terminal.resize(columns: 60, rows: 30)
    try terminal.wait("a list alone") { !Self.hasSymbols($0) && $0.contains("a picture") }
    try terminal.press("Enter")
    try terminal.wait("where the tweet is read") { Self.hasSymbols($0) && $0.contains("[photo] a hill") }
    try terminal.resize(columns: 30, rows: 12)
    try terminal.wait("on few columns") { $0.contains("id 2") || $0.contains("a picture") }
    try terminal.resize(columns: 140, rows: 40)
    let screen = try terminal.wait("on many") { Self.hasSymbols($0) && $0.contains("[photo] a hill") }
    #expect(screen.split(separator: "\n").allSatisfy { $0.count <= 140 })
  }

  /// Pictures that nobody has fetched are fetched by tw-avatar while the tweet is read.
  @Test(.enabled(if: hasLibraries, "needs tmux, libchafa and libspng"))
  func picturesOfTheTweetThatIsReadAreFetched() throws {
    let terminal = try Terminal(
      "tw-local --demo -- tw-browse --every 1h '#swift'", columns: 120, home: home)
    try terminal.wait("a picture") { Self.hasSymbols($0) }
    try terminal.press("q")
  }

  @Test(.enabled(if: hasLibraries, "needs tmux, libchafa and libspng"))
  func withoutTheSettingThereAreNoAuthors() throws {
    #expect(try Tool.run("tw", ["config", "set", "avatars", "off"], home: home).status == 0)
    let terminal = try Terminal("tw-browse --offline", columns: 80, home: home)
    let screen = try terminal.wait(for: "a picture")
    #expect(screen.contains("▌a picture") && screen.contains("▌JACK"), "\(screen)")
  }

  // MARK: On terminals of the test

  private func terminal(_ options: String, after command: String = "") throws -> RunningTool {
    try home.write("script.sh", "stty cols 120 rows 40\n\(command)tw-browse \(options)\necho left\n")
    return try RunningTool(
      "/usr/bin/script", ["-qec", "/bin/bash script.sh", "/dev/null"], environment: ["TERM": "xterm-256color"],
      home: home)
  }

  /// kitty is sent a picture once, and shows it by its id; one that is not in view is deleted.
  @Test func kittyHasPicturesByTheirIds() throws {
    try storeThumbnail()
    let terminal = try terminal("--offline")
    // It is asked, and the answer is not taken for keys.
    try terminal.waitForOutput(containing: "\u{1B}[c")
    terminal.send(ToolInput(Self.kitty))
    try terminal.waitForOutput(containing: "\u{1B}_Ga=t,f=100,q=2,i=")
    try terminal.waitForOutput(containing: ",c=40,r=10\u{1B}\\")
    terminal.send("j")
    try terminal.waitForOutput(containing: "\u{1B}_Ga=d,d=i,q=2,i=")
    terminal.send("k")
    try terminal.waitForOutput(containing: ",p=2,c=40,r=10\u{1B}\\")
    terminal.send("q")
    let output = try terminal.finish().output
    #expect(output.ranges(of: "a=t,f=100").count == 1 && output.contains("a=d,d=A"))
    #expect(output.hasSuffix("left\r\n") && !output.contains("no command"), "\(output.suffix(300).debugDescription)")
  }

  /// What kitty answers when it is asked what it can.
  private static let kitty = "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}P>|kitty(0.26.5)\u{1B}\\\u{1B}[6;20;10t\u{1B}[?62;c"

  /// Lists have the authors' pictures there, each sent once, though two tweets have it and the tweet that is read.
  @Test func listsHaveAuthorsPictures() throws {
    try storeThumbnail(PNGPicture(64, 64).bytes)
    let author =
      #""author":{"id":"9","username":"eve","name":"Eve","profile_image_url":"https://a.example/e.png","avatar":{"key":"\#(Self.key)"}}"#
    let records = [4, 5].map {
      tweet($0, second: $0, text: "by Eve \($0)").replacing(/"author":\{[^}]*\}/, with: author)
    }
    #expect(try add(records.joined()).status == 0)
    let terminal = try terminal("--offline")
    try terminal.waitForOutput(containing: "\u{1B}[c")
    terminal.send(ToolInput(Self.kitty))
    // Of two rows each, in the first rows of the list; and the larger one beside it.
    try terminal.waitForOutput(containing: ",c=4,r=2\u{1B}\\", times: 2)
    try terminal.waitForOutput(containing: ",c=6,r=3\u{1B}\\")
    terminal.send("q")
    let output = try terminal.finish().output
    #expect(output.ranges(of: "a=t,f=100").count == 1)
    #expect(output.contains("\u{1B}[3;2H\u{1B}_Ga=p") && output.contains("\u{1B}[5;2H\u{1B}_Ga=p"))
  }

  /// Those that nobody has fetched are fetched for all that is in view, without the photos of these tweets.
  @Test func authorsPicturesInViewAreFetched() throws {
    let terminal = try terminal("--every 1h '#swift'", after: "tw-local --demo -- ")
    try terminal.waitForOutput(containing: "\u{1B}[c")
    terminal.send(ToolInput(Self.kitty))
    try terminal.waitForOutput(containing: ",c=4,r=2\u{1B}\\", times: 4)
    terminal.send("q")
    #expect(try terminal.finish().output.contains("left"))
  }

  /// A sixel is drawn when its rows have settled, and again when something was written on them.
  @Test(.enabled(if: RenderPictureTests.hasLibraries, RenderPictureTests.note))
  func sixelsAreDrawnAgain() throws {
    try storeThumbnail()
    let terminal = try terminal("--offline --pictures sixel")
    try terminal.waitForOutput(containing: "\u{1B}P")
    terminal.send("j")
    try terminal.waitForOutput(containing: "id 1")
    terminal.send("k")
    try terminal.waitForOutput(containing: "\u{1B}P", times: 2)
    terminal.send("q")
    #expect(try terminal.finish().output.contains("left"))
  }
}
