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
  case photo, video, gif, audio
  /// Something else than these that a tweet has besides its text.
  case medium
  /// How many have voted.
  case votes
  /// After the number of votes: nobody can vote any more.
  case closed
  /// After the number of votes: until when people can vote.
  case closes
  /// Marks of a tweet or its author.
  case verified, edited, protected, isDeleted, sensitive
  /// In which countries a tweet is not shown; without countries; and because of a copyright.
  case withheldIn, withheld, copyright
  case followers, following, tweets
  /// All counts of a tweet, and the ids of its versions.
  case replies, retweets, quotes, likes, bookmarks, views, versions
  /// Since when there is a profile, or a state of the connection.
  case since
  /// The state of the connection.
  case live, polling, waiting, down
  /// How many tweets are new.
  case new
  /// After how many are new: when they came.
  case atTime
  /// How long it is until the next poll round.
  case nextIn
  /// When the next poll round is.
  case nextAt
  /// The same of the next try after a failure.
  case nextTryIn, nextTryAt
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
    case .audio: ("audio", "Ton", "audio", "audio", "音声", "صوت")
    case .medium: ("attachment", "Anhang", "pièce jointe", "adjunto", "添付", "مرفق")
    case .votes:
      (
        "one={0} vote|{0} votes", "one={0} Stimme|{0} Stimmen", "one={0} vote|{0} votes", "one={0} voto|{0} votos",
        "{0}票", "zero=لا أصوات|one=صوت واحد|two=صوتان|few={0} أصوات|many={0} صوتًا|{0} صوت"
      )
    case .closed: (", closed", ", beendet", ", terminé", ", cerrada", "、終了", "، انتهى")
    case .closes: (", closes {0}", ", endet {0}", ", fin : {0}", ", cierra: {0}", "、{0}終了", "، ينتهي {0}")
    case .verified: ("verified", "verifiziert", "vérifié", "verificado", "認証済み", "موثّق")
    case .edited: ("edited", "bearbeitet", "modifié", "editado", "編集済み", "معدّل")
    case .protected: ("protected", "geschützt", "protégé", "protegido", "非公開", "محمي")
    case .isDeleted: ("deleted", "gelöscht", "supprimé", "eliminado", "削除済み", "محذوف")
    case .sensitive: ("sensitive", "heikel", "sensible", "sensible", "センシティブ", "حساس")
    case .withheldIn:
      (
        "withheld in {0}", "nicht gezeigt in {0}", "retenu : {0}", "retenido en {0}", "非表示: {0}", "محجوب في {0}"
      )
    case .withheld: ("withheld", "nicht gezeigt", "retenu", "retenido", "非表示", "محجوب")
    case .copyright:
      (" (copyright)", " (Urheberrecht)", " (droit d’auteur)", " (derechos de autor)", "（著作権）", " (حقوق النشر)")
    case .followers:
      (
        "one={0} follower|{0} followers", "{0} Follower", "one={0} abonné|{0} abonnés",
        "one={0} seguidor|{0} seguidores", "フォロワー{0}人",
        "one=متابع واحد|two=متابعان|few={0} متابعين|{0} متابع"
      )
    case .following:
      ("{0} following", "folgt {0}", "suit {0}", "one={0} seguido|{0} seguidos", "フォロー中{0}人", "يتابع {0}")
    case .tweets:
      (
        "one={0} tweet|{0} tweets", "one={0} Tweet|{0} Tweets", "one={0} tweet|{0} tweets",
        "one={0} tuit|{0} tuits", "ツイート{0}件", "one=تغريدة واحدة|two=تغريدتان|few={0} تغريدات|{0} تغريدة"
      )
    case .replies:
      (
        "one={0} reply|{0} replies", "one={0} Antwort|{0} Antworten", "one={0} réponse|{0} réponses",
        "one={0} respuesta|{0} respuestas", "返信{0}件", "one=رد واحد|two=ردان|few={0} ردود|{0} رد"
      )
    case .retweets:
      (
        "one={0} retweet|{0} retweets", "one={0} Retweet|{0} Retweets", "one={0} retweet|{0} retweets",
        "one={0} retuit|{0} retuits", "リツイート{0}件", "إعادة تغريد {0}"
      )
    case .quotes:
      (
        "one={0} quote|{0} quotes", "one={0} Zitat|{0} Zitate", "one={0} citation|{0} citations",
        "one={0} cita|{0} citas", "引用{0}件", "one=اقتباس واحد|two=اقتباسان|few={0} اقتباسات|{0} اقتباس"
      )
    case .likes:
      (
        "one={0} like|{0} likes", "{0} Gefällt mir", "{0} J’aime", "{0} Me gusta", "いいね{0}件",
        "one=إعجاب واحد|two=إعجابان|few={0} إعجابات|{0} إعجاب"
      )
    case .bookmarks:
      (
        "one={0} bookmark|{0} bookmarks", "{0} Lesezeichen", "one={0} signet|{0} signets",
        "one={0} marcador|{0} marcadores", "ブックマーク{0}件", "الإشارات المرجعية: {0}"
      )
    case .views:
      (
        "one={0} view|{0} views", "one={0} Aufruf|{0} Aufrufe", "one={0} vue|{0} vues",
        "one={0} vista|{0} vistas", "表示{0}回", "one=مشاهدة واحدة|two=مشاهدتان|few={0} مشاهدات|{0} مشاهدة"
      )
    case .versions: ("versions", "Fassungen", "versions", "versiones", "版", "النسخ")
    case .since: ("since {0}", "seit {0}", "depuis {0}", "desde {0}", "{0}から", "منذ {0}")
    case .live: ("live", "verbunden", "en direct", "en directo", "接続中", "متصل")
    case .polling: ("polling", "fragt ab", "sondage", "consultando", "定期取得中", "يستعلم")
    case .waiting: ("waiting", "wartet", "en attente", "en espera", "待機中", "ينتظر")
    case .down: ("down", "getrennt", "coupé", "sin conexión", "切断", "منقطع")
    case .new:
      ("{0} new", "{0} neu", "one={0} nouveau|{0} nouveaux", "one={0} nuevo|{0} nuevos", "新着{0}件", "{0} جديد")
    case .atTime: ("at {0}", "um {0}", "à {0}", "a las {0}", "{0}", "في {0}")
    case .nextIn:
      ("next in {0}", "weiter in {0}", "suite dans {0}", "siguiente en {0}", "次は{0}後", "التالي بعد {0}")
    case .nextAt:
      ("next at {0}", "weiter um {0}", "suite à {0}", "siguiente a las {0}", "次は{0}", "التالي في {0}")
    case .nextTryIn:
      (
        "next try in {0}", "neuer Versuch in {0}", "nouvel essai dans {0}", "nuevo intento en {0}", "再試行は{0}後",
        "محاولة بعد {0}"
      )
    case .nextTryAt:
      (
        "next try at {0}", "neuer Versuch um {0}", "nouvel essai à {0}", "nuevo intento a las {0}", "再試行は{0}",
        "محاولة في {0}"
      )
    }
  }
}
