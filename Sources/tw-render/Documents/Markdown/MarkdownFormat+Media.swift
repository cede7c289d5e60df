import TweetCore
import TweetDisplay

/// Media, polls and counts of tweets.
extension MarkdownFormat {
  mutating func append(
    _ media: [MediaFields], isSensitive: Bool, prefix: StaticString, to output: inout ByteBuffer
  ) {
    output.append(prefix)
    output.append("\n")
    for item in media {
      output.append(prefix)
      output.append("- ")
      scratch.removeAll()
      let isLinked = SafeAddress.append(decoder.decode(item.address, limit: .max), to: &scratch)
      if isLinked { output.append("[") }
      locale.append(item.kind.phrase, to: &output)
      if isLinked { closeLink(&output) }
      if isSensitive {
        output.append(" (")
        locale.append(.sensitive, to: &output)
        output.append(")")
      }
      if let description = item.description {
        output.append(": ")
        appendLine(of: decoder.decode(description, limit: .max), to: &output)
      }
      output.append("\n")
    }
  }

  mutating func append(_ poll: PollFields?, prefix: StaticString, to output: inout ByteBuffer) {
    guard let poll else { return }
    output.append(prefix)
    output.append("\n")
    for option in poll.options {
      output.append(prefix)
      output.append("- ")
      let start = output.count
      appendLine(of: decoder.decode(option.label), to: &output)
      if output.count > start { output.append(": ") }
      locale.append(count: poll.count(of: option), to: &output)
      output.append("\n")
    }
    startParagraph(prefix, to: &output)
    poll.appendState(locale, to: &output)
    output.append("\n")
  }

  func appendCounts(_ tweet: TweetFields, to output: inout ByteBuffer) {
    let counts = tweet.counts.words
    for (position, (count, phrase)) in counts.enumerated() {
      output.append(position == 0 ? "\n" : " · ")
      locale.append(phrase, count: count, to: &output)
    }
    if !counts.isEmpty { output.append("\n") }
  }
}
