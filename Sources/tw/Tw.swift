@main
struct Tw {
  static func main() {}
}
