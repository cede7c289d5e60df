// swift-tools-version: 6.2
// Who links what; .ci/check reads it here and compares the imports with it. docs/architecture.md draws it.
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]
// Tests/Fuzz/run sets it.
let isFuzzed = Context.environment["TW_FUZZ"] != nil
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let flyingSocks = Target.Dependency.product(name: "FlyingSocks", package: "FlyingFox")

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  module(name, ["Libc", "TweetCore", "TweetCLI", argumentParser] + dependencies)
}

/// The file of one tool or of several.
func program(_ name: String, _ tools: [Target.Dependency]) -> Target {
  .executableTarget(
    name: "\(name)-program", dependencies: ["TweetCLI"] + tools, path: "Sources/Programs/\(name)",
    swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: ["Libc", "TweetCore", "TestSupport", "TestNumbers"] + dependencies,
    exclude: excluded[name] ?? [], swiftSettings: settings)
}
let excluded = [
  "ToolTests": [
    "BrowseScreens",
    "Golden", "atproto-judge.py", "bluesky-pds.py", "document-checks.py", "dpop-judge.py", "faulty-disk.c",
    "jetstream-client.py", "json-feed.schema.json", "lexicon-questions.py", "mastodon-mock.py", "moved-clock.c",
    "name-server.py",
    "oauth1-server.py", "oauth2-server.py", "no-libraries.c", "no-seccomp.py", "Shapes", "site-checks.py",
    "played-tool.sh", "suspended-machine.c", "tls-server.py",
  ],
  "TweetStoreTests": ["generate-dictionary.py"],
  "TwitterTextTests": ["generate-twitter-text-tables.py"],
  "TweetDisplayTests": ["generate-width-table.py", "generate-locale-table.py"],
]
let tools: [Target.Dependency] = [
  "tw", "tw-stream", "tw-parse", "tw-cache", "tw-avatar", "tw-linkcheck", "tw-render", "tw-post", "tw-auth",
  "tw-local", "tw-browse",
]

