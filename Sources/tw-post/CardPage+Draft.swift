import TweetCLI
import TweetCore
import TweetServices

extension CardPage {
  /// Reads the page of a draft's card, before anything is written.
  ///
  /// - Returns: the bytes of its picture.
  /// - Throws: `ToolError.refused` if the page cannot be read, and the post needs it.
  static func read(
    for draft: inout PostDraft, _ rules: any PostRules, _ way: WritingWay, caFile: String?
  ) throws(ToolError) -> [UInt8]? {
    guard var address = draft.card?.address else { return nil }
    if address == "first" {
      guard let link = rules.links(in: draft.text).first else { throw .usage("--card first: the text has no link") }
      address = link
    }
    let page = try CardPage(address, caFile: caFile)
    do throws(ToolError) {
      let (card, picture) = try page.read()
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
