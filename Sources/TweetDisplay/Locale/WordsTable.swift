/// The kit's own words that stand in rows. `{0}` stands for a number, a name or a time.
package enum Phrase: CaseIterable, Sendable {
  /// Who has retweeted a tweet.
  case retweeted
  /// Whom a tweet answers.
  case replyingTo
  /// A tweet that answers one of which nothing is known.
  case reply
  /// What has changed about a tweet.
  case update
  /// What was deleted.
  case deleted
  case photo, video, gif
  /// How many have voted.
  case votes
  /// Behind the number of votes: nobody can vote any more.
  case closed
  /// How many tweets are new.
  case new
  /// Behind how many are new: when they came.
  case atTime
  /// How long it is until the next poll round.
  case nextIn
  /// When the next poll round is.
  case nextAt
}

/// The phrases in the languages of the tables. Plural forms are as in ``LocaleTable``.
enum WordsTable {
  static func text(_ phrase: Phrase, _ language: TableLanguage) -> StaticString {
    let texts = row(phrase)
    return switch language {
    case .en: texts.en
    case .de: texts.de
    case .fr: texts.fr
    case .es: texts.es
    case .ja: texts.ja
    case .ar: texts.ar
    }
  }

  private typealias Row = (
    en: StaticString, de: StaticString, fr: StaticString, es: StaticString, ja: StaticString, ar: StaticString
  )

  private static func row(_ phrase: Phrase) -> Row {
    switch phrase {
    case .retweeted:
      (
        "{0} retweeted", "{0} hat retweetet", "{0} a retweeté", "{0} ha retuiteado", "{0}さんがリツイート",
        "أعاد {0} التغريد"
      )
    case .replyingTo:
      ("replying to {0}", "Antwort an {0}", "en réponse à {0}", "en respuesta a {0}", "返信先: {0}", "ردًا على {0}")
    case .reply: ("a reply", "eine Antwort", "une réponse", "una respuesta", "返信", "رد")
    case .update: ("update", "Änderung", "mise à jour", "actualización", "更新", "تحديث")
    case .deleted:
      ("deleted: {0}", "gelöscht: {0}", "supprimé : {0}", "eliminado: {0}", "削除: {0}", "محذوف: {0}")
    case .photo: ("photo", "Foto", "photo", "foto", "写真", "صورة")
    case .video: ("video", "Video", "vidéo", "vídeo", "動画", "فيديو")
    case .gif: ("gif", "GIF", "GIF", "GIF", "GIF", "GIF")
    case .votes:
      (
        "one={0} vote|{0} votes", "one={0} Stimme|{0} Stimmen", "one={0} vote|{0} votes", "one={0} voto|{0} votos",
        "{0}票", "zero=لا أصوات|one=صوت واحد|two=صوتان|few={0} أصوات|many={0} صوتًا|{0} صوت"
      )
    case .closed: (", closed", ", beendet", ", terminé", ", cerrada", "、終了", "، انتهى")
    case .new:
      ("{0} new", "{0} neu", "one={0} nouveau|{0} nouveaux", "one={0} nuevo|{0} nuevos", "新着{0}件", "{0} جديد")
    case .atTime: ("at {0}", "um {0}", "à {0}", "a las {0}", "{0}", "في {0}")
    case .nextIn:
      ("next in {0}", "weiter in {0}", "suite dans {0}", "siguiente en {0}", "次は{0}後", "التالي بعد {0}")
    case .nextAt:
      ("next at {0}", "weiter um {0}", "suite à {0}", "siguiente a las {0}", "次は{0}", "التالي في {0}")
    }
  }
}
