@main
struct TwLocal {
  static func main() {}
}
