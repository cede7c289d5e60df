import TweetCore
import TweetDisplay

/// The list of keys.
extension Painter {
  func help(_ screen: ScreenState, _ layout: Layout) -> [[UInt8]] {
    let lines = Action.allCases.map { action in
      let keys = action.keys.map(\.name).joined(separator: " ")
      let padded = keys + String(repeating: " ", count: max(18 - keys.count, 1))
      return padded + action.help + "  :" + action.rawValue
    }
    return lines.dropFirst(screen.firstRow).prefix(layout.bodyRows).map { line in
      var row = ByteBuffer(capacity: 128)
      look.append("  " + line, most: layout.columns - 1, sequence: "", to: &row)
      return row.array
    }
  }
}
