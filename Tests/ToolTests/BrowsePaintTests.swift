import Foundation
import TestSupport
import Testing
import TweetCLI
import TweetCore
import TweetStore

@testable import TweetDisplay
@testable import tw_browse

/// Rows that tw-browse paints, without a terminal and in ASCII.
@Suite(.onOwnThread) struct BrowsePaintTests: CacheSuite {
  let home: TemporaryDirectory
  private let look: ScreenStyle

  init() throws {
    home = try TemporaryDirectory()
    look = try ScreenStyle(ascii: true, hasAvatars: false, pictures: .none, folder: home.path)
  }

  private func plain(_ rows: [[UInt8]]) -> [String] {
    rows.map { String(decoding: $0, as: UTF8.self).replacing(/\u{1B}\[[0-9;]*[mG]/, with: "") }
  }

  /// A screen of a list with these keys.
  private func screen(_ keys: [Int], isWhole: Bool = true) throws -> BrowseState {
    var list = TweetList(id: 0, title: "all", source: .query(TweetQuery()))
    list.append(keys, isWhole: isWhole)
    return BrowseState(feeds: [FeedTab(list, source: nil)], keys: try KeyMap(Settings(text: "", path: "config")))
  }

  private func records(_ keys: [Int], unread: Set<Int> = []) -> RecordCache {
    let records = RecordCache()
    records.take(
      keys.map {
        ReadRecord(key: $0, bytes: Array(tweet($0, second: $0, text: "word \($0)").utf8), isUnread: unread.contains($0))
      })
    return records
  }

  private func paint(
    _ screen: BrowseState, _ records: RecordCache = RecordCache(), rows: Int = 12, columns: Int = 60,
    head: [String] = []
  ) -> (rows: [String], cursor: (row: Int, column: Int)?) {
    var layout = Layout((rows, columns))
    layout.headRows = head.count
    let painted = Painter(look, records, foldKey: "x").paint(
      screen, layout, FeedStatus(look.style, look.locale), head: head.map { Array($0.utf8) })
    return (plain(painted.rows), painted.cursor)
  }

  /// What stands left of a tweet says which one it is, what is unread, and what is under way.
  @Test func marginsOfAList() throws {
    var screen = try screen([5, 4, 3, 2])
    screen.list.move(to: 1, height: 4)
    screen.pending = ["x:3": .like, "x:4": .like]
    let rows = paint(screen, records([5, 4, 3], unread: [5, 4])).rows
    #expect(rows.count == 12)
    #expect(rows.at(2...9).map { String($0.prefix(1)) } == ["*", " ", ">", ">", " ", ".", " ", " "], "\(rows)")
    #expect(rows.at(3).contains("word 5") && rows.at(8).contains("…") && !rows.at(8).contains("JACK"))
    screen.list.remove(5, height: 4)
    let gone = records([4, 3])
    gone.take([ReadRecord(key: 5, bytes: [], isUnread: false)])
    #expect(paint(screen, gone).rows.at(2).contains("no longer stored"))
    let deleted = paint(screen, records([5, 4, 3])).rows
    #expect(deleted[3].contains("[deleted]") && !deleted[5].contains("deleted"))
  }

  /// What a list says of itself.
  @Test func listsSayWhatTheyAre() throws {
    var screen = try screen([])
    func third() -> String { paint(screen, columns: 90).rows.at(2).trimmingCharacters(in: .whitespaces) }
    #expect(third() == "no tweet is stored here; R asks the sources, & or / looks for others")
    screen.feeds[0].list.restart()
    #expect(third() == "... loading …")
    screen.hasNoStore = true
    #expect(third() == "no store yet: tweets come with the first refresh")
    screen.feeds[0].list.fail("why")
    #expect(third() == "why")
    screen = try self.screen([3])
    #expect(paint(screen, records([3])).rows.at(4) == "")
    screen.feeds[0].older = .asked
    #expect(paint(screen, records([3])).rows.at(4).contains("loading older"))
  }

  @Test func theRowsAboveAndBelow() throws {
    var screen = try screen([5, 4])
    screen.list.insert([9, 8], height: 4)
    var rows = paint(screen).rows
    #expect(rows.at(0) == " 1 all " && rows.at(1) == " -- 2 new (g) --" && rows.at(10) == "")
    #expect(rows.at(11).hasPrefix(" j move  Enter read  t thread"))
    screen.place = .help
    rows = paint(screen).rows
    #expect(rows.at(1) == " --" && rows.at(2).contains("the list") && rows.at(11) == " Esc back")
    screen.place = .list
    screen.undo = Act(verb: .like, target: "x:1")
    #expect(paint(screen).rows.at(11).hasPrefix(" u undo like   j move"))
    screen.trouble = "old"
    #expect(paint(screen).rows.at(10) == " old")
    screen.message = "said"
    #expect(paint(screen).rows.at(10) == " said")
    screen.prompt = LinePrompt(.search, text: "abc")
    var painted = paint(screen)
    #expect(painted.rows.at(11) == "/abc" && painted.cursor?.row == 11 && painted.cursor?.column == 4)
    var prompt = LinePrompt(.search, text: "abc")
    _ = prompt.take(.left, KnownNames())
    screen.prompt = prompt
    #expect(paint(screen).cursor?.column == 3)
    // Of a long line the part with the cursor is in view.
    screen.prompt = LinePrompt(.search, text: String(repeating: "a", count: 80) + "end")
    painted = paint(screen)
    #expect(painted.rows.at(11).hasSuffix("aend") && painted.rows.at(11).count == 50 && painted.cursor?.column == 50)
    // A profile stands above the list, which has the rest.
    screen.prompt = nil
    rows = paint(screen, records([5, 4]), head: ["one", "two"]).rows
    #expect(rows.at(2) == "one" && rows.at(3) == "two" && rows.at(4).hasPrefix(">") && rows.count == 12)
  }

  // MARK: What is written

  @Test func rowsOfAPost() throws {
    var screen = try screen([5])
    screen.account = "jack"
    #expect(ComposeRows.count(screen, rows: 24) == 0)
    screen.outgoing = (1...4).map { Outgoing(number: $0, text: "post \($0)") }
    for (rows, count) in [(24, 3), (9, 3), (8, 2), (6, 0), (3, 0)] {
      #expect(ComposeRows.count(screen, rows: rows) == count)
    }
    var draft = ComposedDraft(.post)
    draft.text = "one two three four\nfive\nsix\nseven"
    screen.composition = Composition("a post", draft)
    for (rows, count) in [(24, 11), (60, 15), (15, 8), (10, 7), (8, 6)] {
      #expect(ComposeRows.count(screen, rows: rows) == count, "\(rows) rows")
    }
    screen.outgoing = [Outgoing(number: 1, text: "post 1")]
    func paint(_ count: Int, columns: Int = 70, isSaved: Bool = true, fault: String? = nil) -> (
      rows: [String], cursor: [Int]
    ) {
      let painted = ComposeRows(look).paint(screen, count: count, columns: columns, isSaved: isSaved, saveFault: fault)
      return (plain(painted.rows), painted.cursor.map { [$0.row, $0.column] } ?? [])
    }
    var (rows, cursor) = paint(8)
    #expect(
      rows.count == 8 && rows.at(0) == " ... posting post 1" && rows.at(1) == " -- a post -- as jack · draft saved")
    #expect(rows.at(2...5) == ["  one two three four", "  five", "  six", "  seven"] && cursor == [5, 7])
    #expect(rows.at(7).hasPrefix(" ^S send"))
    // Where there is less room, the row with the cursor is in view.
    (rows, cursor) = paint(5)
    #expect(rows.at(2...3) == ["  six", "  seven"] && cursor == [3, 7])
    _ = screen.composition?.take(.pageUp)
    (rows, cursor) = paint(5)
    #expect(rows.at(2...3) == ["  one two three four", "  five"] && cursor == [2, 2])
    #expect(paint(5, isSaved: false).rows.at(1).hasSuffix("saving …"))
    #expect(paint(5, isSaved: false, fault: "full").rows.at(1).hasSuffix("draft not saved: full"))
    screen.composition?.lengths = [[PostLength(name: nil, length: 30, longest: 20)]]
    screen.composition?.notice = "said"
    #expect(paint(5).rows.at(1) == " -- a post -- said -- as jack · 30 of 20 · draft saved")
    screen.composition?.lengths = []
    screen.composition?.lengthFault = "no rules"
    #expect(paint(5).rows.at(1).contains("no rules · draft saved"))
    draft.text = "a\n---\nb"
    draft.targets = "x,bluesky"
    draft.pictures = [
      ComposedDraft.Picture(path: "/a/one.png", description: "what"),
      ComposedDraft.Picture(path: "/b/two.png", description: ""),
    ]
    screen.composition = Composition("a post", draft)
    (rows, _) = paint(8)
    #expect(rows.at(1).hasPrefix(" -- a post -- to x,bluesky · post 2 of 2 · draft saved") && rows.count == 8)
    #expect(rows.at(6) == "  [1 one.png: what] [2 two.png: no description]")
    _ = screen.composition?.take(.control("x"))
    (rows, cursor) = paint(8)
    #expect(rows.at(7) == " throw this away? [y/n] " && cursor == [7, 24])
    screen.composition = Composition("a post", ComposedDraft(.post))
    #expect(paint(8).rows.at(1) == " -- a post -- as jack", "of nothing nothing is saved")
  }

