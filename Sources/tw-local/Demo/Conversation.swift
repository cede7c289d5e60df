import TweetCore

/// The posts from before the demo begins: threads, replies, retweets and quotes of the last weeks.
enum Conversation {
  /// One post.
  struct Line {
    let author: String
    /// Minutes before now.
    let ago: Int
    var text = ""
    /// The name that later lines use for this one.
    var name: String?
    var reply: String?
    var quote: String?
    var retweet: String?
    var photo: String?
    var likes = 0
  }

  /// Stores the accounts, their lists and their posts.
  static func store(in store: LocalStore, now: Timestamp) throws(ToolError) {
    for member in Cast.members { try store.setPassword(.demo, of: Cast.add(member, to: store, now: now)) }
    for list in Cast.lists { try Cast.add(list, to: store, now: now) }
    var named: [String: Int] = [:]
    // Ids must increase with time, so posts are made in the order of their times.
    for line in lines.sorted(by: { $0.ago > $1.ago }) {
      guard let author = try store.account(named: line.author) else {
        throw .bug("the demo has no account '\(line.author)'")
      }
      var draft = Draft(
        author: author.id, text: OwnLink.expandingDemoLinks(in: line.text), photo: line.photo, source: "tw demo",
        likes: line.likes
      )
      draft.replyTo = line.reply.flatMap { named[$0] }
      draft.quoteOf = line.quote.flatMap { named[$0] }
      draft.retweetOf = line.retweet.flatMap { named[$0] }
      // Not all at the full minute.
      let shift = Int64(fingerprint("\(line.author)\(line.ago)".utf8) % 50_000)
      let post = try store.create(
        draft, at: Timestamp(milliseconds: now.milliseconds - Int64(line.ago) * 60_000 + shift))
      if let name = line.name { named[name] = post.id }
    }
    // One post was deleted. The reply to it is still there, as on any service.
    if let deleted = try named["regret"].flatMap({ (id) throws(ToolError) in try store.post(id) }) {
      try store.remove(deleted)
    }
  }

  private static let lines = weeks + days + evenings + today

  /// Older than recent search reaches: timelines and the archive have these.
  private static let weeks = [
    Line(
      author: "oss_cafe", ago: 28 * 1440, text: "We open. One table, two chairs, three sockets. #opensource",
      name: "opening", likes: 17),
    Line(
      author: "maren_k", ago: 28 * 1440 - 30, text: "@oss_cafe and one very long extension cord",
      reply: "opening", likes: 6),
    Line(author: "yuki_dev", ago: 19 * 1440, text: "はじめての #swift。コンパイラと友だちになりたい 🐣", likes: 23),
    Line(
      author: "nightradio", ago: 12 * 1440,
      text: "Episode 11: harps, harbours, hardly any talking. #music "
        + "local://audio/night-radio-11.mp3", likes: 140),
  ]

