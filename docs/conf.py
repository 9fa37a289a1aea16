"""Settings of the documentation site: `make docs` builds it, offline, with warnings as errors."""

import importlib.util
import os
import shutil
from pathlib import Path

import bayes_distnet

HERE = Path(__file__).parent

project = "Bayes DistNet"
author = "the authors of bayes-distnet"
project_copyright = "MIT licence"
version = release = bayes_distnet.__version__
html_title = project

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_templates", "_static"]
templates_path = ["_templates"]
default_role = "py:obj"

# -- pages in Markdown, tutorials as notebooks in Markdown --------------------------------------------------------

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath", "html_image"]
myst_heading_anchors = 4
nb_execution_mode = "cache"
nb_execution_cache_path = os.environ.get("DOCS_CACHE", str(HERE.parent / "out" / "docs-cache"))
nb_execution_timeout = 900
nb_execution_raise_on_error = True
nb_merge_streams = True
# Copied code has no prompts and no output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# MathJax and its fonts are part of the site: nothing is fetched.
MATHJAX = Path(importlib.util.find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax"
MATHJAX_FILES = ("tex-chtml.js", "output/chtml/fonts/woff-v2")
mathjax_path = "mathjax/tex-chtml.js"

# -- reference from docstrings ------------------------------------------------------------------------------------

autosummary_generate = True
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# -- looks --------------------------------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": project},
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def link_inside_the_site(_app, _page, source):
    """Lead links on CONTRIBUTING.md, which lies outside of docs, to its page on the site."""
    source[0] = source[0].replace("](../CONTRIBUTING.md", "](contributing.md")


def copy_mathjax(app, failure):
    """Copy the program and its fonts."""
    for name in MATHJAX_FILES if failure is None else ():
        source, target = MATHJAX / name, app.outdir / "_static" / "mathjax" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            shutil.copy(source, target)


def setup(app):
    """Connect the functions above."""
    app.connect("source-read", link_inside_the_site)
    app.connect("build-finished", copy_mathjax)
