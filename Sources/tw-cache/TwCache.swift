@main
struct TwCache {
  static func main() {}
}
