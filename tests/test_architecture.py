"""The house: packages import only from packages above them, and inside a package there is no cycle."""

import ast
import graphlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bayes_distnet

HOME = Path(bayes_distnet.__file__).parent
PAGE = HOME.parents[1] / "docs" / "architecture.md"


def listed_packages():
    """Packages and single modules in the order of the page, from the top down."""
    block = PAGE.read_text().split("<!-- packages")[1].split("```")[1]
    return [line.split()[0].rstrip("/") for line in block.strip().splitlines() if not line.startswith(" ")]


def module_name(file):
    parts = ("bayes_distnet", *file.relative_to(HOME).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(file): file for file in HOME.rglob("*.py")}


def imports_of(source, modules):
    """Every module of the package that a source text imports, anywhere in it and in either form."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in modules else node.module for name in inside]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] == "bayes_distnet")


def package_of(module):
    return [*module.split("."), ""][1]


ARROWS = {(name, other) for name, file in MODULES.items() for other in imports_of(file.read_text(), MODULES)}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import bayes_distnet.data.store as s", "bayes_distnet.data.store"),
        ("from bayes_distnet.data import store", "bayes_distnet.data.store"),
        ("def f():\n    from bayes_distnet.data.store import Store", "bayes_distnet.data.store"),
    ],
)
def test_every_form_of_import_is_seen(source, found):
    assert list(imports_of(source, MODULES)) == [found]


def test_the_page_lists_every_package():
    modules = {p.stem for p in HOME.glob("*.py") if p.stem != "__init__"}
    packages = {p.parent.name for p in HOME.glob("*/__init__.py")}
    assert sorted(listed_packages()) == sorted(modules | packages)


def test_packages_import_only_from_packages_above_them():
    order = {package: i for i, package in enumerate(["", *listed_packages()])}
    against = [(a, b) for a, b in ARROWS if order[package_of(b)] > order[package_of(a)]]
    assert against == []


def test_no_module_takes_part_in_a_cycle():
    graph = {name: {other for mine, other in ARROWS if mine == name and other != name} for name in MODULES}
    graphlib.TopologicalSorter(graph).prepare()


def test_every_package_states_its_purpose_and_limits():
    for package in (p.parent for p in HOME.glob("*/__init__.py")):
        text = ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""
        assert all(word in text for word in ("Takes", "gives", "must not")), package.name


def test_tests_mirror_the_packages():
    folders = {p.name for p in Path(__file__).parent.iterdir() if p.is_dir() and not p.name.startswith("_")}
    assert folders - {"journeys", "fuzz"} == {p.parent.name for p in HOME.glob("*/__init__.py")}


def test_modules_and_functions_stay_short():
    lengths = {name: len(file.read_text().splitlines()) for name, file in MODULES.items()}
    assert {name: n for name, n in lengths.items() if n > 350} == {}
    assert sorted(lengths.values())[len(lengths) // 2] <= 150
    functions = {
        f"{name}.{node.name}": node.end_lineno - node.lineno + 1 - docstring_lines(node)
        for name, file in MODULES.items()
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.FunctionDef)
    }
    assert {name: n for name, n in functions.items() if n > 50} == {}


def docstring_lines(node):
    first = node.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return first.end_lineno - first.lineno + 1 if documented else 0


def test_public_names_are_there_and_about_forty():
    names = bayes_distnet.__all__
    assert names == sorted(names)
    assert all(getattr(bayes_distnet, name) is not None for name in names)
    assert len(names) <= 44


def test_import_is_light():
    heavy = ("jax", "sklearn", "pandas", "scipy", "numpy")
    program = f"import sys, bayes_distnet; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip() == "[]"


def test_using_a_model_class_does_not_load_jax():
    program = "import sys; from bayes_distnet import HybridDistNet; assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_version_is_in_one_place():
    project = (HOME.parents[1] / "pyproject.toml").read_text()
    assert re.search(r'^dynamic = \["version"\]', project, re.MULTILINE)
