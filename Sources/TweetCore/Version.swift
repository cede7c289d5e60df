/// The kit's version, one for all tools, and the User-Agent made of it.
package enum Version {
  package static let number = "0.1.0"
  /// What every request of the kit calls itself (RFC 9110 §10.1.5).
  package static let userAgent = "tw/\(number) (+\(project))"
  /// The project's page.
  package static let project = "https://github.com/tw-tools/tw"
}
