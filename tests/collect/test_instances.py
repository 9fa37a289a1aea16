import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from bayes_distnet import SettingError, execute
from bayes_distnet.collect.instances import colouring, factoring, quasigroup, random_ksat, zenotravel
from bayes_distnet.collect.instances import registry as scenarios
from bayes_distnet.collect.solvers.clasp import clasp_program
from bayes_distnet.collect.solvers.registry import find_solver

CNF_KINDS = [name for name, kind in scenarios.KINDS.items() if kind.suffix == ".cnf"]


def rng(seed=0):
    return np.random.default_rng(seed)


def read_dimacs(text):
    """Return the clauses and variables of DIMACS text, and check that it is what its header says."""
    lines = [line for line in text.splitlines() if not line.startswith("c ")]
    _, form, variables, count = lines[0].split()
    clauses = [tuple(map(int, line.split())) for line in lines[1:]]
    assert form == "cnf"
    assert len(clauses) == int(count)
    assert all(clause[-1] == 0 and 0 not in clause[:-1] for clause in clauses)
    assert max(abs(literal) for clause in clauses for literal in clause) <= int(variables)
    return [clause[:-1] for clause in clauses], int(variables)


def solve(text, folder):
    """Return the literals of a model that clasp finds, or None if there is none."""
    file = folder / "instance.cnf"
    file.write_text(text)
    run = subprocess.run([*clasp_program(), str(file)], capture_output=True, text=True, timeout=60)
    assert re.search("^s (UN)?SATISFIABLE", run.stdout, re.MULTILINE), run.stdout
    if "s SATISFIABLE" not in run.stdout:
        return None
    return {int(word) for line in run.stdout.splitlines() if line.startswith("v ") for word in line.split()[1:]}


@pytest.mark.parametrize("kind", list(scenarios.KINDS))
def test_a_seed_fixes_every_byte_and_the_count_does_not_matter(kind, tmp_path):
    first, again = (scenarios.generate(kind, 3, random_state=1, folder=tmp_path / part) for part in ("first", "again"))
    fewer = scenarios.generate(kind, 2, random_state=1, folder=tmp_path / "fewer")
    other = scenarios.generate(kind, 2, random_state=2, folder=tmp_path / "other")
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in again]
    assert [file.read_bytes() for file in first[:2]] == [file.read_bytes() for file in fewer]
    assert all(
        a.read_text().split("\n", 1)[1] != b.read_text().split("\n", 1)[1] for a, b in zip(first, other, strict=False)
    )


@pytest.mark.parametrize("kind", CNF_KINDS)
def test_cnf_files_are_well_formed_and_say_what_they_are(kind, tmp_path):
    for file in scenarios.generate(kind, 3, random_state=0, folder=tmp_path):
        text = file.read_text()
        read_dimacs(text)
        assert text.startswith(f"c {file.name}, seed 0\nc ")
        assert b"\r" not in file.read_bytes()


def test_the_names_of_files_are_sorted_and_the_folder_is_made(tmp_path):
    files = scenarios.generate("factoring", 2, random_state=0, folder=str(tmp_path / "a" / "b"))
    assert files == [tmp_path / "a" / "b" / f"factoring-000{i}.cnf" for i in range(2)]
    assert all(isinstance(file, Path) for file in files)


def test_the_mix_has_every_kind():
    comments = [scenarios.KINDS["sat-mix"].draw(rng([0, i])).split(":")[0] for i in range(40)]
    assert set(comments) == {"c factoring", "c random-ksat", "c colouring", "c quasigroup"}


@pytest.mark.parametrize(("smaller", "larger"), [(2, 2), (2, 5), (7, 7), (8, 10)])
def test_a_model_of_factoring_is_the_two_factors(smaller, larger, tmp_path):
    text = factoring.factoring(rng(), smaller, larger)
    n = int(re.search(r"n = (\d+)", text)[1])
    model = solve(text, tmp_path)
    p = sum(2**i for i in range(smaller) if i + 1 in model)
    q = sum(2**j for j in range(larger) if smaller + j + 1 in model)
    assert p * q == n
    assert factoring.is_prime(p)
    assert factoring.is_prime(q)
    assert (p.bit_length(), q.bit_length()) == (smaller, larger)


def test_the_multiplier_multiplies_every_pair(tmp_path):
    clauses, product, variables = factoring.multiplier(2, 3)
    for p in range(4):
        for q in range(8):
            inputs = [(i + 1 if p >> i & 1 else -(i + 1),) for i in range(2)]
            inputs += [(j + 3 if q >> j & 1 else -(j + 3),) for j in range(3)]
            model = solve(factoring.dimacs([*clauses, *inputs], variables, "2 x 3 bits"), tmp_path)
            assert sum(2**k for k, bit in enumerate(product) if bit in model) == p * q


def test_the_factors_are_not_in_the_file():
    text = factoring.factoring(rng(3), 12, 13)
    n = int(re.search(r"n = (\d+)", text)[1])
    p = next(d for d in range(3, n, 2) if n % d == 0)
    assert not {str(p), str(n // p)} & set(re.findall(r"\d+", text.splitlines()[0]))
    units = {abs(clause[0]) for clause in read_dimacs(text)[0] if len(clause) == 1}
    # Of the bits of the factors only the highest are given.
    assert units & set(range(1, 26)) == {12, 25}


def test_primes_are_those_of_trial_division():
    slow = [n for n in range(3000) if n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))]
    assert [n for n in range(3000) if factoring.is_prime(n)] == slow
    assert not factoring.is_prime(3215031751)  # passes with the bases 2, 3, 5 and 7
    assert factoring.is_prime(2**61 - 1)


