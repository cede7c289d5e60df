#!/usr/bin/env python3
"""Writes the two tables of Sources/TweetDisplay/Locale from the CLDR data of the system's ICU.

    Tests/TweetDisplayTests/generate-locale-table.py

To add a language, add its code to LANGUAGES, run this, and add a file with the kit's own words to the folder Words. A language's block has
all keys; a block of regions has those that differ from its language's.
"""
import ctypes
import os
import re

LANGUAGES = ["en", "de", "fr", "es", "ja", "ar", "zh", "ru", "pt", "it", "ko", "he", "hi", "tr"]
CATEGORIES = ["zero", "one", "two", "few", "many", "other"]
FOLDER = os.path.dirname(os.path.abspath(__file__)) + "/../../Sources/TweetDisplay/Locale/"


class ICU:
    """The functions of the newest ICU that is installed. Its symbols end with its version."""

    def __init__(self):
        for version in range(99, 59, -1):
            try:
                self.libraries = [ctypes.CDLL(f"lib{name}.so.{version}") for name in ("icuuc", "icui18n")]
                self.version = version
                return
            except OSError:
                continue
        raise SystemExit("no ICU")

    def __getattr__(self, name):
        for library in self.libraries:
            try:
                function = getattr(library, f"{name}_{self.version}")
            except AttributeError:
                continue
            function.restype = ctypes.c_void_p

            def call(*arguments):
                return function(*[ctypes.c_void_p(a) if isinstance(a, int) and a > 1 << 31 else a for a in arguments])
            return call
        raise AttributeError(name)

    @staticmethod
    def text(pointer, length):
        return ctypes.string_at(pointer, 2 * length).decode("utf-16-le")

    def string(self, function, *arguments):
        """The text that a function writes into a buffer of UTF-16."""
        buffer, error = ctypes.create_string_buffer(2048), ctypes.c_int(0)
        length = function(*arguments, buffer, 1000, ctypes.byref(error))
        if error.value > 0:
            raise ValueError(error.value)
        return self.text(buffer, length or 0)


icu = ICU()


def utf16(text):
    return text.encode("utf-16-le") + b"\0\0"


def resource(bundle, path, tree=None, direct=False):
    """A string of CLDR by its path, with ICU's inheritance; None if there is none."""
    error = ctypes.c_int(0)
    opened = (icu.ures_openDirect if direct else icu.ures_open)(
        tree.encode() if tree else None, bundle.encode(), ctypes.byref(error))
    found = icu.ures_getByKeyWithFallback(opened, path.encode(), None, ctypes.byref(error))
    if error.value > 0:
        return None
    length = ctypes.c_int(0)
    text = icu.ures_getString(found, ctypes.byref(length), ctypes.byref(error))
    return None if error.value > 0 else clean(icu.text(text, length.value))


def clean(text):
    # Marks of direction are left out: rows isolate what runs from right to left, and only on terminals.
    return re.sub("[\u200e\u200f\u061c]", "", text)


def date_template(pattern):
    """A date pattern of CLDR as literal text with fields in braces."""
    result, quoted = "", False
    for piece in re.findall(r"''|'|([A-Za-z])(\1*)|[^A-Za-z']+", pattern) and re.finditer(
            r"''|'|([A-Za-z])\1*|[^A-Za-z']+", pattern):
        text = piece.group(0)
        if text == "''":
            result += "'"
        elif text == "'":
            quoted = not quoted
        elif quoted or not piece.group(1):
            result += text
        else:
            field = text.replace("L", "M").replace("c", "E")
            if field not in ("y", "M", "MM", "MMM", "MMMM", "d", "dd", "EEE", "EEEE", "H", "HH", "mm"):
                raise SystemExit(f"unknown field {text} in {pattern}")
            result += "{" + field + "}"
    return clean(result)


def categories(language):
    return [c for c in CATEGORIES if c in plural_rules(language)] + ["other"]


def plural_rules(language):
    rules = {}
    name = resource("plurals", f"locales/{language}", direct=True)
    for category in CATEGORIES:
        rule = resource("plurals", f"rules/{name}/{category}", direct=True)
        if rule and category != "other":
            rules[category] = rule.split("@")[0].strip()
    return rules


def forms(language, path, tree=None):
    """The plural forms below a path: `one=vor {0} Tag|vor {0} Tagen`, the last for all other numbers."""
    found = {c: resource(language, f"{path}/{c}", tree) for c in categories(language.split("_")[0])}
    return join_forms(found)


def join_forms(found):
    other = found["other"]
    if any("|" in text or "=" in text for text in found.values() if text):
        raise SystemExit(f"a separator in {found}")
    return "|".join([f"{c}={t}" for c, t in found.items() if t not in (None, other)] + [other])


