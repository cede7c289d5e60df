package import Services
package import TweetCore
package import TweetNet

/// What a service lets an account write: a value that makes requests and reads answers. It neither waits nor keeps
/// anything.
package protocol WriteAPI: PostRules {
  /// Milliseconds after the end of an attempt in which the service may still carry it out. Only then looking for the
  /// post says whether it was made.
  var settlingTime: Int { get }
  /// Milliseconds after which a request is given up.
  var longestRequest: Int { get }
  /// How pictures and videos reach it; `nil` if its posts have none.
  var media: (any MediaAPI)? { get }
  /// The same for a service that takes each file in one request.
  var wholeMedia: (any WholeMediaAPI)? { get }

  /// Whether it makes a post once, however often it is asked with the same ``PostDraft/key``.
  var takesKeys: Bool { get }
  /// A key with which the same post or change is the same, however often and whenever it is asked for, so that what
  /// came of a request without an answer need not be known: it is simply made again. `nil` where there is none.
  ///
  /// - Parameter number: tells writes of the same moment apart.
  func lastingKey(at time: Timestamp, number: Int) -> String?

  /// Asks what a post may be at this server; `nil` where all servers of the service have the same rules.
  var rulesRequest: HTTPRequest? { get }
  /// Reads the answer to it; `nil` when it is none.
  func rules(in answer: HTTPResponse) -> (any PostRules)?

  /// The scopes of OAuth 2.0 that an account must have been given.
  func scopes(for action: WriteAction) -> [String]
  func billed(_ action: WriteAction) -> BilledKind

  /// Asks for what is not known yet and the request of an action must have, such as where the thread of a reply begins;
  /// `nil` when nothing is missing.
  func question(before action: WriteAction, _ parts: WriteParts, by account: WritingAccount) -> HTTPRequest?
  /// Reads the answer to it, whatever its status is; `nil` when it says nothing.
  func learn(
    from answer: HTTPResponse, before action: WriteAction, _ parts: WriteParts, by account: WritingAccount
  ) -> WriteAnswer?

  /// Whether the post that a draft answers or quotes decides what the draft is like, so that it is asked about before
  /// the text is measured.
  var asksBeforehand: Bool { get }
  /// The text of a post as it is sent: an answer may begin with the names of those whom it answers.
  func text(of draft: PostDraft) -> String
  /// What is known of the post before, in a thread, that holds for the next one as well.
  func facts(continuing facts: [String: String]) -> [String: String]

  /// Asks which post an address means that does not tell its id by itself; `nil` for all other texts.
  func question(ofPostAt address: String) -> HTTPRequest?
  /// Reads the answer to it, whatever its status is; `nil` when it says nothing.
  func post(at address: String, in answer: HTTPResponse) -> AddressAnswer?

  /// Asks who the account is.
  var accountRequest: HTTPRequest { get }
  /// Reads the 2xx answer to it, or to ``userRequest(named:)``; `nil` if it names no account.
  func account(in answer: HTTPResponse) -> WritingAccount?
  func userRequest(named name: String) -> HTTPRequest
  /// Asks for an account again that the server has not met so far; `nil` where that is no other question.
  func userSearch(named name: String) -> HTTPRequest?
  /// Reads the 2xx answer to it; `nil` if the account is not in it.
  func account(named name: String, in answer: HTTPResponse) -> WritingAccount?
  /// What an account of another service is called here; `nil` if it is unknown here.
  func userName(_ name: String, of service: String) -> String?
  /// An account, in a form that tw-parse reads.
  func document(of account: WritingAccount) -> [UInt8]

  func request(_ action: WriteAction, _ parts: WriteParts, by account: WritingAccount) -> HTTPRequest
  func outcome(of action: WriteAction, _ answer: HTTPResponse) -> WriteOutcome

  /// Asks for a page of the account's own posts, newest first.
  ///
  /// - Parameter range: its bounds are wishes, which a service need not know.
  func ownPosts(of account: WritingAccount, _ range: PageRange) -> HTTPRequest
  /// Reads the 2xx answer to it; `nil` when it is not a page.
  func ownPosts(in answer: HTTPResponse) -> OwnPosts?

  /// Asks for one post, in a form that tw-parse reads.
  func postRequest(id: String) -> HTTPRequest
  /// The post in that 2xx answer, with what the account has done with it; `nil` when the post is not in it.
  func document(ofPostIn answer: HTTPResponse, viewer: String) -> [UInt8]?

  /// A post that was made, in a form that tw-parse reads.
  func document(of draft: PostDraft, id: String, by account: WritingAccount) -> [UInt8]

  /// What an answer that is not 2xx means, for a request that may be repeated.
  func refusal(_ answer: HTTPResponse) -> Refusal
}

