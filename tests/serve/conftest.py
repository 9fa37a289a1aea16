"""A small model of clasp, a portfolio, and a server of both on a free port."""

import pytest

pytest.importorskip("fastapi", reason="the extra serve is not installed")

from made_portfolios import two_specialists
from served import LIMITS, client_of, running

from bayes_distnet import KNearest, decide, load_dataset
from bayes_distnet.models.library import train
from bayes_distnet.serve.app import create_app
from bayes_distnet.serve.browse import Browser
from bayes_distnet.serve.shelf import Shelf


@pytest.fixture(scope="session")
def data():
    return load_dataset("clasp-factoring").take(range(60))


@pytest.fixture(scope="session")
def folders(tmp_path_factory, data):
    """Folders of the models "clasp" (two thirds of the data) and "portfolio"."""
    home = tmp_path_factory.mktemp("models")
    train(data, "knn", holdout=0.33, out=home / "clasp", name="clasp-factoring")
    several = decide.PortfolioModel(KNearest(), presolve=False).fit(two_specialists(60, runs=3))
    several.save(home / "portfolio")
    return home / "clasp", home / "portfolio"


@pytest.fixture(scope="session")
def shelf(folders):
    return Shelf.load(folders)


@pytest.fixture(scope="session")
def row(data):
    """An instance as requests name it."""
    return {"instance": "factoring-0002.cnf", "features": data.features.loc["factoring-0002.cnf"].to_dict()}


@pytest.fixture(scope="module")
def port(shelf, data):
    """The port of a server with small limits."""
    with running(create_app(shelf, Browser(data, "clasp-factoring"), limits=LIMITS), LIMITS) as number:
        yield number


@pytest.fixture
def client(port):
    """Requests to that server."""
    with client_of(port) as opened:
        yield opened