@pytest.mark.parametrize("k", [3, 5, 7])
def test_random_clauses_have_k_different_variables_and_even_signs(k):
    clauses, variables = read_dimacs(random_ksat.random_ksat(rng(), k, 50, 20.0))
    assert (len(clauses), variables) == (1000, 50)
    assert all(len({abs(literal) for literal in clause}) == k for clause in clauses)
    # 3000 signs or more: half of them, give or take five deviations.
    assert np.mean([literal > 0 for clause in clauses for literal in clause]) == pytest.approx(0.5, abs=0.046)


def test_a_model_of_colouring_is_a_colouring(tmp_path):
    nodes, colours = 40, 4
    model = solve(colouring.colouring(rng(), nodes, 2, 0.3, colours), tmp_path)
    edges = colouring.small_world(rng(), nodes, 2, 0.3)
    colour = [[c for c in range(colours) if node * colours + c + 1 in model] for node in range(nodes)]
    assert all(len(chosen) == 1 for chosen in colour)
    assert all(colour[a] != colour[b] for a, b in edges)


def test_a_triangle_ring_needs_three_colours(tmp_path):
    # Each node of the ring and its next two are a triangle, and 9 is a multiple of 3.
    assert solve(colouring.colouring(rng(), 9, 2, 0.0, 2), tmp_path) is None
    assert solve(colouring.colouring(rng(), 9, 2, 0.0, 3), tmp_path) is not None


def test_moving_edges_keeps_their_number():
    for moved in (0.0, 0.5, 1.0):
        edges = colouring.small_world(rng(), 30, 3, moved)
        assert len(set(edges)) == len(edges) == 90
        assert all(0 <= a < b < 30 for a, b in edges)
    ring = set(colouring.small_world(rng(), 30, 3, 0.0))
    assert len(ring & set(colouring.small_world(rng(), 30, 3, 1.0))) < 30


def test_squares_are_latin_and_not_all_cyclic():
    square = quasigroup.latin_square(rng(), 8)
    for line in (*square, *square.T):
        assert sorted(line) == list(range(8))
    # In a shuffled cyclic square of order 8, any two rows differ by a shift: cycles of one length only.
    lengths = {len(cycle) for cycle in _cycles(square[0], square[1])}
    others = [{len(cycle) for cycle in _cycles(square[0], square[row])} for row in range(1, 8)]
    assert any(len(found) > 1 for found in (lengths, *others))


def _cycles(first, second):
    to = dict(zip(first.tolist(), second.tolist(), strict=True))
    while to:
        symbol, cycle = next(iter(to)), []
        while symbol in to:
            cycle.append(symbol)
            symbol = to.pop(symbol)
        yield cycle


@pytest.mark.parametrize("holes", [1, 30, 100])
def test_a_model_of_quasigroup_fills_every_hole(holes, tmp_path):
    text = quasigroup.quasigroup(rng(), 10, holes)
    clauses, variables = read_dimacs(text)
    model = solve(text, tmp_path)
    assert sum(literal > 0 for literal in model) == holes
    assert all(clause[0] > 0 or len(clause) == 2 for clause in clauses)
    if holes == 100:
        assert variables == 1000


def test_lpg_solves_zenotravel(tmp_path):
    (problem,) = scenarios.generate("zenotravel", 1, random_state=0, folder=tmp_path)
    solver = find_solver("lpg")
    run = execute(solver.command(problem, seed=1, cutoff=60.0), cutoff=60.0, read_answer=solver.read_answer)
    assert run.status == "solved", run.output


def test_zenotravel_moves_every_person_and_writes_its_domain(tmp_path):
    (problem,) = scenarios.generate("zenotravel", 1, random_state=0, folder=tmp_path)
    assert (tmp_path / "domain.pddl").read_text() == zenotravel.DOMAIN
    text = zenotravel.zenotravel(rng(), 3, 2, 8)
    start, goal = (dict(re.findall(r"\(at (\w+) (\w+)\)", part)) for part in text.split("(:goal"))
    assert {f"person{i}" for i in range(8)} <= set(goal) <= set(start)
    assert all(start[name] != goal[name] for name in goal)
    for pddl in (text, zenotravel.DOMAIN, problem.read_text()):
        assert pddl.count("(") == pddl.count(")")


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (lambda: scenarios.generate("sudoku", 1, random_state=0, folder="."), "kind='sudoku'.*'factoring'"),
        (lambda: scenarios.generate("factoring", 0, random_state=0, folder="."), "count=0"),
        (lambda: scenarios.generate("factoring", 1, random_state=-1, folder="."), "seed=-1"),
        (lambda: factoring.factoring(rng(), 1, 5), "smaller=1"),
        (lambda: factoring.factoring(rng(), 5, 4), "larger=4"),
        (lambda: random_ksat.random_ksat(rng(), 3, 2, 4.2), "variables=2"),
        (lambda: random_ksat.random_ksat(rng(), 3, 10, 0.0), "ratio=0.0"),
        (lambda: colouring.colouring(rng(), 5, 2, 0.1, 3), "nodes=5"),
        (lambda: colouring.colouring(rng(), 10, 2, 1.5, 3), "moved=1.5"),
        (lambda: quasigroup.quasigroup(rng(), 5, 26), "holes=26.*25"),
        (lambda: quasigroup.quasigroup(rng(), 5, 0), "holes=0"),
        (lambda: zenotravel.zenotravel(rng(), 1, 1, 1), "cities=1"),
    ],
)
def test_bad_arguments_are_named(call, found):
    with pytest.raises(SettingError, match=found):
        call()
