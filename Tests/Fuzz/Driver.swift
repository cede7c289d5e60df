import Libc
import TweetCore

// The program that Tests/Fuzz/run builds: `fuzz NAME OPTION…` runs a target with libFuzzer's options, `fuzz --list`
// prints the targets' names.

extension FuzzTarget {
  /// The one that the command line names.
  static let chosen: FuzzTarget? = all.first { $0.name == CommandLine.arguments.dropFirst().first }
}

/// Ends the run with what did not hold; libFuzzer saves the input that led to it.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if condition { return }
  var line = ByteBuffer()
  line.append("\(FuzzTarget.chosen?.name ?? "fuzz"): \(message())\n")
  _ = line.withBytes { writeAll($0, to: 2) }
  abort()
}

/// libFuzzer's own main function.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

@main enum Fuzz {
  static func main() {
    if CommandLine.arguments.dropFirst().first == "--list" {
      for target in FuzzTarget.all { print(target.name) }
      return
    }
    guard FuzzTarget.chosen != nil else { exit(64) }
    // Without the target's name, which stands where the options begin.
    var count = CommandLine.argc - 1
    var arguments = CommandLine.unsafeArgv + 1
    arguments[0] = CommandLine.unsafeArgv[0]
    exit(
      runDriver(&count, &arguments) { start, count in
        FuzzTarget.chosen?.check(Array(ByteView(start: start, count: count)))
        return 0
      })
  }
}
