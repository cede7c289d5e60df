#!/usr/bin/env python3
"""Writes the two generated tables of Sources/TwitterText from twitter-text's and Unicode's data.

    pip install emoji
    Tests/TwitterTextTests/generate-twitter-text-tables.py TLD_LIB_JSON

TLD_LIB_JSON is twitter-text's conformance/tld_lib.yml as JSON: the top-level domains its rules know. Emoji come from the
emoji package (Unicode's emoji-sequences and emoji-zwj-sequences).
"""
import json
import pathlib
import sys

import emoji

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Sources/TwitterText"
MADE = """\
///
/// Made by Tests/TwitterTextTests/generate-twitter-text-tables.py, which says how; do not edit.
"""


def wrapped(cells, indent, end="", width=120):
    """Cells packed into lines; every line but the last carries `end`."""
    lines, line = [], indent
    for cell in cells:
        if len(line.encode("utf-16-le")) // 2 + len(cell.encode("utf-16-le")) // 2 + len(end) > width:
            lines.append(line + end)
            line = indent
        line += cell
    return "\n".join(lines + [line.rstrip()])


def literal(words, separator, indent="      "):
    """A multi-line string literal without line breaks in its value."""
    body = wrapped([word + separator for word in words[:-1]] + [words[-1]], indent, "\\")
    return f'"""\n{body}\n{indent}"""'


def top_level_domains(path):
    lists = json.load(open(path))
    names = {name.lower() for name in lists["generic"] + lists["country"]}
    ascii_names = sorted(name for name in names if name.isascii())
    assert all(name.isalpha() for name in ascii_names)
    # Longest first, so that the first that fits is the right one.
    others = sorted((name for name in names if not name.isascii()), key=lambda name: (-len(name.encode()), name))
    lengths = sorted({len(name) for name in ascii_names})
    cases = "\n".join(
        f"    case {length}:\n      {literal([n for n in ascii_names if len(n) == length], '')}" for length in lengths)
    return f"""\
/// The top-level domains twitter-text knows: {len(ascii_names)} in ASCII letters, {len(others)} in others.
{MADE}enum TopLevelDomainTable {{
  /// The longest name in ASCII letters.
  static let longest = {lengths[-1]}

  /// All names of this many ASCII letters, in order, without anything between them.
  static func names(ofLength length: Int) -> StaticString {{
    switch length {{
{cases}
    default: ""
    }}
  }}

  /// The other names, longest first, a space after each.
  static var others: StaticString {{
    {literal([name + " " for name in others], "", "    ")}
  }}
}}
"""


def emoji_sequences():
    complete = [text for text, facts in emoji.EMOJI_DATA.items() if facts["status"] == emoji.STATUS["fully_qualified"]]
    version = max(facts["E"] for facts in emoji.EMOJI_DATA.values())
    tones = {chr(point): "\U0001F3FB" for point in range(0x1F3FB, 0x1F400)}
    joined = {"".join(tones.get(char, char) for char in text) for text in complete if "\u200d" in text}
    tagged = {text for text in complete if text.endswith("\U000E007F")}
    regions = [0] * 26
    for text in complete:
        letters = [ord(char) - 0x1F1E6 for char in text]
        if len(letters) == 2 and all(0 <= letter < 26 for letter in letters):
            regions[letters[0]] |= 1 << letters[1]
    return f"""\
/// The emoji that are more than one scalar and cannot be told by rule: Emoji {version}.
{MADE}enum EmojiTable {{
  /// For each first letter of a flag, which second letters there are: bit 0 is A.
  static let flags: [UInt32] = [
{wrapped([f" 0x{bits:x}," for bits in regions], "   ")}
  ]

  /// Joined and tagged sequences, a slash before and after each; every skin tone is written as the lightest.
  static var sequences: StaticString {{
    {literal(["/"] + [''.join(quoted(text)) + "/" for text in sorted(joined | tagged)], "", "    ")}
  }}
}}
"""


def quoted(text):
    """Escapes what cannot be seen."""
    for char in text:
        yield f"\\u{{{ord(char):X}}}" if ord(char) in (0x200D, 0xFE0F) or ord(char) >= 0xE0000 else char


for name, text in (
    ("Entities/TopLevelDomainTable", top_level_domains(sys.argv[1])),
    ("Length/EmojiTable", emoji_sequences()),
):
    (FOLDER / f"{name}.swift").write_text(text)