let package = Package(
  name: "tw",
  platforms: [.macOS(.v15)],
  products: ["tw", "tw-stream", "tw-local"].map { .executable(name: $0, targets: ["\($0)-program"]) },
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
    .package(url: "https://github.com/swhitty/FlyingFox.git", exact: "0.27.1"),
  ],
  targets: [
    // C libraries, and the thin shims Swift needs to reach them.
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CCrypto", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    // It needs libxxhash's header; the functions become part of it.
    .target(name: "CChecksum"),
    .target(name: "CRecords", exclude: ["records-1.zdict"], linkerSettings: [.linkedLibrary("zstd")]),
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .target(name: "CCores"),
    .target(name: "CProcess"),
    // It needs the headers of four libraries, and loads them when it decodes a picture.
    .target(name: "CPictures", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),

    // The library.
    module("Libc", []),
    module("TweetCore", ["Libc", "CSimdjson", "CProcess"]),
    module("TwitterText", ["Libc", "TweetCore"]),
    module("TweetShapes", ["Libc", "TweetCore", "TwitterText"]),
    module("TweetDisplay", ["Libc", "TweetCore"]),
    // What each service is, without a network.
    module("Services", ["Libc", "TweetCore", "TwitterText"]),
    module("TweetCLI", ["Libc", "TweetCore", argumentParser]),
    module("SQLite", ["Libc", "TweetCore", "CSQLite", "CChecksum"]),
    module(
      "TweetStore",
      ["Libc", "TweetCore", "Services", "SQLite", "CChecksum", "CRecords"]),
    module("MediaStore", ["Libc", "TweetCore", "SQLite"]),
    module("TweetNet", ["Libc", "TweetCore", "CCurl", "CCrypto"]),
    module("TweetPictures", ["Libc", "TweetCore", "TweetCLI", "CPictures"]),
    module("TweetAccounts", ["Libc", "TweetCore", "CCrypto"]),
    module("TweetServices", ["Libc", "TweetCore", "Services", "TweetAccounts", "TweetNet"]),

    // What is said to each service's servers.
    module(
      "ServiceClients",
      [
        "Libc", "TweetCore", "TwitterText", "Services", "TweetShapes", "TweetAccounts", "TweetNet", "TweetServices",
        "CZstd",
      ]),

    // What the tools that read the store have on the command line.
    module(
      "StoreCLI",
      ["TweetCore", "TweetCLI", "Services", "TweetStore", "MediaStore", argumentParser]),

    // The tools.
    tool("tw", ["TweetDisplay", "Services", "TweetStore"]),
    tool(
      "tw-stream", ["TweetNet", "Services", "TweetAccounts", "TweetServices", "ServiceClients"]),
    tool("tw-parse", ["TweetShapes", "CCores"]),
    tool(
      "tw-cache",
      ["Services", "TweetStore", "MediaStore", "StoreCLI", "TwitterText"]),
    tool("tw-avatar", ["TweetNet", "TweetPictures", "TweetStore", "MediaStore", "CCrypto"]),
    tool("tw-linkcheck", ["TweetNet", "MediaStore", "TwitterText", "CCrypto", "CZlib"]),
    tool("tw-render", ["TweetDisplay", "MediaStore"]),
    tool(
      "tw-browse",
      ["TweetDisplay", "Services", "TweetStore", "MediaStore", "StoreCLI"]),
    tool(
      "tw-post",
      [
        "TweetShapes", "Services", "TweetPictures", "SQLite", "TweetAccounts", "TweetNet", "TweetServices",
        "ServiceClients",
      ]),
    tool(
      "tw-auth",
      ["Services", "TweetAccounts", "TweetNet", "TweetServices", "ServiceClients"]),
    tool("tw-local", ["TwitterText", "SQLite", "TweetAccounts", "CCrypto", flyingSocks]),

    // The programs, by the libraries that they load (docs/decisions/binaries.md): each tool is a link to one of them.
    program("tw", ["tw", "tw-parse", "tw-cache", "tw-render", "tw-browse"]),
    program("tw-stream", ["tw-stream", "tw-auth", "tw-post", "tw-avatar", "tw-linkcheck"]),
    program("tw-local", ["tw-local"]),

    // The tests.
    .target(name: "CTestSupport", path: "Tests/CTestSupport"),
    .target(name: "TestNumbers", dependencies: ["Libc"], path: "Tests/TestNumbers", swiftSettings: settings),
    .target(
      name: "TestSupport",
      dependencies: ["Libc", "TweetCore", "Services", "CCrypto", "CTestSupport", "TestNumbers"],
      path: "Tests/TestSupport",
      swiftSettings: settings),
    .target(name: "CSimdjsonDOM", path: "Tests/CSimdjsonDOM", linkerSettings: [.linkedLibrary("simdjson")]),
    .executableTarget(
      name: "CompletionWriter", dependencies: ["Libc", "TweetCore"], path: "Tests/CompletionWriter",
      swiftSettings: settings),
    tests("TweetCoreTests", ["CTestSupport", "CSimdjsonDOM"]),
    tests("TwitterTextTests", ["TwitterText"]),
    tests("TweetShapesTests", ["TweetShapes"]),
    tests("TweetDisplayTests", ["TweetDisplay"]),
    tests("ServicesTests", ["Services"]),
    tests("SQLiteTests", ["SQLite"]),
    tests("TweetStoreTests", ["SQLite", "TweetStore"]),
    tests("MediaStoreTests", ["MediaStore"]),
    tests("TweetNetTests", ["TweetNet"]),
    tests("TweetAccountsTests", ["TweetAccounts"]),
    tests("TweetServicesTests", ["TweetNet", "Services", "TweetAccounts", "TweetServices", "ServiceClients"]),
    tests(
      "StreamTests", ["TweetNet", "Services", "TweetAccounts", "TweetServices", "ServiceClients", "tw-stream"]),
    tests(
      "ToolTests",
      tools + [
        "SQLite", "TweetStore", "MediaStore", "TweetPictures", "CCrypto", "CPictures", "CZstd", "TweetCLI",
        "TweetDisplay", "ServiceClients", "Services",
      ]),
    tests("DocsTests", tools + ["CompletionWriter"]),
  ],
  cxxLanguageStandard: .cxx17
)

// The fuzz targets: a program for Tests/Fuzz/run, which needs the libFuzzer that comes with the compiler's option for
// it, else tests over their corpus.
let fuzzed: [Target.Dependency] =
  tools + [
    "Libc", "TweetCore", "TwitterText", "TweetShapes", "TweetDisplay", "TweetNet", "Services", "TweetServices",
    "TweetPictures", "SQLite", "TweetStore", "ServiceClients", "TestNumbers",
  ]
package.targets.append(
  isFuzzed
    ? .executableTarget(
      name: "fuzz", dependencies: fuzzed, path: "Tests/Fuzz",
      exclude: ["corpus", "run", "render", "CorpusTests.swift"],
      swiftSettings: settings)
    : .testTarget(
      name: "FuzzTests", dependencies: fuzzed + ["TestSupport"], path: "Tests/Fuzz",
      exclude: ["corpus", "run", "render", "Driver.swift", "ValueMutator.swift"], swiftSettings: settings))
