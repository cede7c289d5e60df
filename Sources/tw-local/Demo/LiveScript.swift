/// The posts that appear while the demo runs: short scenes with placeholders, which are filled anew each time.
enum LiveScript {
  /// One post of a scene.
  struct Line {
    let author: String
    let text: String
    var kind = Kind.plain

    enum Kind {
      case plain
      /// Of the line before it in the same scene.
      case reply, quote, retweet
      case photo(String)
    }
  }

  /// The words for each placeholder: `{tool}` becomes one of the first list, `{tool2}` another one.
  static let words: [String: [String]] = [
    "tool": ["sort", "awk", "comm", "jq", "tr", "join", "xargs", "sed", "paste", "uniq", "cut", "tee"],
    "thing": [
      "parser", "scheduler", "linter", "test suite", "cache", "tokenizer", "build", "man page", "migration",
      "shell script",
    ],
    "food": ["carrot cake", "lentil soup", "stroopwafels", "rye bread", "plum jam", "idli", "knafeh", "onigiri"],
    "weather": ["fog", "drizzle", "a proper gale", "sunshine, suspiciously", "first frost", "thunder"],
    "mood": ["quietly proud", "mildly alarmed", "caffeinated", "suspicious", "delighted", "one semicolon short"],
    "place": ["on the ferry", "in the shed", "at the café", "on the night train", "in the queue for coffee"],
    "emoji": ["🎉", "🫠", "🧵", "🐙", "🛠️", "👩‍💻", "🏄🏽‍♂️", "❤️‍🔥", "🇵🇱", "🧑🏿‍🚀", "☕️", "🐈‍⬛"],
    "article": [
      "small-tools", "utf-8-by-hand", "reproducible", "sqlite-wal", "one-record-a-line", "static-linking", "sourdough",
    ],
  ]

