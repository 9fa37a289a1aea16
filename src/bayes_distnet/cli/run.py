"""The command that solves an instance with the solvers that a model plans: run."""

from __future__ import annotations

import argparse
import shutil
import sys
from typing import TYPE_CHECKING, Any

from bayes_distnet.cli.arguments import command, number, objective, print_json, row_of, whole
from bayes_distnet.cli.paths import read_path, written_path
from bayes_distnet.errors import SettingError

if TYPE_CHECKING:
    from bayes_distnet.collect.solvers.base import Solver
    from bayes_distnet.decide.running.solved import Solved

EXIT_NO_ANSWER, EXIT_CONTRADICTION = 124, 125
SAT_CODES = {"SATISFIABLE": 10, "UNSATISFIABLE": 20}


def add_run(commands: Any) -> None:
    """Add `run`."""
    parser = command(
        commands,
        "run",
        "solve an instance with the solvers that a model plans",
        "Takes the place of a solver: standard output and exit code are those of the solver that answers first. All\n"
        "other solvers are stopped then, at the deadline, and by Ctrl-C. A solver that crashes, hangs or prints a\n"
        "wrong solution is replaced by the next one. Other exit codes: 2 wrong input, 124 no answer, 125 solvers\n"
        "contradict each other. Needs Linux.",
        "  bayes-distnet fit sat-portfolio --portfolio --out portfolio\n"
        "  bayes-distnet run problem.cnf --model portfolio\n"
        "  bayes-distnet run problem.cnf --model portfolio --deadline 300 --cores 2 --verbose\n"
        "  bayes-distnet run problem.cnf --model portfolio --plan\n"
        "  bayes-distnet run problem.cnf --model portfolio --store runs.sqlite    # the next fit learns from it\n"
        "  bayes-distnet run problem.cnf --model portfolio --solver 'kissat=/opt/kissat -q --seed={seed} {instance}'",
    )
    parser.add_argument("instance", type=read_path, metavar="INSTANCE", help="instance file")
    parser.add_argument("--model", type=read_path, required=True, metavar="FOLDER", help="folder that `fit` wrote")
    parser.add_argument(
        "--solver",
        action="append",
        default=[],
        metavar="NAME[=COMMAND]",
        help="use only this solver of the model, or run it by a command of your own; may be repeated",
    )
    parser.add_argument("--answer", metavar="REGEX", help="with NAME=COMMAND: pattern of an answer in its output")
    parser.add_argument("--features", type=read_path, metavar="FILE", help="table with its features; default: computed")
    parser.add_argument(
        "--deadline", type=number, metavar="SECONDS", help="by the clock, from the start; default: none"
    )
    parser.add_argument("--cores", type=whole, default=1, help="solvers at a time; default: 1")
    parser.add_argument(
        "--objective", type=objective, metavar="NAME", help="time, par10, par2, deadline; default: see docs/running.md"
    )
    parser.add_argument("--seed", type=whole, default=1, help="first seed of every solver; default: 1")
    parser.add_argument("--store", type=written_path, metavar="FILE", help="SQLite file to which all runs are added")
    parser.add_argument("--memory", type=number, metavar="GIB", default=4.0, help="per solver; default: 4")
    parser.add_argument(
        "--feature-limit", type=number, metavar="SECONDS", default=30.0, help="for features; default: 30"
    )
    parser.add_argument("--verify", action="store_true", help="wait for a second solver with the same answer")
    parser.add_argument("--no-check", action="store_true", help="do not check solutions of CNF files")
    parser.add_argument("--pin", action="store_true", help="bind solvers to cores")
    parser.add_argument("--plan", action="store_true", help="print the plan, and run no solver")
    parser.add_argument("--verbose", action="store_true", help="print plan and progress to stderr")
    parser.add_argument("--json", action="store_true", help="print plan or result as JSON, not the solver's output")
    parser.set_defaults(run=_run)


