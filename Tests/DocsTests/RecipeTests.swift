import Foundation
import TestSupport
import Testing

/// Recipes of every day in docs/examples, with the programs that they join; those for cron in cron's environment. A
/// script of Tests/Recipes tries each, and ends with 77 where a program is not installed.
@Suite(.onOwnThread(minutes: 4)) struct RecipeTests {
  @Test(arguments: ["nightly", "digest", "links", "browse", "twarc"])
  func isOfUse(_ script: String) throws {
    try run("\(Package.root)/Tests/Recipes/\(script)", [Package.root])
  }

  /// `networks` searches three of them. `hostile` has no recipe, word or completion run what a stranger says. `deps`
  /// asks before it installs something.
  @Test(arguments: ["networks", "hostile", "deps"])
  func isTriedByPython(_ script: String) throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/python3") else { try Test.cancel("needs python3") }
    try run("/usr/bin/python3", ["\(Package.root)/Tests/Recipes/\(script).py", Package.root])
  }

  @Test func datasetteShowsTheStore() throws {
    let python = try PythonPackage.needed("datasette")
    try run(python, ["\(Package.root)/Tests/Recipes/datasette.py", Package.root])
  }

  private func run(_ program: String, _ arguments: [String]) throws {
    let result = try Tool.run(program, arguments, environment: ["PYTHONDONTWRITEBYTECODE": "1"], timeout: 200)
    if result.status == 77 { try Test.cancel("\(result.errors)") }
    #expect(result.ending == .status(0), "\(result.output.suffix(4000))\(result.errors.suffix(4000))")
  }

  /// Each recipe is on the page that lists them.
  @Test func allAreListed() throws {
    let listed = try ManPage("tw.7").section("DESCRIPTION").filter { $0.hasPrefix(".It Pa ") }
    let names = listed.flatMap { $0.dropFirst(7).split(separator: " ").map(String.init) }.filter { $0 != "," }
    #expect(try names.sorted() == Package.names(in: "docs/examples").sorted())
  }
}
