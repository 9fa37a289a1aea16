"""HTML by Jinja2: every text is escaped by the templates, and no HTML is put together in Python."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


def render(template: str, **values: Any) -> Markup:
    """Fill a template of the folder `templates`.

    Parameters
    ----------
    template : str
        Name of the file.
    **values
        Variables of the template; texts among them are escaped.

    Returns
    -------
    Markup
        HTML, which other templates take as it is.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> print(render("heading.html", block=SimpleNamespace(text="runs < 8 & more")))
    <h3>runs &lt; 8 &amp; more</h3>
    """
    return Markup(_environment().get_template(template).render(**values))


@cache
def _environment() -> Environment:
    loader = PackageLoader("bayes_distnet.report")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
