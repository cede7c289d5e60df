import Foundation
import ServiceClients
import Services
import Synchronization
import TweetCLI

@testable import tw
@testable import tw_auth
@testable import tw_cache
@testable import tw_post
@testable import tw_stream

/// Runs a tool that knows the gazette, in the process of this test program: CTestSupport calls it before `main`.
@_cdecl("tw_run_as_tool")
public func runAsTool(_ name: UnsafePointer<CChar>) {
  Services.all.append(Gazette())
  ServiceAPIs.all.append(GazetteAPI())
  let own = ProcessInfo.processInfo.arguments[0].split(separator: "/").last.map(String.init) ?? ""
  let name = String(cString: name)
  switch name == "own name" ? own : name {
  case "tw-stream": TwStream.main()
  case "tw-post": TwPost.main()
  case "tw-auth": TwAuth.main()
  case "tw-cache": TwCache.main()
  case "tw": Tw.main()
  default: break
  }
  exit(70)
}

/// A directory in which the tools that know services are this test program, so that those which run others run these.
final class GazetteTools: Sendable {
  let path: String

  init() throws {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let products = URL(fileURLWithPath: own).deletingLastPathComponent()
    path = products.path + "/gazette-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    for name in ["tw", "tw-stream", "tw-cache", "tw-post", "tw-auth"] {
      try FileManager.default.linkItem(atPath: own, toPath: "\(path)/\(name)")
    }
    // Its program is chosen by its name.
    try FileManager.default.linkItem(atPath: products.path + "/tw", toPath: path + "/tw-parse")
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A text that several threads may read and change.
final class StoredText: Sendable {
  private let value = Mutex("")
  var text: String {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