def compact(locale, system, exponent):
    """The short form of a magnitude; where there is none, the long one. `0` stands for the number's digits."""
    for style in ("Short", "Long"):
        for numbers in (system, "latn"):
            path = f"NumberElements/{numbers}/patterns{style}/decimalFormat/1{'0' * exponent}"
            found = {c: resource(locale, f"{path}/{c}") for c in categories(locale.split("_")[0])}
            if found["other"]:
                break
        if found["other"] != "0":
            break
    if not found["other"]:
        return None
    # Quotes protect letters of patterns, a dot for instance. A line must not end inside a number.
    return join_forms({c: t and t.replace("'", "").replace(" ", "\u00a0") for c, t in found.items()})


def number(locale, skeleton, value):
    error = ctypes.c_int(0)
    formatter = icu.unumf_openForSkeletonAndLocale(utf16(skeleton), -1, locale.encode(), ctypes.byref(error))
    result = icu.unumf_openResult(ctypes.byref(error))
    icu.unumf_formatInt(formatter, ctypes.c_int64(value), result, ctypes.byref(error))
    return clean(icu.string(icu.unumf_resultToString, result))


def later_groups(pattern):
    """How many digits are in a group of a number pattern, the last group apart: 2 of `#,##,##0.###`."""
    groups = pattern.split(".")[0].split(",")
    return str(len(groups[-2]) if len(groups) > 2 else len(groups[-1]))


def symbols(formatter, kind, first, count):
    return "|".join(icu.string(icu.udat_getSymbols, formatter, kind, index) for index in range(first, first + count))


def block(locale):
    """All that the kit needs of a locale, by key."""
    gregorian = f"{locale}@calendar=gregorian".encode()
    error = ctypes.c_int(0)
    generator = icu.udatpg_open(gregorian, ctypes.byref(error))
    pattern = {
        key: date_template(icu.string(icu.udatpg_getBestPattern, generator, utf16(skeleton), -1))
        for key, skeleton in {"time": "Hmm", "day": "MMMd", "date": "yMMMd", "day-time": "MMMdHmm",
                              "date-time": "yMMMdHmm", "full": "yMMMMEEEEdHmm", "full-day": "yMMMMEEEEd", "month": "yMMMM"}.items()}
    dates = icu.udat_open(-1, -1, gregorian, None, 0, None, 0, ctypes.byref(error))
    system = resource(locale, "NumberElements/default")
    ago = {unit: forms(locale, f"fields/{unit}/relativeTime/past") for unit in ("second", "minute", "hour", "day")}
    units = f"icudt{icu.version}l-unit"
    rows = {
        "zero": number(locale, "", 0),
        "decimal": resource(locale, f"NumberElements/{system}/symbols/decimal"),
        "group": resource(locale, f"NumberElements/{system}/symbols/group"),
        "later-groups": later_groups(resource(locale, f"NumberElements/{system}/patterns/decimalFormat")),
        "ungrouped-digits": str(2 + int(resource(locale, "NumberElements/minimumGroupingDigits"))),
        "percent": number(locale, "percent", 0).replace(number(locale, "", 0), "{0}"),
        "months": symbols(dates, 2, 0, 12), "months-wide": symbols(dates, 1, 0, 12),
        "weekdays-wide": symbols(dates, 3, 1, 7),
        **pattern,
        "now": resource(locale, "fields/second/relative/0"),
        "yesterday": resource(locale, "fields/day/relative/-1"),
        "before-yesterday": resource(locale, "fields/day/relative/-2") or "",
        **{f"{unit}s-ago": text for unit, text in ago.items()},
        "minutes": forms(locale, "unitsShort/duration/minute", units),
        "seconds": forms(locale, "unitsShort/duration/second", units),
    }
    for exponent in range(3, 20):
        text = compact(locale, system, exponent)
        # The largest magnitudes have names in some languages only.
        if text is None and exponent > 14:
            break
        rows[f"1e{exponent}"] = text
    for key, text in rows.items():
        if text is None or "\\" in text or '"' in text or "\n" in text:
            raise SystemExit(f"{locale} {key}: {text}")
    return rows


def regions(language):
    found = []
    for index in range(icu.uloc_countAvailable()):
        name = ctypes.string_at(icu.uloc_getAvailable(index)).decode()
        if re.fullmatch(f"{language}_([A-Z]{{2}}|[0-9]{{3}})", name):
            found.append(name)
    return found


def swift_text(text):
    """Spaces that cannot be seen are escaped."""
    return re.sub("[\u00a0\u2009\u202f]", lambda m: f"\\u{{{ord(m.group(0)):X}}}", text)


