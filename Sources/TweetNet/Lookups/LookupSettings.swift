package import TweetCore

/// How look-ups reach the network.
package struct LookupSettings: Sendable {
  /// Requests at the same time, in all and to one host.
  package let jobs: Int
  package let jobsPerHost: Int
  /// Milliseconds between the starts of two requests to one host.
  package let hostInterval: Int
  /// Further tries of a request after failures that may pass, and after refusals of its host.
  package let retries: Int
  /// Milliseconds for one look-up: its redirects, pauses and second requests included, its time in the queue, and while
  /// its host rests, not.
  package let timeout: Int
  /// Headers that all requests get, in place of those with the same name.
  package let headers: [HTTPHeader]
  package let addresses: AddressPolicy
  package let proxy: ProxyUse
  package let caFile: String?
  /// Whether what happens is counted for each host.
  package let countsHosts: Bool

  /// - Parameters:
  ///   - jobsPerHost: `nil` for as many as `jobs`.
  ///   - allowsPrivate: whether requests may reach every address. If not, they reach those of the public internet and
  ///     of `TW_ALLOW_PRIVATE`.
  ///   - proxy: a proxy's URL; those of the environment are never used.
  ///   - caFile: a PEM file of certificate authorities in place of the system's.
  /// - Throws: `ToolError.configuration` when `TW_ALLOW_PRIVATE` is wrong.
  package init(
    jobs: Int, jobsPerHost: Int? = nil, hostInterval: Int = 0, retries: Int = 0, timeout: Int,
    headers: [HTTPHeader] = [], allowsPrivate: Bool, proxy: String?, caFile: String?,
    countsHosts: Bool = false
  ) throws(ToolError) {
    let publicOnly = try AddressPolicy.ofStrangers
    self.jobs = jobs
    self.jobsPerHost = jobsPerHost ?? jobs
    self.hostInterval = hostInterval
    self.retries = retries
    self.timeout = timeout
    self.headers = headers
    self.addresses = allowsPrivate ? .any : publicOnly
    self.proxy = proxy.map { .explicit($0) } ?? .none
    self.caFile = caFile
    self.countsHosts = countsHosts
  }
}
