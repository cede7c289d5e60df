import ArgumentParser

/// Sizes as options take them: `4096`, `64K`, `16M`, `1G`, in powers of 1024.
package enum ByteSize {
  /// - Returns: bytes, more than 0.
  /// - Throws: `ValidationError` for anything else.
  package static func parse(_ text: String) throws -> Int {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let shift: Int? =
      switch text.dropFirst(digits.count).uppercased() {
      case "", "B": 0
      case "K", "KB", "KIB": 10
      case "M", "MB", "MIB": 20
      case "G", "GB", "GIB": 30
      default: nil
      }
    guard let shift, let number = Int(digits), number > 0, number <= Int.max >> shift else {
      throw ValidationError("'\(text)' is not a size (4096, 64K, 16M, 1G)")
    }
    return number << shift
  }
}
