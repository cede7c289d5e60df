import Foundation
import TestSupport

/// A bad disk for one program, which `faulty-disk.c` makes: it is loaded into the program before its libraries.
enum FaultyDisk {
  /// Why a test was skipped.
  static let comment = "needs Linux, a C compiler (cc), and tools without a sanitizer"

  /// The folder of the library; it stays as long as the tests run.
  private static let folder = try? TemporaryDirectory()

  /// The path of the library; `nil` if there is none. A sanitizer must be the first library of a program itself.
  static let library: String? = {
    #if os(Linux)
      guard Sanitizer.name == nil, let folder else { return nil }
      let library = folder.path + "/faulty-disk.so"
      let compiler = Process()
      compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      compiler.arguments = ["cc", "-shared", "-fPIC", "-o", library, Package.root + "/Tests/ToolTests/faulty-disk.c"]
      guard (try? compiler.run()) != nil else { return nil }
      compiler.waitUntilExit()
      return compiler.terminationStatus == 0 ? library : nil
    #else
      return nil
    #endif
  }()

  /// The variables for a program whose store is on a bad disk; `nil` if there is no library.
  /// - Parameter faults: what is bad, by the variables that `faulty-disk.c` names.
  static func environment(of store: String, _ faults: [String: String]) -> [String: String]? {
    library.map { ["LD_PRELOAD": $0, "TW_DISK_PATH": store].merging(faults) { $1 } }
  }
}
