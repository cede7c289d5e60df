import TweetCore

/// A hash that stands for a tweet among those that were written: of its service and its id.
///
/// Swift seeds its hash anew in every process: nobody can make two tweets that have one key.
/// - Parameter id: `nil` if the record has none: all those of a service have one key.
func tweetKey(_ service: JSONValue?, _ id: JSONValue?) -> Int {
  var hasher = Hasher()
  if let service { hasher.combine(bytes: service.rawString) }
  hasher.combine(0 as UInt8)
  if let id { hasher.combine(bytes: id.rawString) }
  return hasher.finalize()
}
