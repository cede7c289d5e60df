import Libc

/// The functions of the system's ICU that tell languages apart. They are loaded when a language is asked for that the
/// kit has no table for: ICU takes longer to load than a tool takes to start.
///
/// Each returns an error in its last parameter: above zero, since warnings are below (utypes.h, U_FAILURE). Texts are
/// UTF-16 with their length.
struct ICUFunctions {
  typealias Failure = UnsafeMutablePointer<Int32>
  typealias Text = UnsafeMutablePointer<UInt16>?
  typealias ConstantText = UnsafePointer<UInt16>?
  typealias Name = UnsafePointer<CChar>?

  // uloc.h
  let countAvailable: @convention(c) () -> Int32
  let available: @convention(c) (Int32) -> Name
  // ureldatefmt.h
  let openRelative: @convention(c) (Name, OpaquePointer?, Int32, Int32, Failure) -> OpaquePointer?
  let formatRelative: @convention(c) (OpaquePointer, Double, Int32, Text, Int32, Failure) -> Int32
  let closeRelative: @convention(c) (OpaquePointer) -> Void
  // unumberformatter.h
  let openNumber: @convention(c) (ConstantText, Int32, Name, Failure) -> OpaquePointer?
  let openResult: @convention(c) (Failure) -> OpaquePointer?
  let formatInteger: @convention(c) (OpaquePointer, Int64, OpaquePointer, Failure) -> Void
  let resultText: @convention(c) (OpaquePointer, Text, Int32, Failure) -> Int32
  let closeResult: @convention(c) (OpaquePointer) -> Void
  let closeNumber: @convention(c) (OpaquePointer) -> Void
  // udatpg.h, udat.h
  let openPatterns: @convention(c) (Name, Failure) -> OpaquePointer?
  let bestPattern: @convention(c) (OpaquePointer, ConstantText, Int32, Text, Int32, Failure) -> Int32
  let closePatterns: @convention(c) (OpaquePointer) -> Void
  let openDate: @convention(c) (Int32, Int32, Name, ConstantText, Int32, ConstantText, Int32, Failure) -> OpaquePointer?
  let formatDate: @convention(c) (OpaquePointer, Double, Text, Int32, OpaquePointer?, Failure) -> Int32
  let closeDate: @convention(c) (OpaquePointer) -> Void
  // ulocdata.h
  let release: @convention(c) (UnsafeMutablePointer<UInt8>, Failure) -> Void

  /// A shared library, and what its symbols end with.
  typealias Library = (name: String, suffix: String)

  /// Where the functions are: on Linux the name of the library and of each symbol has ICU's version in it; on macOS
  /// neither has.
  static var libraries: [Library] {
    let versions = (60...99).reversed()
    return versions.flatMap { [("libicui18n.so.\($0)", "_\($0)"), ("libicui18n.so.\($0)", "")] }
      + [("libicucore.dylib", "")]
  }

  /// - Returns: `nil` if none of the libraries is there and has all functions.
  init?(_ libraries: [Library] = Self.libraries) {
    for library in libraries {
      guard let handle = dlopen(library.name, RTLD_LAZY | RTLD_LOCAL) else { continue }
      if let found = try? Self(LibrarySymbols(handle: handle, suffix: library.suffix)) {
        self = found
        return
      }
      dlclose(handle)
    }
    return nil
  }

  private init(_ symbols: LibrarySymbols) throws(MissingSymbol) {
    countAvailable = try symbols.function("uloc_countAvailable")
    available = try symbols.function("uloc_getAvailable")
    openRelative = try symbols.function("ureldatefmt_open")
    formatRelative = try symbols.function("ureldatefmt_format")
    closeRelative = try symbols.function("ureldatefmt_close")
    openNumber = try symbols.function("unumf_openForSkeletonAndLocale")
    openResult = try symbols.function("unumf_openResult")
    formatInteger = try symbols.function("unumf_formatInt")
    resultText = try symbols.function("unumf_resultToString")
    closeResult = try symbols.function("unumf_closeResult")
    closeNumber = try symbols.function("unumf_close")
    openPatterns = try symbols.function("udatpg_open")
    bestPattern = try symbols.function("udatpg_getBestPattern")
    closePatterns = try symbols.function("udatpg_close")
    openDate = try symbols.function("udat_open")
    formatDate = try symbols.function("udat_format")
    closeDate = try symbols.function("udat_close")
    release = try symbols.function("ulocdata_getCLDRVersion")
  }
}
