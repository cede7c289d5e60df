import Testing
import TweetCore

@testable import TweetStore

struct SearchTextTests {
  @Test(arguments: [
    ("plain café ελληνικα русский її हिन्दी", nil), ("", nil), ("Ελληνικά ΈΝΑ", "Ελληνικα εΝΑ"),
    ("ᾧ ἄνθρωπος ῥοΐ", "ω ανθρωπος ροι"), ("α\u{342}\u{345} ᾽ ϐ", "α ᾽ ϐ"), ("ещё ЁЖ йод", "еще еЖ йод"),
    ("日ά", " 日 α"), ("a🎉b", "a 🎉 b"), ("🎉🎉", " 🎉 🎉"),
    ("❤️ ☀️!", " ❤   ☀ !"), ("👍🏽", " 👍"), ("👩‍💻", " 👩 ‍ 💻"), ("🇯🇵🇫🇷", " 🇯🇵 🇫🇷"), ("©2021 25°C", " © 2021 25 ° C"),
    ("كِتَاب", "كتاب"), ("שָׁלוֹם", "שלום"), ("Ａ１ｂ！", "A1b！"), ("日Ａ", " 日 A"), ("日本語", " 日 本 語"), ("a日b", "a 日 b"),
    ("ラーメン、食べた!", " ラ ー メ ン 、 食 べ た !"), ("한국어는", " 한 국 어 는"), ("ที่นี่", " ที่ นี่"), ("𠮷野", " 𠮷 野"),
    ("か\u{3099}", " か\u{3099}"),
  ])
  func lettersOfScriptsWithoutSpacesBecomeWords(text: String, expected: String?) {
    var buffer = ByteBuffer()
    let isSplit = text.withBytes { SearchText.append($0, to: &buffer) }
    #expect((isSplit ? buffer.string : nil) == expected)
  }

  @Test(arguments: [
    ("swift release", "\"swift\" AND \"release\""), ("\"swift release\" now", "\"swift release\" AND \"now\""),
    ("日本 a", "\" 日 本\" AND \"a\""), ("open \"quote", "\"open\" AND \"quote\""),
    ("NOT x* (y) {z}:", "\"NOT\" AND \"x*\" AND \"(y)\" AND \"{z}:\""),
    ("🎉 \" - \"", "\" 🎉\""), ("❤️", "\" ❤\""), ("\u{FE0F} !", nil), ("  ", nil), ("Ｓｗｉｆｔ", "\"Swift\""),
    ("λόγος Ёж", "\"λογος\" AND \"еж\""),
  ])
  func queries(words: String, expected: String?) {
    #expect(SearchText.Query(words, in: nil).match == expected)
  }

  /// Queries in FTS5's own language: what is not ASCII is changed as the texts are, all else stays.
  @Test(arguments: [
    ("swift OR kotlin*", "swift OR kotlin*"), ("東京", "\" 東 京\""), ("東京*", "\" 東 京\"*"),
    ("\"東京 tower\" NOT 大阪", "\" 東 京  tower\" NOT \" 大 阪\""), ("NEAR(café 🎉, 5)", "NEAR(café \" 🎉\", 5)"),
    ("\"a\"\"日\"", "\"a\"\" 日 \""), ("ＡＮＤ", "\"AND\""), ("λόγ* OR ещё", "\"λογ\"* OR \"еще\""), ("\"open", "\"open"),
    ("", ""),
  ])
  func queriesOfFTS5(query: String, expected: String) {
    #expect(SearchText.match(query) == expected)
  }

  @Test func tagsAndNamesAreNotWords() {
    let query = SearchText.Query("#swift release @jack \"#kept @too\" # @ #日本 @a@b.example", in: nil)
    #expect(query.tags == ["swift", "日本"])
    #expect(query.names == ["jack", "a@b.example"])
    #expect(query.match == "\"release\" AND \"#kept @too\"")
  }
}
