/// What kind of thing a link leads to, as far as the URL and the answer's header show it.
package enum LinkKind: String, CaseIterable, Sendable {
  case page, image, video
  /// Sound that is known not to be music: speech codecs, podcasts, audio books.
  case audio
  /// Other sound files, and the pages of music services.
  case music
  /// A list of things to play.
  case playlist
  case document
  /// News for a feed reader.
  case feed
  /// Packed files.
  case archive
  /// Something to install or to save: a program, an image of a disk, a file whose type says nothing.
  case download
  case other
}
