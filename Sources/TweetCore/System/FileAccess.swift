/// What a file of data is opened for.
package enum FileAccess: Sendable {
  /// The file must exist. Nothing in it changes.
  case readOnly
  /// The file and its directory are created if they are missing.
  case readWrite
}
