import TweetCLI

/// An option that only some formats have. In the others it would do nothing, and is refused.
struct ScopedOption {
  let name: String
  let isGiven: Bool
  let formats: [FormatChoice]

  init(_ name: String, _ isGiven: Bool, _ formats: [FormatChoice]) {
    (self.name, self.isGiven, self.formats) = (name, isGiven, formats)
  }

  /// `text, detail and html`.
  var formatNames: String {
    let names = formats.map(\.rawValue)
    return names.count == 1
      ? names[0] : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
  }
}

extension FormatChoice {
  static let terminal: [FormatChoice] = [.text, .line, .detail]
  static let tables: [FormatChoice] = [.csv, .tsv]
  static let feeds: [FormatChoice] = [.atom, .jsonFeed]
  /// Those in which people read tweets.
  static let read: [FormatChoice] = terminal + [.html, .site, .mail] + feeds + [.markdown, .mbox]
  /// Those in the reader's language.
  static let inLanguage: [FormatChoice] = terminal + [.html, .site, .mail, .markdown]
  static let withAvatars: [FormatChoice] = [.text, .detail, .html, .site, .mail]
  static let withPhotos: [FormatChoice] = withAvatars + feeds
  /// Those that other people may get to see.
  static let published: [FormatChoice] = allCases.filter { !terminal.contains($0) }
}

extension RenderCommand {
  /// Every option but those of all formats, with the formats that have it.
  var scopedOptions: [ScopedOption] {
    [
      ScopedOption("--width", width != nil, [.text, .detail]),
      ScopedOption("--color", color != nil, FormatChoice.terminal),
      ScopedOption("--hyperlink", hyperlink != nil, FormatChoice.terminal),
      ScopedOption("--ascii", ascii, FormatChoice.terminal),
      ScopedOption("--time", time != nil, FormatChoice.terminal),
      ScopedOption("--locale", locale != nil, FormatChoice.inLanguage),
      ScopedOption("--pictures", pictures != nil, FormatChoice.withAvatars),
      ScopedOption("--photos", photos, FormatChoice.withPhotos),
      ScopedOption("--no-avatars", noAvatars, FormatChoice.withAvatars),
      ScopedOption("--numbers", numbers == true, FormatChoice.terminal),
      ScopedOption("--no-numbers", numbers == false, FormatChoice.terminal),
      ScopedOption("--shown", shown != nil, FormatChoice.terminal + [.ids]),
      ScopedOption("--ids", ids, [.text, .line]),
      ScopedOption("--rows", rows?.most != nil, [.text]),
      ScopedOption("--rows \(rows?.each?.rawValue ?? "")", rows?.each != nil, FormatChoice.tables),
      ScopedOption("--warnings", warnings != nil, FormatChoice.read),
      ScopedOption("--include", !include.isEmpty, FormatChoice.published),
      ScopedOption("--all-copies", allCopies, FormatChoice.read),
      ScopedOption("--tweet", tweet != nil, [.detail]),
      ScopedOption("--highlight", !highlight.isEmpty, FormatChoice.terminal),
      ScopedOption("--updates", updates == true, FormatChoice.terminal),
      ScopedOption("--no-updates", updates == false, FormatChoice.terminal),
      ScopedOption("--fields", fields != nil, FormatChoice.tables),
      ScopedOption("--no-guard", noGuard, FormatChoice.tables),
      ScopedOption("--ids-as-text", idsAsText, FormatChoice.tables),
      ScopedOption("--bom", bom, FormatChoice.tables),
      ScopedOption("--title", title != nil, [.html, .site, .mail] + FormatChoice.feeds + [.markdown]),
      ScopedOption("--to", !to.isEmpty, [.mail]),
      ScopedOption("--from", from != nil, [.mail]),
      ScopedOption("--unless-empty", unlessEmpty, [.mail]),
      ScopedOption("--yes", confirmation.yes, [.site]),
      ScopedOption("--dry-run", confirmation.dryRun, [.site]),
    ]
  }
}
