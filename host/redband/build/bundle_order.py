"""Which modules go into a bundle, in the order in which the firmware imports them. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence


def closure(
    trees: Mapping[str, ast.Module], entries: Sequence[str], without: set[str]
) -> list[str]:
    """Return `entries` and what they import at their top, and so on, in the order of importing."""
    order: list[str] = []

    def visit(name: str) -> None:
        if name in order or name in without or name not in trees:
            return
        for node in trees[name].body:
            if isinstance(node, ast.ImportFrom) and node.module:
                visit(node.module)
                for alias in node.names:
                    visit(f"{node.module}.{alias.name}")
        order.append(name)

    for entry in entries:
        visit(entry)
    return order
