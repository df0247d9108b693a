"""Several modules of the firmware as one, because each module costs the badge a quarter of a kB.

Problem: a module has a table of its own names, one of every name it imports, one of every word in
it, and three words for what it is called. Guarantee: the bundle does what its modules did, in the
order in which they were imported; a name that means two things in it, or that a function anywhere
in it uses for a value of its own, gets its module's name in front. What imported one of the
modules finds the same things in the bundle. What this cannot do raises BundleError when the
firmware is built, never on a badge. Pure: trees in, trees out.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence

from redband.build.shrink_constants import Scope, scope_of

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BUILTINS = set(dir(builtins))


class BundleError(Exception):
    """The modules use each other in a way that a bundle cannot keep."""


class Bundles:
    """Which modules are in which bundle, and what their names are called there."""

    def __init__(
        self, trees: Mapping[str, ast.Module], bundles: Mapping[str, Sequence[str]]
    ) -> None:
        """`bundles`: entry module -> all modules in it, in order. Raises BundleError."""
        self._trees = trees
        self.modules = bundles
        self._scopes = {name: scope_of(tree, trees) for name, tree in trees.items()}
        self.entry_of = {name: entry for entry, names in bundles.items() for name in names}
        self._names: dict[tuple[str, str], str] = {}
        for entry, names in bundles.items():
            self._choose(entry, [entry, *(name for name in names if name != entry)])

    def _choose(self, entry: str, names: Sequence[str]) -> None:
        trees = [self._trees[name] for name in names]
        local = {word for tree in trees for word in _local_words(tree)}
        owners: dict[str, object] = {}
        for name in names:
            last = name.rsplit(".", 1)[-1]
            for word, target in _top_words(self._trees[name]):
                if self.is_inside(name, word):
                    continue  # imported from a module of the same bundle
                owner = target or (name, word)
                chosen = word
                if owners.get(word, owner) != owner or word in local or word in _BUILTINS:
                    chosen = f"{last}_{word.lstrip('_')}"
                if owners.setdefault(chosen, owner) != owner or chosen in local:
                    raise BundleError(f"no name for {word} of {name} in {entry}")
                self._names[name, word] = chosen

    def is_inside(self, module: str, word: str) -> bool:
        """Return whether a word that is imported comes from the module's own bundle."""
        scope = self._scopes[module]
        source = scope.modules.get(word) or scope.names.get(word, ("",))[0]
        return self.entry_of.get(source, "") == self.entry_of[module]

    def chosen(self, module: str, word: str) -> str:
        """Return what a module's own word is called, itself when nothing else is said."""
        return self._names.get((module, word), word)

    def name(self, module: str, word: str) -> str:
        """Return what `word` of a bundled module is called in its bundle. Raises BundleError."""
        chosen = self._names.get((module, word))
        if chosen is not None:
            return chosen
        source = self._scopes[module].names.get(word)
        if source is None:
            raise BundleError(f"{module} has no {word}")
        return self.name(*source)

    def made(self) -> dict[str, ast.Module]:
        """Return the program with its bundles; the trees it was given are changed."""
        kept = {entry: list(self._kept_names(entry)) for entry in self.modules}
        left = {name: tree for name, tree in self._trees.items() if name not in self.entry_of}
        for name, tree in left.items():
            self.outside(tree, self._scopes[name])
        for entry, names in self.modules.items():
            left[entry] = ast.Module([*self._merged(names), *kept[entry]], [])
        return left

    def _merged(self, names: Sequence[str]) -> list[ast.stmt]:
        body: list[ast.stmt] = []
        imported: set[str] = set()
        for name in names:
            tree = self._trees[name]
            _Outward(self, name, self._scopes[name]).visit(tree)
            _Inward(self, name, self._scopes[name]).visit(tree)
            for node in tree.body:
                text = ast.unparse(node) if isinstance(node, ast.Import | ast.ImportFrom) else ""
                if not text or text not in imported:
                    body.append(node)
                imported.add(text)
        return body

    def _kept_names(self, entry: str) -> Iterator[ast.stmt]:
        """Yield what makes the entry's public names findable for those outside of the build."""
        for word, target in _top_words(self._trees[entry]):
            chosen = self.chosen(entry, word)
            if chosen != word and target is None and not word.startswith("_"):
                yield ast.Assign([ast.Name(word, ast.Store())], ast.Name(chosen, ast.Load()))

    def outside(self, tree: ast.Module, scope: Scope) -> None:
        """Let a module that is in no bundle find what is in one, in place."""
        _Outward(self, "", scope).visit(tree)


