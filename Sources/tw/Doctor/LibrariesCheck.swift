import Libc
import TweetCLI
import TweetCore
import TweetDisplay

/// A library that tools are linked with, without which they do not start.
struct LinkedLibrary {
  /// Its name without its version and ending.
  let file: String
  let package: SystemPackage

  /// The packages are those to build with: these have the same name in all versions of a system, and bring the library
  /// along.
  static let all = [
    LinkedLibrary(
      file: "libcurl",
      package: SystemPackage(
        debian: "libcurl4-openssl-dev", fedora: "libcurl-devel", arch: "curl", homebrew: "curl")),
    LinkedLibrary(
      file: "libsqlite3",
      package: SystemPackage(debian: "libsqlite3-dev", fedora: "sqlite-devel", arch: "sqlite", homebrew: "sqlite")),
    LinkedLibrary(
      file: "libcrypto",
      package: SystemPackage(debian: "libssl-dev", fedora: "openssl-devel", arch: "openssl", homebrew: "openssl")),
    LinkedLibrary(
      file: "libsimdjson",
      package: SystemPackage(
        debian: "libsimdjson-dev", fedora: "simdjson-devel", arch: "simdjson", homebrew: "simdjson")),
    LinkedLibrary(
      file: "libzstd",
      package: SystemPackage(debian: "libzstd-dev", fedora: "libzstd-devel", arch: "zstd", homebrew: "zstd")),
    LinkedLibrary(
      file: "libz",
      package: SystemPackage(debian: "zlib1g-dev", fedora: "zlib-devel", arch: "zlib", homebrew: "zlib")),
  ]
}

/// The libraries that tools load when they need them: what does not work without them, and their versions.
struct LibrariesCheck {
  struct Library {
    /// Its name without `lib`, and the version of its interface.
    let name: String
    let version: String
    let use: String
    let package: SystemPackage
  }

  static let loaded = [
    Library(
      name: "chafa", version: "0", use: "pictures in symbols and sixels",
      package: SystemPackage(debian: "libchafa0", fedora: "chafa-libs", arch: "chafa", homebrew: "chafa")),
    Library(
      name: "spng", version: "0", use: "pictures in PNG",
      package: SystemPackage(debian: "libspng0", fedora: "libspng", arch: "libspng", homebrew: "libspng")),
    Library(
      name: "turbojpeg", version: "0", use: "pictures in JPEG",
      package: SystemPackage(
        debian: "libturbojpeg0", fedora: "turbojpeg", arch: "libjpeg-turbo", homebrew: "jpeg-turbo")),
    Library(
      name: "webp", version: "7", use: "pictures in WebP",
      package: SystemPackage(debian: "libwebp7", fedora: "libwebp", arch: "libwebp", homebrew: "webp")),
    Library(
      name: "webpdemux", version: "2", use: "pictures in WebP",
      package: SystemPackage(debian: "libwebpdemux2", fedora: "libwebp", arch: "libwebp", homebrew: "webp")),
    Library(
      name: "gif", version: "7", use: "pictures in GIF",
      package: SystemPackage(debian: "libgif7", fedora: "giflib", arch: "giflib", homebrew: "giflib")),
  ]
  /// Debian's package has the version in its name; the one to build with brings it along.
  private static let icu = SystemPackage(debian: "libicu-dev", fedora: "libicu", arch: "icu", homebrew: "icu4c")

  let programs: Programs

  func findings() throws(ToolError) -> [Finding] {
    var notes: [Finding] = []
    for library in Self.loaded
    where !Self.names(of: library).contains(where: { dlopen($0, RTLD_LAZY | RTLD_LOCAL) != nil }) {
      notes.append(
        .note(
          .libraries, "lib\(library.name) is not installed: no \(library.use)", mend: library.package.install))
    }
    if !ReaderLocale.hasSystemLocales {
      notes.append(
        .note(.libraries, "libicui18n is not installed: times and counts in six languages only", mend: Self.icu.install)
      )
    }
    let names = Self.loaded.map(\.name) + ["icui18n"] + LinkedLibrary.all.map { String($0.file.dropFirst(3)) }
    let files = Set(try Self.files + filesOfTools()).filter { file in names.contains { file.hasPrefix("lib\($0).") } }
    return (files.isEmpty ? [] : [.ok(.libraries, files.sorted().joined(separator: ", "))]) + notes
  }

  private static func names(of library: Library) -> [String] {
    #if os(Linux)
      ["lib\(library.name).so.\(library.version)"]
    #else
      ["", "/opt/homebrew/lib/", "/usr/local/lib/"].map { "\($0)lib\(library.name).dylib" }
    #endif
  }

  /// The names of the files of libraries in this process, which have the versions.
  private static var files: [String] {
    get throws(ToolError) {
      let maps = String(decoding: try StateFile.read("/proc/self/maps") ?? [], as: UTF8.self)
      return maps.split(separator: "\n").compactMap { line in
        line.contains("/") ? Paths.split(String(line)).name : nil
      }
    }
  }

  /// The same of the tools that are linked with more, as the system's loader tells them in place of a start (ld.so(8)).
  private func filesOfTools() throws(ToolError) -> [String] {
    guard let stream = programs.path(of: "stream") else { return [] }
    let answer = try ProgramAnswer.of([stream], variables: ["LD_TRACE_LOADED_OBJECTS": "1"])
    // `libcurl.so.4 => /lib/libcurl.so.4 (0x0000…)`
    return (answer?.lines ?? []).compactMap { line in
      let path = line.split(separator: " ").first { $0.hasPrefix("/") }
      return path.flatMap { Paths.real(String($0)) }.map { Paths.split($0).name }
    }
  }
}

/// The programs of the system that read compressed files and archives.
struct HelperProgramsCheck {
  private static let programs: [(name: String, use: String, package: SystemPackage)] = [
    ("gzip", "files compressed by gzip", SystemPackage("gzip")),
    ("bzip2", "files compressed by bzip2", SystemPackage("bzip2")),
    ("xz", "files compressed by xz", SystemPackage(debian: "xz-utils", fedora: "xz", arch: "xz", homebrew: "xz")),
    ("zstd", "files compressed by zstd", SystemPackage("zstd")),
    ("unzip", "archives of accounts", SystemPackage("unzip")),
    (
      "iconv", "files in UTF-16",
      SystemPackage(debian: "libc-bin", fedora: "glibc-common", arch: "glibc", homebrew: "libiconv")
    ),
  ]

  static func findings() -> [Finding] {
    let missing = programs.filter { !SystemPrograms.has($0.name) }
    let found = programs.map(\.name).filter { name in !missing.contains { $0.name == name } }
    return (found.isEmpty ? [] : [.ok(.programs, found.joined(separator: ", "))])
      + missing.map {
        .note(.programs, "\($0.name) is not installed: \($0.use) cannot be read", mend: $0.package.install)
      }
  }
}
