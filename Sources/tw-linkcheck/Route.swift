import Libc

/// Whether this machine has a way to the internet at all.
enum Route {
  /// It asks only the kernel's routing table: connecting a datagram socket sends nothing. The addresses are IANA's for
  /// documentation. No local network uses them, so the default route decides.
  static var exists: Bool { hasRoute4 || hasRoute6 }

  private static var hasRoute4: Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(53).bigEndian
    guard inet_pton(AF_INET, "192.0.2.1", &address.sin_addr) == 1 else { return false }
    return connects(AF_INET, &address, MemoryLayout<sockaddr_in>.size)
  }

  private static var hasRoute6: Bool {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = UInt16(53).bigEndian
    guard inet_pton(AF_INET6, "2001:db8::1", &address.sin6_addr) == 1 else { return false }
    return connects(AF_INET6, &address, MemoryLayout<sockaddr_in6>.size)
  }

  private static func connects(_ family: Int32, _ address: UnsafeRawPointer, _ size: Int) -> Bool {
    let descriptor = socket(family, datagramSocketType, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return connect(descriptor, address.assumingMemoryBound(to: sockaddr.self), socklen_t(size)) == 0
  }
}
