import Testing

@testable import TweetNet

@Suite struct DescriptorShareTests {
  @Test(arguments: [1, 8, 16, 32, 300, 1000], [0, 1, 40, 64, 100, 256, 1024, 65_536, Int.max])
  func whatIsSharedOutIsThere(wanted: Int, descriptors: Int) {
    let share = DescriptorShare(transfers: wanted, descriptors: descriptors)
    #expect((1...wanted).contains(share.transfers) && share.resolverThreads >= 1)
    #expect(share.connections >= share.transfers)
    guard descriptors >= 64 else { return }
    // Each connection has a socket, and a transfer that connects has another one.
    #expect(share.resolverThreads * 3 + share.connections + share.transfers + 32 <= descriptors)
  }

  @Test func theUsualNumbersHaveRoom() {
    #expect(DescriptorShare(transfers: 32, descriptors: 1024).transfers == 32)
    #expect(DescriptorShare(transfers: 32, descriptors: 1024).connections == 128)
    #expect(DescriptorShare(transfers: 32, descriptors: 256).transfers == 32)
    #expect(DescriptorShare(transfers: 300, descriptors: 1024).transfers >= 200)
  }
}
