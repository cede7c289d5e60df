import Libc

/// The symbols of a shared library that is loaded when it is needed, with dlopen(3).
struct LibrarySymbols {
  let handle: UnsafeMutableRawPointer
  /// What the names of all symbols end with.
  let suffix: String

  init(handle: UnsafeMutableRawPointer, suffix: String = "") {
    self.handle = handle
    self.suffix = suffix
  }

  /// Loads the first of these libraries that is there; it is never unloaded.
  init?(firstOf names: [String]) {
    for name in names {
      guard let handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else { continue }
      self.init(handle: handle)
      return
    }
    return nil
  }

  /// - Returns: the function as the type that is asked for, which must be that of the library's header.
  func function<Function>(_ name: String) throws(MissingSymbol) -> Function {
    guard let symbol = dlsym(handle, name + suffix) else { throw MissingSymbol() }
    return unsafeBitCast(symbol, to: Function.self)
  }
}

struct MissingSymbol: Error {}
