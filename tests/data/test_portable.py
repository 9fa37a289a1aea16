from portable import import_all_without_linux, run_without_linux

PROGRAM = """
from pathlib import Path
from bayes_distnet import Dataset, load_dataset, make_runs, read_runs, write_runs
from bayes_distnet.data.store import Store
from bayes_distnet.data.open import open_dataset

folder = Path(sys.argv[1])
data = make_runs(n_instances=6, n_runs=3, n_features=2).cut_off(0.3)
assert write_runs(data.runs, folder / "runs.sqlite") == 18
assert len(read_runs(folder / "runs.sqlite")) == 18
with Store(folder / "runs.sqlite") as store:
    assert store.claim([("s", "a", 1)]) == [("s", "a", 1)]
data.save(folder / "saved")
train, test = Dataset.load(folder / "saved").split(0.5)
assert (len(train), len(test)) == (3, 3)
assert open_dataset("clasp-factoring").runs.medians().notna().all()
assert load_dataset("lpg-zenotravel").seconds.shape[1] == 50
"""


def test_every_module_of_the_package_can_be_imported_on_any_system():
    import_all_without_linux("bayes_distnet.data")


def test_data_are_made_stored_and_read_on_any_system(tmp_path):
    run_without_linux(PROGRAM, tmp_path)
