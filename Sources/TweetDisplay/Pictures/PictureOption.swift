import TweetCore

/// How a person wants pictures to be shown.
package enum PictureOption: String, CaseIterable, Sendable {
  case auto, kitty, iterm2, sixel, symbols, none

  /// How pictures are shown then; `nil` for not at all.
  package func way(
    _ features: TerminalFeatures, _ colours: TerminalStyle.Colours, isASCII: Bool
  ) -> TerminalPictures.Way? {
    switch self {
    case .none: return nil
    case .kitty: return .known(.kitty)
    case .iterm2: return .known(.iterm2)
    case .sixel: return .known(.sixel)
    case .symbols: return .known(.symbols)
    case .auto: break
    }
    guard features.isTerminal, colours != .none else { return nil }
    let otherwise: PictureProtocol? = colours == .many && !isASCII ? .symbols : nil
    return .automatic(mayAsk: features.mayAsk, otherwise: otherwise)
  }
}
