import ast
import subprocess
import sys
from pathlib import Path

import bayes_distnet

PACKAGE = Path(bayes_distnet.__file__).parent
PAGE = PACKAGE.parents[1] / "docs" / "architecture.md"


def listed_modules():
    block = PAGE.read_text().split("<!-- modules")[1].split("```")[1]
    return [line.split()[0] for line in block.strip().splitlines()]


def files_of(module):
    file = PACKAGE / f"{module}.py"
    return [file] if file.exists() else sorted((PACKAGE / module).glob("*.py"))


def imported_by(module):
    for file in files_of(module):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("bayes_distnet"):
                if "." in node.module:
                    yield node.module.split(".")[1]
                else:
                    homes = bayes_distnet._HOMES
                    yield from (homes.get(alias.name, alias.name) for alias in node.names)


def test_the_page_lists_every_module():
    modules = [p.stem for p in PACKAGE.glob("*.py") if p.stem != "__init__"]
    packages = [p.parent.name for p in PACKAGE.glob("*/__init__.py")]
    assert sorted(listed_modules()) == sorted(modules + packages)


def test_modules_import_only_from_modules_above_them():
    order = {module: i for i, module in enumerate(listed_modules())} | {"__version__": -1}
    against = [(m, other) for m in order for other in imported_by(m) if other != m and order[other] > order[m]]
    # special and special_jax are two sides of one thing: each reaches for the other when called.
    assert set(against) - {("special", "special_jax"), ("special_gamma", "special_jax")} == set()


def test_public_names_are_sorted_and_there():
    names = bayes_distnet.__all__
    assert names == sorted(names)
    assert set(names) - {"__version__"} == set(bayes_distnet._HOMES)
    assert all(getattr(bayes_distnet, name) is not None for name in names)


def test_import_is_light():
    heavy = ("jax", "sklearn", "pandas", "scipy", "numpy")
    program = f"import sys, bayes_distnet; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip() == "[]"


def test_using_a_model_class_does_not_load_jax():
    program = "import sys; from bayes_distnet import HybridDistNet; assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
