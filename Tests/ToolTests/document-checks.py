#!/usr/bin/env python3
"""Checks documents that tw-render wrote with other people's readers: document-checks.py CHECK FILE…

Prints what is wrong, a line each; what a test compares besides goes after a line "--" as JSON.
"""

import csv
import io
import json
import re
import sys
import tempfile

faults = []


def fault(text):
    faults.append(text)


def same_cell(ours, theirs):
    """Whether two cells say the same: pandas makes 9.0 of 9 where another row of its batch has none."""
    # Control characters do not come into our tables.
    theirs = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", "\ufffd", theirs)
    if ours == theirs:
        return True
    try:
        return float(ours) == float(theirs)
    except ValueError:
        return False


def twarc_csv(lines_path, table_path):
    """twarc-csv reads the lines of `twarc`; its table has the cells of `csv`."""
    import warnings

    warnings.filterwarnings("ignore")
    import csv_writer
    import dataframe_converter

    out = tempfile.NamedTemporaryFile("w+", newline="", encoding="utf-8")
    converter = dataframe_converter.DataFrameConverter()
    errors = io.StringIO()
    stderr, sys.stderr = sys.stderr, errors
    try:
        with open(lines_path, encoding="ascii") as lines:
            csv_writer.CSVConverter(lines, out, converter=converter, hide_progress=True).process()
    finally:
        sys.stderr = stderr
    if converter.counts["parse_errors"] or "ERROR" in errors.getvalue():
        fault(f"twarc-csv: {converter.counts['parse_errors']} tweets skipped: {errors.getvalue()[:600]}")
    csv.field_size_limit(1 << 30)
    out.seek(0)
    theirs = list(csv.reader(out))
    with open(table_path, encoding="utf-8", newline="") as table:
        ours = list(csv.reader(table, strict=True))
    if ours[:1] != theirs[:1]:
        fault(f"columns differ: {ours[:1]} {theirs[:1]}")
    if len(ours) != len(theirs):
        fault(f"{len(ours) - 1} rows, twarc-csv has {len(theirs) - 1}")
    for ours_row, theirs_row in zip(ours[1:], theirs[1:]):
        if len(ours_row) != len(ours[0]):
            fault(f"{len(ours_row)} cells: {ours_row}")
        # A table shows a value of a wrong type; the lines for twarc-csv leave it out.
        if "wrong types" in ours_row:
            continue
        for name, mine, other in zip(ours[0], ours_row, theirs_row):
            if not same_cell(mine, other):
                fault(f"{ours_row[0]} {name}: {mine[:300]!r}, twarc-csv has {other[:300]!r}")
    print_result({"rows": len(theirs) - 1})


def print_result(value):
    print("--")
    print(json.dumps(value))


CHECKS = {"twarc-csv": twarc_csv}


def main():
    for text in (CHECKS[sys.argv[1]](*sys.argv[2:]), *faults[:20]):
        if text:
            print("FAULT " + text)


main()
