import Foundation
import TestSupport
import Testing

/// docs/examples/spark on worker processes of its own. PySpark is large and the test takes minutes, so `make
/// test-spark` installs it; without it the test is skipped, and says so.
@Suite(.onOwnThread(minutes: 25)) struct SparkTests {
  @Test func sparkHasEachLineOnceAndTheTweetsOfAStore() throws {
    let python = Package.root + "/.build/spark/bin/python3"
    guard FileManager.default.isExecutableFile(atPath: python) else {
      try Test.cancel("needs PySpark, which 'make test-spark' installs in .build/spark")
    }
    let script = [Package.root + "/Tests/Recipes/spark.py", Package.root]
    let result = try Tool.run(
      python, script + [TestData.directory].compactMap { $0 }, environment: ["PYTHONDONTWRITEBYTECODE": "1"],
      timeout: 1_400)
    if result.status == 77 { try Test.cancel("\(result.errors)") }
    #expect(result.status == 0, "\(result.output.suffix(4000))\(result.errors.suffix(4000))")
  }
}
