import CCurl

/// One libcurl easy handle. To make and free one takes longer than to set its options, so a ``TransferLoop`` uses it
/// for one transfer after the other.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer

  /// - Returns: `nil` when libcurl is out of memory.
  init?() {
    guard let pointer = curl_easy_init() else { return nil }
    self.pointer = pointer
  }

  /// Takes all options back, and with them the pointers to what its last transfer owned.
  func reset() { curl_easy_reset(pointer) }

  deinit { curl_easy_cleanup(pointer) }
}
