/// The members that a check of tw-linkcheck writes into a link of a record.
package enum CheckMembers {
  /// Whether a check writes a member of this name.
  /// - Parameter hasTitle: whether it writes `title`, which X writes too.
  package static func contain(_ name: JSONValue, hasTitle: Bool) -> Bool {
    // By its length first: most names of a link are not ours, and links are many.
    switch name.rawString.count {
    case 3: name.spells("was")
    case 4: name.spells("card")
    case 5: name.spells("error") || name.spells("chain") || hasTitle && name.spells("title")
    case 6: name.spells("status")
    case 7: name.spells("verdict")
    case 8: name.spells("music_id") || name.spells("soft_404") || name.spells("failures") || name.spells("archived")
    case 9: name.spells("link_kind") || name.spells("redirects") || name.spells("page_text")
    case 10: name.spells("checked_at") || name.spells("downgraded")
    case 11: name.spells("unwound_url")
    case 12: name.spells("content_type") || name.spells("link_kind_by")
    case 13:
      name.spells("canonical_url") || name.spells("redirect_kind") || name.spells("rel_canonical")
        || name.spells("failing_since")
    case 16: name.spells("stored_redirects")
    default: false
    }
  }
}