  private static let days = [
    Line(
      author: "oss_cafe", ago: 4310,
      text: "Doors open on Tuesday at 18:00. Theme: programs that do one thing. Bring "
        + "yours, break ours. #opensource local://articles/small-tools", name: "doors", likes: 212),
    Line(
      author: "maren_k", ago: 4290, text: "@oss_cafe I'll bring the tide table & a laptop that fears nothing",
      reply: "doors", likes: 14),
    Line(author: "arjun_dev", ago: 4255, retweet: "doors"),
    Line(
      author: "tomasz_io", ago: 4100,
      text: "Thread: why I moved a 40-line script from a scripting language to #swift, "
        + "and what it cost. 🧵", name: "thread1", likes: 388),
    Line(
      author: "tomasz_io", ago: 4098,
      text: "1/ Start-up. A filter that runs ten thousand times a day had better start "
        + "in milliseconds. It does: 3 ms, statically linked.", name: "thread2", reply: "thread1", likes: 141),
    Line(
      author: "tomasz_io", ago: 4096,
      text: "2/ Size. No Foundation, no ICU: 9 MB instead of 60. Measured here: "
        + "local://articles/static-linking", name: "thread3", reply: "thread2", likes: 160),
    Line(
      author: "tomasz_io", ago: 4094,
      text: "3/ Regrets? One: I should have deleted the old script the same day. "
        + "if (old && new) { confusion++ } // <- me, for a week", reply: "thread3", likes: 97),
    Line(
      author: "dana_oz", ago: 4010, text: "@tomasz_io 3 ms is less than my shell prompt takes 😭", reply: "thread1",
      likes: 45),
    Line(
      author: "nightradio", ago: 3900,
      text: "Episode 12 is out: two hours of piano, rain and one very polite "
        + "theremin. 🎹🌧️ #music local://audio/night-radio-12.mp3", name: "episode", likes: 530),
    Line(author: "gears_n_greens", ago: 3885, retweet: "episode"),
    Line(
      author: "yuki_dev", ago: 3700, text: "夜のラジオを聴きながらパーサを書いている。雨とピアノと #swift 🌧️🎹", quote: "episode",
      likes: 88),
    Line(
      author: "layla_codes", ago: 3500,
      text: "كتبتُ أداة صغيرة تقرأ سطرًا سطرًا ولا تفعل غير ذلك. الأدوات الصغيرة "
        + "تعيش طويلًا ✨ #opensource", name: "arabic", likes: 301),
    Line(
      author: "arjun_dev", ago: 3480, text: "@layla_codes छोटा औज़ार, लंबी उम्र! बिल्कुल सही कहा 👏 #opensource",
      reply: "arabic", likes: 66),
    Line(
      author: "gears_n_greens", ago: 3300, text: "The beans are up. So is the build. Coincidence? 🌱 #allotment",
      photo: "allotment", likes: 54),
    Line(
      author: "pip_ops", ago: 3200,
      text: "03:12 page: disk full. 03:14: it was the logs. 03:15: it is always the logs. "
        + "👩🏽‍🚒", name: "logs", likes: 905),
    Line(author: "tomasz_io", ago: 3190, retweet: "logs"),
    Line(author: "maren_k", ago: 3185, text: "tail -f is my love language", quote: "logs", likes: 233),
  ]

  private static let evenings = [
    Line(
      author: "arjun_dev", ago: 2900,
      text: "आज का सबक: हर पाइप एक वादा है। जो पढ़ो, वही लिखो; जो न समझो, वह भी आगे बढ़ाओ। "
        + "#opensource", name: "hindi", likes: 120),
    Line(author: "oss_cafe", ago: 2880, retweet: "hindi"),
    Line(
      author: "dana_oz", ago: 2600,
      text: "מישהו יודע איך בודקים קישור בלי להוריד את כל הדף? שואלת עבור חברה "
        + "🙃 #opensource", name: "hebrew", likes: 38),
    Line(
      author: "maren_k", ago: 2590,
      text: "@dana_oz HEAD first. And when a server says 405 (this one does: "
        + "local://members/oss-cafe) ask again with GET and hang up early.", reply: "hebrew", likes: 77),
    Line(author: "dana_oz", ago: 2580, text: "@maren_k תודה! 🙏", reply: "hebrew", likes: 5),
    Line(
      author: "tomasz_io", ago: 2400,
      text: "Everything about this build is repeatable now. The compiler, the flags, "
        + "the order of the files, the date in the manual page, even the bug we found on the way: a hash map walked in "
        + "whatever order it liked, so that two machines made two different tables of contents. Full story, with the "
        + "before and after, and an apology to everyone whose cache we broke: local://go/1 #swift #opensource",
      name: "long", likes: 410),
    Line(author: "pip_ops", ago: 2390, retweet: "long"),
    Line(author: "layla_codes", ago: 2380, text: "مقال يستحق القراءة 👇", quote: "long", likes: 41),
    Line(
      author: "yuki_dev", ago: 2200,
      text: "家族の絵文字 👨‍👩‍👧‍👦 はひとつに見えて七つのスカラー。長さを聞かれたら「何の?」と聞き返そう。 "
        + "local://articles/utf-8-by-hand #swift", name: "family", likes: 612),
    Line(
      author: "tomasz_io", ago: 2195, text: "@yuki_dev 🏳️‍🌈 is four, ❤️ is two, 🇯🇵 is two, and my patience is one.",
      reply: "family", likes: 199),
    Line(author: "arjun_dev", ago: 2150, retweet: "family"),
    Line(
      author: "maren_k", ago: 1900, text: "Harbour, 20:40, wind 3, everything compiles.", photo: "harbour",
      likes: 275),
    Line(
      author: "gears_n_greens", ago: 1800, text: "Found our old blog. Some of it: local://archive/2011-first-post",
      likes: 9),
    Line(
      author: "pip_ops", ago: 1750,
      text: "PSA: a && b || c is not if/else. Somewhere a deploy script is learning this "
        + "right now. #shell", name: "psa", likes: 744),
    Line(author: "dana_oz", ago: 1740, text: "@pip_ops if true; then echo \"<hugs>\"; fi", reply: "psa", likes: 102),
  ]

