"""Reading PDDL: the parts of a domain and a problem that features need, in STRIPS terms.

Types, constants, equality, negative preconditions and durative actions are read (conditions at the start and over all
become preconditions); numeric conditions and effects are skipped. Anything else is an error.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from bayes_distnet.data.compressed import READ_ERRORS, open_plain
from bayes_distnet.errors import FeatureError

Node: TypeAlias = "str | list[Node]"
Atom: TypeAlias = tuple[str, ...]
_TOKEN = re.compile(r"[()]|[^\s();]+|;[^\n]*|\n")
_NUMERIC = ("<", "<=", ">", ">=", "increase", "decrease", "assign", "scale-up", "scale-down")
_BEYOND = ("and", "not", "or", "imply", "forall", "exists", "when", "preference")
_WORDS = re.compile(r"[\w\-:?=<>+*/.@#!$%&^~|\[\]]+")


@dataclass(frozen=True)
class Action:
    """An action of a domain.

    Parameters
    ----------
    name : str
        Its name.
    parameters : tuple of (str, tuple of str)
        Names and possible types of its parameters.
    positive, negative : tuple of atoms
        Conditions that must hold, and that must not hold.
    adds, deletes : tuple of atoms
        Effects that become true, and that become false.
    """

    name: str
    parameters: tuple[tuple[str, tuple[str, ...]], ...]
    positive: tuple[Atom, ...]
    negative: tuple[Atom, ...]
    adds: tuple[Atom, ...]
    deletes: tuple[Atom, ...]


@dataclass(frozen=True)
class Task:
    """A problem with its domain.

    Parameters
    ----------
    types : dict
        Parent of each type.
    predicates : dict
        Number of arguments of each predicate.
    actions : tuple of Action
        Actions of the domain.
    objects : dict
        Types of each object.
    init : frozenset of atoms
        Facts that hold at first.
    numbers : dict
        Values of each numeric function.
    goals, negative_goals : tuple of atoms
        Facts that must hold in the end, and that must not hold.
    """

    types: dict[str, str]
    predicates: dict[str, int]
    actions: tuple[Action, ...]
    objects: dict[str, tuple[str, ...]]
    init: frozenset[Atom]
    numbers: dict[str, list[float]]
    goals: tuple[Atom, ...]
    negative_goals: tuple[Atom, ...]

    def of_types(self, wanted: tuple[str, ...]) -> list[str]:
        """Return the objects of the wanted types or their subtypes, in the order of the file."""
        return [name for name, types in self.objects.items() if any(self._is(t, wanted) for t in types)]

    def _is(self, type_: str, wanted: tuple[str, ...]) -> bool:
        seen = set()
        while type_ not in wanted and type_ not in seen:
            seen.add(type_)
            type_ = self.types.get(type_, "object")
        return type_ in wanted


def read_task(problem: Path, domain: Path, tick: Callable[[], object]) -> Task:
    """Read a problem and its domain.

    Parameters
    ----------
    problem, domain : Path
        The two files.
    tick : callable
        Function without arguments that is called every few thousand words; it may raise an error to end the reading.

    Returns
    -------
    Task
        Their contents.

    Raises
    ------
    FeatureError
        If a file is not valid.
    """
    domain_parts = _parts(domain, "domain", tick)
    parts = _parts(problem, "problem", tick)
    named = [_name(domain, section[1:]) for section in domain_parts[":domain"]]
    wanted = [_name(problem, section[1:]) for section in parts[":domain"]]
    if wanted and wanted != named:
        raise FeatureError(f"{problem}: a problem of the domain {wanted[0]!r}, but {domain} has {named[0]!r}.")
    if not parts[":goal"]:
        raise FeatureError(f"{problem}: no (:goal ...). Is it a PDDL problem, and complete?")
    types = {name: kinds[0] for s in domain_parts[":types"] for name, kinds in _typed(domain, s[1:])}
    predicates = {
        _name(domain, p): len(_typed(domain, p[1:])) for s in domain_parts[":predicates"] for p in _lists(domain, s)
    }
    actions = [s for key in (":action", ":durative-action") for s in domain_parts[key]]
    objects = [o for s in domain_parts[":constants"] for o in _typed(domain, s[1:])]
    objects += [o for s in parts[":objects"] for o in _typed(problem, s[1:])]
    init, numbers = _initial(problem, [fact for s in parts[":init"] for fact in _lists(problem, s)])
    goals, negative = _condition(problem, parts[":goal"][0][1:])
    task = Task(
        types, predicates, tuple(_action(domain, a) for a in actions), dict(objects), init, numbers, goals, negative
    )
    _check_names(problem, domain, task)
    return task


def _check_names(problem: Path, domain: Path, task: Task) -> None:
    _check_atoms(problem, task, (*task.init, *task.goals, *task.negative_goals), set(task.objects))
    for action in task.actions:
        conditions = [a for a in (*action.positive, *action.negative) if a[0] != "=" or len(a) != 3]
        terms = {name for name, _ in action.parameters} | set(task.objects)
        _check_atoms(domain, task, (*conditions, *action.adds, *action.deletes), terms)


def _check_atoms(path: Path, task: Task, atoms: tuple[Atom, ...], terms: set[str]) -> None:
    for name, *arguments in atoms:
        arity, written = task.predicates.get(name), f"({' '.join((name, *arguments))})"
        if arity is None:
            raise FeatureError(f"{path}: found {written}; the domain's predicates are {', '.join(task.predicates)}.")
        if arity != len(arguments):
            raise FeatureError(f"{path}: found {written}; the domain gives {name!r} {arity} arguments.")
        for argument in arguments:
            if argument not in terms:
                raise FeatureError(f"{path}: {written} names {argument!r}, which is no object and no parameter.")


def _parts(path: Path, kind: str, tick: Callable[[], object]) -> _Sections:
    """Return the sections of a (define ...) by keyword, with the name of a domain under ":domain"."""
    tree = _tree(path, tick)
    if len(tree) < 2 or tree[0] != "define" or not isinstance(tree[1], list) or tree[1][:1] != [kind]:
        raise FeatureError(f"{path}: expected (define ({kind} NAME) ...). Is it a PDDL {kind}?")
    sections = _Sections()
    if kind == "domain":
        sections.setdefault(":domain", []).append(tree[1])
    for section in _lists(path, tree[1:]):
        sections.setdefault(_name(path, section), []).append(section)
    return sections


class _Sections(dict[str, list[list[Node]]]):
    def __missing__(self, key: str) -> list[list[Node]]:
        return []


def _tree(path: Path, tick: Callable[[], object]) -> list[Node]:
    """Read the one s-expression of a file."""
    try:
        with open_plain(path) as file:
            text = file.read().decode("utf-8").lower()
    except (*READ_ERRORS, UnicodeDecodeError) as error:
        raise FeatureError(f"{path}: cannot be read: {error}. Does it exist, and is it a PDDL file?") from error
    root: list[Node] = []
    stack, lines = [root], [1]
    line = 1
    for i, match in enumerate(_TOKEN.finditer(text)):
        if i % 4096 == 0:
            tick()
        token = match[0]
        if token == "\n":
            line += 1
        elif token == "(":
            inner: list[Node] = []
            stack[-1].append(inner)
            stack.append(inner)
            lines.append(line)
        elif token == ")":
            if len(stack) == 1:
                raise FeatureError(f"{path}, line {line}: a ')' that closes nothing.")
            stack.pop()
            lines.pop()
        elif token[0] != ";":
            if len(stack) == 1 or not _WORDS.fullmatch(token):
                raise FeatureError(f"{path}, line {line}: found {token[:40]!r}; expected PDDL, (define ...).")
            stack[-1].append(token)
        if len(stack) > 100:
            raise FeatureError(f"{path}, line {line}: more than 100 open '('; expected PDDL.")
    if len(stack) > 1:
        raise FeatureError(f"{path}, line {lines[-1]}: '(' is never closed. Is the file cut short?")
    if len(root) != 1 or not isinstance(root[0], list):
        raise FeatureError(f"{path}: found {len(root)} expressions; expected one, (define ...).")
    return root[0]


def _lists(path: Path, nodes: list[Node]) -> list[list[Node]]:
    """Return the lists after the first node."""
    for node in nodes[1:]:
        if not isinstance(node, list):
            raise FeatureError(f"{path}: found {node!r} where PDDL has an expression in parentheses.")
    return [node for node in nodes[1:] if isinstance(node, list)]


def _name(path: Path, nodes: list[Node]) -> str:
    if nodes and isinstance(nodes[0], str):
        return nodes[0]
    raise FeatureError(f"{path}: found {_written(nodes)[:60]}; expected a name after '('.")


def _written(node: Node) -> str:
    return node if isinstance(node, str) else "(" + " ".join(map(_written, node)) + ")"


def _typed(path: Path, nodes: list[Node]) -> list[tuple[str, tuple[str, ...]]]:
    """Read `a b - type c - (either t u) d`."""
    found: list[tuple[str, tuple[str, ...]]] = []
    names: list[str] = []
    rest = iter(nodes)
    for node in rest:
        if not isinstance(node, str):
            raise FeatureError(f"{path}: found {_written(node)[:60]} in a list of typed names.")
        if node != "-":
            names.append(node)
            continue
        kind = next(rest, None)
        kinds = (kind,) if isinstance(kind, str) else tuple(k for k in (kind or [])[1:] if isinstance(k, str))
        if not kinds:
            raise FeatureError(f"{path}: '{' '.join(names)} -' names no type.")
        found += [(name, kinds) for name in names]
        names = []
    return found + [(name, ("object",)) for name in names]


def _action(path: Path, section: list[Node]) -> Action:
    name = _name(path, section[1:])
    fields = {key: value for key, value in zip(section[2::2], section[3::2], strict=False) if isinstance(key, str)}
    if ":effect" not in fields:
        raise FeatureError(f"{path}: action {name!r} has no :effect; expected :parameters, :precondition, :effect.")
    parameters, effect = fields.get(":parameters", []), fields[":effect"]
    positive, negative = _condition(path, [fields.get(":precondition", fields.get(":condition", []))])
    adds, deletes = _condition(path, [effect])
    typed = _typed(path, parameters if isinstance(parameters, list) else [parameters])
    return Action(name, tuple(typed), positive, negative, adds, deletes)


def _initial(path: Path, facts: list[list[Node]]) -> tuple[frozenset[Atom], dict[str, list[float]]]:
    """Return the facts that hold at first, and the values of each numeric function."""
    numbers: dict[str, list[float]] = {}
    atoms: list[Atom] = []
    for fact in facts:
        match fact:
            case ["=", [str(function), *_] | str(function), str(value)]:
                numbers.setdefault(function, []).append(_number(path, fact, value))
            case _:
                atoms += _condition(path, [fact])[0]
    return frozenset(atoms), numbers


def _number(path: Path, fact: list[Node], value: str) -> float:
    """Read the value of a numeric function; sums and squares of such values must stay finite."""
    with contextlib.suppress(ValueError):
        if abs(number := float(value)) <= 1e100:
            return number
    raise FeatureError(f"{path}: found {_written(fact)}; expected a number, not {value[:40]!r}.")


def _condition(path: Path, nodes: list[Node]) -> tuple[tuple[Atom, ...], tuple[Atom, ...]]:
    """Return the atoms of a conjunction that must hold (or are added), and those that must not (or are deleted)."""
    literals = [literal for node in nodes for literal in _literals(path, node, True)]
    return tuple(a for a, sign in literals if sign), tuple(a for a, sign in literals if not sign)


def _literals(path: Path, node: Node, sign: bool) -> Iterator[tuple[Atom, bool]]:
    match node:
        case []:
            return
        case [str(name), *_] if name in _NUMERIC:
            return
        case ["and", *inner] if sign:
            for one in inner:
                yield from _literals(path, one, sign)
        case ["not", inner]:
            yield from _literals(path, inner, not sign)
        case ["at", "start" | "end", list(inner)] | ["over", "all", list(inner)]:
            yield from _literals(path, inner, sign)
        case ["=", list(), _] | ["=", _, list()]:
            return
        case [str(name), *arguments] if all(isinstance(a, str) for a in arguments) and name not in _BEYOND:
            yield (name, *(a for a in arguments if isinstance(a, str))), sign
        case _:
            raise FeatureError(
                f"{path}: found {_written(node)[:80]}; only conjunctions of literals can be read. "
                "Give the features of these problems yourself."
            )
