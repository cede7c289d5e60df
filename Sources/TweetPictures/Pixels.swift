/// A decoded picture: 8 bits each of red, green, blue and alpha for a pixel, not premultiplied, rows from the top.
package struct Pixels: Equatable, Sendable {
  package let width: Int
  package let height: Int
  /// `4 * width * height` bytes.
  package var bytes: [UInt8]

  /// A transparent picture.
  package init(width: Int, height: Int) {
    self.init(width: width, height: height, bytes: [UInt8](repeating: 0, count: 4 * width * height))
  }

  package init(width: Int, height: Int, bytes: [UInt8]) {
    self.width = width
    self.height = height
    self.bytes = bytes
  }

  /// Whether no pixel is transparent.
  package var isOpaque: Bool { stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 } }

  /// The size that a picture gets so that no side is longer than `side`. A smaller picture keeps its size.
  package static func fitted(width: Int, height: Int, side: Int) -> (width: Int, height: Int) {
    let longest = max(width, height)
    if longest <= side { return (width, height) }
    return (max(1, width * side / longest), max(1, height * side / longest))
  }

  /// The picture with no side longer than `side`: each pixel is the mean of the area that it covers (a box filter),
  /// weighted by alpha, so that the colour of transparent pixels does not show.
  package func shrunk(to side: Int) -> Pixels {
    let size = Self.fitted(width: width, height: height, side: side)
    if size == (width, height) { return self }
    let columns = (0..<size.width).map { Self.covered($0, of: size.width, by: width) }
    var small = Pixels(width: size.width, height: size.height)
    for y in 0..<size.height {
      let rows = Self.covered(y, of: size.height, by: height)
      for x in 0..<size.width {
        let mean = mean(rows: rows, columns: columns[x])
        for channel in 0..<4 { small.bytes[4 * (y * size.width + x) + channel] = mean[channel] }
      }
    }
    return small
  }

  /// Pixels of a row or a column of the large picture, and how much of each is covered.
  private typealias Coverage = (first: Int, weights: [Int])

  /// What pixel `index` of `small` covers of `large` pixels. A whole pixel has the weight `small`.
  private static func covered(_ index: Int, of small: Int, by large: Int) -> Coverage {
    let (start, end) = (index * large, (index + 1) * large)
    let first = start / small
    return (first, (first...(end - 1) / small).map { min(end, ($0 + 1) * small) - max(start, $0 * small) })
  }

  private func mean(rows: Coverage, columns: Coverage) -> SIMD4<UInt8> {
    var (sum, opacity, area) = (SIMD4<Int>(), 0, 0)
    for (row, height) in rows.weights.enumerated() {
      var at = 4 * ((rows.first + row) * width + columns.first)
      for weight in columns.weights {
        let part = weight * height
        let alpha = part * Int(bytes[at + 3])
        sum &+= SIMD4(Int(bytes[at]), Int(bytes[at + 1]), Int(bytes[at + 2]), 0) &* alpha
        opacity += alpha
        area += part
        at += 4
      }
    }
    guard opacity > 0 else { return SIMD4() }
    return SIMD4(
      UInt8(sum.x / opacity), UInt8(sum.y / opacity), UInt8(sum.z / opacity), UInt8(opacity / area))
  }

  /// The picture as Exif's orientation says that it is to be shown (Exif 2.32 §4.6.4, tag 0x0112).
  ///
  /// - Parameter orientation: 2 to 8; all else leaves it as it is.
  package func turned(by orientation: Int) -> Pixels {
    guard (2...8).contains(orientation) else { return self }
    let isSwapped = orientation >= 5
    var turned = isSwapped ? Pixels(width: height, height: width) : Pixels(width: width, height: height)
    for y in 0..<turned.height {
      for x in 0..<turned.width {
        let from =
          switch orientation {
          case 2: (x: width - 1 - x, y: y)
          case 3: (x: width - 1 - x, y: height - 1 - y)
          case 4: (x: x, y: height - 1 - y)
          case 5: (x: y, y: x)
          case 6: (x: y, y: height - 1 - x)
          case 7: (x: width - 1 - y, y: height - 1 - x)
          default: (x: width - 1 - y, y: x)
          }
        let (to, at) = (4 * (y * turned.width + x), 4 * (from.y * width + from.x))
        for channel in 0..<4 { turned.bytes[to + channel] = bytes[at + channel] }
      }
    }
    return turned
  }
}
