"""The firmware's source made small for the badge's heap; behaviour stays.

Problem: the badge has 96 kB for everything, and much of what a source says is for its readers:
names of numbers, annotations, parameters, private attributes. Guarantee: what is left does the
same, and a traceback names the same functions. Sources stay as they are; virtual badges and
boards get what this makes of them, so every test of a whole badge tests it. Pure: text in, text
out. What it cannot see is a name that is put together at run time: the firmware has none.

What it does: constants become literals (shrink_constants), imports that only served them go;
parameters and private data get short names (shrink_names); annotations and docstrings go.
A module of nothing but constants is left alone: nobody imports it any more, and a technician at
the prompt can read it.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator, Mapping, Sequence, Set

from redband.build.bundle import BundleError, Bundles
from redband.build.bundle_order import closure
from redband.build.shrink_constants import Inliner, Meaning, Scope, assigned_name, find, scope_of
from redband.build.shrink_names import (
    AttributeRenamer,
    called_keywords,
    private_data,
    shorten_parameters,
)


class Shrinker:
    """Knows a whole program, and makes it, or texts for it, small."""

    def __init__(
        self,
        sources: Mapping[str, str],
        entries: Mapping[str, Sequence[str]] | None = None,
        apart: Sequence[str] = (),
    ) -> None:
        """`sources`: dotted name of each module -> text. `entries`: modules that take into
        themselves what they and the others named with them import, see bundle; the earlier has
        precedence; `apart`: modules that stay outside. Raises SyntaxError and BundleError.
        """
        trees = {name: ast.parse(text, name) for name, text in sources.items()}
        self._trees = trees
        scopes = {name: scope_of(tree, trees) for name, tree in trees.items()}
        self._constants = find(trees, scopes)
        self._keywords = called_keywords(trees.values())
        self._private = private_data(trees)
        tables = {name for name, tree in trees.items() if _is_table(tree)}
        for name, tree in trees.items():
            self._inline(tree, name, scopes[name])
        asked = {word for tree in trees.values() for word in _asked_for(tree)}
        modules = {word for tree in trees.values() for word in _imported(tree)}
        for name, tree in trees.items():
            if name in modules or name not in tables:
                _drop_constants(tree, set(self._constants[name]) - asked)
            _Quietener().visit(tree)
            AttributeRenamer(self._private[name]).visit(tree)
        self.bundles = Bundles(trees, self._bundled(entries or {}, set(apart)))

    def _bundled(
        self, entries: Mapping[str, Sequence[str]], apart: set[str]
    ) -> dict[str, list[str]]:
        """Return entry -> the modules of its bundle, without those named at run time."""
        apart |= {name.rpartition(".")[0] for name in self._trees}  # packages
        for tree in self._trees.values():
            apart |= {word for word in _texts(tree) if word in self._trees}
        bundles: dict[str, list[str]] = {}
        for entry, others in entries.items():
            bundles[entry] = closure(self._trees, [*others, entry], apart)
            apart |= set(bundles[entry])
        return bundles

    def program(self) -> dict[str, str]:
        """Return the small text of each module that is left. Call once. Raises BundleError."""
        left = self.bundles.made()
        return {name: self._finished(tree) for name, tree in left.items()}

    def text(self, source: str, name: str) -> str:
        """Return `source`, a stranger to this program, made small in the place of module `name`.

        It finds few of the program's constants by name: here they get their values. Its own stay.
        Call before program(). Raises SyntaxError and BundleError.
        """
        tree = ast.parse(source, name)
        self._inline(tree, "", scope_of(tree, self._trees))
        _Quietener().visit(tree)
        AttributeRenamer(self._private.get(name, {})).visit(tree)
        self.bundles.outside(tree, scope_of(tree, self._trees))
        return self._finished(tree)

    def _inline(self, tree: ast.Module, name: str, scope: Scope) -> None:
        words = Meaning(name, scope, self._constants)
        inliner = Inliner(words)
        inliner.visit(tree)
        unused = {word for word in inliner.used if not _is_used(tree, word)}
        _ImportDropper(words.imported() | unused).visit(tree)

    def _finished(self, tree: ast.Module) -> str:
        shorten_parameters(tree, self._keywords | called_keywords([tree]))
        return ast.unparse(ast.fix_missing_locations(tree))


def _texts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _drop_constants(tree: ast.Module, names: Set[str]) -> None:
    tree.body = [part for part in tree.body if assigned_name(part) not in names]


def _asked_for(tree: ast.Module) -> Iterator[str]:
    """Yield the words that a module still looks up in another one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Attribute):
            yield node.attr


def _is_table(tree: ast.Module) -> bool:
    return all(isinstance(node, ast.Expr) or assigned_name(node) for node in tree.body)


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _is_used(tree: ast.AST, word: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == word for node in ast.walk(tree))


class _Quietener(ast.NodeTransformer):
    """Removes annotations and statements that only say something."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return ast.Pass() if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.Pass()
        return self.generic_visit(ast.Assign([node.target], node.value))

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)


class _ImportDropper(ast.NodeTransformer):
    """Removes imports of words that nothing uses now."""

    def __init__(self, words: Set[str]) -> None:
        self._words = words

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        node.names = [
            alias for alias in node.names if (alias.asname or alias.name) not in self._words
        ]
        return node if node.names else ast.Pass()

    def visit_Try(self, node: ast.Try) -> ast.AST:
        return node  # whoever guards an import wants it to be tried


def main() -> int:
    """Make small what stands on stdin: [modules, entries, apart, texts of strangers] as JSON."""
    sources, entries, apart, strangers = json.load(sys.stdin)
    try:
        shrinker = Shrinker(sources, entries, apart)
        made = {name: shrinker.text(text, name) for name, text in strangers.items()}
        json.dump(made or shrinker.program(), sys.stdout)
    except (SyntaxError, BundleError) as error:
        place = f"{error.filename}: " if isinstance(error, SyntaxError) else ""
        sys.stderr.write(f"{place}{error}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
