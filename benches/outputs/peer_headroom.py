"""Reduces outputs by headroom (PyPI `headroom-ai`, Apache-2.0): a list of `{text, command}` as JSON in, texts out."""

import json
import logging
import sys

from headroom.transforms.content_router import ContentRouter

logging.disable(logging.CRITICAL)
router = ContentRouter()
texts = [router.compress(case["text"], context=case["command"]).compressed for case in json.load(sys.stdin)]
json.dump(texts, sys.stdout)
