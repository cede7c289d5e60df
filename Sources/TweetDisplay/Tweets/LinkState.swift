package import TweetCore

/// What tw-linkcheck found out about a link, as every form of a tweet says it (tweet(5)).
package struct LinkState {
  package enum Kind: Equatable {
    /// It works, or has moved to where it works.
    case works
    case music
    case dead
    /// The site answers, but not us: `blocked`, `limited`.
    case refused
    case slow
    case fault
    /// A verdict that says nothing, or one of a later version.
    case unknown
  }

  package let kind: Kind
  /// The word of the record.
  package let verdict: JSONValue
  /// The error, or the status: a text or a number; `nil` where the kind says all.
  package let detail: JSONValue?
  /// The address of the copy that the Internet Archive has; it may be no address at all.
  package let copy: JSONValue?

  /// Errors' codes are cut here, in bytes.
  package static let longestDetail = 24

  /// `nil` if the link was not checked.
  package init?(_ link: JSONValue) {
    guard let verdict = link["verdict"], verdict.isString else { return nil }
    let detail = [link["error"], link["status"]].lazy.compactMap { $0 }.first { $0.isString || $0.kind == .number }
    self.verdict = verdict
    copy = link["archived"]?["url"].flatMap { $0.isString ? $0 : nil }
    if verdict.equals("ok") || verdict.equals("moved") {
      let isMusic = link["link_kind"]?.equals("music") == true || link["link_kind"]?.equals("playlist") == true
      (kind, self.detail) = (isMusic ? .music : .works, nil)
    } else if verdict.equals("dead") {
      (kind, self.detail) = (.dead, detail)
    } else if verdict.equals("blocked") || verdict.equals("limited") {
      (kind, self.detail) = (.refused, detail)
    } else if verdict.equals("error") {
      (kind, self.detail) = (detail?.equals("timeout") == true ? .slow : .fault, detail)
    } else {
      (kind, self.detail) = (.unknown, link["error"].flatMap { $0.isString ? $0 : nil })
    }
  }

  /// Whether a reader is told no more than the link.
  package var isQuiet: Bool { kind == .works || kind == .music }

  /// The kit's own word for the verdict; `nil` for a verdict of a later version.
  private var phrase: Phrase? {
    if verdict.equals("dead") { return .linkDead }
    if verdict.equals("blocked") { return .linkBlocked }
    if verdict.equals("limited") { return .linkLimited }
    if verdict.equals("error") { return .linkError }
    return verdict.equals("unknown") ? .linkUnknown : nil
  }

  /// Appends verdict and detail, `dead 404`, as documents say them.
  /// - Parameter text: appends a text of the record.
  package func appendWords(
    _ locale: ReaderLocale, to output: inout ByteBuffer, _ text: (JSONValue, inout ByteBuffer) -> Void
  ) {
    if let phrase { locale.append(phrase, to: &output) } else { text(verdict, &output) }
    guard let detail else { return }
    output.append(" ")
    if detail.isString { text(detail, &output) } else { output.append(detail.raw) }
  }
}
