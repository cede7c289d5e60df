import TweetCLI
import TweetCore
import TweetServices

/// The pages that a command has read for its cards: one that several accounts show is read once, and looks the same at
/// each.
struct CardPages {
  typealias Found = (card: PostDraft.Card, picture: [UInt8]?)

  private var read: [String: Result<Found, ToolError>] = [:]

  /// What a card shows of a page.
  fileprivate mutating func page(at address: String, caFile: String?) throws(ToolError) -> Found {
    let page = try CardPage(address, caFile: caFile)
    let name = "\(caFile ?? "") \(address)"
    let result = read[name] ?? Result { () throws(ToolError) in try page.read() }
    read[name] = result
    return try result.get()
  }
}

extension CardPage {
  /// Reads the page of a draft's card, before anything is written.
  ///
  /// - Returns: the bytes of its picture.
  /// - Throws: `ToolError.refused` if the page cannot be read, and the post needs it.
  static func read(
    for draft: inout PostDraft, _ rules: any PostRules, _ way: WritingWay, in pages: inout CardPages, caFile: String?
  ) throws(ToolError) -> [UInt8]? {
    guard var address = draft.card?.address else { return nil }
    if address == "first" {
      guard let link = rules.links(in: draft.text).first else { throw .usage("--card first: the text has no link") }
      address = link
    }
    do throws(ToolError) {
      let (card, picture) = try pages.page(at: address, caFile: caFile)
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
