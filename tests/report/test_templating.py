import jinja2
import pytest

from bayes_distnet.report.templating import render


def test_a_variable_that_is_not_given_is_an_error():
    with pytest.raises(jinja2.UndefinedError, match="block"):
        render("heading.html")
