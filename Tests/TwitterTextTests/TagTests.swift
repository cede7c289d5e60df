import Testing

@testable import TwitterText

/// Hashtags, mentions, lists and cashtags by twitter-text's rules, each rule with cases of our own.
struct TagTests {
  // MARK: Hashtags

  @Test(arguments: [
    // Letters, digits and underscores, with one letter at least.
    ("#tag", ["tag"]), ("#tag1 #1tag #1_a", ["tag1", "1tag", "1_a"]), ("#_ #7 #7_7 #77", []), ("# tag", []),
    ("#", []),
    // Letters and marks of any script.
    ("#été #Ateş #Čaj #Ёлка #Ωμέγα #Հայ #ქართ", ["été", "Ateş", "Čaj", "Ёлка", "Ωμέγα", "Հայ", "ქართ"]),
    ("#שָׁלוֹם #سلام #नमस्ते #ไทยแลนด์ #বাংলা #ភាសា", ["שָׁלוֹם", "سلام", "नमस्ते", "ไทยแลนด์", "বাংলা", "ភាសា"]),
    ("#日本 #かな #カナー #ｶﾅｰ #한글 #ﾡﾢ #ｔａｇ１", ["日本", "かな", "カナー", "ｶﾅｰ", "한글", "ﾡﾢ", "ｔａｇ１"]),
    ("#\u{20021} #A\u{104A0} #e\u{301}", ["\u{20021}", "A\u{104A0}", "e\u{301}"]),
    // Digits of other scripts are digits.
    ("#٣٤ #१२ #１２ #a٣", ["a٣"]),
    // Signs that some languages need inside words.
    (
      "#col·lecció #מ״ב #ע־ב #می\u{200C}روم #ශ්\u{200D}රී #བོད་ #云々 #メ～テ #メ〜テ #各〃 #か゛",
      [
        "col·lecció", "מ״ב", "ע־ב", "می\u{200C}روم", "ශ්\u{200D}රී", "བོད་", "云々", "メ～テ", "メ〜テ", "各〃", "か゛",
      ]
    ),
    ("#〃 #· #゛ #\u{200D}", []),
    // All else ends a tag.
    ("#a-b #c. #d, #e! #f: #g? #h’i #j。 #k😀 #l/m", ["a", "c", "d", "e", "f", "g", "h", "j", "k", "l"]),
    // It stands apart from the word before it, and is no HTML reference.
    ("a#b", []), ("日本#b", []), ("1#b", []), ("_#b", []), ("&#b", []), ("é#b", []),
    (".#a ,#b ;#c (#d) [#e] 。#f ！#g ’#h \n#i", ["a", "b", "c", "d", "e", "f", "g", "h", "i"]),
    ("😀#a ✌\u{FE0F}#b ✌\u{FE0E}#c 👍🏽#d 👨‍👩‍👧#e", ["a", "b", "c", "d", "e"]),
    // The sign may be full-width.
    ("＃tag ！＃語", ["tag", "語"]),
    // An emoji made of the sign is no tag.
    ("#\u{FE0F}a #\u{20E3}a", []),
    // What follows may say that it was none.
    ("#a#b", []), ("#a＃b", []), ("#http://a.com", []), ("#a://b", []), ("#a#b #c", ["c"]),
    // Tags within an address are a part of it.
    ("http://a.com/#b a.com/#b", []),
  ])
  func hashtags(_ text: String, _ expected: [String]) {
    #expect(names(text, .hashtags) == expected)
  }

  @Test(arguments: [
    ("#a", true), ("a", false), ("#", false), ("#1", false), ("#a b", false), (" #a", false), ("#a.b", false),
    ("＃語", true), ("#a#b", false), ("#\u{1F44D}", false), ("#a #b", false), ("", false),
  ])
  func wholeHashtags(_ text: String, _ isValid: Bool) { #expect(Hashtag.isValid(text) == isValid) }

  // MARK: Mentions

  @Test(arguments: [
    ("@ann", ["ann"]), ("a @ann_b1 b", ["ann_b1"]), ("@12", ["12"]), ("@", []), ("@ ann", []), ("@é", []),
    ("@abcdefghijklmnopqrstu", ["abcdefghijklmnopqrst"]),
    ("＠ann", ["ann"]), ("@ann\n@bob", ["ann", "bob"]), ("@ann、@bob", ["ann", "bob"]),
    // Letters of other scripts may touch it, those of names may not.
    ("の@annに", ["ann"]), ("a@ann 1@ann _@ann", []), ("é@ann", ["ann"]),
    // Nor these signs; others may.
    ("!@a #@a $@a %@a &@a *@a @@a ＠@a", []), (".@a (@b) -@c \"@d ,@e", ["a", "b", "c", "d", "e"]),
    // `RT` may touch it, if it is a word.
    ("RT@a rt@b Rt@c rT:@d", ["a", "b", "c", "d"]), ("aRT@a 1rt@a _rt@a +rt@a ~rt@a .rt@a -rt@a", []),
    (" rt@a", ["a"]),
    ("r@a t@a", []), ("ért@a", ["a"]),
    // What follows may say that it was none: an address of mail, a word with accents, a URL.
    ("@a@b.c @a＠b", []), ("@anné @añb", []), ("@http://a.com", []), ("@a.com", ["a"]), ("@aに", ["a"]),
  ])
  func mentions(_ text: String, _ expected: [String]) {
    #expect(names(text, .mentions) == expected)
  }

  @Test(arguments: [
    ("@a/b", ["a|b"]), ("@a/b-c_1 d", ["a|b-c_1"]), ("@a/1b @c/-d @e/ @f/語", ["a", "c", "e", "f"]),
    ("の@a/bに", ["a|b"]),
    ("@a/abcdefghijklmnopqrstuvwxyz", ["a|abcdefghijklmnopqrstuvwxy"]), ("@a/b/c", ["a|b"]), ("@a/b@c @a/bé", []),
  ])
  func lists(_ text: String, _ expected: [String]) {
    #expect(names(text, .mentions) == expected)
  }

  // MARK: Cashtags

  @Test(arguments: [
    ("$A $Abcdef $abc", ["A", "Abcdef", "abc"]), ("$abcdefg", []), ("$A1 $1 $株 $", []),
    // A full stop or underscore and one or two letters more belong to it.
    ("$A.B $a.bc $A_B $abcdef_ab", ["A.B", "a.bc", "A_B", "abcdef_ab"]),
    ("$A.bcd $A. $B_ $C.1", ["A", "A", "B", "C"]),
    ("$A, $B! $C)", ["A", "B", "C"]), ("$Aé $A日 $A😀", []),
    // Only white space and marks of direction stand before it.
    ("a$A .$A $$A 。$A", []), ("\u{3000}$A\u{A0}$B\n$C", ["A", "B", "C"]), ("\u{200F}$A $B\u{200F}", ["A"]),
    ("$A$B", ["A"]),
  ])
  func cashtags(_ text: String, _ expected: [String]) {
    #expect(names(text, .cashtags) == expected)
  }
}
