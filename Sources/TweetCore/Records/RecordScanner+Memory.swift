extension RecordScanner {
  /// Gives back the memory that a long record needed, if it was the last one at hand. For a caller that has copied the
  /// record, and waits before it asks for the next one.
  package mutating func shrink() {
    guard state.region.node >= index.count else { return }
    window.consume(to: state.region.end)
    state.region = Region()
    if window.shrink() { index = JSONIndex(maximumNodes: index.maximumNodes) }
  }
}
