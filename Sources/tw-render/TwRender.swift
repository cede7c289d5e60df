@main
struct TwRender {
  static func main() {}
}