  static let scenes: [[Line]] = [
    [
      Line(author: "tomasz_io", text: "{n} ms off the {thing} by deleting code. My favourite kind of commit. #swift"),
      Line(author: "pip_ops", text: "@tomasz_io what did the {n} ms do to you {emoji}", kind: .reply),
      Line(author: "tomasz_io", text: "@pip_ops they know what they did", kind: .reply),
    ],
    [
      Line(
        author: "maren_k", text: "Today's pipe: {n} lines in, 1 line out, {tool} in the middle. #terminal #opensource"),
      Line(author: "arjun_dev", text: "", kind: .retweet),
    ],
    [
      Line(author: "yuki_dev", text: "{n}行のコードを書いて、{n2}行消した。よい一日。 #swift {emoji}"),
      Line(author: "layla_codes", text: "", kind: .retweet),
    ],
    [
      Line(author: "layla_codes", text: "راجعتُ {n} طلب دمج قبل القهوة، والآن وقت القهوة {emoji} #opensource"),
      Line(author: "dana_oz", text: "@layla_codes אלופה!! {emoji}", kind: .reply),
    ],
    [
      Line(
        author: "nightradio",
        text: "Now playing, track {n}: kettle, upright bass, {weather}. #music local://audio/kettle-drum.mp3")
    ],
    [
      Line(author: "oss_cafe", text: "{n} people, {n2} laptops, one {food}. We will need a scheduler. #opensource"),
      Line(author: "gears_n_greens", text: "We know a {thing} that knows a scheduler", kind: .quote),
    ],
    [Line(author: "arjun_dev", text: "चाय नंबर {n}, और {thing} अब भी हरा ✅ #swift")],
    [
      Line(author: "dana_oz", text: "שאלה ברצינות: {tool} או {tool2}? יש לי {n} שורות ושעה אחת. #terminal"),
      Line(author: "maren_k", text: "@dana_oz {tool}, always. Then {tool2}, to check on it.", kind: .reply),
      Line(author: "pip_ops", text: "@maren_k and this is how ships are lost {emoji}", kind: .reply),
    ],
    [
      Line(author: "pip_ops", text: "Status: {mood}. Pager: silent for {n} h. Don't say it out loud. #oncall"),
      Line(author: "yuki_dev", text: "", kind: .retweet),
    ],
    [
      Line(
        author: "gears_n_greens",
        text: "Ate {food} {place}, fixed the {thing}, saw {weather}. In that order. #allotment",
        kind: .photo("allotment"))
    ],
    [
      Line(author: "tomasz_io", text: "Reading on the way home: local://articles/{article} #swift"),
      Line(author: "oss_cafe", text: "What @tomasz_io said. Page {n} is the good one.", kind: .quote),
    ],
    [
      Line(
        author: "maren_k",
        text: "if [ \"$tea\" -lt {n} ] && [ -n \"$cake\" ]; then sleep 1; fi  # <- a whole personality #shell")
    ],
    [
      Line(
        author: "arjun_dev",
        text: "A long one, because it took us {n} evenings. The {thing} failed only on Thursdays. "
          + "Not every Thursday: only those on which someone had run {tool} {place}. We blamed the cache, the clock, "
          + "the kernel, the cache again, and for one dark hour each other. It was a file whose name ended in a space. "
          + "The fix is two characters. The test is {n2} lines. Write-up: local://go/1 #opensource #swift"),
      Line(author: "layla_codes", text: "قصة {n} ليلة في حرفين {emoji}", kind: .quote),
    ],
    [
      Line(author: "yuki_dev", text: "雨の朝。猫がキーボードの上で {n} 文字コミットした 🐈‍⬛ #swift"),
      Line(author: "tomasz_io", text: "@yuki_dev please tell me it passed review", kind: .reply),
      Line(author: "yuki_dev", text: "@tomasz_io LGTM (Looks Good To Meow)", kind: .reply),
    ],
    [
      Line(
        author: "pip_ops",
        text: "Link rot report {place}: {n} dead, {n2} redirects, and this one: local://archive/page-{n} #opensource")
    ],
    [
      Line(
        author: "nightradio",
        text: "Request line open. So far: {n}× rain, {n2}× theremin. #music local://audio/night-radio-12.mp3")
    ],
    [
      Line(
        author: "dana_oz", text: "תיקנתי את ה-{thing} ב-{n} דקות, כתבתי עליו בדיקה ב-{n2}. כדאי. #swift #opensource"),
      Line(author: "maren_k", text: "", kind: .retweet),
    ],
    [
      Line(
        author: "maren_k", text: "Harbour camera, {weather}, {n} gulls. The gulls are not in the log file.",
        kind: .photo("harbour"))
    ],
    [
      Line(
        author: "oss_cafe",
        text: "Patch of the evening: {n} lines by a first-time contributor to a {thing}. Cake was served. 🍰 #opensource"
      )
    ],
    [Line(author: "arjun_dev", text: "{tool} | {tool2} | {tool}: अगर तीन बार चले तो स्क्रिप्ट, {n} बार चले तो औज़ार। #terminal")],
    [
      Line(
        author: "layla_codes", text: "سؤال اليوم: كم حرفًا في 👨‍👩‍👧‍👦؟ (تلميح: ليس {n}) #swift local://articles/utf-8-by-hand"),
      Line(author: "yuki_dev", text: "@layla_codes 見た目は1、中身は7、気持ちは{n} {emoji}", kind: .reply),
    ],
    [
      Line(
        author: "gears_n_greens",
        text: "$BEAN up {n}% since the frost. Not advice. {emoji} local://articles/sourdough #allotment")
    ],
    [
      Line(
        author: "nightradio",
        text: "Track {n}: swifts over the rooftops, recorded at dawn. The birds, yes. #swift #music "
          + "local://audio/night-radio-12.mp3"),
      Line(author: "tomasz_io", text: "Finally a #swift talk without slides {emoji}", kind: .quote),
      Line(author: "nightradio", text: "@tomasz_io next week: {food}, unplugged #swift", kind: .reply),
    ],
    [
      Line(
        author: "pip_ops",
        text: "Our #swift notes on the {thing} used to be here: local://archive/notes-{n} (were they?)"),
      Line(author: "maren_k", text: "@pip_ops they were. 404 is where notes go to rest. #swift", kind: .reply),
    ],
    [
      Line(
        author: "oss_cafe",
        text: "Members' evening: {n2} seats, one projector, #swift & soup. local://members/oss-cafe #opensource",
        kind: .photo("harbour")),
      Line(author: "dana_oz", text: "אני באה! ומביאה {food} {emoji} #swift", kind: .quote),
    ],
    [
      Line(
        author: "arjun_dev",
        text: "The quarterly #swift report takes its time, like all good reports: local://slow/quarterly"),
      Line(author: "yuki_dev", text: "@arjun_dev 3秒待てば読めます。お茶をどうぞ 🍵 #swift", kind: .reply),
    ],
    [
      Line(
        author: "gears_n_greens",
        text: "Who links to a mirror of a mirror? We do. local://loop/mirror #swift #allotment"),
      Line(author: "layla_codes", text: "", kind: .retweet),
    ],
    [
      Line(
        author: "maren_k", text: "Is 1 < 2 && 2 < 3? In #swift yes. In my {thing}, <checks notes>, \"it depends\"."),
      Line(author: "layla_codes", text: "@maren_k هذا أصدق وصف قرأته اليوم #swift", kind: .reply),
      Line(author: "pip_ops", text: "", kind: .retweet),
    ],
  ]
}
