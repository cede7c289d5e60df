import TweetCore

/// The accounts of the demo.
enum Cast {
  struct Member {
    let username: String
    let name: String
    let description: String
    var location = ""
    var url = ""
    var isVerified = false
    let followers: Int
    let following: Int
    /// Age of the account in years.
    let age: Int
  }

  /// The account that commands use.
  static let owner = Member(
    username: "you", name: "You",
    description: "Your own account on this little service. Post, reply, delete: it is all "
      + "yours, and gone when the command ends.", location: "localhost", followers: 0, following: 0, age: 1)

  /// Those who follow the owner.
  private static let ownersFriends: Set = ["maren_k", "yuki_dev", "pip_ops"]

  static let members = [
    Member(
      username: "maren_k", name: "Maren Kolbe", description: "Shell scripts, tide tables, too many pipes | she/her",
      location: "Bremerhaven", url: "local://articles/small-tools", followers: 2_841, following: 312, age: 11),
    Member(
      username: "tomasz_io", name: "Tomasz Wilk 🛠️",
      description: "Swift on servers. Benchmarks or it didn't happen. "
        + "Writes at local://articles/static-linking", location: "Wrocław", followers: 9_377,
      following: 640, age: 9),
    Member(
      username: "yuki_dev", name: "結城ゆき", description: "ターミナルと猫と珈琲。仕事は #swift、趣味は文字コード。",
      location: "神戸", followers: 5_120, following: 208, age: 8),
    Member(
      username: "layla_codes", name: "ليلى حداد", description: "مهندسة برمجيات. أكتب عن المصادر المفتوحة والقهوة ☕️",
      location: "عمّان", followers: 7_702, following: 455, age: 7),
    Member(
      username: "dana_oz", name: "דנה אוזן", description: "מפתחת. אוהבת כלים קטנים ושורות פקודה. <3",
      location: "חיפה", followers: 1_960, following: 399, age: 6),
    Member(
      username: "arjun_dev", name: "अर्जुन देव", description: "खुले स्रोत का प्रेमी · compilers by day, chai by night",
      location: "Pune", followers: 3_415, following: 777, age: 5),
    Member(
      username: "nightradio", name: "Night Radio 📻",
      description: "Two hours of quiet music, every night at 23:00. "
        + "Back catalogue: local://audio/night-radio-12.mp3", followers: 18_204, following: 41, age: 12),
    Member(
      username: "oss_cafe", name: "Open Source Café ☕️",
      description: "Tuesdays, 18:00. Bring a bug, leave with a patch. "
        + "Questions & cake welcome.", location: "Ghent", url: "local://members/oss-cafe", isVerified: true,
      followers: 24_990, following: 1_204, age: 10),
    Member(
      username: "pip_ops", name: "Pip 🏳️‍🌈", description: "On call so that you can sleep. 👩🏽‍🚒 for computers.",
      location: "Leeds", followers: 4_033, following: 512, age: 4),
    Member(
      username: "gears_n_greens", name: "Gears & Greens", description: "Bicycles, beans and bash. Two of us, one shed.",
      location: "Utrecht", followers: 886, following: 430, age: 3),
  ]

  /// A list of accounts.
  struct List {
    /// Fixed, so that pages can name it.
    let id: Int
    let owner: String
    let name: String
    let description: String
    let members: [String]
  }

  static let lists = [
    List(
      id: 1001, owner: "oss_cafe", name: "Regulars", description: "They know where the cups are.",
      members: ["maren_k", "yuki_dev", "pip_ops", "layla_codes"]),
    List(
      id: 1002, owner: "maren_k", name: "Sound and soil", description: "What is not made of text.",
      members: ["nightradio", "gears_n_greens"]),
  ]

  /// The one that the owner of the demo has made.
  private static let ownList = List(
    id: 1003, owner: owner.username, name: "Nightshift", description: "Awake when the builds are.",
    members: ["pip_ops", "nightradio", "yuki_dev"])

  private static let day: Int64 = 86_400_000

  /// Stores the owner's account, if it is not there.
  /// - Parameter isDemo: whether it has the demo's password. Without, only the token of the run is a way to it.
  static func addOwner(to store: LocalStore, now: Timestamp, isDemo: Bool) throws(ToolError) {
    guard try store.account(named: owner.username) == nil else { return }
    let account = try add(owner, to: store, now: now)
    guard isDemo else { return }
    try store.setPassword(.demo, of: account)
    for member in members {
      guard let other = try store.account(named: member.username) else { continue }
      try store.setFollow(true, of: other.id, by: account.id)
      if ownersFriends.contains(member.username) { try store.setFollow(true, of: account.id, by: other.id) }
    }
    try add(ownList, to: store, now: now)
  }

  @discardableResult
  static func add(_ member: Member, to store: LocalStore, now: Timestamp) throws(ToolError) -> LocalAccount {
    // Some days apart, so that no two ids are the same.
    let shift = Int64(fingerprint(member.username.utf8) % 300)
    let created = Timestamp(milliseconds: now.milliseconds - (Int64(member.age) * 365 - shift) * day)
    let account = LocalAccount(
      id: Snowflake.first(at: created), username: member.username, name: member.name,
      description: OwnLink.expandingDemoLinks(in: member.description), location: member.location,
      url: OwnLink.expandingDemoLinks(in: member.url), isVerified: member.isVerified, createdAt: created,
      followers: member.followers, following: member.following)
    try store.add(account)
    return account
  }

  static func add(_ list: List, to store: LocalStore, now: Timestamp) throws(ToolError) {
    guard let owner = try store.account(named: list.owner) else { throw .bug("a list has no owner '\(list.owner)'") }
    var members: [Int] = []
    for name in list.members {
      if let account = try store.account(named: name) { members.append(account.id) }
    }
    try store.add(
      AccountList(id: list.id, ownerID: owner.id, name: list.name, description: list.description, createdAt: now),
      members: members)
  }
}
