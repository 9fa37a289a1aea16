"""The groups of CNF features, from cheap to dear."""

from bayes_distnet.features.groups import Group

SIZE = "size"

CNF_GROUPS = (
    Group(
        SIZE,
        (
            *(f"structure.{name}" for name in ("clauses", "variables", "clauses_per_variable", "cls*")),
            *(f"structure.{name}" for name in ("horn", "invhorn", "positive", "negative")),
        ),
    ),
    Group("structure", ("structure.*",), (SIZE,)),
    Group("propagation", ("propagate*", "search*"), (SIZE,)),
    Group("probe100", ("probe100.*", "preprocessed.*"), (SIZE,)),
    Group("probe1000", ("probe1000.*", "growth.*"), (SIZE, "probe100")),
)
