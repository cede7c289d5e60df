package import TweetCore

/// Where a service does not show a tweet.
package struct WithheldFields {
  /// More countries are not named.
  private static let mostCountries = 12

  /// Codes of countries (ISO 3166-1); none if it is not known where.
  private let countries: [JSONValue]
  private let isForCopyright: Bool

  /// - Parameter withheld: the value of `withheld`.
  init(_ withheld: JSONValue) {
    countries = withheld["country_codes"].map { Array($0.elements.prefix(Self.mostCountries)) } ?? []
    isForCopyright = withheld["copyright"]?.bool == true
  }

  /// Appends `withheld in DE, FR (copyright)`, as far as it is known.
  /// - Parameter country: appends a code.
  package func append(
    to buffer: inout ByteBuffer, _ locale: ReaderLocale, _ country: (JSONValue, inout ByteBuffer) -> Void
  ) {
    if countries.isEmpty { locale.append(.withheld, to: &buffer) }
    for (index, code) in countries.enumerated() {
      if index == 0 { locale.append(before: .withheldIn, to: &buffer) } else { buffer.append(", ") }
      country(code, &buffer)
    }
    if !countries.isEmpty { locale.append(after: .withheldIn, to: &buffer) }
    if isForCopyright { locale.append(.copyright, to: &buffer) }
  }
}
