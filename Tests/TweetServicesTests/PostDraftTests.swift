import TestSupport
import Testing
import TweetCore

@testable import TweetServices

/// A post that waits is what its author asked for, whenever it is sent.
@Suite struct PostDraftTests {
  @Test func allOfADraftIsKept() {
    var draft = PostDraft(text: "a \"text\"\n& more")
    #expect(PostDraft(json: draft.json) == draft)
    draft.replyTo = "1"
    draft.facts = ["a": "{\"b\":1}", "c": ""]
    (draft.key, draft.keyMemory, draft.keyUntil) = ("k", 3_600_000, Timestamp(parsing: "2026-11-27T18:30:00.000Z"))
    draft.quoteOf = "2"
    draft.poll = .init(options: ["yes", "no"], minutes: 90)
    draft.poll?.isMultiple = true
    draft.poll?.hidesTotals = true
    draft.scheduledAt = Timestamp(parsing: "2026-11-27T18:30:00.000Z")
    draft.media = [.init(path: "/a.png", altText: "a cup"), .init(path: "/b.png", altText: nil)]
    draft.media[0].digest = "d1"
    draft.media[0].upload = MediaUpload(id: "9", key: "3_9", type: "image/png")
    draft.media[1].upload = MediaUpload(id: "10", key: nil, type: "video/mp4")
    draft.media[0].upload?.width = 3
    draft.media[0].upload?.height = 2
    (draft.repliers, draft.quoters, draft.visibility) = (.nobody, .followers, .private)
    (draft.editOf, draft.altTexts, draft.isSensitive, draft.warning) = ("3", ["b", ""], true, "soup")
    draft.card = .init(address: "https://a.example/")
    draft.card?.title = "A"
    draft.card?.description = "b"
    draft.card?.picture = .init(path: "https://a.example/1.png", altText: nil)
    draft.card?.picture?.digest = "d2"
    for languages in [["de"], ["de", "en", "sv"], []] {
      draft.languages = languages
      #expect(PostDraft(json: draft.json) == draft)
    }
    for text in ["", "{}", "[]", "42", #"{"text":1}"#] { #expect(PostDraft(json: text) == nil, "\(text)") }
  }
}
