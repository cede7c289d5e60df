import TestSupport
import Testing
import TweetCore

@testable import TweetStore

@Suite struct KnownUsersTests {
  private func user(_ key: Int) throws -> KnownUser {
    let profile = try JSONDocument(#"{"id":"\#(key)"}"#)
    var user = profile.read { KnownUser($0) }
    user.key = key
    return user
  }

  @Test func thoseAskedForStay() throws {
    var users = KnownUsers(most: 2)
    for identity in 1...3 { users.insert(try user(identity), identity) }
    // It is asked for before it would be dropped, 2 is not.
    #expect(users.find(1)?.key == 1)
    for identity in 4...5 { users.insert(try user(identity), identity) }
    #expect([4, 5, 2, 1].map { users.find($0)?.key } == [4, 5, nil, 1])
  }

  /// What is stored last counts, also when an older state is still there.
  @Test func theNewestStateCounts() throws {
    var users = KnownUsers(most: 2)
    users.insert(try user(1), 7)
    users.insert(try user(2), 8)
    users.insert(try user(3), 7)
    #expect(users.find(7)?.key == 3)
    users.insert(try user(4), 9)
    users.insert(try user(5), 10)
    #expect(users.find(7)?.key == 3)
    users.removeAll()
    #expect(users.find(7) == nil && users.find(10) == nil)
  }

  @Test func profilesThatDiffer() throws {
    func known(_ profile: String) throws -> KnownUser {
      let document = try JSONDocument(profile)
      return document.read { KnownUser($0) }
    }
    let first = try known(#"{"id":"1","username":"a","name":"A","public_metrics":{"tweet_count":1}}"#)
    let counted = try known(#"{"id":"1","username":"a","name":"A","public_metrics":{"tweet_count":2}}"#)
    let renamed = try known(#"{"id":"1","username":"b","name":"A","public_metrics":{"tweet_count":1}}"#)
    let more = try known(#"{"id":"1","username":"a","name":"A","public_metrics":{"tweet_count":1,"like_count":1}}"#)
    #expect(first.profile != counted.profile && first.shape == counted.shape && first.names == counted.names)
    #expect(first.shape == renamed.shape && first.names != renamed.names)
    #expect(first.shape != more.shape && first.names == more.names)
  }
}
