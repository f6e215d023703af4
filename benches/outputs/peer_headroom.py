"""Reduces outputs by headroom (PyPI `headroom-ai`, Apache-2.0): a list of `{text, command, kind}` as JSON in, texts
out. A text with a kind goes to the compressor of this kind, any other to the router."""

import json
import logging
import sys

from headroom.transforms.content_router import ContentRouter
from headroom.transforms.diff_compressor import DiffCompressor
from headroom.transforms.log_compressor import LogCompressor
from headroom.transforms.smart_crusher import SmartCrusher

logging.disable(logging.CRITICAL)
router, logs, diffs, lists = ContentRouter(), LogCompressor(), DiffCompressor(), SmartCrusher()
ways = {
    "log": lambda case: logs.compress(case["text"]),
    "diff": lambda case: diffs.compress(case["text"]),
    "json": lambda case: lists.crush(case["text"], query="", bias=1.0),
    None: lambda case: router.compress(case["text"], context=case["command"]),
}
json.dump([ways[case.get("kind")](case).compressed for case in json.load(sys.stdin)], sys.stdout)
