/// FNV-1a, 64 bits (<http://www.isthe.com/chongo/tech/comp/fnv/>): the same for the same bytes in every run, which
/// Swift's own hashes are not.
@inlinable
package func fingerprint(_ bytes: some Sequence<UInt8>) -> UInt64 {
  bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
