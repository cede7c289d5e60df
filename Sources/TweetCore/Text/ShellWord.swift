/// A text as one word of a shell: as it stands, or in quotes if a shell would take some of it for something else.
package func shellWord(_ text: String) -> String {
  let isPlain =
    !text.isEmpty
    && text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        // Digits and + , - . / :
        UInt8(ascii: "+")...UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "@"), UInt8(ascii: "%"):
        true
      default: false
      }
    }
  return isPlain ? text : "'" + text.replacing("'", with: #"'\''"#) + "'"
}