  private static let today = [
    Line(
      author: "nightradio", ago: 900,
      text: "Tonight: songs with kettles in them. Yes, there are enough. ☕️ #music "
        + "local://audio/kettle-drum.mp3", likes: 320),
    Line(
      author: "oss_cafe", ago: 720, text: "Unpopular opinion: the best feature is the one you can pipe.",
      name: "regret", likes: 3),
    Line(author: "pip_ops", ago: 715, text: "@oss_cafe unpopular where?", reply: "regret", likes: 61),
    Line(
      author: "tomasz_io", ago: 540,
      text: "Waiting for the quarterly report to load. Still waiting. "
        + "local://slow/quarterly #patience", likes: 28),
    Line(
      author: "layla_codes", ago: 420,
      text: "من يريد أن يساعدني في ترجمة صفحات الدليل؟ القهوة عليّ ☕️ "
        + "#opensource #swift", name: "translate", likes: 150),
    Line(author: "yuki_dev", ago: 410, text: "@layla_codes 日本語ならお手伝いできます!🙋‍♀️", reply: "translate", likes: 33),
    Line(author: "dana_oz", ago: 405, text: "@layla_codes @yuki_dev ואני בעברית", reply: "translate", likes: 27),
    Line(author: "maren_k", ago: 390, retweet: "translate"),
    Line(
      author: "arjun_dev", ago: 300,
      text: "Sorted 467 MB of records on a train. Window seat, no wifi, no regrets. "
        + "🚆 #terminal", photo: "night-train", likes: 184),
    Line(
      author: "gears_n_greens", ago: 240,
      text: "This link knows a place where it is always noon: "
        + "local://loop/mirror (do not follow it for ever)", likes: 17),
    Line(
      author: "maren_k", ago: 120,
      text: "One record a line. That's it, that's the format. "
        + "local://articles/one-record-a-line #opensource", name: "format", likes: 266),
    Line(author: "tomasz_io", ago: 110, text: "Framed this.", quote: "format", likes: 90),
    Line(author: "pip_ops", ago: 95, retweet: "format"),
    Line(
      author: "oss_cafe", ago: 45,
      text: "Tonight's table: @maren_k on pipes, @yuki_dev on text, @pip_ops on sleep. "
        + "Cake by @gears_n_greens 🍰 #opensource #swift", name: "table", likes: 131),
    Line(
      author: "gears_n_greens", ago: 40, text: "@oss_cafe it's carrot. It is always carrot. 🥕", reply: "table",
      likes: 48),
    Line(
      author: "yuki_dev", ago: 12, text: "今日のひとこと: 型は未来の自分への手紙 ✉️ #swift", name: "letter", likes: 59),
    Line(author: "layla_codes", ago: 6, text: "@yuki_dev جميلة جدًا 💛", reply: "letter", likes: 11),
  ]
}
