#!/usr/bin/env python3
"""Writes Sources/TweetDisplay/Text/WidthTable.swift from Unicode's data.

    pip install unicodedata2
    Tests/TweetDisplayTests/generate-width-table.py > Sources/TweetDisplay/Text/WidthTable.swift

Python's own unicodedata works too, with the Unicode version of that Python. Unassigned code points are free: they join
whatever lies beside them, which keeps the table short, unless Unicode reserves them as wide.
"""
try:
    import unicodedata2 as unicodedata
except ImportError:
    import unicodedata

NARROW, WIDE, MARK, SPACING, JOINING_WIDE = range(5)
NAMES = {WIDE: "wide", MARK: "mark", SPACING: "spacing", JOINING_WIDE: "joiningWide"}

# UAX 29: letters that join their neighbour although their category says nothing of it.
PREPENDED = {0x0600, 0x0601, 0x0602, 0x0603, 0x0604, 0x0605, 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x0D4E, 0x110BD,
             0x110CD, 0x111C2, 0x111C3, 0x113D1, 0x1193F, 0x11941, 0x11A3A, *range(0x11A84, 0x11A8A), 0x11D46, 0x11F02}
TRAILING = {0x0E33, 0x0EB3, 0xFF9E, 0xFF9F}


def classify(point):
    char = chr(point)
    category = unicodedata.category(char)
    wide = unicodedata.east_asian_width(char) in "WF"
    if category == "Cs":
        return None
    if category == "Cn":
        # Planes 2 and 3 and the pictographs' last block are wide before anybody is assigned there.
        return WIDE if wide or 0x1FA70 <= point <= 0x1FAFF else None
    if point in PREPENDED or point in TRAILING:
        return SPACING
    if 0x1100 <= point <= 0x115F or 0xA960 <= point <= 0xA97C:
        return JOINING_WIDE  # leading jamo
    if 0x1160 <= point <= 0x11FF or 0xD7B0 <= point <= 0xD7FB or point in (0x3164, 0xFFA0):
        return MARK  # vowel and trailing jamo, fillers
    if 0x1F1E6 <= point <= 0x1F1FF or 0x1F3FB <= point <= 0x1F3FF:
        return JOINING_WIDE  # regional indicators, skin tones
    if category in ("Mn", "Me", "Cf", "Zl", "Zp"):
        return MARK
    if category == "Mc":
        return SPACING
    return WIDE if wide else NARROW


ranges = []
current, start, end = NARROW, 0x300, 0x300
for point in range(0x300, 0x110000):
    kind = classify(point)
    if kind is None:
        continue
    if kind != current:
        if current != NARROW:
            ranges.append((start, end, current))
        current, start = kind, point
    end = point
if current != NARROW:
    ranges.append((start, end, current))

print(f"""\
// swift-format-ignore-file: GroupNumericLiterals

/// Widths of the scalars from U+0300 on that are not one column wide and on their own: Unicode {unicodedata.unidata_version}.
///
/// Made by Tests/TweetDisplayTests/generate-width-table.py, which says how; do not edit. A row is
/// `first << 32 | last << 8 | class`, the classes those of `ScalarClass`; rows are in order and do not overlap.
enum WidthTable {{
  static let rows: [UInt64] = [""")
line = "   "
for first, last, kind in ranges:
    cell = f" 0x{(first << 32) | (last << 8) | kind:x},"
    if len(line) + len(cell) > 120:
        print(line)
        line = "   "
    line += cell
print(line)
print("""\
  ]
}""")
