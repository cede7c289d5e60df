/// What a tool reads besides documents: the archives in which services hand out an account, and one format that is not
/// JSON. What is in them is the business of the tool; this module only opens them.
package struct ArchiveFormats: Sendable {
  /// Whether the file of that name in an archive may be one that ``members`` chooses. An archive may have a hundred
  /// thousand files; only these names are held.
  let isCandidate: @Sendable (String) -> Bool
  /// Chooses the files to read from the candidates, in the order of reading; none when the archive is of no known
  /// service.
  let members: @Sendable ([String]) -> [String]
  /// What was looked for, for messages: `data/tweets.js (X)`.
  let sought: String
  /// How many bytes are enough to recognise a repository.
  let repositoryMagicLength: Int
  /// Whether these bytes, perhaps only the first of ``repositoryMagicLength``, start one.
  let mayBeRepository: @Sendable ([UInt8]) -> Bool
  /// Whether an input that starts with these bytes is one.
  let isRepository: @Sendable ([UInt8]) -> Bool
  /// Writes the documents of a repository, a file with offsets, to a descriptor. Returns what is wrong; `nil` for
  /// nothing.
  let convertRepository: @Sendable (_ input: Int32, _ output: Int32) -> String?

  package init(
    isCandidate: @escaping @Sendable (String) -> Bool, members: @escaping @Sendable ([String]) -> [String],
    sought: String, repositoryMagicLength: Int, mayBeRepository: @escaping @Sendable ([UInt8]) -> Bool,
    isRepository: @escaping @Sendable ([UInt8]) -> Bool,
    convertRepository: @escaping @Sendable (_ input: Int32, _ output: Int32) -> String?
  ) {
    (self.isCandidate, self.members, self.sought) = (isCandidate, members, sought)
    (self.repositoryMagicLength, self.mayBeRepository) = (repositoryMagicLength, mayBeRepository)
    (self.isRepository, self.convertRepository) = (isRepository, convertRepository)
  }
}
