@main
struct TwParse {
  static func main() {}
}
