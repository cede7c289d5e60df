import Services
import TweetCore
import TweetNet
import TweetServices

/// Pages of posts that name their account by its handle: `https://bsky.app/profile/alice.example/post/KEY`.
extension BlueskyWriting {
  func question(ofPostAt address: String) -> HTTPRequest? {
    guard let post = Self.post(byHandle: address) else { return nil }
    return requests.resolve(post.authority)
  }

  func post(at address: String, in answer: HTTPResponse) -> AddressAnswer? {
    if [400, 404].contains(answer.status), refusal(answer).error.status == .refused {
      return .noPost("there is no account of that name")
    }
    guard answer.isSuccess, let post = Self.post(byHandle: address), let document = try? JSONDocument(answer.body),
      let did = document["did"]?.string.flatMap({ AccountName($0) }), did.isDID
    else { return nil }
    return .post(id: RecordAddress(authority: did.text, collection: post.collection, key: post.key).text)
  }

  private static func post(byHandle address: String) -> RecordAddress? {
    guard let post = RecordAddress(address), post.collection == RecordAddress.post,
      AccountName(post.authority)?.isDID == false
    else { return nil }
    return post
  }
}
