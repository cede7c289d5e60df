/// A picture in memory: at most 256 colours, one byte a pixel, rows from the top.
struct Raster: Sendable {
  struct Colour: Sendable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8
  }

  let width: Int
  let height: Int
  var palette: [Colour]
  var pixels: [UInt8]

  init(width: Int, height: Int, palette: [Colour], pixel: (_ x: Int, _ y: Int) -> UInt8) {
    self.width = width
    self.height = height
    self.palette = palette
    pixels = []
    pixels.reserveCapacity(width * height)
    for y in 0..<height {
      for x in 0..<width { pixels.append(pixel(x, y)) }
    }
  }
}

extension Raster {
  /// A profile picture: a mirrored pattern in two colours on a third. The same seed gives the same picture.
  static func portrait(seed: UInt64, size: Int) -> Raster {
    let hue = Int(seed % 360)
    let palette = [
      Colour(hue: hue, lightness: 232), Colour(hue: hue, lightness: 92), Colour(hue: hue + 150, lightness: 140),
    ]
    let cells = 8
    let bits = seed ^ seed << 29 ^ seed >> 17
    return Raster(width: size, height: size, palette: palette) { x, y in
      let column = x * cells / size
      let row = y * cells / size
      guard (1..<cells - 1).contains(column), (1..<cells - 1).contains(row) else { return 0 }
      let mirrored = min(column, cells - 1 - column)
      let bit = UInt64(row * 4 + mirrored)
      // Two bits for a cell: three of four cells are filled, one of these three in the second colour.
      switch bits >> (bit * 2 & 63) & 3 {
      case 0: return 0
      case 1: return 2
      default: return 1
      }
    }
  }

  /// A photo: hills under an evening sky. The seed decides shapes and colours.
  static func landscape(seed: UInt64, width: Int, height: Int) -> Raster {
    let hue = Int(seed % 360)
    let sky = (0..<200).map { Colour(hue: hue + $0 / 4, lightness: 250 - $0) }
    let hills = (0..<3).map { Colour(hue: hue + 120 + $0 * 12, lightness: 110 - $0 * 35) }
    let sun = Colour(hue: 48, lightness: 190)
    let phases = (0..<3).map { Int(seed >> ($0 * 9) & 0xFF) }
    return Raster(width: width, height: height, palette: sky + hills + [sun]) { x, y in
      for layer in (0..<3).reversed() {
        // The sum of two triangle waves looks like hills.
        let far = triangle(x + phases[layer], period: width / (2 + layer)) * height / 6
        let near = triangle(x * 3 + phases[layer], period: width / 2) * height / 24
        if y * 1000 > height * (480 + layer * 150) + far + near { return UInt8(200 + layer) }
      }
      let (dx, dy) = (x - width * 2 / 3, y - height / 4)
      if dx * dx + dy * dy < height * height / 120 { return 203 }
      return UInt8(min(199, y * 200 / height))
    }
  }

  /// A triangle wave: 0 to 1000 and back in each period.
  private static func triangle(_ x: Int, period: Int) -> Int {
    let phase = x % period * 2000 / period
    return phase < 1000 ? phase : 2000 - phase
  }
}

extension Raster.Colour {
  /// A colour of middle saturation.
  /// - Parameters:
  ///   - hue: degrees, any number.
  ///   - lightness: 0 black to 255 white.
  init(hue: Int, lightness: Int) {
    let spread = min(lightness, 255 - lightness) * 7 / 10
    func channel(_ offset: Int) -> UInt8 {
      let angle = (hue + offset) % 360
      let wave = angle < 60 ? angle : angle < 180 ? 60 : angle < 240 ? 240 - angle : 0
      return UInt8(clamping: lightness - spread + wave * spread * 2 / 60)
    }
    self.init(red: channel(120), green: channel(0), blue: channel(240))
  }
}
