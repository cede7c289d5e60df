@main
struct TwStream {
  static func main() {}
}
