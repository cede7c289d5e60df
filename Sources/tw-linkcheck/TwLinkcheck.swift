@main
struct TwLinkcheck {
  static func main() {}
}
