import MediaStore
import TweetNet

/// The video services, and which of their pages are a video.
enum VideoServices {
  private static let hosts: Set<String> = [
    "youtu.be", "dai.ly", "vimeo.com", "youtube.com", "dailymotion.com", "nicovideo.jp", "bilibili.com", "tiktok.com",
    "twitch.tv",
  ]

  static func kind(of address: WebAddress) -> LinkKind? {
    let host = Hosts.bare(address.host)
    guard hosts.contains(host) else { return nil }
    let parts = address.path.split(separator: "/")
    guard let first = parts.first else { return nil }
    switch host {
    case "youtu.be", "dai.ly": return .video
    case "vimeo.com": return first.allSatisfy(\.isNumber) ? .video : nil
    case "youtube.com": return ["watch", "shorts", "live", "embed"].contains(first) ? .video : nil
    case "dailymotion.com": return first == "video" ? .video : nil
    case "nicovideo.jp": return first == "watch" ? .video : nil
    case "bilibili.com": return first == "video" ? .video : nil
    case "tiktok.com": return parts.contains("video") ? .video : nil
    case "twitch.tv": return first == "videos" || parts.contains("clip") ? .video : nil
    default: return nil
    }
  }
}
