extension ByteBuffer {
  /// Appends a `notice` record (tweet(5)) as a line.
  /// - Parameters:
  ///   - level: `info`, `warning` or `error`.
  ///   - service: the inside of a JSON string; `nil` for a notice of no service.
  ///   - more: appends the members that only this notice has.
  package mutating func notice<E: Error>(
    _ level: StaticString, _ code: String, _ message: String?, service: [UInt8]? = nil,
    _ more: (inout ByteBuffer) throws(E) -> Void
  ) throws(E) {
    try record("notice") { (out) throws(E) in
      out.member("level", level)
      out.member("code", code)
      out.member("message", message)
      if let service { out.string("service") { $0.append(service) } }
      try more(&out)
    }
  }
}
