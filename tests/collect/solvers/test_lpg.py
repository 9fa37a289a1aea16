from bayes_distnet.collect.collector import collect_runs
from bayes_distnet.collect.instances.registry import generate_instances
from bayes_distnet.collect.solvers.lpg import lpg


def test_lpg_finds_plans(tmp_path):
    files = generate_instances("zenotravel", 1, random_state=3, folder=tmp_path / "z")
    frame = collect_runs([lpg()], files, 2, store=tmp_path / "r.sqlite", cutoff=60.0).frame
    assert frame["status"].tolist() == ["solved"] * 2
