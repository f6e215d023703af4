"""Runs the fixed-budget benchmark of compaction-conformance-kit on a compactor of the parent process.

Each request is a line of JSON on standard output: {"turns": [[role, text]], "budget": characters, "fresh": bool}. Its
answer is a line of JSON on standard input: {"text": str}. The last line is {"result": [...]}. Usage: kit.py NAME SEEDS
"""

import json
import sys

from compaction_kit.benchmark import run_budget_benchmark
from compaction_kit.compacted import CompactedContext
from compaction_kit import compactors


class Elsewhere:
    def __init__(self, name):
        self.name = name

    def compact(self, turns, round_num=1, budget_chars=None):
        request = {"turns": [[turn.role, turn.text] for turn in turns], "budget": budget_chars, "fresh": round_num == 1}
        print(json.dumps(request), flush=True)
        text = json.loads(sys.stdin.readline())["text"]
        return CompactedContext(text=text, compactor_name=self.name, round_num=round_num)


name, seeds = sys.argv[1], range(1, int(sys.argv[2]) + 1)
own = {
    "update-aware-checklist": compactors.UpdateAwareChecklistCompactor,
    "pinned-rules": compactors.PinnedRulesCompactor,
    "summary-plus-tail": compactors.SummaryTailCompactor,
    "lossy-truncation": compactors.LossyTruncationCompactor,
}
factories = own if name == "own" else {name: lambda: Elsewhere(name)}
report = run_budget_benchmark(factories, budgets=(0.10, 0.20, 0.30), seeds=seeds)
print(json.dumps({"result": report["entries"]}), flush=True)
