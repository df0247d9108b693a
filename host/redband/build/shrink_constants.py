"""Named numbers of the firmware as literals: names that only readers need cost the badge no heap.

Problem: each `LIMIT_MS = 20` costs the badge a name, a place in its module's table, and two table
look-ups at each use; the firmware has hundreds. Guarantee: only a name that is bound once, at the
top of its module, to a whole number or truth value is replaced, and nowhere where the same word
means anything else. Pure: syntax trees in, syntax trees out.
"""

from __future__ import annotations

import ast
import operator
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Value = int | str | bytes  # a bool is an int
Constants = Mapping[str, dict[str, Value]]
"""The constants of a program: module -> name -> value."""
WORD_LENGTH_MAX = 10
"""Texts up to this length are the interpreter's words anyway, wherever they stand."""

_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
_UNARY = {ast.USub: operator.neg, ast.Invert: operator.invert, ast.UAdd: operator.pos}


@dataclass
class Scope:
    """What a module's words mean when they can mean one thing only.

    names: word -> (module, name) it was imported from. modules: word -> module it stands for.
    """

    names: dict[str, tuple[str, str]]
    modules: dict[str, str]

    def source(self, module: str, node: ast.AST) -> tuple[str, str] | None:
        """Return (module, name) of what a node of `module` reads, None for anything else."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return self.names.get(node.id, (module, node.id))
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Load)
            and isinstance(node.value, ast.Name)
            and node.value.id in self.modules
        ):
            return (self.modules[node.value.id], node.attr)
        return None


def bound_names(tree: ast.AST) -> Counter[str]:
    """Return how often each word is bound in `tree`, at any depth and in any way."""
    return Counter(
        word
        for node in ast.walk(tree)
        if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
        for word in words_at(node)
    )


def words_at(node: ast.AST) -> Iterator[str]:
    """Yield the words that `node` itself binds or, as a name, reads."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name.split(".")[0]


def scope_of(tree: ast.Module, known_modules: Mapping[str, object]) -> Scope:
    """Return what the imported words of a module stand for; words bound otherwise, too, do not
    count.
    """
    targets: dict[str, list[tuple[str, str]]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                targets.setdefault(alias.asname or alias.name, []).append(
                    (node.module, alias.name)
                )
    counts = bound_names(tree)
    scope = Scope({}, {})
    for word, sources in targets.items():
        if len(set(sources)) > 1 or counts[word] > len(sources):
            continue
        module, name = sources[0]
        if f"{module}.{name}" in known_modules:
            scope.modules[word] = f"{module}.{name}"
        elif module in known_modules:
            scope.names[word] = (module, name)
    return scope


def find(trees: Mapping[str, ast.Module], scopes: Mapping[str, Scope]) -> Constants:
    """Return the constants of a program, given as module -> tree, and each one's scope."""
    stored = _stored_from_outside(trees, scopes)
    candidates = {
        (module, name): value
        for module, tree in trees.items()
        for name, value in _candidates(tree)
        if (module, name) not in stored
    }
    found: dict[str, dict[str, Value]] = {module: {} for module in trees}
    before = -1
    while before != len(candidates):  # one may be made of another
        before = len(candidates)
        for (module, name), node in list(candidates.items()):
            value = _evaluate(node, Meaning(module, scopes[module], found))
            if value is not None:
                found[module][name] = value
                del candidates[module, name]
    return _without_long_texts(trees, scopes, found)


def _without_long_texts(
    trees: Mapping[str, ast.Module], scopes: Mapping[str, Scope], found: Constants
) -> Constants:
    """Return `found` less the texts that would stand in more than one module."""
    users: dict[tuple[str, str], set[str]] = {}
    for module, tree in trees.items():
        for node in ast.walk(tree):
            source = scopes[module].source(module, node)
            if source is not None:
                users.setdefault(source, set()).add(module)
    return {
        module: {
            name: value
            for name, value in values.items()
            if isinstance(value, int)
            or (isinstance(value, str) and len(value) <= WORD_LENGTH_MAX)
            or len(users.get((module, name), ())) < 2
        }
        for module, values in found.items()
    }


def _candidates(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    counts = bound_names(tree)
    for node in tree.body:
        target = assigned_name(node)
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        if target and counts[target] == 1:
            yield target, node.value


def assigned_name(node: ast.stmt) -> str | None:
    """Return NAME of a statement `NAME = value`, with or without annotation, else None."""
    if isinstance(node, ast.AnnAssign):
        target: ast.expr = node.target
    elif isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    else:
        return None
    return target.id if isinstance(target, ast.Name) else None


def _stored_from_outside(
    trees: Mapping[str, ast.Module], scopes: Mapping[str, Scope]
) -> set[tuple[str, str]]:
    """Return (module, name) of what another module sets or deletes: `limits.X = 0`."""
    return {
        (scopes[module].modules[node.value.id], node.attr)
        for module, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and not isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        and node.value.id in scopes[module].modules
    }


@dataclass
class Meaning:
    """Values of the words of one module: plain ones, and those behind a module's name."""

    module: str
    scope: Scope
    constants: Constants

    def value(self, node: ast.AST) -> Value | None:
        """Return the value of a name or `module.name`, None when it is no constant."""
        source = self.scope.source(self.module, node)
        return self.constants.get(source[0], {}).get(source[1]) if source else None

    def imported(self) -> set[str]:
        """Return the words that were imported and are constants."""
        return {
            word
            for word, (module, name) in self.scope.names.items()
            if name in self.constants.get(module, {})
        }


def _evaluate(node: ast.expr, words: Meaning) -> Value | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, Value) else None
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        value = _evaluate(node.operand, words)
        return _UNARY[type(node.op)](value) if isinstance(value, int) else None
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _evaluate(node.left, words), _evaluate(node.right, words)
        if isinstance(left, int) and isinstance(right, int):
            return _BINARY[type(node.op)](left, right)
        return None
    return words.value(node)


class Inliner(ast.NodeTransformer):
    """Puts values in the place of words; `used` collects the words of modules it replaced."""

    def __init__(self, words: Meaning) -> None:
        self._words = words
        self.used: set[str] = set()

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Replace a plain constant."""
        value = self._words.value(node)
        return node if value is None else _literal(value)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Replace `module.CONSTANT`."""
        value = self._words.value(node)
        if value is None:
            return self.generic_visit(node)
        assert isinstance(node.value, ast.Name)
        self.used.add(node.value.id)
        return _literal(value)


def _literal(value: Value) -> ast.expr:
    # A minus is an operator of its own, or `-1 ** 2` would come of it.
    if isinstance(value, int) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)
