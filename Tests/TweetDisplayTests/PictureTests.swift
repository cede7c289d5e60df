import Foundation
import Libc
import TestSupport
import Testing
import TweetCore

@testable import TweetDisplay

/// Thumbnails, and what shows them on terminals.
struct PictureTests {
  private static let name = "ab" + String(repeating: "0123456789abcdef", count: 4).dropLast(2)
  private let home: TemporaryDirectory

  init() throws {
    home = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: home.path + "/ab", withIntermediateDirectories: true)
  }

  private func key(_ name: String = Self.name) throws -> PictureKey {
    let document = try JSONDocument(Array("\"\(name)\"".utf8))
    return try #require(document.read { PictureKey($0) })
  }

  private func picture(_ width: Int = 48, _ height: Int = 48) throws -> SmallPicture {
    try #require(SmallPicture(png: PNGPicture(width, height).bytes, most: 512))
  }

  // MARK: Files

  @Test func onlyKeysBecomePaths() throws {
    #expect(try key().name == Self.name)
    let others = [
      "", "ab", Self.name.uppercased(), Self.name + "0", String(Self.name.dropLast()) + "g",
      "../" + Self.name.dropFirst(3), String(Self.name.dropLast()) + "/", String(repeating: "/", count: 64),
    ]
    for other in others {
      let document = try JSONDocument(Array("\"\(other)\"".utf8))
      #expect(document.read { PictureKey($0) } == nil, "\(other)")
    }
    let number = try JSONDocument(Array(String(repeating: "1", count: 64).utf8))
    #expect(number.read { PictureKey($0) } == nil)
  }

  private func read(_ bytes: [UInt8], _ kind: PictureFolder.Kind = .avatar) throws -> SmallPicture? {
    try home.write("ab/\(Self.name).png", bytes)
    return try PictureFolder(home.path).read(key(), kind)
  }

  @Test func aThumbnailIsRead() throws {
    let bytes = PNGPicture(128, 100).bytes
    let picture = try #require(try read(bytes))
    #expect(picture.png == bytes && picture.width == 128 && picture.height == 100)
    #expect(try read(PNGPicture(512, 512).bytes, .photo) != nil)
  }

  @Test func whatIsNoThumbnailIsNotRead() throws {
    #expect(try PictureFolder(home.path).read(key(), .avatar) == nil, "not there")
    #expect(try read([]) == nil, "empty")
    #expect(try read(PNGPicture(129, 1).bytes) == nil, "too wide")
    #expect(try read(PNGPicture(1, 513).bytes, .photo) == nil, "too high")
    #expect(try read(PNGPicture(10, 10, kind: 3).bytes) == nil, "another kind")
    #expect(try read(Array(PNGPicture(48, 48).bytes.dropLast(1))) == nil, "cut off")
    #expect(try read(Array("GIF89a".utf8) + [1, 0, 1, 0]) == nil, "a GIF")
    let end = PNGPicture(1, 1).bytes.suffix(12)
    #expect(try read(PNGPicture(8, 8).bytes + [UInt8](repeating: 0, count: 2 << 20) + end) == nil, "too large")
  }

  @Test func linksAndPipesAreNotRead() throws {
    let folder = PictureFolder(home.path)
    let path = home.path + "/ab/\(Self.name).png"
    try home.write("elsewhere.png", PNGPicture(8, 8).bytes)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: home.path + "/elsewhere.png")
    #expect(try folder.read(key(), .avatar) == nil)
    unlink(path)
    mkfifo(path, 0o600)
    #expect(try folder.read(key(), .avatar) == nil)
    unlink(path)
    mkdir(path, 0o700)
    #expect(try folder.read(key(), .avatar) == nil)
  }

  // MARK: Sizes

  @Test(arguments: [(48, 48, 6, 3), (48, 24, 6, 2), (10, 100, 1, 3), (512, 1, 6, 1), (1, 512, 1, 3)])
  func theRatioIsKept(_ width: Int, _ height: Int, _ columns: Int, _ rows: Int) {
    let area = PictureArea.avatar.fitting(width, height, cell: .usual)
    #expect(area == PictureArea(columns: columns, rows: rows))
  }

  @Test func cellsOfOtherSizes() throws {
    #expect(CellSize(0, 0) == nil && CellSize(9, 20) != nil && CellSize(10_000, 20) == nil)
    let square = try #require(CellSize(20, 20))
    #expect(PictureArea.avatar.fitting(48, 48, cell: square) == PictureArea(columns: 3, rows: 3))
  }

  // MARK: Sequences

  /// The commands of kitty's protocol: the keys with their values, and the payload.
  private func commands(_ output: borrowing ByteBuffer) throws -> [(keys: [String: String], payload: String)] {
    try output.string.split(separator: "\u{1B}_G").map { part in
      #expect(part.hasSuffix("\u{1B}\\"))
      let parts = part.dropLast(2).split(separator: ";", maxSplits: 1)
      let pairs = try #require(parts.first).split(separator: ",").map { $0.split(separator: "=") }
      return (
        Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), String($0[1])) }),
        parts.count > 1 ? String(parts[1]) : ""
      )
    }
  }

  private func placement(
    _ kitty: inout KittyPictures, _ read: () -> SmallPicture?
  ) throws -> KittyPictures.Placement? {
    kitty.placement(of: try key(), .avatar, fit: { _, _ in .avatar }, read: read)
  }

  @Test func kittyIsSentAPictureOnce() throws {
    var kitty = KittyPictures(firstID: .max)
    let picture = try picture(100, 100)
    var output = ByteBuffer()
    let first = try #require(try placement(&kitty) { picture })
    #expect(first.area == .avatar)
    kitty.append(first, to: &output) { picture }
    let sent = try commands(output)
    #expect(sent.count > 10 && sent.dropLast().allSatisfy { $0.payload.utf8.count == 4096 && $0.keys["m"] == "1" })
    #expect(sent.last?.keys == ["m": "0"] && sent[1].keys == ["m": "1"])
    #expect(
      sent[0].keys == [
        "a": "T", "f": "100", "q": "2", "C": "1", "i": "4294967295", "p": "1", "c": "6", "r": "3", "m": "1",
      ])
    #expect(Data(base64Encoded: sent.map(\.payload).joined()) == Data(picture.png))

    output.removeAll()
    // Its size is known now.
    let second = try #require(try placement(&kitty) { nil })
    kitty.append(second, to: &output) { nil }
    let shown = try commands(output)
    #expect(shown.count == 1 && shown[0].payload.isEmpty)
    #expect(shown[0].keys == ["a": "p", "q": "2", "C": "1", "i": "4294967295", "p": "2", "c": "6", "r": "3"])

    // 0 is not an id.
    output.removeAll()
    kitty.forget()
    kitty.append(second, to: &output) { picture }
    #expect(try commands(output)[0].keys["i"] == "1")
  }

  /// A picture that is drawn again where its rows now are must not stay where it was.
  @Test func aPlacementThatIsShownAgainMoves() throws {
    var kitty = KittyPictures(firstID: 7)
    let picture = try picture()
    var output = ByteBuffer()
    let placement = try #require(try placement(&kitty) { picture })
    kitty.append(placement, to: &output) { picture }
    kitty.append(placement, to: &output) { picture }
    let keys = try commands(output).map(\.keys).filter { $0["a"] != nil }
    #expect(keys.map { $0["i"] } == ["7", "7"] && keys.map { $0["p"] } == ["1", "1"])
  }

  /// A terminal forgets pictures that were scrolled away, or when it has too many, and does not say so.
  @Test func kittyIsSentAPictureAgainAfterAWhile() throws {
    var kitty = KittyPictures(firstID: 1)
    let picture = try picture()
    var sent = 0
    for _ in 0..<1000 {
      var output = ByteBuffer()
      let placement = try #require(try placement(&kitty) { picture })
      kitty.append(placement, to: &output) {
        sent += 1
        return picture
      }
    }
    #expect(sent == 4)
  }

  @Test func aPictureThatIsNotThereIsNotSent() throws {
    var kitty = KittyPictures()
    var output = ByteBuffer()
    #expect(try placement(&kitty) { nil } == nil)
    // It was removed since it was laid out.
    let picture = try picture()
    let placement = try #require(try placement(&kitty) { picture })
    kitty.append(placement, to: &output) { nil }
    #expect(output.count == 0)
  }

  @Test func iterm2GetsTheFile() throws {
    let picture = try picture()
    var output = ByteBuffer()
    InlinePicture.append(picture, .avatar, to: &output)
    let start = "\u{1B}7\u{1B}]1337;File=inline=1;size=\(picture.png.count);width=6;height=3;preserveAspectRatio=0:"
    #expect(output.string.hasPrefix(start) && output.string.hasSuffix("\u{07}\u{1B}8"))
    #expect(Data(base64Encoded: String(output.string.dropFirst(start.count).dropLast(3))) == Data(picture.png))
  }

  @Test(arguments: 0..<50)
  func base64(_ length: Int) {
    let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 3) }
    var output = ByteBuffer()
    output.append(base64: bytes)
    #expect(output.string == Data(bytes).base64EncodedString())
  }

  // MARK: Answers

  /// As recorded: kitty 0.26.5, xterm 379 -ti vt340, tmux 3.3a; and what the documents of others say.
  static let answers: [(String, PictureProtocol?)] = [
    ("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}P>|kitty(0.26.5)\u{1B}\\\u{1B}[6;20;9t\u{1B}[?62;c", .kitty),
    ("\u{1B}P>|XTerm(379)\u{1B}\\\u{1B}[?63;1;2;4;6;9;15;16;22;28c", .sixel),
    ("\u{1B}P>|tmux 3.3a\u{1B}\\\u{1B}[?1;2c", nil),
    ("\u{1B}P>|iTerm2 3.4.19\u{1B}\\\u{1B}[?62;4c", .iterm2),
    ("\u{1B}P>|WezTerm 20240203\u{1B}\\\u{1B}[?65;4;6;18;22c", .iterm2),
    ("\u{1B}_Gi=31;ENOTSUPPORTED:no\u{1B}\\\u{1B}[?64;1c", nil),
    // 4 as the kind of terminal is no sixel (VT132).
    ("\u{1B}[?4;6c", nil),
    ("\u{1B}[?6c", nil),
  ]

  @Test(arguments: answers)
  func aTerminalsAnswer(_ bytes: String, _ expected: PictureProtocol?) {
    var whole = TerminalAnswers()
    whole.append(bytes.utf8)
    #expect(whole.isComplete && whole.pictures == expected)
    // Keys that are pressed meanwhile, and bytes that come one by one.
    var pieces = TerminalAnswers()
    for byte in Array("ls\u{1B}OA".utf8) + Array(bytes.utf8) {
      #expect(!pieces.isComplete)
      pieces.append(CollectionOfOne(byte))
    }
    #expect(pieces.isComplete && pieces.pictures == expected && pieces.cell == whole.cell)
    #expect(pieces.keys == Array("ls\u{1B}OA".utf8) && whole.keys.isEmpty)
  }

  @Test func whatIsNoAnswerIsAKey() {
    let typed: [(String, String)] = [
      // Arrows, F5, Alt-x, Escape alone, letters of all kinds.
      ("\u{1B}[A\u{1B}[15~", "\u{1B}[A\u{1B}[15~"), ("\u{1B}x", "\u{1B}x"), ("q\u{1B}", "q\u{1B}"), ("é\n", "é\n"),
      // Answers, whole or not, and those that nobody has asked for.
      ("\u{1B}[6;20;9t", ""), ("\u{1B}[?62", ""), ("\u{1B}P>|xt", ""), ("\u{1B}]11;rgb:0/0/0\u{07}", ""),
      ("a\u{1B}P>|XTerm(379)\u{1B}\\b\u{1B}[?1;2cc", "abc"),
    ]
    for (bytes, keys) in typed {
      var answers = TerminalAnswers()
      answers.append(bytes.utf8)
      #expect(answers.keys == Array(keys.utf8), "\(bytes.debugDescription)")
    }
    var answers = TerminalAnswers()
    for _ in 0..<100 { answers.append(String(repeating: "k", count: 1000).utf8) }
    #expect(answers.keys.count == 8192)
  }

  @Test func theSizeOfACellIsRead() {
    var answers = TerminalAnswers()
    answers.append("\u{1B}[6;20;9t".utf8)
    #expect(answers.cell == CellSize(9, 20) && !answers.isComplete)
  }

  @Test func anEndlessAnswerIsNotKept() {
    var answers = TerminalAnswers()
    for _ in 0..<100 { answers.append([UInt8](repeating: 0x1B, count: 1) + [UInt8](repeating: 0x30, count: 1024)) }
    answers.append("\u{1B}P".utf8)
    for _ in 0..<100 { answers.append([UInt8](repeating: 0x30, count: 1024)) }
    answers.append("\u{1B}\\\u{1B}[?62;4c".utf8)
    #expect(answers.pictures == .sixel)
  }
}
