"""What holds of the tests themselves: a module of tests takes nothing from another one."""

import ast

import pytest
from tests.support.interpreter import ROOT

MODULES = sorted((ROOT / "tests").rglob("*.py"))


def foreign_imports(source: str) -> list[str]:
    """Return the modules of tests, and conftests, that a source imports from."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found += [node.module, *[f"{node.module}.{alias.name}" for alias in node.names]]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    last = [name for name in found if name.startswith("tests.")]
    return [n for n in last if n.rsplit(".", 1)[1].startswith(("test_", "conftest"))]


@pytest.mark.parametrize(
    "planted", ["from tests.field.test_demo import Demo", "import tests.host.conftest"]
)
def test_an_import_from_a_test_module_is_found(planted: str) -> None:
    assert foreign_imports(planted)


def test_no_test_module_imports_from_another() -> None:
    found = {str(path): foreign_imports(path.read_text(encoding="utf-8")) for path in MODULES}
    assert len(found) > 100
    assert {path: names for path, names in found.items() if names} == {}
