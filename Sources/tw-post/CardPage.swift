import Libc
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// The page that a post's card is of. tw-linkcheck reads it, which reaches public addresses alone, follows redirects
/// only to such, and stops at the end of a page's head.
struct CardPage {
  /// Bytes of a card's picture as it is posted (the lexicon app.bsky.embed.external), and of one that is fetched.
  private static let (largestPicture, largestAnswer) = (1_000_000, 16 << 20)
  /// No side of it need be longer: apps show cards at most as wide as this.
  private static let longestSide = 1200
  /// Milliseconds for the page, and for the picture.
  private static let patience = 20_000
  private static let mostRedirects = 5

  private let address: String
  private let host: String
  private let caFile: String?

  /// - Parameter address: as the user gave it.
  /// - Throws: `ToolError.usage` for what is not an address of the web.
  init(_ address: String, caFile: String?) throws(ToolError) {
    guard let web = WebAddress(address), !web.hasCredentials else {
      throw .usage("--card: '\(address)' is not an address of a page, such as https://example.org/")
    }
    (self.address, host, self.caFile) = (address, web.host, caFile)
  }

  /// Reads the page, and fetches its picture. A card whose picture cannot be used has none, which is said.
  ///
  /// - Returns: the card, and the bytes of its picture.
  /// - Throws: `ToolError.refused` if the page cannot be read.
  func read() throws(ToolError) -> (card: PostDraft.Card, picture: [UInt8]?) {
    let record = try check()
    guard let verdict = record["verdict"]?.string, ["ok", "moved"].contains(verdict) else {
      let status = record["status"]?.integer.map { "status \($0)" }
      let reason = [record["verdict"]?.string, record["error"]?.string, status].compactMap { $0 }
      throw .refused("the page '\(address)' of the card cannot be read: \(reason.joined(separator: ", "))")
    }
    let page = record["card"]
    var card = PostDraft.Card(address: address)
    card.title = page?["title"]?.nonEmptyString ?? record["title"]?.nonEmptyString ?? host
    card.description = page?["description"]?.nonEmptyString
    guard let image = page?["image"]?.nonEmptyString else { return (card, nil) }
    do throws(ToolError) {
      let picture = try PictureScaling.scaled(
        try fetch(image), named: "it", most: Self.largestPicture, side: Self.longestSide)
      card.picture = PostDraft.Media(path: image, altText: nil)
      return (card, picture.bytes)
    } catch {
      if Interruption.signal != nil { throw error }
      Diagnostics.note("the card has no picture: '\(image)': \(error.message ?? "")")
      return (card, nil)
    }
  }

  // MARK: The page

  /// The record that tw-linkcheck makes of the address.
  private func check() throws(ToolError) -> JSONDocument {
    guard let program = Programs().path(of: "linkcheck") else {
      throw .cannotCreate("a card needs tw-linkcheck, which is not installed")
    }
    var command = [program, "--no-cache", "--titles", "--retries", "1", "--timeout", "\(Self.patience)ms"]
    if let caFile { command += ["--ca-file", caFile] }
    // It may follow redirects, and try once more.
    guard let answer = try ProgramAnswer.of(command + ["--", address], patience: 3 * Self.patience) else {
      throw .cannotCreate("cannot run '\(program)': \(describe(errno: errno))")
    }
    if Interruption.signal != nil { throw Exchange.interrupted }
    guard let record = try? JSONDocument(answer.output), record.isObject else {
      throw .refused("the page '\(address)' of the card cannot be read: \(answer.reason)")
    }
    return record
  }

  // MARK: The picture

  private func fetch(_ image: String) throws(ToolError) -> [UInt8] {
    let exchange = try Exchange(waits: false)
    let addresses = try AddressPolicy.ofStrangers
    var url = image
    for _ in 0...Self.mostRedirects {
      var request = HTTPRequest(.get, url, reaching: addresses)
      request.headers = [HTTPHeader("Accept", "image/*")]
      request.caFile = caFile
      (request.maxBody, request.totalTimeout) = (Self.largestAnswer, Self.patience)
      switch try exchange.send(request) {
      case .failure(let error): throw .refused(error.text)
      case .success(let answer) where (300..<400).contains(answer.status):
        guard let next = answer.headers.address("location").flatMap({ WebAddress($0, relativeTo: url) }) else {
          throw .refused("it leads nowhere")
        }
        url = next.url
      case .success(let answer):
        guard answer.isSuccess else { throw .refused("the answer was \(answer.status)") }
        guard !answer.truncated else { throw .refused("it has more than \(Self.largestAnswer) bytes") }
        return answer.body
      }
    }
    throw .refused("it has too many redirects")
  }
}

/// The pages that a command has read for its cards: one that several accounts show is read once, and looks the same at
/// each.
struct CardPages {
  private var read: [String: Result<(card: PostDraft.Card, picture: [UInt8]?), ToolError>] = [:]

  /// Reads the page of a draft's card, before anything is written.
  ///
  /// - Returns: the bytes of its picture.
  /// - Throws: `ToolError.refused` if the page cannot be read, and the post needs it.
  mutating func complete(
    _ draft: inout PostDraft, _ rules: any PostRules, _ way: WritingWay, caFile: String?
  ) throws(ToolError) -> [UInt8]? {
    guard var address = draft.card?.address else { return nil }
    if address == "first" {
      guard let link = rules.links(in: draft.text).first else { throw .usage("--card first: the text has no link") }
      address = link
    }
    let page = try CardPage(address, caFile: caFile)
    let name = "\(caFile ?? "") \(address)"
    let result = read[name] ?? Result { () throws(ToolError) in try page.read() }
    read[name] = result
    do throws(ToolError) {
      let (card, picture) = try result.get()
      draft.card = card
      if way.isDryRun {
        let size = picture.map { ", with a picture of \($0.count) bytes" } ?? ""
        Diagnostics.note("the card: '\(Printable.line(card.title ?? ""))'\(size)")
      }
      return picture
    } catch {
      guard way.needsNoCard, error.status == .refused else { throw error }
      Diagnostics.note("the post has no card: \(error.message ?? "")")
      // Without a title none is shown. The draft stays that of the same command.
      draft.card = PostDraft.Card(address: address)
      return nil
    }
  }
}
