// swift-tools-version: 6.2
// Who links what, readable at a glance. Arrows go tool → CLI, Store, Services → Net → Core → nothing.
// Only TweetStore imports CSQLite and only TweetNet imports CCurl; Tests/ToolTests reads the built binaries' linked
// libraries and holds this.
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let flyingSocks = Target.Dependency.product(name: "FlyingSocks", package: "FlyingFox")

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: ["TweetCore", "TweetCLI", argumentParser] + dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: ["TweetCore", "TestSupport"] + dependencies, exclude: excluded[name] ?? [],
    swiftSettings: settings)
}
let excluded = [
  "ToolTests": ["Golden"], "TweetStoreTests": ["Fixtures"],
  "TweetCoreTests": ["generate-twitter-text-tables.py", "generate-width-table.py"],
]
let tools: [Target.Dependency] = [
  "tw", "tw-stream", "tw-parse", "tw-cache", "tw-avatar", "tw-linkcheck", "tw-render", "tw-local",
]

let package = Package(
  name: "tw",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/swhitty/FlyingFox.git", .upToNextMinor(from: "0.27.1")),
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
    .target(name: "CCores"),
    .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),

    // The library.
    module("TweetCore", ["CSimdjson"]),
    module("TweetCLI", ["TweetCore", argumentParser]),
    module("TweetStore", ["TweetCore", "CSQLite"]),
    module("TweetNet", ["TweetCore", "CCurl"]),
    module("TweetServices", ["TweetCore", "TweetNet"]),

    // The tools.
    tool("tw", []),
    tool("tw-stream", ["TweetServices"]),
    tool("tw-parse", ["CCores"]),
    tool("tw-cache", ["TweetStore"]),
    tool("tw-avatar", ["TweetNet", "TweetStore", "CCrypto"]),
    tool("tw-linkcheck", ["TweetNet", "TweetStore"]),
    tool("tw-render", []),
    tool("tw-local", ["TweetStore", flyingSocks]),

    // The tests.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .target(name: "CSimdjsonDOM", path: "Tests/CSimdjsonDOM", linkerSettings: [.linkedLibrary("simdjson")]),
    .executableTarget(
      name: "FaultServer", dependencies: ["TweetCore"], path: "Tests/FaultServer", swiftSettings: settings),
    tests("TweetCoreTests", ["CSimdjsonDOM"]),
    tests("TweetStoreTests", ["TweetStore"]),
    tests("TweetNetTests", ["TweetNet", "TweetServices"]),
    tests("ToolTests", tools + ["TweetStore", "FaultServer"]),
    tests("DocsTests", tools),
  ],
  cxxLanguageStandard: .cxx17
)
