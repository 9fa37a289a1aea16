import matplotlib
import matplotlib.pyplot as plt
import pytest
from fake_results import MODELS, fake_results

from bayes_distnet.report.write import write_report

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def few_models():
    return {name: MODELS[name] for name in ("HybridDistNet", "BayesDistNet", "DistNet", "Marginal", "limit: lognormal")}


@pytest.fixture(scope="session")
def results(tmp_path_factory, few_models):
    """Results of a few models, with a report."""
    folder = tmp_path_factory.mktemp("report") / "whole"
    results = fake_results(folder, models=few_models, folds=2, seeds=1, tables=True)
    write_report(results.folder)
    return results


@pytest.fixture(scope="session")
def page(results):
    """The page of this report."""
    return (results.folder / "report.html").read_text("utf-8")


@pytest.fixture(scope="session")
def all_results(tmp_path_factory):
    """Results of all models, without a report."""
    return fake_results(tmp_path_factory.mktemp("all") / "results", folds=2, seeds=1)