  // MARK: People

  @Test func theHeadOfAProfile() throws {
    var screen = try screen([5])
    let record = try JSONDocument(
      Array(#"{"tw":"user","service":"x","id":"1","username":"ann","name":"Ann","description":"swims"}"#.utf8))
    var head = ProfileHead(service: "x", id: "1", username: "ann", target: "ann")
    func rows(_ height: Int = 24) -> [String] {
      screen.heads = [0: head]
      return plain(ProfilePainter(look).rows(of: screen, Layout((height, 60))))
    }
    #expect(rows() == [" no profile is stored  F follow"])
    head.isAsked = true
    #expect(rows() == [" asking for the profile …  F follow"])
    head.record = record
    #expect(rows().last == " F follow" && rows().contains { $0.contains("swims") })
    screen.followed = ["ann": true]
    #expect(rows().last == " followed  F follow")
    screen.followed = ["ann": false]
    #expect(rows().last == " no longer followed  F follow")
    #expect(rows(12).last == " no longer followed  F follow" && rows(12).count <= 3 && rows(11).count == 1)
    screen.place = .reader
    #expect(rows().isEmpty)
  }

  // MARK: Pictures

  private func wanted(_ digit: String, row: Int, rows: Range<Int> = 2..<20) throws -> PictureLayer.Wanted {
    let key = try #require(
      JSONDocument(Array("\"\(String(repeating: digit, count: 64))\"".utf8)).read { PictureKey($0) })
    let area = PictureArea(columns: 6, rows: 3)
    let place = ReservedPicture(key: key, kind: .photo, area: area)
    return PictureLayer.Wanted(
      picture: PlacedPicture(place: place, row: row, column: 4),
      overlay: PictureOverlay(content: .sequence(Array("<\(digit)>".utf8)), area: area), rows: rows)
  }

  /// Pictures that are drawn once wait until their rows have settled, and are drawn again when something was written on
  /// them.
  @Test func picturesAreDrawnWhenTheirRowsHaveSettled() throws {
    var layer = PictureLayer()
    let (one, two) = (try wanted("1", row: 5), try wanted("2", row: 10))
    func draw(_ pictures: [PictureLayer.Wanted], _ now: Int) -> String {
      var output = ByteBuffer(capacity: 64)
      layer.draw(pictures, now: now, to: &output)
      return output.string
    }
    #expect(layer.begin([one, two], now: 1_000).isEmpty)
    #expect(draw([one, two], 1_000) == "" && layer.wait(now: 1_000) == 150)
    #expect(draw([one, two], 1_149) == "" && layer.wait(now: 1_149) == 1)
    // One at a time: keys come in between.
    #expect(draw([one, two], 1_150) == "\u{1B}[6;5H<1>" && layer.wait(now: 1_150) == 0)
    #expect(draw([one, two], 1_151) == "\u{1B}[11;5H<2>" && layer.wait(now: 1_151) == nil)
    #expect(layer.begin([one, two], now: 1_200).isEmpty && draw([one, two], 1_200) == "")
    // What was written beside them changes nothing; what was written on one, that one.
    layer.note(written: [4, 8, 9, 13], now: 2_000)
    #expect(draw([one, two], 3_000) == "")
    layer.note(written: [7], now: 3_000)
    #expect(draw([one, two], 3_100) == "" && draw([one, two], 3_150) == "\u{1B}[6;5H<1>")
    // One that is not wanted any more leaves its rows to be written again.
    #expect(layer.begin([two], now: 4_000) == [5, 6, 7] && layer.begin([two], now: 4_000).isEmpty)
    #expect(draw([two], 5_000) == "")
    layer.forget()
    #expect(draw([two], 5_000) == "\u{1B}[11;5H<2>" && layer.deletion.isEmpty)
    // One that is not whole in view is not drawn over the rows beside it.
    for row in [1, 18] {
      let cut = try wanted("3", row: row)
      #expect(!cut.isWhole)
      _ = layer.begin([cut], now: 6_000)
      #expect(draw([cut], 7_000) == "" && layer.wait(now: 7_000) == nil)
    }
    #expect(try wanted("3", row: 2).isWhole && wanted("3", row: 17).isWhole)
  }

  /// kitty is sent a picture once, shows the part that is in view, and forgets it when it is not wanted.
  @Test func kittyShowsThePartInView() throws {
    let small = try #require(SmallPicture(png: PNGPicture(60, 30).bytes, most: 100))
    var layer = PictureLayer()
    func kitty(_ row: Int) throws -> PictureLayer.Wanted {
      let cells = try wanted("1", row: row)
      return PictureLayer.Wanted(
        picture: cells.picture, overlay: PictureOverlay(content: .kitty(small), area: cells.overlay.area),
        rows: cells.rows)
    }
    func draw(_ picture: PictureLayer.Wanted?) -> String {
      let pictures = picture.map { [$0] } ?? []
      var output = ByteBuffer(capacity: 64)
      #expect(layer.begin(pictures, now: 0).isEmpty)
      layer.draw(pictures, now: 0, to: &output)
      return output.string
    }
    let first = draw(try kitty(5))
    #expect(
      first.contains("a=t,f=100,q=2,i=") && first.contains("m=0;")
        && first.contains("\u{1B}[6;5H\u{1B}_Ga=p,q=2,C=1,i="))
    #expect(try first.hasSuffix(",p=1,c=6,r=3\u{1B}\\") && draw(kitty(5)).isEmpty && layer.wait(now: 0) == nil)
    let above = draw(try kitty(1))
    #expect(above.contains("_Ga=d,d=i,q=2,i=") && above.contains("\u{1B}[3;5H") && !above.contains("a=t"))
    #expect(above.hasSuffix(",p=2,c=6,r=2,x=0,y=10,w=60,h=20\u{1B}\\"))
    #expect(draw(try kitty(18)).hasSuffix(",p=3,c=6,r=2,x=0,y=0,w=60,h=20\u{1B}\\"))
    #expect(!draw(try kitty(30)).contains("a=p"))
    #expect(layer.deletion == "\u{1B}_Ga=d,d=A,q=2\u{1B}\\")
    layer.forget()
    #expect(try layer.deletion.isEmpty && draw(kitty(5)).contains("a=t"))
  }
}
