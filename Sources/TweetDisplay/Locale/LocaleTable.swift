// Written by Tests/TweetDisplayTests/generate-locale-table.py from CLDR 42, as ICU 72 has it.
// Copyright © 1991-2022 Unicode, Inc. Unicode License v3, https://www.unicode.org/license.txt

/// What CLDR says about languages and their regions. ``LocaleData`` reads it.
enum LocaleTable {
  /// The release of CLDR.
  static let release = "42"

  /// A block for each language and for regions that differ from it: its names in brackets, then `key=text` lines. In
  /// texts, `{0}` stands for a number and `{d}`, `{MMM}` … for the fields of a date (UTS 35); in rows `1e3` …, zeros
  /// stand for a number's digits. Plural forms are `one=…|…`, the last for all other numbers.
  static let text: StaticString = """
    [en]
    zero=0
    decimal=.
    group=,
    later-groups=3
    ungrouped-digits=3
    percent={0}%
    months=Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec
    months-wide=January|February|March|April|May|June|July|August|September|October|November|December
    weekdays-wide=Sunday|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday
    time={HH}:{mm}
    day={MMM} {d}
    date={MMM} {d}, {y}
    day-time={MMM} {d}, {HH}:{mm}
    date-time={MMM} {d}, {y}, {HH}:{mm}
    full={EEEE}, {MMMM} {d}, {y} at {HH}:{mm}
    full-day={EEEE}, {MMMM} {d}, {y}
    month={MMMM} {y}
    now=now
    yesterday=yesterday
    before-yesterday=
    seconds-ago=one={0} second ago|{0} seconds ago
    minutes-ago=one={0} minute ago|{0} minutes ago
    hours-ago=one={0} hour ago|{0} hours ago
    days-ago=one={0} day ago|{0} days ago
    minutes={0} min
    seconds={0} sec
    1e3=0K
    1e4=00K
    1e5=000K
    1e6=0M
    1e7=00M
    1e8=000M
    1e9=0B
    1e10=00B
    1e11=000B
    1e12=0T
    1e13=00T
    1e14=000T
    [en_001 en_150 en_AG en_AI en_BB en_BM en_BS en_CC en_CK en_CM en_CX en_CY en_DG en_DM en_ER en_FJ en_FK en_FM en_GB en_GD en_GG en_GH en_GI en_GM en_GY en_HK en_IM en_IO en_JE en_JM en_KE en_KI en_KN en_KY en_LC en_LR en_LS en_MG en_MO en_MS en_MU en_MW en_MY en_NA en_NF en_NG en_NR en_NU en_NZ en_PG en_PK en_PN en_PW en_RW en_SB en_SC en_SD en_SG en_SH en_SL en_SS en_SX en_SZ en_TC en_TK en_TO en_TT en_TV en_TZ en_UG en_VC en_VG en_VU en_WS en_ZM]
    months=Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept|Oct|Nov|Dec
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} {MMMM} {y} at {HH}:{mm}
    full-day={EEEE}, {d} {MMMM} {y}
    minutes=one={0} min|{0} mins
    seconds=one={0} sec|{0} secs
    [en_AE]
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} {MMMM} {y} at {HH}:{mm}
    full-day={EEEE}, {d} {MMMM} {y}
    [en_AT en_DE]
    decimal=,
    group=.
    percent={0}\u{A0}%
    months=Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept|Oct|Nov|Dec
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} {MMMM} {y} at {HH}:{mm}
    full-day={EEEE}, {d} {MMMM} {y}
    minutes=one={0} min|{0} mins
    seconds=one={0} sec|{0} secs
    [en_AU]
    months=Jan|Feb|Mar|Apr|May|June|July|Aug|Sept|Oct|Nov|Dec
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} {MMMM} {y} at {HH}:{mm}
    full-day={EEEE}, {d} {MMMM} {y}
    minutes=one={0} min.|{0} mins
    seconds=one={0} sec.|{0} secs
    [en_BE en_NL en_SI]
    decimal=,
    group=.
    months=Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept|Oct|Nov|Dec
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} {MMMM} {y} at {HH}:{mm}
    full-day={EEEE}, {d} {MMMM} {y}
    minutes=one={0} min|{0} mins
    seconds=one={0} sec|{0} secs
    [en_BW en_BZ en_MT]
    months=Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept|Oct|Nov|Dec
    day={dd} {MMM}
    date={dd} {MMM} {y}
    day-time={dd} {MMM}, {HH}:{mm}
    date-time={dd} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} {MMMM} {y} at {HH}:{mm}
    full-day={EEEE}, {d} {MMMM} {y}
    minutes=one={0} min|{0} mins
    seconds=one={0} sec|{0} secs
    [en_CA]
    minutes=one={0} min|{0} mins
    seconds=one={0} sec|{0} secs
    [en_CH]
    group=’
    months=Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept|Oct|Nov|Dec
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} {MMMM} {y} at {HH}:{mm}
    full-day={EEEE}, {d} {MMMM} {y}
    minutes=one={0} min|{0} mins
    seconds=one={0} sec|{0} secs
    [en_DK]
    decimal=,
    group=.
    percent={0}\u{A0}%
    months=Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept|Oct|Nov|Dec
    time={HH}.{mm}
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}, {HH}.{mm}
    date-time={d} {MMM} {y}, {HH}.{mm}
    full={EEEE}, {d} {MMMM} {y} at {HH}.{mm}
    full-day={EEEE}, {d} {MMMM} {y}
    minutes=one={0} min|{0} mins
    seconds=one={0} sec|{0} secs
    [en_FI]
    decimal=,
    group=\u{A0}
    percent={0}\u{A0}%
    months=Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept|Oct|Nov|Dec
    time={H}.{mm}
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}, {H}.{mm}
    date-time={d} {MMM} {y}, {H}.{mm}
    full={EEEE}, {d} {MMMM} {y} at {H}.{mm}
    full-day={EEEE}, {d} {MMMM} {y}
    minutes=one={0} min|{0} mins
    seconds=one={0} sec|{0} secs
    [en_IE en_MV]
    months=Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept|Oct|Nov|Dec
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE} {d} {MMMM} {y} at {HH}:{mm}
    full-day={EEEE} {d} {MMMM} {y}
    minutes=one={0} min|{0} mins
    seconds=one={0} sec|{0} secs
    [en_IL]
    months=Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept|Oct|Nov|Dec
    time={H}:{mm}
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}, {H}:{mm}
    date-time={d} {MMM} {y}, {H}:{mm}
    full={EEEE}, {d} {MMMM} {y} at {H}:{mm}
    full-day={EEEE}, {d} {MMMM} {y}
    minutes=one={0} min|{0} mins
    seconds=one={0} sec|{0} secs
    [en_IN]
    later-groups=2
    months=Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept|Oct|Nov|Dec
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} {MMMM}, {y} at {HH}:{mm}
    full-day={EEEE}, {d} {MMMM}, {y}
    minutes=one={0} min|{0} mins
    seconds=one={0} sec|{0} secs
    1e3=0T
    1e4=00T
    1e5=0L
    1e6=00L
    1e7=0Cr
    1e8=00Cr
    1e9=000Cr
    1e10=0TCr
    1e11=00TCr
    1e12=0LCr
    1e13=00LCr
    1e14=000LCr
    [en_SE]
    decimal=,
    group=\u{A0}
    percent={0}\u{A0}%
    months=Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept|Oct|Nov|Dec
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} {MMMM} {y} at {HH}:{mm}
    full-day={EEEE}, {d} {MMMM} {y}
    minutes=one={0} min|{0} mins
    seconds=one={0} sec|{0} secs
    [en_ZA]
    decimal=,
    group=\u{A0}
    months=Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept|Oct|Nov|Dec
    day={dd} {MMM}
    date={dd} {MMM} {y}
    day-time={dd} {MMM}, {HH}:{mm}
    date-time={dd} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} {MMMM} {y} at {HH}:{mm}
    full-day={EEEE}, {d} {MMMM} {y}
    minutes=one={0} min|{0} mins
    seconds=one={0} sec|{0} secs
    [en_ZW]
    months=Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept|Oct|Nov|Dec
    day={dd} {MMM}
    date={dd} {MMM}, {y}
    day-time={dd} {MMM}, {HH}:{mm}
    date-time={dd} {MMM}, {y}, {HH}:{mm}
    full={EEEE}, {d} {MMMM} {y} at {HH}:{mm}
    full-day={EEEE}, {d} {MMMM} {y}
    minutes=one={0} min|{0} mins
    seconds=one={0} sec|{0} secs
    [de]
    zero=0
    decimal=,
    group=.
    later-groups=3
    ungrouped-digits=3
    percent={0}\u{A0}%
    months=Jan.|Feb.|März|Apr.|Mai|Juni|Juli|Aug.|Sept.|Okt.|Nov.|Dez.
    months-wide=Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember
    weekdays-wide=Sonntag|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag
    time={HH}:{mm}
    day={d}. {MMM}
    date={d}. {MMM} {y}
    day-time={d}. {MMM}, {HH}:{mm}
    date-time={d}. {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d}. {MMMM} {y} um {HH}:{mm}
    full-day={EEEE}, {d}. {MMMM} {y}
    month={MMMM} {y}
    now=jetzt
    yesterday=gestern
    before-yesterday=vorgestern
    seconds-ago=one=vor {0} Sekunde|vor {0} Sekunden
    minutes-ago=one=vor {0} Minute|vor {0} Minuten
    hours-ago=one=vor {0} Stunde|vor {0} Stunden
    days-ago=one=vor {0} Tag|vor {0} Tagen
    minutes={0} Min.
    seconds={0} Sek.
    1e3=0\u{A0}Tausend
    1e4=00\u{A0}Tausend
    1e5=000\u{A0}Tausend
    1e6=0\u{A0}Mio.
    1e7=00\u{A0}Mio.
    1e8=000\u{A0}Mio.
    1e9=0\u{A0}Mrd.
    1e10=00\u{A0}Mrd.
    1e11=000\u{A0}Mrd.
    1e12=0\u{A0}Bio.
    1e13=00\u{A0}Bio.
    1e14=000\u{A0}Bio.
    [de_AT]
    group=\u{A0}
    months=Jän.|Feb.|März|Apr.|Mai|Juni|Juli|Aug.|Sep.|Okt.|Nov.|Dez.
    months-wide=Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember
    [de_CH de_LI]
    decimal=.
    group=’
    percent={0}%
    [de_IT]
    months=Jän.|Feb.|März|Apr.|Mai|Juni|Juli|Aug.|Sep.|Okt.|Nov.|Dez.
    months-wide=Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember
    [fr]
    zero=0
    decimal=,
    group=\u{202F}
    later-groups=3
    ungrouped-digits=3
    percent={0}\u{A0}%
    months=janv.|févr.|mars|avr.|mai|juin|juil.|août|sept.|oct.|nov.|déc.
    months-wide=janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre
    weekdays-wide=dimanche|lundi|mardi|mercredi|jeudi|vendredi|samedi
    time={HH}:{mm}
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE} {d} {MMMM} {y} à {HH}:{mm}
    full-day={EEEE} {d} {MMMM} {y}
    month={MMMM} {y}
    now=maintenant
    yesterday=hier
    before-yesterday=avant-hier
    seconds-ago=one=il y a {0} seconde|il y a {0} secondes
    minutes-ago=one=il y a {0} minute|il y a {0} minutes
    hours-ago=one=il y a {0} heure|il y a {0} heures
    days-ago=one=il y a {0} jour|il y a {0} jours
    minutes={0}\u{A0}min
    seconds={0}\u{202F}s
    1e3=0\u{A0}k
    1e4=00\u{A0}k
    1e5=000\u{A0}k
    1e6=0\u{A0}M
    1e7=00\u{A0}M
    1e8=000\u{A0}M
    1e9=0\u{A0}Md
    1e10=00\u{A0}Md
    1e11=000\u{A0}Md
    1e12=0\u{A0}Bn
    1e13=00\u{A0}Bn
    1e14=000\u{A0}Bn
    [fr_CA]
    group=\u{A0}
    months=janv.|févr.|mars|avr.|mai|juin|juill.|août|sept.|oct.|nov.|déc.
    time={HH} h {mm}
    day-time={d} {MMM}, {HH} h {mm}
    date-time={d} {MMM} {y}, {HH} h {mm}
    full={EEEE} {d} {MMMM} {y} à {HH} h {mm}
    minutes={0} min
    seconds={0} s
    1e9=0\u{A0}G
    1e10=00\u{A0}G
    1e11=000\u{A0}G
    1e12=0\u{A0}T
    1e13=00\u{A0}T
    1e14=000\u{A0}T
    [fr_CH]
    percent={0}%
    full={EEEE}, {d} {MMMM} {y} à {HH}:{mm}
    full-day={EEEE}, {d} {MMMM} {y}
    [fr_LU]
    group=.
    [fr_MA]
    group=.
    months=jan.|fév.|mar.|avr.|mai|jui.|juil.|août|sept.|oct.|nov.|déc.
    [es]
    zero=0
    decimal=,
    group=.
    later-groups=3
    ungrouped-digits=4
    percent={0}\u{A0}%
    months=ene|feb|mar|abr|may|jun|jul|ago|sept|oct|nov|dic
    months-wide=enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre
    weekdays-wide=domingo|lunes|martes|miércoles|jueves|viernes|sábado
    time={H}:{mm}
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}, {H}:{mm}
    date-time={d} {MMM} {y}, {H}:{mm}
    full={EEEE}, {d} de {MMMM} de {y}, {H}:{mm}
    full-day={EEEE}, {d} de {MMMM} de {y}
    month={MMMM} de {y}
    now=ahora
    yesterday=ayer
    before-yesterday=anteayer
    seconds-ago=one=hace {0} segundo|hace {0} segundos
    minutes-ago=one=hace {0} minuto|hace {0} minutos
    hours-ago=one=hace {0} hora|hace {0} horas
    days-ago=one=hace {0} día|hace {0} días
    minutes={0} min
    seconds={0} s
    1e3=0\u{A0}mil
    1e4=00\u{A0}mil
    1e5=000\u{A0}mil
    1e6=0\u{A0}M
    1e7=00\u{A0}M
    1e8=000\u{A0}M
    1e9=0000\u{A0}M
    1e10=00\u{A0}mil\u{A0}M
    1e11=000\u{A0}mil\u{A0}M
    1e12=0\u{A0}B
    1e13=00\u{A0}B
    1e14=000\u{A0}B
    [es_419 es_BR es_BZ es_CU es_GT es_NI es_PA es_PR]
    decimal=.
    group=,
    ungrouped-digits=3
    time={HH}:{mm}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} de {MMMM} de {y}, {HH}:{mm}
    1e3=0\u{A0}K
    1e4=00\u{A0}k
    1e5=000\u{A0}k
    [es_AR]
    ungrouped-digits=3
    time={HH}:{mm}
    date={d} de {MMM} de {y}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} de {MMM} de {y}, {HH}:{mm}
    full={EEEE}, {d} de {MMMM} de {y}, {HH}:{mm}
    seconds={0} seg.
    1e3=0\u{A0}K
    1e4=00\u{A0}k
    1e5=000\u{A0}k
    [es_BO es_CL es_EC]
    ungrouped-digits=3
    time={HH}:{mm}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} de {MMMM} de {y}, {HH}:{mm}
    1e3=0\u{A0}K
    1e4=00\u{A0}k
    1e5=000\u{A0}k
    [es_CO]
    ungrouped-digits=3
    day={d} de {MMM}
    date={d} de {MMM} de {y}
    day-time={d} de {MMM}, {H}:{mm}
    date-time={d} de {MMM} de {y}, {H}:{mm}
    1e3=0\u{A0}K
    1e4=00\u{A0}k
    1e5=000\u{A0}k
    [es_CR]
    group=\u{A0}
    ungrouped-digits=3
    time={HH}:{mm}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} de {MMMM} de {y}, {HH}:{mm}
    1e3=0\u{A0}K
    1e4=00\u{A0}k
    1e5=000\u{A0}k
    [es_DO]
    decimal=.
    group=,
    ungrouped-digits=3
    time={HH}:{mm}
    date={d} {MMM} de {y}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} de {y}, {HH}:{mm}
    full={EEEE}, {d} de {MMMM} de {y}, {HH}:{mm}
    seconds={0} seg.
    1e3=0\u{A0}K
    1e4=00\u{A0}k
    1e5=000\u{A0}k
    [es_HN]
    decimal=.
    group=,
    ungrouped-digits=3
    time={HH}:{mm}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE} {d} de {MMMM} de {y}, {HH}:{mm}
    full-day={EEEE} {d} de {MMMM} de {y}
    1e3=0\u{A0}K
    1e4=00\u{A0}k
    1e5=000\u{A0}k
    [es_MX]
    decimal=.
    group=,
    ungrouped-digits=3
    percent={0}%
    time={HH}:{mm}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} de {MMMM} de {y}, {HH}:{mm}
    1e3=0\u{A0}k
    1e4=00\u{A0}k
    1e5=000\u{A0}k
    [es_PE]
    decimal=.
    group=,
    ungrouped-digits=3
    months=ene.|feb.|mar.|abr.|may.|jun.|jul.|ago.|set.|oct.|nov.|dic.
    months-wide=enero|febrero|marzo|abril|mayo|junio|julio|agosto|setiembre|octubre|noviembre|diciembre
    time={HH}:{mm}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} de {MMMM} de {y}, {HH}:{mm}
    1e3=0\u{A0}K
    1e4=00\u{A0}k
    1e5=000\u{A0}k
    [es_PY]
    ungrouped-digits=3
    months=ene.|feb.|mar.|abr.|may.|jun.|jul.|ago.|sept.|oct.|nov.|dic.
    time={HH}:{mm}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} de {MMMM} de {y}, {HH}:{mm}
    seconds={0} seg.
    1e3=0\u{A0}K
    1e4=00\u{A0}k
    1e5=000\u{A0}k
    [es_SV]
    decimal=.
    group=,
    ungrouped-digits=3
    time={HH}:{mm}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} de {MMMM} de {y}, {HH}:{mm}
    before-yesterday=antier
    1e3=0\u{A0}K
    1e4=00\u{A0}k
    1e5=000\u{A0}k
    [es_US]
    decimal=.
    group=,
    ungrouped-digits=3
    time={HH}:{mm}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} de {MMMM} de {y}, {HH}:{mm}
    1e3=0\u{A0}K
    1e4=00\u{A0}K
    1e5=000\u{A0}K
    [es_UY]
    ungrouped-digits=3
    months=ene.|feb.|mar.|abr.|may.|jun.|jul.|ago.|set.|oct.|nov.|dic.
    months-wide=enero|febrero|marzo|abril|mayo|junio|julio|agosto|setiembre|octubre|noviembre|diciembre
    time={HH}:{mm}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} de {MMMM} de {y}, {HH}:{mm}
    1e3=0\u{A0}K
    1e4=00\u{A0}k
    1e5=000\u{A0}k
    [es_VE]
    ungrouped-digits=3
    months=ene.|feb.|mar.|abr.|may.|jun.|jul.|ago.|sept.|oct.|nov.|dic.
    time={HH}:{mm}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} de {MMMM} de {y}, {HH}:{mm}
    1e3=0\u{A0}K
    1e4=00\u{A0}k
    1e5=000\u{A0}k
    [ja]
    zero=0
    decimal=.
    group=,
    later-groups=3
    ungrouped-digits=3
    percent={0}%
    months=1月|2月|3月|4月|5月|6月|7月|8月|9月|10月|11月|12月
    months-wide=1月|2月|3月|4月|5月|6月|7月|8月|9月|10月|11月|12月
    weekdays-wide=日曜日|月曜日|火曜日|水曜日|木曜日|金曜日|土曜日
    time={H}:{mm}
    day={M}月{d}日
    date={y}年{M}月{d}日
    day-time={M}月{d}日 {H}:{mm}
    date-time={y}年{M}月{d}日 {H}:{mm}
    full={y}年{M}月{d}日{EEEE} {H}:{mm}
    full-day={y}年{M}月{d}日{EEEE}
    month={y}年{M}月
    now=今
    yesterday=昨日
    before-yesterday=一昨日
    seconds-ago={0} 秒前
    minutes-ago={0} 分前
    hours-ago={0} 時間前
    days-ago={0} 日前
    minutes={0} 分
    seconds={0} 秒
    1e3=0
    1e4=0万
    1e5=00万
    1e6=000万
    1e7=0000万
    1e8=0億
    1e9=00億
    1e10=000億
    1e11=0000億
    1e12=0兆
    1e13=00兆
    1e14=000兆
    1e15=0000兆
    1e16=0京
    1e17=00京
    1e18=000京
    1e19=0000京
    [ar]
    zero=٠
    decimal=٫
    group=٬
    later-groups=3
    ungrouped-digits=3
    percent={0}٪
    months=يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر
    months-wide=يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر
    weekdays-wide=الأحد|الاثنين|الثلاثاء|الأربعاء|الخميس|الجمعة|السبت
    time={HH}:{mm}
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}، {HH}:{mm}
    date-time={d} {MMM} {y}، {HH}:{mm}
    full={EEEE}، {d} {MMMM} {y} في {HH}:{mm}
    full-day={EEEE}، {d} {MMMM} {y}
    month={MMMM} {y}
    now=الآن
    yesterday=أمس
    before-yesterday=أول أمس
    seconds-ago=one=قبل ثانية واحدة|two=قبل ثانيتين|few=قبل {0} ثوانِ|قبل {0} ثانية
    minutes-ago=one=قبل دقيقة واحدة|two=قبل دقيقتين|few=قبل {0} دقائق|قبل {0} دقيقة
    hours-ago=one=قبل ساعة واحدة|two=قبل ساعتين|few=قبل {0} ساعات|قبل {0} ساعة
    days-ago=one=قبل يوم واحد|two=قبل يومين|few=قبل {0} أيام|many=قبل {0} يومًا|قبل {0} يوم
    minutes={0} د
    seconds={0} ث
    1e3=few=0\u{A0}آلاف|0\u{A0}ألف
    1e4=00\u{A0}ألف
    1e5=000\u{A0}ألف
    1e6=0\u{A0}مليون
    1e7=00\u{A0}مليون
    1e8=000\u{A0}مليون
    1e9=0\u{A0}مليار
    1e10=00\u{A0}مليار
    1e11=000\u{A0}مليار
    1e12=0\u{A0}ترليون
    1e13=00\u{A0}ترليون
    1e14=000\u{A0}ترليون
    [ar_AE ar_EH]
    zero=0
    decimal=.
    group=,
    percent={0}%
    [ar_DZ ar_TN]
    zero=0
    decimal=,
    group=.
    percent={0}%
    months=جانفي|فيفري|مارس|أفريل|ماي|جوان|جويلية|أوت|سبتمبر|أكتوبر|نوفمبر|ديسمبر
    months-wide=جانفي|فيفري|مارس|أفريل|ماي|جوان|جويلية|أوت|سبتمبر|أكتوبر|نوفمبر|ديسمبر
    [ar_IL]
    time={H}:{mm}
    day-time={d} {MMM}، {H}:{mm}
    date-time={d} {MMM} {y}، {H}:{mm}
    full={EEEE}، {d} {MMMM} {y} في {H}:{mm}
    [ar_IQ]
    months=كانون الثاني|شباط|آذار|نيسان|أيار|حزيران|تموز|آب|أيلول|تشرين\u{A0}الأول|تشرين الثاني|كانون الأول
    months-wide=كانون الثاني|شباط|آذار|نيسان|أيار|حزيران|تموز|آب|أيلول|تشرين الأول|تشرين الثاني|كانون الأول
    [ar_JO ar_LB ar_PS ar_SY]
    months=كانون الثاني|شباط|آذار|نيسان|أيار|حزيران|تموز|آب|أيلول|تشرين الأول|تشرين الثاني|كانون الأول
    months-wide=كانون الثاني|شباط|آذار|نيسان|أيار|حزيران|تموز|آب|أيلول|تشرين الأول|تشرين الثاني|كانون الأول
    [ar_LY]
    zero=0
    decimal=,
    group=.
    percent={0}%
    [ar_MA]
    zero=0
    decimal=,
    group=.
    percent={0}%
    months=يناير|فبراير|مارس|أبريل|ماي|يونيو|يوليوز|غشت|شتنبر|أكتوبر|نونبر|دجنبر
    months-wide=يناير|فبراير|مارس|أبريل|ماي|يونيو|يوليوز|غشت|شتنبر|أكتوبر|نونبر|دجنبر
    [ar_MR]
    months=يناير|فبراير|مارس|إبريل|مايو|يونيو|يوليو|أغشت|شتمبر|أكتوبر|نوفمبر|دجمبر
    months-wide=يناير|فبراير|مارس|إبريل|مايو|يونيو|يوليو|أغشت|شتمبر|أكتوبر|نوفمبر|دجمبر
    [zh]
    zero=0
    decimal=.
    group=,
    later-groups=3
    ungrouped-digits=3
    percent={0}%
    months=1月|2月|3月|4月|5月|6月|7月|8月|9月|10月|11月|12月
    months-wide=一月|二月|三月|四月|五月|六月|七月|八月|九月|十月|十一月|十二月
    weekdays-wide=星期日|星期一|星期二|星期三|星期四|星期五|星期六
    time={HH}:{mm}
    day={M}月{d}日
    date={y}年{M}月{d}日
    day-time={M}月{d}日 {HH}:{mm}
    date-time={y}年{M}月{d}日 {HH}:{mm}
    full={y}年{M}月{d}日{EEEE} {HH}:{mm}
    full-day={y}年{M}月{d}日{EEEE}
    month={y}年{M}月
    now=现在
    yesterday=昨天
    before-yesterday=前天
    seconds-ago={0}秒钟前
    minutes-ago={0}分钟前
    hours-ago={0}小时前
    days-ago={0}天前
    minutes={0}分钟
    seconds={0}秒
    1e3=0
    1e4=0万
    1e5=00万
    1e6=000万
    1e7=0000万
    1e8=0亿
    1e9=00亿
    1e10=000亿
    1e11=0000亿
    1e12=0万亿
    1e13=00万亿
    1e14=000万亿
    [ru]
    zero=0
    decimal=,
    group=\u{A0}
    later-groups=3
    ungrouped-digits=3
    percent={0}\u{A0}%
    months=янв.|февр.|мар.|апр.|мая|июн.|июл.|авг.|сент.|окт.|нояб.|дек.
    months-wide=января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря
    weekdays-wide=воскресенье|понедельник|вторник|среда|четверг|пятница|суббота
    time={HH}:{mm}
    day={d} {MMM}
    date={d} {MMM} {y}\u{202F}г.
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}\u{202F}г., {HH}:{mm}
    full={EEEE}, {d} {MMMM} {y}\u{202F}г. в {HH}:{mm}
    full-day={EEEE}, {d} {MMMM} {y}\u{202F}г.
    month={MMMM} {y}\u{202F}г.
    now=сейчас
    yesterday=вчера
    before-yesterday=позавчера
    seconds-ago=one={0} секунду назад|many={0} секунд назад|{0} секунды назад
    minutes-ago=one={0} минуту назад|many={0} минут назад|{0} минуты назад
    hours-ago=one={0} час назад|many={0} часов назад|{0} часа назад
    days-ago=one={0} день назад|many={0} дней назад|{0} дня назад
    minutes={0} мин
    seconds={0} с
    1e3=0\u{A0}тыс.
    1e4=00\u{A0}тыс.
    1e5=000\u{A0}тыс.
    1e6=0\u{A0}млн
    1e7=00\u{A0}млн
    1e8=000\u{A0}млн
    1e9=0\u{A0}млрд
    1e10=00\u{A0}млрд
    1e11=000\u{A0}млрд
    1e12=0\u{A0}трлн
    1e13=00\u{A0}трлн
    1e14=000\u{A0}трлн
    [ru_UA]
    ungrouped-digits=4
    [pt]
    zero=0
    decimal=,
    group=.
    later-groups=3
    ungrouped-digits=3
    percent={0}%
    months=jan.|fev.|mar.|abr.|mai.|jun.|jul.|ago.|set.|out.|nov.|dez.
    months-wide=janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro
    weekdays-wide=domingo|segunda-feira|terça-feira|quarta-feira|quinta-feira|sexta-feira|sábado
    time={HH}:{mm}
    day={d} de {MMM}
    date={d} de {MMM} de {y}
    day-time={d} de {MMM}, {HH}:{mm}
    date-time={d} de {MMM} de {y}, {HH}:{mm}
    full={EEEE}, {d} de {MMMM} de {y} às {HH}:{mm}
    full-day={EEEE}, {d} de {MMMM} de {y}
    month={MMMM} de {y}
    now=agora
    yesterday=ontem
    before-yesterday=anteontem
    seconds-ago=one=há {0} segundo|há {0} segundos
    minutes-ago=one=há {0} minuto|há {0} minutos
    hours-ago=one=há {0} hora|há {0} horas
    days-ago=one=há {0} dia|há {0} dias
    minutes={0} min
    seconds={0} s
    1e3=0\u{A0}mil
    1e4=00\u{A0}mil
    1e5=000\u{A0}mil
    1e6=0\u{A0}mi
    1e7=00\u{A0}mi
    1e8=000\u{A0}mi
    1e9=0\u{A0}bi
    1e10=00\u{A0}bi
    1e11=000\u{A0}bi
    1e12=0\u{A0}tri
    1e13=00\u{A0}tri
    1e14=000\u{A0}tri
    [pt_AO]
    group=\u{A0}
    day={d}/{MM}
    date={d}/{MM}/{y}
    day-time={d}/{MM}, {HH}:{mm}
    date-time={d}/{MM}/{y}, {HH}:{mm}
    1e6=0\u{A0}M
    1e7=00\u{A0}M
    1e8=000\u{A0}M
    1e9=0\u{A0}mM
    1e10=00\u{A0}mM
    1e11=000\u{A0}mM
    1e12=0\u{A0}Bi
    1e13=00\u{A0}Bi
    1e14=000\u{A0}Bi
    [pt_CH pt_CV pt_GQ pt_GW pt_LU pt_MO pt_MZ pt_PT pt_ST pt_TL]
    group=\u{A0}
    ungrouped-digits=4
    day={d}/{MM}
    date={d}/{MM}/{y}
    day-time={d}/{MM}, {HH}:{mm}
    date-time={d}/{MM}/{y}, {HH}:{mm}
    1e6=0\u{A0}M
    1e7=00\u{A0}M
    1e8=000\u{A0}M
    1e9=0\u{A0}mM
    1e10=00\u{A0}mM
    1e11=000\u{A0}mM
    1e12=0\u{A0}Bi
    1e13=00\u{A0}Bi
    1e14=000\u{A0}Bi
    [it]
    zero=0
    decimal=,
    group=.
    later-groups=3
    ungrouped-digits=3
    percent={0}%
    months=gen|feb|mar|apr|mag|giu|lug|ago|set|ott|nov|dic
    months-wide=gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre
    weekdays-wide=domenica|lunedì|martedì|mercoledì|giovedì|venerdì|sabato
    time={HH}:{mm}
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE} {d} {MMMM} {y} alle ore {HH}:{mm}
    full-day={EEEE} {d} {MMMM} {y}
    month={MMMM} {y}
    now=ora
    yesterday=ieri
    before-yesterday=l’altro ieri
    seconds-ago=one={0} secondo fa|{0} secondi fa
    minutes-ago=one={0} minuto fa|{0} minuti fa
    hours-ago=one={0} ora fa|{0} ore fa
    days-ago=one={0} giorno fa|{0} giorni fa
    minutes={0} min
    seconds={0} s
    1e3=one=mille|0\u{A0}mila
    1e4=00\u{A0}mila
    1e5=000\u{A0}mila
    1e6=0\u{A0}Mln
    1e7=00\u{A0}Mln
    1e8=000\u{A0}Mln
    1e9=0\u{A0}Mrd
    1e10=00\u{A0}Mrd
    1e11=000\u{A0}Mrd
    1e12=0\u{A0}Bln
    1e13=00\u{A0}Bln
    1e14=000\u{A0}Bln
    [it_CH]
    decimal=.
    group=’
    full={EEEE}, {d} {MMMM} {y} alle ore {HH}:{mm}
    full-day={EEEE}, {d} {MMMM} {y}
    [ko]
    zero=0
    decimal=.
    group=,
    later-groups=3
    ungrouped-digits=3
    percent={0}%
    months=1월|2월|3월|4월|5월|6월|7월|8월|9월|10월|11월|12월
    months-wide=1월|2월|3월|4월|5월|6월|7월|8월|9월|10월|11월|12월
    weekdays-wide=일요일|월요일|화요일|수요일|목요일|금요일|토요일
    time={HH}:{mm}
    day={MMM} {d}일
    date={y}년 {MMM} {d}일
    day-time={MMM} {d}일 {HH}:{mm}
    date-time={y}년 {MMM} {d}일 {HH}:{mm}
    full={y}년 {MMMM} {d}일 {EEEE} {HH}:{mm}
    full-day={y}년 {MMMM} {d}일 {EEEE}
    month={y}년 {MMMM}
    now=지금
    yesterday=어제
    before-yesterday=그저께
    seconds-ago={0}초 전
    minutes-ago={0}분 전
    hours-ago={0}시간 전
    days-ago={0}일 전
    minutes={0}분
    seconds={0}초
    1e3=0천
    1e4=0만
    1e5=00만
    1e6=000만
    1e7=0000만
    1e8=0억
    1e9=00억
    1e10=000억
    1e11=0000억
    1e12=0조
    1e13=00조
    1e14=000조
    [he]
    zero=0
    decimal=.
    group=,
    later-groups=3
    ungrouped-digits=3
    percent={0}%
    months=ינו׳|פבר׳|מרץ|אפר׳|מאי|יוני|יולי|אוג׳|ספט׳|אוק׳|נוב׳|דצמ׳
    months-wide=ינואר|פברואר|מרץ|אפריל|מאי|יוני|יולי|אוגוסט|ספטמבר|אוקטובר|נובמבר|דצמבר
    weekdays-wide=יום ראשון|יום שני|יום שלישי|יום רביעי|יום חמישי|יום שישי|יום שבת
    time={H}:{mm}
    day={d} ב{MMM}
    date={d} ב{MMM} {y}
    day-time={d} ב{MMM}, {H}:{mm}
    date-time={d} ב{MMM} {y}, {H}:{mm}
    full={EEEE}, {d} ב{MMMM} {y} בשעה {H}:{mm}
    full-day={EEEE}, {d} ב{MMMM} {y}
    month={MMMM} {y}
    now=עכשיו
    yesterday=אתמול
    before-yesterday=שלשום
    seconds-ago=one=לפני שנייה|two=לפני שתי שניות|לפני {0} שניות
    minutes-ago=one=לפני דקה|two=לפני שתי דקות|לפני {0} דקות
    hours-ago=one=לפני שעה|two=לפני שעתיים|לפני {0} שעות
    days-ago=one=לפני יום {0}|two=לפני יומיים|לפני {0} ימים
    minutes=one=דקה|two=שתי דק׳|{0} דק׳
    seconds=one=שנ׳|two=שתי שנ׳|{0} שנ׳
    1e3=0K
    1e4=00K
    1e5=000K
    1e6=0M
    1e7=00M
    1e8=000M
    1e9=0B
    1e10=00B
    1e11=000B
    1e12=0T
    1e13=00T
    1e14=000T
    [hi]
    zero=0
    decimal=.
    group=,
    later-groups=2
    ungrouped-digits=3
    percent={0}%
    months=जन॰|फ़र॰|मार्च|अप्रैल|मई|जून|जुल॰|अग॰|सित॰|अक्तू॰|नव॰|दिस॰
    months-wide=जनवरी|फ़रवरी|मार्च|अप्रैल|मई|जून|जुलाई|अगस्त|सितंबर|अक्तूबर|नवंबर|दिसंबर
    weekdays-wide=रविवार|सोमवार|मंगलवार|बुधवार|गुरुवार|शुक्रवार|शनिवार
    time={HH}:{mm}
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM}, {HH}:{mm}
    date-time={d} {MMM} {y}, {HH}:{mm}
    full={EEEE}, {d} {MMMM} {y} को {HH}:{mm} बजे
    full-day={EEEE}, {d} {MMMM} {y}
    month={MMMM} {y}
    now=अब
    yesterday=कल
    before-yesterday=परसों
    seconds-ago={0} सेकंड पहले
    minutes-ago={0} मिनट पहले
    hours-ago={0} घंटे पहले
    days-ago={0} दिन पहले
    minutes={0} मि॰
    seconds={0} से॰
    1e3=0\u{A0}हज़ार
    1e4=00\u{A0}हज़ार
    1e5=0\u{A0}लाख
    1e6=00\u{A0}लाख
    1e7=0\u{A0}क॰
    1e8=00\u{A0}क॰
    1e9=0\u{A0}अ॰
    1e10=00\u{A0}अ॰
    1e11=0\u{A0}ख॰
    1e12=00\u{A0}ख॰
    1e13=0\u{A0}नील
    1e14=00\u{A0}नील
    [tr]
    zero=0
    decimal=,
    group=.
    later-groups=3
    ungrouped-digits=3
    percent=%{0}
    months=Oca|Şub|Mar|Nis|May|Haz|Tem|Ağu|Eyl|Eki|Kas|Ara
    months-wide=Ocak|Şubat|Mart|Nisan|Mayıs|Haziran|Temmuz|Ağustos|Eylül|Ekim|Kasım|Aralık
    weekdays-wide=Pazar|Pazartesi|Salı|Çarşamba|Perşembe|Cuma|Cumartesi
    time={HH}:{mm}
    day={d} {MMM}
    date={d} {MMM} {y}
    day-time={d} {MMM} {HH}:{mm}
    date-time={d} {MMM} {y} {HH}:{mm}
    full={d} {MMMM} {y} {EEEE} {HH}:{mm}
    full-day={d} {MMMM} {y} {EEEE}
    month={MMMM} {y}
    now=şimdi
    yesterday=dün
    before-yesterday=evvelsi gün
    seconds-ago={0} saniye önce
    minutes-ago={0} dakika önce
    hours-ago={0} saat önce
    days-ago={0} gün önce
    minutes={0} dk.
    seconds={0} sn.
    1e3=0\u{A0}B
    1e4=00\u{A0}B
    1e5=000\u{A0}B
    1e6=0\u{A0}Mn
    1e7=00\u{A0}Mn
    1e8=000\u{A0}Mn
    1e9=0\u{A0}Mr
    1e10=00\u{A0}Mr
    1e11=000\u{A0}Mr
    1e12=0\u{A0}Tn
    1e13=00\u{A0}Tn
    1e14=000\u{A0}Tn
    """
}