def _run(parsed: argparse.Namespace) -> int:
    from bayes_distnet.decide.running.solve import Conditions, plan_run, solve

    conditions = Conditions(
        deadline=parsed.deadline,
        cores=parsed.cores,
        objective=parsed.objective,
        memory_limit=int(parsed.memory * 2**30),
        feature_limit=parsed.feature_limit,
        verify=parsed.verify,
        check=not parsed.no_check,
        pin=parsed.pin,
    )
    if parsed.answer is not None and not any("=" in text for text in parsed.solver):
        raise SettingError("--answer goes with --solver NAME=COMMAND.")
    solvers = [_solver(text, parsed.answer) for text in parsed.solver]
    features = None if parsed.features is None else row_of(parsed.features, parsed.instance.name)
    if parsed.plan:
        plan = plan_run(parsed.instance, parsed.model, solvers=solvers, features=features, conditions=conditions)
        print_json(plan) if parsed.json else _print_plan(plan)
        return 0
    with solve(
        parsed.instance,
        parsed.model,
        solvers=solvers,
        features=features,
        conditions=conditions,
        seed=parsed.seed,
        store=parsed.store,
        report=_print_line if parsed.verbose else None,
    ) as solved:
        return _forward(solved, parsed)


def _print_line(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _solver(text: str, answer: str | None) -> Solver | str:
    from bayes_distnet.collect.solvers.command import from_command

    name, equals, line = text.partition("=")
    if not equals:
        return name
    if not line.strip():
        raise SettingError(f"--solver {text}: expected NAME or NAME=COMMAND.")
    return from_command(line, name=name, **({} if answer is None else {"answer": answer}))


def _forward(solved: Solved, parsed: argparse.Namespace) -> int:
    """Print the output of the winner, and return its exit code."""
    for note in solved.notes if not parsed.verbose else ():
        _print_line(f"note: {note}")
    if parsed.json:
        print_json(solved.as_dict())
    elif solved.output is not None and solved.contradiction is None:
        sys.stdout.flush()
        shutil.copyfileobj(solved.output, sys.stdout.buffer)
    if solved.contradiction is not None:
        yes, no = solved.contradiction
        names = f"{yes.attempt.solver.name} found a solution, {no.attempt.solver.name} that there is none"
        proof = "; the solution was checked and is right" if solved.proven else ""
        _print_line(f"bayes-distnet run: solvers contradict each other: {names}{proof}.")
        return EXIT_CONTRADICTION
    if solved.winner is None:
        _print_line(f"bayes-distnet run: no answer after {solved.wall_seconds:.1f} s: {solved.failures}.")
        return EXIT_NO_ANSWER
    if parsed.verbose:
        _print_line(
            f"answer by {solved.solver}: {solved.solver_seconds:.2f} CPU seconds of solvers, "
            f"{solved.feature_seconds:.2f} of features, {solved.own_seconds:.2f} of this program, in "
            f"{solved.wall_seconds:.2f} s"
        )
    # The clasp of the clingo package ends with 0 after every answer; scripts expect the codes of SAT solvers.
    return solved.winner.outcome.exit_code or SAT_CODES.get(solved.answer or "", 0)


def _print_plan(plan: dict[str, Any]) -> None:
    from bayes_distnet.decide.schedules.slot import Slot

    print(f"plan for {plan['instance']}")
    if plan["presolver"]:
        print(f"  before features  {', then '.join(str(Slot.from_dict(entry)) for entry in plan['presolver'])}")
    if plan["feature_seconds"]:
        print(f"  features         {plan['feature_seconds']:.2f} CPU seconds")
    slots = [Slot.from_dict(entry) for entry in plan["slots"]]
    for core in sorted({slot.core for slot in slots}):
        own = ", then ".join(str(slot) for slot in slots if slot.core == core)
        print(f"  {f'core {core}':<16} {own}")
    print(f"  {'why':<16} {plan['why']}")
    for note in plan["notes"]:
        print(f"  {'note':<16} {note}")
