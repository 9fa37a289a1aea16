import shutil
import subprocess

import pytest

from bayes_distnet.cli import main
from bayes_distnet.cli.main import build_parser

BASH = """
source "$1"
complete_words() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    _shtab_bayes_distnet
    echo "${COMPREPLY[*]}"
}
complete_words bayes-distnet fi
complete_words bayes-distnet fit --mo
complete_words bayes-distnet fit --model bayes-
complete_words bayes-distnet fit clasp-f
complete_words bayes-distnet experiment --cutoffs ""
complete_words bayes-distnet fit x --out fol
complete_words bayes-distnet generate fac
complete_words bayes-distnet fit x --family wei
"""


def script(shell, capsys):
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def test_bash_completes_commands_options_choices_and_files(tmp_path, capsys):
    (tmp_path / "script").write_text(script("bash", capsys))
    (tmp_path / "folder").mkdir()
    done = subprocess.run(["bash", "-c", BASH, "bash", "./script"], capture_output=True, text=True, cwd=tmp_path)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "fit",
        "--model",
        "bayes-parameters bayes-runtimes bayes-paper",
        "clasp-factoring",
        "global instance random",
        "folder",
        "factoring",
        "weibull",
    ]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_scripts_of_other_shells_have_valid_syntax(shell, tmp_path, capsys):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(script(shell, capsys))
    subprocess.run([shell, "-n", tmp_path / "script"], check=True)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_option_is_completed(shell, capsys):
    printed = script(shell, capsys)
    (commands,) = (action for action in build_parser()._actions if action.dest == "command")
    for parser in commands.choices.values():
        for word in (word for action in parser._actions for word in action.option_strings):
            if word.startswith("--"):
                assert (f" -l {word[2:]}" if shell == "fish" else word) in printed


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_offers_the_entries_of_the_registries(shell, capsys):
    from bayes_distnet.collect.instances.registry import KINDS
    from bayes_distnet.collect.solvers.registry import SOLVERS
    from bayes_distnet.data.shipped.registry import DATASETS
    from bayes_distnet.distributions.families import FAMILIES
    from bayes_distnet.models.registry import MODELS, Role

    models = [entry.key for entry in MODELS.values() if entry.role is Role.MODEL]
    printed = script(shell, capsys)
    for word in (*KINDS, *SOLVERS, *DATASETS, *FAMILIES, *models):
        assert word in printed
