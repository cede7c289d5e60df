import Libc
import TweetCore

/// An IPv4 or IPv6 address.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// 4 or 16 bytes, network order.
  private let bytes: [UInt8]

  /// Dotted IPv4 or IPv6 text, without brackets; `nil` for anything else.
  package init?(_ text: String) {
    // Most hosts are names. These are told apart without a copy of the text for the C library.
    guard let last = text.utf8.last, last.isASCIIDigit || text.utf8.contains(UInt8(ascii: ":")) else {
      return nil
    }
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: &four) { Array($0) }
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      bytes = withUnsafeBytes(of: &six) { Array($0) }
    } else {
      return nil
    }
  }

  /// The address a socket is about to connect to; `nil` for families other than IPv4 and IPv6.
  init?(_ address: UnsafePointer<sockaddr>) {
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      bytes = withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
    case AF_INET6:
      bytes = withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
    default: return nil
    }
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  package var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
    return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "?" }
  }

  var isIPv6: Bool { bytes.count == 16 }

  /// Whether it is in 127/8 (also when written as IPv6) or `::1`.
  package var isLoopback: Bool {
    if let four = mapped { return four.isLoopback }
    return bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
  }

  /// Whether it is an address of the public internet: not private, local, shared, reserved or multicast.
  ///
  /// The ranges are those of IANA's IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and its updates).
  package var isPublic: Bool {
    if let four = mapped ?? translated { return four.isPublic }
    if bytes.count == 4 { return !Self.special4.contains { $0.contains(bytes) } }
    return Self.global6.contains(bytes) && !Self.special6.contains { $0.contains(bytes) }
  }

  /// The IPv4 address in `::ffff:a.b.c.d`, which the kernel connects to over IPv4.
  private var mapped: IPAddress? {
    embedded(after: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff])
  }

  /// The IPv4 address in `64:ff9b::a.b.c.d`, which a NAT64 gateway connects to (RFC 6052).
  private var translated: IPAddress? {
    embedded(after: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0])
  }

  private func embedded(after prefix: [UInt8]) -> IPAddress? {
    bytes.count == 16 && bytes.starts(with: prefix) ? IPAddress(bytes: Array(bytes[12...])) : nil
  }

  private struct Range {
    let prefix: [UInt8]
    let bits: Int

    init(_ prefix: [UInt8], _ bits: Int) {
      self.prefix = prefix
      self.bits = bits
    }

    func contains(_ bytes: [UInt8]) -> Bool {
      let whole = bits / 8
      let rest = bits % 8
      guard bytes.prefix(whole).elementsEqual(prefix.prefix(whole)) else { return false }
      return rest == 0 || (bytes[whole] ^ prefix[whole]) >> (8 - rest) == 0
    }
  }

  private static let special4: [Range] = [
    Range([0], 8),  // "this network"
    Range([10], 8), Range([172, 16], 12), Range([192, 168], 16),  // private (RFC 1918)
    Range([100, 64], 10),  // carrier-grade NAT
    Range([127], 8),  // loopback
    Range([169, 254], 16),  // link local, cloud metadata services among it
    Range([192, 0, 0], 24),  // protocol assignments
    Range([192, 0, 2], 24), Range([198, 51, 100], 24), Range([203, 0, 113], 24),  // documentation
    Range([192, 88, 99], 24),  // former 6to4 relays
    Range([198, 18], 15),  // benchmarks
    Range([224], 4),  // multicast
    Range([240], 4),  // reserved, broadcast
  ]

  /// The only IPv6 block handed out so far; loopback, ULA, link-local and multicast addresses lie outside it.
  private static let global6 = Range([0x20], 3)
  private static let special6: [Range] = [
    Range([0x20, 0x01, 0x00], 23),  // protocol assignments, Teredo
    Range([0x20, 0x01, 0x0d, 0xb8], 32), Range([0x3f, 0xff, 0x00], 20),  // documentation
    Range([0x20, 0x02], 16),  // 6to4: leads to any IPv4 address
  ]
}
