import TweetCore

/// What stands above a tweet's text: where it is withheld, what its author warns of, whom it answers.
extension TweetBlock {
  mutating func appendWithheld(_ parts: TweetParts) {
    appendCaution()
    parts.withheld?.append(to: &text.bytes, locale) { country, bytes in
      Printable.append(decoder.decode(country, limit: 16), to: &bytes)
    }
    text.mark(.warning)
  }

  /// Appends why a quoted tweet is not there.
  mutating func appendMissingQuote(_ parts: TweetParts) {
    guard let state = parts.tweet.quoteState else { return }
    appendCaution()
    locale.append(state.phrase, to: &text.bytes)
    text.mark(.dim)
  }

  mutating func appendWarning(_ parts: TweetParts) {
    appendCaution()
    Printable.append(decoder.decode(parts.tweet.warning), to: &text.bytes)
    text.mark(.warning)
    if parts.isFolded { body.appendFold(foldKey, to: &text) }
  }

  private mutating func appendCaution() {
    text.bytes.append(glyphs.caution)
    text.bytes.append(glyphs.glue)
  }

  /// Appends whom the tweet answers, and the first words of what it answers.
  mutating func appendReplyContext(_ parts: TweetParts) {
    guard let (answered, username) = parts.reply else { return }
    let (named, counted) = parts.addressees
    // The reader sees whom it answers on the rows above.
    if isBelowAnswered, named.count < 2 { return }
    text.bytes.append(glyphs.reply)
    text.bytes.append(" ")
    if username != nil {
      locale.append(before: .replyingTo, to: &text.bytes)
      text.mark(.dim)
      // Within words that run from right to left, the sign before a name would go to its other end.
      let isolates = style.isolates && locale.isRightToLeft
      if isolates { text.bytes.append(Bidi.opening) }
      for (position, name) in named.enumerated() {
        if position > 0 { text.bytes.append(", ") }
        names.appendHandle(name, to: &text)
      }
      if !counted.isEmpty {
        text.bytes.append(" +")
        text.bytes.append(decimal: counted.count)
      }
      if isolates { text.bytes.append(Bidi.closing) }
      text.mark(.mention)
      locale.append(after: .replyingTo, to: &text.bytes)
    } else {
      locale.append(.reply, to: &text.bytes)
    }
    text.mark(.dim)
    guard !isBelowAnswered, let answered = answered.map({ TweetFields($0) }), let words = answered.headWords else {
      return
    }
    if answered.audience != .everybody {
      text.bytes.append(" ")
      text.bytes.append(glyphs.lock)
    }
    let room = layout.textWidth - DisplayWidth.widest(of: text.view(from: 0)) - 1
    text.bytes.append(" ")
    names.appendExcerpt(words, most: room, to: &text)
    text.mark(.dim)
  }
}
