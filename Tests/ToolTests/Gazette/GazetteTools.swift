import Foundation
import KnownAPIs
import KnownServices
import Synchronization
import TweetCLI

@testable import tw_auth
@testable import tw_post
@testable import tw_stream

/// Runs a tool that knows the gazette, in the process of this test program: CTestSupport calls it before `main`.
@_cdecl("tw_run_as_tool")
public func runAsTool(_ name: UnsafePointer<CChar>) {
  Services.all.append(Gazette())
  ServiceAPIs.all.append(GazetteAPI())
  switch String(cString: name) {
  case "tw-stream": TwStream.main()
  case "tw-post": TwPost.main()
  case "tw-auth": AuthCommand.main()
  default: break
  }
  exit(70)
}

/// A text that several threads may read and change.
final class StoredText: Sendable {
  private let value = Mutex("")
  var text: String {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
