extension ByteBuffer {
  /// Appends a `delete` record, a line of tweet(5): the service says that a post is gone.
  ///
  /// - Parameters:
  ///   - id: the post's id at the service.
  ///   - user: the author's id; `nil` if it is not known.
  package mutating func deletion(of id: String, service: String, user: String? = nil) {
    record("delete") { out in
      out.member("service", service)
      out.member("id", id)
      out.member("user_id", user)
    }
  }
}
