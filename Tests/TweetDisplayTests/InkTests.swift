import Foundation
import Testing

@testable import TweetDisplay

/// Colours that can be read on a light and on a dark ground.
struct InkTests {
  private static let inks = (0..<UInt8.max).compactMap { Ink(rawValue: $0) }

  private func parameters(_ ink: Ink, _ colours: TerminalStyle.Colours) -> [Int] {
    "\(ink.sequence(colours))".dropFirst(2).dropLast().split(separator: ";").compactMap { Int($0) }
  }

  /// Of the sixteen colours only red and magenta; the others are bold, dim, underlined and struck out.
  @Test func sixteenColours() {
    for ink in Self.inks {
      #expect(Set(parameters(ink, .basic)).isSubset(of: [1, 2, 4, 9, 31, 35]), "\(ink)")
    }
  }

  /// The contrast of WCAG 2.1 to white and to black.
  @Test func manyColours() {
    for ink in Self.inks {
      let parameters = parameters(ink, .many)
      guard parameters.starts(with: [38, 5]) else { continue }
      let luminance = luminance(ofCube: parameters[2] - 16)
      #expect(min(1.05 / (luminance + 0.05), (luminance + 0.05) / 0.05) >= 4.3, "\(ink)")
    }
  }

  private func luminance(ofCube number: Int) -> Double {
    let levels = [0.0, 95, 135, 175, 215, 255]
    let parts = [number / 36, number / 6 % 6, number % 6].map { channel(levels[$0] / 255) }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  private func channel(_ value: Double) -> Double {
    value <= 0.039_28 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }
}
