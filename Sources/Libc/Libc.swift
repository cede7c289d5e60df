// The system's C library under one name: Glibc on Linux, Darwin on Apple's systems.
#if canImport(Glibc)
  @_exported import Glibc
#else
  @_exported import Darwin
#endif
