/// A bad disk for one program, which `faulty-disk.c` makes: it is loaded into the program before its libraries.
enum FaultyDisk {
  /// Why a test was skipped.
  static let comment = PreloadedLibrary.comment

  /// The path of the library; `nil` if there is none.
  static let library = PreloadedLibrary.compile("faulty-disk")

  /// The variables for a program whose store is on a bad disk; `nil` if there is no library.
  /// - Parameter faults: what is bad, by the variables that `faulty-disk.c` names.
  static func environment(of store: String, _ faults: [String: String]) -> [String: String]? {
    library.map { ["LD_PRELOAD": $0, "TW_DISK_PATH": store].merging(faults) { $1 } }
  }
}
