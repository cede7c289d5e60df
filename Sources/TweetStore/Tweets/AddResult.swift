/// What ``TweetWriter/add(_:)`` did with a record.
package struct AddResult: Sendable {
  /// Whether the store did not have it before.
  package var isNew = false
  /// Whether it is new, and a copy of a post that the store had: see ``CanonicalAddress``.
  package var isCopy = false
  /// Why the tweet is not stored, and must not be shown; `nil` if it is stored.
  package var absence: Absence?
  /// The record that was stored in place of the given one, if that had parts that may not be kept.
  package var replacement: [UInt8]?
  /// Why the record cannot be stored; `nil` if it can.
  package var fault: String?
  /// Whether the record is a notification.
  package var isNotification = false
}

/// Why a tweet does not come back: it, or the one it retweets, was deleted earlier, or a person removed it.
package enum Absence: Sendable { case deleted, forgotten }
