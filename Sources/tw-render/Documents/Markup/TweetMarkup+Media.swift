import TweetCore
import TweetDisplay

/// Pictures, videos and polls of tweets.
extension TweetMarkup {
  /// Appends a tweet's media, a list entry for each: the photo itself or what it is, linked to it whole, and what it
  /// shows.
  mutating func append(media: [MediaFields], isSensitive: Bool, to output: inout ByteBuffer) {
    output.append(photos != nil && media.count > 1 ? "<ul class=\"media grid\">\n" : "<ul class=\"media\">\n")
    for item in media {
      output.append("<li>")
      let isLinked = setWholePicture(item)
      if isLinked { openLink(item.kind.property, to: &output) }
      let isShown = !isSensitive && append(photo: item, to: &output)
      if !isShown { locale.append(item.kind.phrase, to: &output) }
      if isLinked { output.append("</a>") }
      if isSensitive {
        append(remark: &output) { $0.locale.append(.sensitive, to: &$1) }
      } else if !isShown, photos != nil, item.kind == .photo {
        appendReason(item, to: &output)
      }
      if let description = item.description {
        output.append(isShown ? "<bdi>" : ": <bdi>")
        output.append(markup: decoder.decode(description, limit: .max), newline: " ")
        output.append("</bdi>")
      }
      output.append("</li>\n")
    }
    output.append("</ul>\n")
  }

  /// Makes `address` that of the media: of a photo of X the file that was posted, where the address alone leads to a
  /// smaller one.
  private mutating func setWholePicture(_ item: MediaFields) -> Bool {
    address.removeAll()
    if item.kind == .photo, let key = PictureKey(item.picture), photos?.appendWhole(key, to: &address) == true {
      return true
    }
    guard setAddress(decoder.decode(item.address, limit: .max)) else { return false }
    let isSmaller = address.withBytes {
      $0.starts(with: "https://pbs.twimg.com/media/".utf8) && !$0.contains(UInt8(ascii: "?"))
    }
    if item.kind == .photo, isSmaller { address.append("?name=orig") }
    return true
  }

  /// Appends the photo itself.
  /// - Returns: whether it is there.
  private mutating func append(photo item: MediaFields, to output: inout ByteBuffer) -> Bool {
    guard let photos, let key = PictureKey(item.picture) else { return false }
    let start = output.count
    output.append("<img src=\"")
    guard let size = photos.append(key, .photo, to: &output) else {
      output.truncate(to: start)
      return false
    }
    output.append("\" width=\"")
    output.append(decimal: size.width)
    output.append("\" height=\"")
    output.append(decimal: size.height)
    // What it shows stands after it.
    output.append("\" alt=\"")
    locale.append(item.kind.phrase, to: &output)
    output.append("\" loading=\"lazy\" decoding=\"async\">")
    return true
  }

  /// Appends why a photo that was asked for is not there.
  private mutating func appendReason(_ item: MediaFields, to output: inout ByteBuffer) {
    append(remark: &output) { markup, output in
      guard let error = item.pictureError else { return markup.locale.append(.notFetched, to: &output) }
      output.append(markup: markup.decoder.decode(error, limit: 64), newline: " ")
    }
  }

  private mutating func append(
    remark output: inout ByteBuffer, _ words: (inout TweetMarkup, inout ByteBuffer) -> Void
  ) {
    output.append(" (")
    words(&self, &output)
    output.append(")")
  }

  mutating func append(_ poll: PollFields?, to output: inout ByteBuffer) {
    guard let poll else { return }
    output.append("<ul class=\"poll\">\n")
    for option in poll.options {
      let percent = Int((poll.share(of: option) * 100).rounded())
      output.append("<li><label><bdi>")
      output.append(markup: decoder.decode(option.label), newline: " ")
      output.append("</bdi> <meter max=\"100\" value=\"")
      output.append(decimal: percent)
      output.append("\"></meter></label> ")
      locale.append(percent: percent, to: &output)
      output.append("</li>\n")
    }
    output.append("</ul>\n<p class=\"votes\">")
    poll.appendState(locale, to: &output)
    output.append("</p>\n")
  }
}

extension MediaFields.Kind {
  /// Its property in microformats2.
  fileprivate var property: StaticString {
    switch self {
    case .photo: "u-photo"
    case .video, .gif: "u-video"
    case .audio: "u-audio"
    case .other: ""
    }
  }
}

extension PollFields {
  /// Appends `12 votes, closes 2021-11-03 21:25`: what stays true.
  func appendState(_ locale: ReaderLocale, to output: inout ByteBuffer) {
    appendState(locale, to: &output) { locale.appendLasting($0, to: &$1) }
  }
}
