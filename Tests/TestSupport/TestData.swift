import Foundation

/// The recordings that some tests read: services' own replies and others' conformance suites, which are no part of this
/// package. `$TW_TEST_DATA` names their directory, `../shared/data` beside the package is the default.
///
/// Tests that need them carry `.enabled(if: TestData.isAvailable, TestData.comment)`, so that a run without them says
/// what it skips.
package enum TestData {
  /// The recordings' directory; `nil` when there is none.
  package static let directory: String? = {
    let path =
      ProcessInfo.processInfo.environment["TW_TEST_DATA"].flatMap { $0.isEmpty ? nil : $0 }
      ?? Package.root + "/../shared/data"
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue else {
      return nil
    }
    return URL(fileURLWithPath: path).standardizedFileURL.path
  }()

  package static var isAvailable: Bool { directory != nil }

  /// Why a test was skipped.
  package static let comment = "needs the recordings that TW_TEST_DATA names"

  /// The bytes of one recording; throws when it cannot be read.
  package static func bytes(_ path: String) throws -> [UInt8] {
    guard let directory else { throw CocoaError(.fileNoSuchFile) }
    return Array(try Data(contentsOf: URL(fileURLWithPath: directory + "/" + path)))
  }
}

/// Where the sources of this package are, for tests that read its documents.
package enum Package {
  /// The directory of `Package.swift`, without a slash at its end.
  package static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  /// The text of one of its files.
  package static func text(_ path: String) throws -> String {
    try String(contentsOf: URL(fileURLWithPath: root + "/" + path), encoding: .utf8)
  }

  /// The names of the files and folders in one of its directories, sorted, hidden ones left out.
  package static func names(in path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root + "/" + path).filter { !$0.hasPrefix(".") }.sorted()
  }
}
