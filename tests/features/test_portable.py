from portable import import_all_without_linux, run_without_linux

PROGRAM = """
from bayes_distnet.features.table import extract_features

table = extract_features([sys.argv[1]])
assert table.features.loc["one.pddl", "relaxed.plan"] == 1
"""


def test_every_module_of_the_package_can_be_imported_on_any_system():
    import_all_without_linux("bayes_distnet.features")


def test_features_that_start_no_program_are_computed_on_any_system(write):
    write("(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))", "domain.pddl")
    run_without_linux(PROGRAM, write("(define (problem one) (:domain d) (:goal (p)))", "one.pddl"))
