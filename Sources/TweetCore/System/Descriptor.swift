import Libc

/// Makes a pipe(2) whose ends are not inherited by programs started later (FD_CLOEXEC).
///
/// - Returns: the end to read from and the end to write to. The caller closes both.
package func makePipe() throws(ToolError) -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [-1, -1]
  guard pipe(&ends) == 0 else { throw .inputOutput("cannot make a pipe", errno) }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return (ends[0], ends[1])
}

/// Reads once from a descriptor, at most 64 KiB (the room of a Linux pipe), and waits when there is nothing yet.
///
/// - Parameter name: what messages call it.
/// - Returns: the bytes; none at the end of the input; `nil` when there are none yet after all, or a signal came.
/// - Throws: `ToolError.noInput` for a directory, else `ToolError.inputOutput`.
package func readSome(_ descriptor: Int32, name: String) throws(ToolError) -> [UInt8]? {
  var failure: Int32 = 0
  let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { room, count in
    let got = read(descriptor, room.baseAddress, room.count)
    if got < 0 { failure = errno }
    count = max(0, got)
  }
  if failure == EINTR || failure == EAGAIN { return nil }
  if failure == EISDIR { throw .noInput("cannot read \(name): \(describe(errno: failure))") }
  if failure != 0 { throw .inputOutput("cannot read \(name): \(describe(errno: failure))") }
  return bytes
}

/// The error that ends a tool whose output cannot be written.
///
/// - Parameters:
///   - number: the `errno` of write(2).
///   - name: what messages call the output.
/// - Returns: ``ToolError/readerGone`` when nobody reads any more (EPIPE), else ``ToolError/inputOutput(_:)``.
package func writeError(_ number: Int32, to name: String) -> ToolError {
  number == EPIPE ? .readerGone : .inputOutput("cannot write to \(name): \(describe(errno: number))")
}
