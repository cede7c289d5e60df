import TweetCore
import TweetNet
import TweetPictures

@testable import tw_avatar
@testable import tw_linkcheck

// Addresses that strangers chose, and the pictures that are found there.
extension FuzzTarget {
  /// An address, and what is made of it, is spelled in one way: reading it again changes nothing. The input is a
  /// reference, resolved on its own and against a page's address.
  static let addresses = FuzzTarget(name: "addresses") { input in
    let text = String(decoding: input, as: UTF8.self)
    for base in [nil, "https://h.example/a/b?c#d"] as [String?] {
      guard let address = WebAddress(text, relativeTo: base) else { continue }
      require((1...65535).contains(address.port) || address.port == 0, "port \(address.port)")
      require(address.path.hasPrefix("/"), "path \(address.path)")
      require(address.url.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }, "a space or a control character: \(address.url)")
      let again = WebAddress(address.url)
      // Only a question mark with nothing after it goes.
      let isSame =
        again?.url == address.url && again?.host == address.host && again?.port == address.port
        && again?.path == address.path && again?.query ?? "" == address.query ?? ""
      require(isSame, "\(address)\nis read as \(again.map { "\($0)" } ?? "none")")
      if let canonical = CanonicalURL.make(address.url) {
        require(CanonicalURL.make(canonical) == canonical, "\(canonical) has another canonical form")
      }
    }
    if let address = IPAddress(text) {
      require(IPAddress(address.description) == address, "\(address) is another address")
    }
    if let host = HostPort(text) {
      require(HostPort(host: host.host, port: host.port) == host, "\(host) is another host")
    }
  }

  /// A picture's size is positive, and what follows the part that says it makes no difference.
  static let pictures = FuzzTarget(name: "pictures") { input in
    guard let header = PictureHeader(input) else { return }
    require(header.width > 0 && header.height > 0, "\(header)")
    require(PictureHeader(input + [0, 0xFF, 0xD9]) == header, "\(header) changes with what follows")
  }

  /// A picture has the pixels that it says it has, and no more than were asked for. Whether it is decoded at all does
  /// not depend on how small it is to be.
  static let decodings = FuzzTarget(name: "decodings") { input in
    // Larger ones only take longer.
    guard let header = PictureHeader(input), header.width <= 1024, header.height <= 1024 else { return }
    let decoding = PictureDecoding()
    var isPicture: Bool?
    for side in [1, 64, 512] {
      let pixels = try? decoding.decode(input, side: side)
      require(isPicture == nil || isPicture == (pixels != nil), "whether it is a picture depends on the side")
      isPicture = pixels != nil
      guard let pixels else { continue }
      require((1...side).contains(pixels.width) && (1...side).contains(pixels.height), "\(pixels.width)")
      require(pixels.bytes.count == 4 * pixels.width * pixels.height, "\(pixels.bytes.count)")
      if let png = ThumbnailEncoder()?.encode(pixels) {
        require((try? decoding.decode(png, side: 512)) == pixels, "the thumbnail has other pixels")
      }
    }
  }
}
