import Testing
import TweetNet

struct EnvironmentProxyTests {
  private func proxy(_ host: String, _ variables: [String: String], scheme: String = "https") -> EnvironmentProxy? {
    EnvironmentProxy(scheme: scheme, host: host) { variables[$0] }
  }

  @Test func theProxyIsNamedWithoutItsCredentials() {
    let known = proxy("api.x.com", ["https_proxy": "http://user:se@cret@proxy.example:3128/"])
    #expect(known?.variable == "https_proxy" && known?.address == "proxy.example:3128")
    #expect(proxy("api.x.com", ["all_proxy": "socks5h://[::1]:1080"])?.address == "[::1]:1080")
    #expect(proxy("api.x.com", ["HTTPS_PROXY": "proxy:1"])?.variable == "HTTPS_PROXY")
    #expect(proxy("api.x.com", [:]) == nil)
    // A CGI program would have it from a header.
    #expect(proxy("api.x.com", ["HTTP_PROXY": "proxy:1"], scheme: "http") == nil)
  }

  @Test(arguments: [("*", true), ("x.com", true), (".x.com", true), ("a.org, API.x.com", true), ("pi.x.com", false)])
  func hostsMayBeExempt(_ list: String, _ isExempt: Bool) {
    #expect((proxy("api.x.com", ["https_proxy": "p:1", "no_proxy": list]) == nil) == isExempt)
  }
}