extension WriteAPI {
  package var media: (any MediaAPI)? { nil }
  package var wholeMedia: (any WholeMediaAPI)? { nil }
  package var takesKeys: Bool { false }
  package func lastingKey(at time: Timestamp, number: Int) -> String? { nil }
  package var rulesRequest: HTTPRequest? { nil }
  package func rules(in answer: HTTPResponse) -> (any PostRules)? { self }
  package func document(of account: WritingAccount) -> [UInt8] { Array("{\"data\":\(account.object)}".utf8) }
  package var asksBeforehand: Bool { false }
  package func text(of draft: PostDraft) -> String { draft.text }
  package func facts(continuing facts: [String: String]) -> [String: String] { [:] }
  package func question(ofPostAt address: String) -> HTTPRequest? { nil }
  package func post(at address: String, in answer: HTTPResponse) -> AddressAnswer? { nil }
  package func userSearch(named name: String) -> HTTPRequest? { nil }
  package func account(named name: String, in answer: HTTPResponse) -> WritingAccount? { nil }
  package func userName(_ name: String, of service: String) -> String? { nil }
  package func billed(_ action: WriteAction) -> BilledKind { if case .post = action { .creates } else { .changes } }
  package func question(before action: WriteAction, _ parts: WriteParts, by account: WritingAccount) -> HTTPRequest? {
    nil
  }
  package func learn(
    from answer: HTTPResponse, before action: WriteAction, _ parts: WriteParts, by account: WritingAccount
  ) -> WriteAnswer? { nil }
}

/// An account at a service.
package struct WritingAccount: Sendable, Equatable {
  package let id: String
  /// Without `@`.
  package let username: String
  /// The service's JSON object that describes it.
  package let object: String

  package init(id: String, username: String, object: String) {
    self.id = id
    self.username = username
    self.object = object
  }
}

/// What a service says of an address that it was asked about.
package enum AddressAnswer: Sendable, Equatable {
  case post(id: String)
  /// It knows no post there; the text says why.
  case noPost(String)
}

/// What came of a request that changes something.
package enum WriteOutcome: Sendable, Equatable {
  /// - Parameters:
  ///   - id: of the post that was made, if one was.
  ///   - facts: what the service says of the post, such as its address: ``PostDraft/facts``.
  case done(id: String?, facts: [String: String] = [:])
  /// The service has this post already, and has not made another.
  case duplicate(ToolError)
  /// It was not done, and never will be.
  case refused(ToolError)
  /// It was not done, and neither would be anything else that this account asks for now.
  case accountRefused(ToolError)
  /// It was not done, since too much was asked for; waiting helps.
  case limited(Refusal)
  /// It may have been done; the text says what came in place of an answer.
  case unknown(String)
}

/// A page of the account's own posts.
package struct OwnPosts: Sendable {
  package struct Post: Sendable {
    package let id: String
    /// Its whole text.
    package let text: ReturnedText
    package let createdAt: Timestamp?
    package let replyTo: String?
    package let quoteOf: String?
    /// Whether it is a retweet.
    package let isRetweet: Bool
    package let mediaKeys: [String]
    /// What ``WriteOutcome/done(id:facts:)`` says of it.
    package let facts: [String: String]
    /// Reads the address of a post's page: its id.
    let postAt: @Sendable (String) -> String?

    package init(
      id: String, text: ReturnedText, createdAt: Timestamp?, replyTo: String?, quoteOf: String?, isRetweet: Bool,
      mediaKeys: [String], facts: [String: String] = [:], postAt: @escaping @Sendable (String) -> String?
    ) {
      (self.id, self.text, self.createdAt, self.replyTo) = (id, text, createdAt, replyTo)
      (self.quoteOf, self.isRetweet, self.mediaKeys, self.postAt) = (quoteOf, isRetweet, mediaKeys, postAt)
      self.facts = facts
    }
  }

  package var posts: [Post]
  package var nextToken: String?

  package init(posts: [Post], nextToken: String?) { (self.posts, self.nextToken) = (posts, nextToken) }
}
