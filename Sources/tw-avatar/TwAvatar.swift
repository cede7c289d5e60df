@main
struct TwAvatar {
  static func main() {}
}
