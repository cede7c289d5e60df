import Services
import TweetCLI
import TweetCore

/// What the configuration says for the screen.
struct BrowseSettings {
  let keys: KeyMap
  /// The sources that are shown where none is named.
  let feeds: [String]
  /// A command that plays the page of a song or an album; `nil` if there is none.
  let player: String?
  /// A command of the shell that shows a record.
  let pager: String
  /// A command that opens a page; `nil` for the person's browser.
  let opener: String?

  /// - Throws: ``ToolError/configuration(_:)``, with the file and the line, for what is not allowed.
  init(_ settings: Settings) throws(ToolError) {
    keys = try KeyMap(settings)
    feeds = settings.value(.browseFeeds).flatMap(QuotedWords.split) ?? []
    player = settings.value(.browsePlayer) ?? settings.value(.player)
    pager = settings.value(.browsePager) ?? Paths.environment("PAGER") ?? "less"
    opener = settings.value(.browseOpener)
    let usual = Services.reading(settings.value(.service))
    for source in feeds {
      do throws(ToolError) { _ = try Services.source(source, of: usual) } catch {
        throw .configuration("\(settings.origin(of: .browseFeeds)): browse.feeds: \(error.message ?? source)")
      }
    }
  }
}
