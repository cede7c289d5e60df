/// How times are written.
package enum TimeForm: String, CaseIterable, Sendable {
  /// How long ago: `5 minutes ago`. It is true only for as long as somebody writes it anew.
  case relative
  /// The time of day, with the date before it on other days than today.
  case clock
  /// `2021-11-03 21:30`, in every language.
  case iso
}