def swift_rule(rule):
    """A plural rule of UTS 35 as an expression of Swift."""
    def relation(text):
        match = re.fullmatch(r"([nivftec])(?: % ([0-9]+))? (!?=) ([0-9.,]+)", text)
        if not match:
            raise SystemExit(f"unknown relation {text}")
        operand, modulus, sign, ranges = match.groups()
        value = ("e" if operand == "c" else "i" if operand == "n" else operand) + (f" % {modulus}" if modulus else "")
        values = []
        for part in ranges.split(","):
            low, _, high = part.partition("..")
            values.append(f"({low}...{high}).contains({value})" if high else f"{value} == {low}")
        inside = " || ".join(values)
        if operand == "n":
            # A number with digits after its decimal sign is none of the whole numbers.
            inside = f"t == 0 && ({inside})" if len(values) > 1 else f"t == 0 && {inside}"
        if sign == "=":
            return f"({inside})" if len(values) > 1 else inside
        return re.sub(" == ", " != ", inside) if len(values) == 1 and operand != "n" and "..." not in inside else f"!({inside})"
    return " || ".join(
        (lambda parts: f"({' && '.join(parts)})" if len(parts) > 1 and " or " in rule else " && ".join(parts))(
            [relation(part.strip()) for part in alternative.split(" and ")]) for alternative in rule.split(" or "))


def swift_case(category, rule):
    if re.fullmatch(r"\([^()]*\)", rule):
        rule = rule[1:-1]
    line = f"      if {rule} {{ return .{category} }}\n"
    return line if len(line) <= 121 else f"      if {rule} {{\n        return .{category}\n      }}\n"


def main():
    version, error = (ctypes.c_uint8 * 4)(), ctypes.c_int(0)
    icu.ulocdata_getCLDRVersion(version, ctypes.byref(error))
    release = f"{version[0]}.{version[1]}" if version[1] else f"{version[0]}"
    notice = f"""\
// Written by Tests/TweetDisplayTests/generate-locale-table.py from CLDR {release}, as ICU {icu.version} has it.
// Copyright © 1991-2022 Unicode, Inc. Unicode License v3, https://www.unicode.org/license.txt
"""
    lines = []
    for language in LANGUAGES:
        base = block(language)
        lines += [f"[{language}]"] + [f"{key}={text}" for key, text in base.items()]
        differing = {}
        for region in regions(language):
            other = block(region)
            rows = tuple(f"{key}={text}" for key, text in other.items() if text != base[key])
            if rows:
                differing.setdefault(rows, []).append(region)
        for rows, names in differing.items():
            lines += [f"[{' '.join(names)}]"] + list(rows)
    body = "\n".join(("    " + swift_text(line)).rstrip() if line else "" for line in lines)
    with open(FOLDER + "LocaleTable.swift", "w") as file:
        file.write(f"""{notice}
/// What CLDR says about languages and their regions. ``LocaleData`` reads it.
enum LocaleTable {{
  /// The release of CLDR.
  static let release = "{release}"

  /// A block for each language and for regions that differ from it: its names in brackets, then `key=text` lines. In
  /// texts, `{{0}}` stands for a number and `{{d}}`, `{{MMM}}` … for the fields of a date (UTS 35); in rows `1e3` …, zeros stand
  /// for a number's digits. Plural forms are `one=…|…`, the last for all other numbers.
  static let text: StaticString = \"\"\"
{body}
    \"\"\"
}}
""")
    cases = ""
    for language in LANGUAGES:
        rules = plural_rules(language)
        if rules:
            cases += f"    case .{language}:\n"
            cases += "".join(swift_case(c, swift_rule(rule)) for c, rule in rules.items())
    silent = ", ".join(f".{language}" for language in LANGUAGES if not plural_rules(language))
    if silent:
        cases += f"    case {silent}: break\n"
    with open(FOLDER + "PluralTable.swift", "w") as file:
        file.write(f"""{notice}// swift-format-ignore-file: GroupNumericLiterals

/// CLDR's plural rules.
enum PluralTable {{
  /// The plural category of a number.
  /// - Parameters: as UTS 35 names them: `i` is the whole part, `t` the digits after the decimal sign without zeros at
  ///   their end, `v` how many digits are there, `e` the power of ten of a compact number.
  static func category(_ language: TableLanguage, i: Int, t: Int, v: Int, e: Int) -> PluralCategory {{
    switch language {{
{cases}    }}
    return .other
  }}
}}

/// The languages of the tables.
enum TableLanguage: String, CaseIterable {{
  case {", ".join(LANGUAGES)}
}}
""")


main()
