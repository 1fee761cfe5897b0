#!/usr/bin/env python3
"""Prepare the word list that the tone of feedback is judged by.

Takes the lexicon out of the PyPI package vaderSentiment and keeps of each
entry the word and its mean rating, in tenths. Emoticons are left out.

    pip download --no-deps vaderSentiment==3.3.2
    python3 tools/insightsmodel/lexicon.py vaderSentiment-*.whl internal/insights/tone
"""

import pathlib
import re
import sys
import zipfile


def main(wheel, target):
    with zipfile.ZipFile(wheel) as z:
        lexicon = z.read("vaderSentiment/vader_lexicon.txt").decode()
        licence = next(n for n in z.namelist() if n.endswith("LICENSE.txt") or n.endswith("LICENSE"))
        text = z.read(licence).decode().replace("\r\n", "\n")
    rated = {}
    for line in lexicon.splitlines():
        word, rating = line.split("\t")[:2]
        if re.fullmatch(r"[a-z][a-z'-]+", word):
            rated[word] = round(float(rating) * 10)
    target = pathlib.Path(target)
    (target / "lexicon.txt").write_text("".join(f"{w} {r}\n" for w, r in sorted(rated.items())))
    (target / "LICENSE").write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
