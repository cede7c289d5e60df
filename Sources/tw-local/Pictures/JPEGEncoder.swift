import Libc

/// Writes a baseline JPEG (ITU T.81), three components of equal size.
///
/// The Huffman tables are its own: every symbol has a code of the same length, its number in the table. That costs size,
/// which does not matter over loopback, and saves the standard's long example tables.
struct JPEGEncoder {
  /// Every coefficient is divided by this: fine enough that flat patterns stay flat.
  private static let step = 8
  /// Sizes 0 to 11 of a DC difference.
  private static let dcSymbols = (0...11).map { UInt8($0) }
  private static let dcBits = 4
  /// End of block, sixteen zeros, then each run of 0 to 15 zeros before a value of 1 to 10 bits.
  private static let acSymbols: [UInt8] =
    [0x00, 0xF0] + (0..<16).flatMap { run in (1...10).map { size in UInt8(run << 4 | size) } }
  private static let acBits = 8
  /// Where a coefficient stands in the order they are sent.
  private static let zigzag = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21,
    28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
    47, 55, 62, 63,
  ]
  private static let cosines: [Float] = (0..<64).map { place in
    let (frequency, x) = (place / 8, place % 8)
    let scale = frequency == 0 ? Float(0.125).squareRoot() : 0.5
    return scale * cos(Float(2 * x + 1) * Float(frequency) * .pi / 16)
  }

  private var file: [UInt8] = []
  private var bits: UInt32 = 0
  private var bitCount = 0

  static func encode(_ picture: Raster) -> [UInt8] {
    var encoder = JPEGEncoder()
    encoder.headers(picture)
    encoder.scan(picture)
    return encoder.file
  }

  private mutating func headers(_ picture: Raster) {
    file += [0xFF, 0xD8]
    segment(0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])
    segment(0xDB, [0] + [UInt8](repeating: UInt8(Self.step), count: 64))
    let size = [picture.height, picture.width].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    segment(0xC0, [8] + size + [3] + [1, 2, 3].flatMap { [$0, 0x11, 0] as [UInt8] })
    table(class: 0, symbols: Self.dcSymbols, bits: Self.dcBits)
    table(class: 1, symbols: Self.acSymbols, bits: Self.acBits)
    segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0])
  }

  private mutating func segment(_ marker: UInt8, _ data: [UInt8]) {
    let length = data.count + 2
    file += [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + data
  }

  private mutating func table(class number: UInt8, symbols: [UInt8], bits: Int) {
    let counts = (1...16).map { $0 == bits ? UInt8(symbols.count) : 0 }
    segment(0xC4, [number << 4] + counts + symbols)
  }

  private mutating func scan(_ picture: Raster) {
    let planes = picture.palette.map(Self.components)
    var previous = [0, 0, 0]
    for top in stride(from: 0, to: picture.height, by: 8) {
      for left in stride(from: 0, to: picture.width, by: 8) {
        for component in 0..<3 {
          let samples = (0..<64).map { place in
            let (x, y) = (min(left + place % 8, picture.width - 1), min(top + place / 8, picture.height - 1))
            return planes[Int(picture.pixels[y * picture.width + x])][component]
          }
          previous[component] = block(Self.transform(samples), previous: previous[component])
        }
      }
    }
    // The last byte is filled with ones.
    put(0x7F, count: 7)
    file += [0xFF, 0xD9]
  }

  /// Luma and the two colour differences (JFIF 1.02), moved to be around zero.
  private static func components(_ colour: Raster.Colour) -> [Float] {
    let (red, green, blue) = (Float(colour.red), Float(colour.green), Float(colour.blue))
    return [
      0.299 * red + 0.587 * green + 0.114 * blue - 128, -0.1687 * red - 0.3313 * green + 0.5 * blue,
      0.5 * red - 0.4187 * green - 0.0813 * blue,
    ]
  }

  /// The block's discrete cosine transform, rows then columns, divided by the step.
  private static func transform(_ samples: [Float]) -> [Int] {
    var rows = [Float](repeating: 0, count: 64)
    for y in 0..<8 {
      for u in 0..<8 {
        var sum: Float = 0
        for x in 0..<8 { sum += samples[y * 8 + x] * cosines[u * 8 + x] }
        rows[y * 8 + u] = sum
      }
    }
    return (0..<64).map { place in
      let (v, u) = (place / 8, place % 8)
      var sum: Float = 0
      for y in 0..<8 { sum += rows[y * 8 + u] * cosines[v * 8 + y] }
      return Int((sum / Float(step)).rounded())
    }
  }

  /// Sends one block; gives its DC coefficient, which the next is told relative to.
  private mutating func block(_ coefficients: [Int], previous: Int) -> Int {
    let difference = coefficients[0] - previous
    let size = Self.size(of: difference)
    put(UInt32(size), count: Self.dcBits)
    put(value: difference, size: size)
    var zeros = 0
    for place in Self.zigzag.dropFirst() {
      let value = coefficients[place]
      if value == 0 {
        zeros += 1
        continue
      }
      while zeros > 15 {
        put(1, count: Self.acBits)
        zeros -= 16
      }
      let size = Self.size(of: value)
      put(UInt32(2 + zeros * 10 + size - 1), count: Self.acBits)
      put(value: value, size: size)
      zeros = 0
    }
    if zeros > 0 { put(0, count: Self.acBits) }
    return coefficients[0]
  }

  /// How many bits a value's magnitude needs.
  private static func size(of value: Int) -> Int { Int.bitWidth - value.magnitude.leadingZeroBitCount }

  /// A negative value is sent as its ones' complement (T.81 §F.1.2.1).
  private mutating func put(value: Int, size: Int) {
    put(UInt32(value < 0 ? value + (1 << size) - 1 : value), count: size)
  }

  private mutating func put(_ value: UInt32, count: Int) {
    bits = bits << UInt32(count) | value
    bitCount += count
    while bitCount >= 8 {
      bitCount -= 8
      let byte = UInt8(truncatingIfNeeded: bits >> UInt32(bitCount))
      file.append(byte)
      // A zero after 0xFF tells it from a marker.
      if byte == 0xFF { file.append(0) }
    }
  }
}
