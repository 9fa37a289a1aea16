import pytest

from bayes_distnet.collect.solvers.command import from_command
from bayes_distnet.collect.solvers.sat import SAT_ANSWER
from bayes_distnet.errors import SettingError


def test_a_line_is_split_as_in_a_shell():
    solver = from_command("/opt/my-solver 'two words' {seed} {instance}")
    assert (solver.name, solver.answer) == ("my-solver", SAT_ANSWER)
    assert solver.template == ("/opt/my-solver", "two words", "{seed}", "{instance}")


def test_name_and_answer_can_be_given():
    solver = from_command("x {instance}", name="mine", answer="^done")
    assert (solver.name, solver.answer) == ("mine", "^done")


@pytest.mark.parametrize(("line", "message"), [("x 'y", "No closing quotation"), (" ", "expected a command line")])
def test_lines_that_are_no_commands_are_refused(line, message):
    with pytest.raises(SettingError, match=message):
        from_command(line)
