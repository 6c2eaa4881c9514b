#!/usr/bin/env python3
"""Writes src/datasets/text/unicode-runs.c: the classes of characters in the pattern of GPT-2, as the
package `tokenizers` of Hugging Face cuts them. Run it from the top of the tree."""

from tokenizers import __version__, pre_tokenizers

OTHER, LETTER, NUMBER, SPACE = range(4)
SURROGATES = range(0xD800, 0xE000)
cutter = pre_tokenizers.ByteLevel(add_prefix_space=False)


def words(text):
    return len(cutter.pre_tokenize_str(text))


def class_of(code):
    """A letter joins a letter, a number joins a number, and the last of two blanks is apart."""
    if code in SURROGATES:
        return OTHER
    char = chr(code)
    if words("a" + char) == 1:
        return LETTER
    if words("1" + char) == 1:
        return NUMBER
    return SPACE if char == " " or words(char + char + "a") == 3 else OTHER


def main():
    runs, last = [], None
    for code in range(0x110000):
        kind = class_of(code)
        if kind != last:
            runs.append(f"0x{code << 2 | kind:x},")
            last = kind
    lines, line = [], " "
    for run in runs:
        if len(line) + len(run) + 1 > 100:
            lines.append(line)
            line = " "
        line += " " + run
    lines.append(line)
    with open("src/datasets/text/unicode-runs.c", "w", encoding="utf-8") as file:
        file.write(f"""/* Characters by class, as tokenizers {__version__} has them. tests/tools/make-unicode-runs.py writes
 * this file. */
#include "char-class.h"

/* clang-format off */
const guint32 reel_unicode_runs[] = {{
""" + "\n".join(lines) + f"""
}};
/* clang-format on */

const gsize reel_n_unicode_runs = G_N_ELEMENTS (reel_unicode_runs);
""")


main()
