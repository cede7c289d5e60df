import Services
import TestSupport
import Testing

struct PostIDTests {
  @Test func numbersHaveTheirPlaceHoweverLong() {
    let ids = ["0", "9", "10", "9223372036854775807", "9223372036854775808", "10000000000000000000000"].map {
      PostID($0)
    }
    for (index, id) in ids.enumerated() {
      for (other, second) in ids.enumerated() {
        #expect(id.isOlder(than: second) == (index < other), "\(id) \(second)")
      }
    }
    #expect(PostID("7") == .number(7) && PostID("07") != .number(7), "the service's own spelling is kept")
    #expect(ids.map(\.description).last == "10000000000000000000000")
  }

  @Test func anotherTextHasAPlaceOnlyIfItsServiceSaysOne() {
    let (one, other) = (PostID("3mptb2"), PostID("3mptb3"))
    #expect(!one.isOlder(than: other) && !other.isOlder(than: one))
    #expect(PostID.newer(one, other) == other && PostID.older(one, other) == other, "that which came last")
    let ordered = ["a/9", "b/10", "a/11"].map { PostID.text($0, order: String($0.dropFirst(2))) }
    #expect(ordered[0].isOlder(than: ordered[1]) && ordered[1].isOlder(than: ordered[2]))
    #expect(!ordered[2].isOlder(than: ordered[0]))
  }

  @Test func aKeyStaysTheSame() {
    #expect(PostID("20").key == 20 && PostID.key(of: "18446744073709551615") == .max)
    #expect(PostID("a").key == 0xAF63_DC4C_8601_EC8C, "FNV-1a, which files keep")
    #expect(PostID("3mptb2").key != PostID("3mptb3").key)
  }
}
