"""Shorter names where nobody reads them: parameters, and private data of objects.

Problem: MicroPython keeps each word of a program once, for ever, and with it a place in a table
that doubles when it is full; an object's attributes and a function's parameters are such words.
Guarantee: names of modules, functions, methods and classes stay, so that a traceback reads as the
source does; so do public attributes, and parameters that any call names. Pure: trees in and out.
"""

from __future__ import annotations

import ast
import itertools
import keyword
import string
from collections.abc import Iterable, Iterator, Mapping, Set

from redband.build.shrink_constants import words_at

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_KEPT_PARAMETERS = {"self", "cls"}
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def short_words(taken: Set[str], prefix: str = "") -> Iterator[str]:
    """Yield a, b ... z, aa, ab ... after `prefix`, less the words in `taken`."""
    for length in itertools.count(1):
        for letters in itertools.product(string.ascii_lowercase, repeat=length):
            word = prefix + "".join(letters)
            if word not in taken and not keyword.iskeyword(word):
                yield word


# Parameters.


def called_keywords(trees: Iterable[ast.AST]) -> set[str]:
    """Return every NAME of `call(NAME=value)`."""
    return {
        node.arg
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg
    }


def shorten_parameters(tree: ast.Module, kept: Set[str]) -> None:
    """Rename the parameters of all functions, in place. `kept`: names that calls use."""
    for function in _outermost(tree):
        taken = {word for node in ast.walk(function) for word in words_at(node)}
        for inner in _functions(function):
            _shorten_one(inner, taken, kept)


def _outermost(node: ast.AST) -> Iterator[_Function]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _FUNCTIONS):
            yield child
        else:
            yield from _outermost(child)


def _functions(function: _Function) -> Iterator[_Function]:
    """Yield `function` and all within it, the inner ones later."""
    return (node for node in ast.walk(function) if isinstance(node, _FUNCTIONS))


def _shorten_one(function: _Function, taken: set[str], kept: Set[str]) -> None:
    body = function.body if isinstance(function.body, list) else [function.body]
    inside = [node for statement in body for node in ast.walk(statement)]
    parameters = function.args.posonlyargs + function.args.args
    parameters += [one for one in (function.args.vararg, function.args.kwarg) if one]
    if any(isinstance(node, ast.ClassDef) for node in inside):
        return
    # The same letter for the same place: parameters of different functions share their words.
    words = short_words(taken | kept)
    other = _bound_within(inside)
    for parameter in parameters:
        if parameter.arg in _KEPT_PARAMETERS:
            continue
        word = next(words)
        if parameter.arg in kept or parameter.arg in other:
            continue
        for node in inside:
            if isinstance(node, ast.Name) and node.id == parameter.arg:
                node.id = word
        parameter.arg = word
        taken.add(word)


def _bound_within(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the words that mean something else in a scope further in."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.comprehension):
            found.update(word for part in ast.walk(node.target) for word in words_at(part))
        elif not isinstance(node, ast.Name):
            found.update(words_at(node))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.update(
                part.id
                for part in ast.walk(node)
                if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)
            )
    return found


# Private data.


def private_data(trees: Mapping[str, ast.Module]) -> dict[str, dict[str, str]]:
    """Return module -> {private attribute: short name} for a program.

    Attributes that only ever follow `self` get the same short names in families of modules that
    no class joins; a name that is asked of anything else is the same in the whole program.
    """
    families = _families(trees)
    users: dict[str, set[str]] = {}
    ours: set[str] = set()
    open_names: set[str] = set()
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and _is_private(node.attr):
                users.setdefault(node.attr, set()).add(families[module])
                if not (isinstance(node.value, ast.Name) and node.value.id == "self"):
                    open_names.add(node.attr)
                elif isinstance(node.ctx, ast.Store):
                    ours.add(node.attr)
    kept = {word for tree in trees.values() for node in ast.walk(tree) for word in words_at(node)}
    names = sorted(ours - kept)
    taken = {name for name in users if name not in names}
    common = [name for name in names if name in open_names]
    short = short_words(taken, "_")
    shared = {name: next(short) for name in common}
    taken.update(shared.values())
    by_family = {
        family: shared
        | dict(
            zip(
                [name for name in names if name not in shared and family in users[name]],
                short_words(taken, "_"),
                strict=False,
            )
        )
        for family in sorted(set(families.values()))
    }
    return {module: by_family[families[module]] for module in trees}


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _families(trees: Mapping[str, ast.Module]) -> dict[str, str]:
    """Return module -> name of its family: modules whose classes inherit from one another."""
    family = {module: module for module in trees}
    for module, tree in trees.items():
        classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        bases = {
            word.id
            for node in classes
            for base in node.bases
            for word in ast.walk(base)
            if isinstance(word, ast.Name)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.ImportFrom) or not node.module or node.module not in trees:
                continue
            if any((alias.asname or alias.name) in bases for alias in node.names):
                old, new = family[module], family[node.module]
                family = {k: new if v == old else v for k, v in family.items()}
    return family


class AttributeRenamer(ast.NodeTransformer):
    """Renames attributes by a table."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Rename one, wherever it is read, set or deleted."""
        node.attr = self._names.get(node.attr, node.attr)
        return self.generic_visit(node)