def _top_words(tree: ast.Module) -> Iterator[tuple[str, object]]:
    """Yield (word, what it is imported from or None) for the names of a module."""
    stack: list[ast.AST] = list(tree.body)
    while stack:
        node = stack.pop(0)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, None
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.split(".")[0], (alias.name, alias.asname)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, (node.module, alias.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id, None
        elif isinstance(node, ast.ExceptHandler) and node.name:
            raise BundleError(f"except ... as {node.name} at the top of a module")
        elif not isinstance(node, ast.Lambda | ast.comprehension):
            stack[:0] = ast.iter_child_nodes(node)


def _bound_in(scope: ast.AST) -> set[str]:
    """Return the words of a function's or comprehension's own scope."""
    found: set[str] = set()
    free: set[str] = set()
    stack = list(ast.iter_child_nodes(scope))
    if isinstance(scope, _SCOPES):
        found.update(node.arg for node in ast.walk(scope.args) if isinstance(node, ast.arg))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
            continue
        if isinstance(node, ast.Lambda | ast.arguments):
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            free.update(node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.update(alias.asname or alias.name.split(".")[0] for alias in node.names)
        stack.extend(ast.iter_child_nodes(node))
    return found - free


def _local_words(tree: ast.Module) -> set[str]:
    """Return every word that some function or comprehension uses for a value of its own."""
    return {
        word
        for node in ast.walk(tree)
        if isinstance(node, _SCOPES + _COMPREHENSIONS)
        for word in _bound_in(node)
    }


class _Outward(ast.NodeTransformer):
    """Turns imports from modules of other bundles to those bundles."""

    def __init__(self, bundles: Bundles, module: str, scope: Scope) -> None:
        self._bundles = bundles
        self._own = bundles.entry_of.get(module, "")
        self._scope = scope

    def _entry(self, module: str) -> str:
        """Return the other bundle that holds a module, else nothing."""
        entry = self._bundles.entry_of.get(module, "")
        return "" if entry == self._own else entry

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.ImportFrom]:
        return [self._turned(node, alias) for alias in node.names]

    def _turned(self, node: ast.ImportFrom, alias: ast.alias) -> ast.ImportFrom:
        source, word = node.module or "", alias.asname or alias.name
        module = f"{source}.{alias.name}"
        own = self._bundles.entry_of.get(module) or self._bundles.entry_of.get(source)
        if own and word not in self._scope.names and word not in self._scope.modules:
            raise BundleError(f"{word} means two things")
        if self._entry(module):
            source, _dot, name = self._entry(module).rpartition(".")
        elif self._entry(source):
            name = self._bundles.name(source, alias.name)
            source = self._entry(source)
        else:
            return ast.ImportFrom(source, [alias], 0)
        return ast.ImportFrom(source, [ast.alias(name, word if word != name else None)], 0)

    def visit_Import(self, node: ast.Import) -> ast.AST:
        for alias in node.names:
            if alias.name in self._bundles.entry_of:
                raise BundleError(f"import {alias.name}")
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name):
            module = self._scope.modules.get(node.value.id, "")
            if self._entry(module):
                node.attr = self._bundles.name(module, node.attr)
        return self.generic_visit(node)


class _Inward(ast.NodeTransformer):
    """Gives the words of a module the names that they have in its bundle."""

    def __init__(self, bundles: Bundles, module: str, scope: Scope) -> None:
        self._bundles = bundles
        self._module = module
        self._scope = scope
        # (whether it is a class, words of its own) of what stands around the present node.
        self._around: list[tuple[bool, set[str]]] = []

    def _is_global(self, word: str) -> bool:
        if any(word in words for is_class, words in self._around if not is_class):
            return False
        return not (self._around and word in self._around[-1][1])

    def _visit_within(self, is_class: bool, words: set[str], nodes: list) -> list:
        inside = {word for word in words if self._bundles.is_inside(self._module, word)}
        self._around.append((is_class, words - inside))
        done = [self.visit(node) for node in nodes]
        self._around.pop()
        return [part for node in done for part in (node if isinstance(node, list) else [node])]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._visit_function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._visit_function(node)

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        if not self._around:
            node.name = self._bundles.chosen(self._module, node.name)
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        self.visit(node.args)
        node.body = self._visit_within(False, _bound_in(node), node.body)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.visit(node.args)
        node.body = self._visit_within(False, _bound_in(node), [node.body])[0]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        words = _bound_in(node)
        if not self._around:
            node.name = self._bundles.chosen(self._module, node.name)
        node.bases = [self.visit(one) for one in node.bases]
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        node.body = self._visit_within(True, words, node.body)
        return node

    def _visit_comprehension(self, node: ast.AST) -> ast.AST:
        self._around.append((False, _bound_in(node)))
        self.generic_visit(node)
        self._around.pop()
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension

    def visit_Global(self, node: ast.Global) -> ast.AST:
        node.names = [self._bundles.chosen(self._module, word) for word in node.names]
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        if all(
            self._bundles.is_inside(self._module, alias.asname or alias.name)
            for alias in node.names
        ):
            return ast.Pass()
        return self._visit_import(node)

    def visit_Import(self, node: ast.Import) -> ast.AST:
        return self._visit_import(node)

    def _visit_import(self, node: ast.Import | ast.ImportFrom) -> ast.AST:
        for alias in node.names:
            word = alias.asname or alias.name
            chosen = self._bundles.chosen(self._module, word)
            if not self._around and chosen != word:
                alias.asname = chosen
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if not self._is_global(node.id):
            return node
        if not self._bundles.is_inside(self._module, node.id):
            node.id = self._bundles.chosen(self._module, node.id)
        elif node.id in self._scope.names:
            node.id = self._bundles.name(*self._scope.names[node.id])
        else:
            raise BundleError(f"{self._module} passes the module {node.id} on")
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        word = node.value.id if isinstance(node.value, ast.Name) else ""
        module = self._scope.modules.get(word, "")
        if not module or not self._bundles.is_inside(self._module, word):
            return self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            raise BundleError(f"{self._module} sets {module}.{node.attr}")
        return ast.Name(self._bundles.name(module, node.attr), ast.Load())
