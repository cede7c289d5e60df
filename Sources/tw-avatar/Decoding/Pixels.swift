/// A decoded picture: 8 bits each of red, green, blue and alpha for a pixel, not premultiplied, rows from the top.
struct Pixels: Equatable {
  let width: Int
  let height: Int
  /// `4 * width * height` bytes.
  var bytes: [UInt8]

  /// A transparent picture.
  init(width: Int, height: Int) {
    self.init(width: width, height: height, bytes: [UInt8](repeating: 0, count: 4 * width * height))
  }

  init(width: Int, height: Int, bytes: [UInt8]) {
    self.width = width
    self.height = height
    self.bytes = bytes
  }

  /// Whether no pixel is transparent.
  var isOpaque: Bool { stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 } }

  /// The size that a picture gets so that no side is longer than `side`. A smaller picture keeps its size.
  static func fitted(width: Int, height: Int, side: Int) -> (width: Int, height: Int) {
    let longest = max(width, height)
    if longest <= side { return (width, height) }
    return (max(1, width * side / longest), max(1, height * side / longest))
  }

  /// The picture with no side longer than `side`: each pixel is the mean of the area that it covers (a box filter), weighted by
  /// alpha, so that the colour of transparent pixels does not show.
  func shrunk(to side: Int) -> Pixels {
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
}
