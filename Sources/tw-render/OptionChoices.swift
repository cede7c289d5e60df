import ArgumentParser
import TweetDisplay

/// When to use colours, and when links.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
  case auto, always, never
}

/// What to write.
enum FormatChoice: String, CaseIterable, ExpressibleByArgument {
  case text, line, detail, ids, csv, tsv, twarc, html, atom
  case jsonFeed = "json-feed"
  case markdown, mbox, m3u, site, mail
}

extension PictureOption: ExpressibleByArgument {}

extension TimeForm: ExpressibleByArgument {}

/// The language of times, counts and words, as `--locale` names it.
struct LocaleChoice: ExpressibleByArgument {
  /// `nil` for none, the locale `C`.
  let name: LocaleName?

  init?(argument: String) {
    name = LocaleName(argument)
    if name == nil, !["C", "POSIX"].contains(argument.prefix { $0 != "." }) { return nil }
  }
}

/// What becomes of posts with a warning.
enum WarningChoice: String, CaseIterable, ExpressibleByArgument {
  /// The warning, and what stands behind it.
  case show
  /// The warning. What stands behind it can be opened, where the format has a way.
  case fold
  /// Nothing: the post is left out.
  case hide
}

/// Posts that are only in the output if they are asked for.
enum IncludedPosts: String, CaseIterable, ExpressibleByArgument {
  /// Those that not everybody may see.
  case `private`
  /// Those that are known only because somebody liked or bookmarked them.
  case marked
}
