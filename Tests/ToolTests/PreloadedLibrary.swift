import Foundation
import TestSupport

/// A library of the tests that is loaded into one program before its own: a C file beside the tests, compiled once.
enum PreloadedLibrary {
  /// Why a test was skipped.
  static let comment = "needs Linux, a C compiler (cc), and tools without a sanitizer"

  /// The folder of the libraries; it stays as long as the tests run.
  private static let folder = try? TemporaryDirectory()

  /// The path of the library; `nil` if there is none. A sanitizer must be the first library of a program itself.
  /// - Parameter source: the name of the C file, without its ending.
  static func compile(_ source: String) -> String? {
    #if os(Linux)
      guard Sanitizer.name == nil, let folder else { return nil }
      let library = folder.path + "/\(source).so"
      let compiler = Process()
      compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      compiler.arguments = ["cc", "-shared", "-fPIC", "-o", library, Package.root + "/Tests/ToolTests/\(source).c"]
      guard (try? compiler.run()) != nil else { return nil }
      compiler.waitUntilExit()
      return compiler.terminationStatus == 0 ? library : nil
    #else
      return nil
    #endif
  }
}
