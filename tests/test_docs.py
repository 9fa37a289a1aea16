"""Documentation: links lead somewhere, public objects are documented, sentences are plain."""

import functools
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest
from numpydoc.docscrape import NumpyDocString

import bayes_distnet

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/tutorials/*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# "a row a run": write "one row per run".
A_ROW_A_RUN = re.compile(
    r"\b(one|a|an|each|[0-9]+) [a-z]+s? (a|an) "
    r"(row|run|instance|core|fold|seed|model|solver|draw|leaf|member|file|line|level|cell|worker)\b"
)


def names(paths):
    return [path.relative_to(ROOT).as_posix() for path in paths]


# -- pages -----------------------------------------------------------------------------------------------------------


def without_code(page):
    return re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


def links(page):
    """Relative links of a page: file and heading."""
    targets = [target for target in LINK.findall(without_code(page)) if "://" not in target]
    return [(page.parent / target.partition("#")[0] if target[0] != "#" else page, target) for target in targets]


def anchors(page):
    """Anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", without_code(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_every_relative_link_leads_to_a_file_and_a_heading(page):
    for file, target in links(page):
        assert file.exists(), target
        if "#" in target:
            assert target.partition("#")[2] in anchors(file), target


def contents(page):
    """Pages that the tables of contents (toctree) of a page name."""
    blocks = re.findall(r"^```\{toctree\}\n(.*?)^```", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return {(page.parent / f"{line}.md").resolve() for line in lines if line and line[0] != ":"}


def test_every_page_is_in_the_contents_of_the_site():
    pages = set(ROOT.glob("docs/**/*.md")) - {ROOT / "docs" / "index.md"}
    listed = set().union(*(contents(page) for page in PAGES))
    assert names(sorted(pages - listed)) == []  # add a line to a toctree, such as that of docs/guide.md
    assert names(sorted(listed - pages)) == []


def test_the_readme_leads_to_the_main_pages_of_the_site():
    linked = {file.resolve() for file, _ in links(ROOT / "README.md")}
    assert names(sorted(contents(ROOT / "docs" / "index.md") - linked)) == []


def test_every_target_of_the_makefile_has_a_line_of_help():
    text = (ROOT / "Makefile").read_text("utf-8")
    targets = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)[1].split()
    assert targets == re.findall(r"^([a-z-]+):.* ## \S", text, re.MULTILINE)


def test_the_reference_lists_every_public_name():
    page = (ROOT / "docs" / "api.md").read_text("utf-8").split()
    stub = (ROOT / "src" / "bayes_distnet" / "__init__.pyi").read_text("utf-8")
    names = re.findall(r" as (\w+)$", stub, re.MULTILINE)
    assert [name for name in names if name not in page] == []  # add a line to docs/api.md


# -- public objects --------------------------------------------------------------------------------------------------


def modules():
    """All modules; one that needs a package which is not installed is left out."""
    for found in pkgutil.walk_packages(bayes_distnet.__path__, "bayes_distnet."):
        if not found.name.endswith("__main__"):
            try:
                yield importlib.import_module(found.name)
            except ModuleNotFoundError as error:
                if error.name.startswith("bayes_distnet"):
                    raise


def is_public(name):
    return not name.startswith("_")


def public_objects():
    """Public classes and functions of all modules, by their full names."""
    for module in modules():
        for name, value in vars(module).items():
            documented = inspect.isclass(value) or inspect.isfunction(value)
            if documented and is_public(name) and value.__module__ == module.__name__:
                yield f"{module.__name__}.{name}", value


def methods(cls):
    """Public methods and properties that a class defines itself."""
    kinds = (staticmethod, classmethod, property, functools.cached_property)
    for name, value in vars(cls).items():
        if is_public(name) and (inspect.isfunction(value) or isinstance(value, kinds)):
            yield name, getattr(cls, name)


def test_every_public_object_has_a_docstring_of_its_own_or_inherits_one():
    objects = dict(public_objects())
    for name, value in list(objects.items()):
        if inspect.isclass(value):
            objects |= {f"{name}.{method}": function for method, function in methods(value)}
    assert len(objects) > 500
    assert [name for name, value in objects.items() if not inspect.getdoc(value)] == []


def parameters(function):
    try:
        return set(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # an exception or another class in C has no signature
        return set()


def documented_parameters(value):
    """Names under the heading Parameters of a docstring, without the stars of *args."""
    text = inspect.getdoc(value)
    if text is None or "Parameters\n------" not in text:
        return set()
    entries = NumpyDocString(text)["Parameters"]
    return {name.strip(" *") for entry in entries for name in entry.name.split(",")}


def test_documented_parameters_exist_and_classes_document_all():
    unknown, missing = {}, {}
    for name, value in public_objects():
        found, actual = documented_parameters(value), parameters(value)
        if found - actual:
            unknown[name] = found - actual
        if inspect.isclass(value) and found and actual - found:
            missing[name] = actual - found
        if inspect.isclass(value):
            for method, function in methods(value):
                if extra := documented_parameters(function) - parameters(function):
                    unknown[f"{name}.{method}"] = extra
    assert unknown == {}
    assert missing == {}


# -- English ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sentence", ["a row a run", "one process a core", "each draw a member", "20 seeds a file"])
def test_the_pattern_finds_odd_sentences(sentence):
    assert A_ROW_A_RUN.search(sentence)


@pytest.mark.parametrize("sentence", ["one row per run", "a cutoff per instance", "give a model a name"])
def test_the_pattern_leaves_plain_sentences_alone(sentence):
    assert not A_ROW_A_RUN.search(sentence)


def test_no_sentence_of_the_kind_a_row_a_run():
    files = [*PAGES, *sorted((ROOT / "src").rglob("*.py"))]
    lines = [(file, i, line) for file in files for i, line in enumerate(file.read_text("utf-8").splitlines(), 1)]
    odd = [f"{file.relative_to(ROOT)}:{i}: {line.strip()}" for file, i, line in lines if A_ROW_A_RUN.search(line)]
    assert odd == []
