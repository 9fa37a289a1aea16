"""The command that computes features: features."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from bayes_distnet.cli.arguments import command, cores, found_instances, number, takes_instances, whole, words
from bayes_distnet.cli.paths import written_path
from bayes_distnet.features.cnf_groups import CNF_GROUPS
from bayes_distnet.features.registry import FEATURE_SETS

_GROUPS = [group.name for group in CNF_GROUPS]


def add_features(commands: Any) -> None:
    """Add `features`."""
    kinds = "\n".join(f"  {', '.join(entry.suffixes):<32} {entry.summary}" for entry in FEATURE_SETS.values())
    parser = command(
        commands,
        "features",
        "compute features of instance files",
        f"The features of a file depend on the end of its name:\n{kinds}\n"
        "The domain of a PDDL problem is the file domain.pddl beside it. Costs, in CPU seconds, go to a table of\n"
        f"their own. Features of a CNF are computed in groups, from cheap to dear: {', '.join(_GROUPS)}.",
        "  bayes-distnet features instances --out features.parquet\n"
        "  bayes-distnet features a.cnf b.cnf --out features.csv --costs costs.csv",
    )
    takes_instances(parser)
    parser.add_argument("--out", type=written_path, required=True, metavar="FILE", help=".parquet, .csv or .csv.gz")
    parser.add_argument(
        "--costs", type=written_path, metavar="FILE", help="CPU seconds per instance, in all and by group"
    )
    parser.add_argument("--groups", type=words, metavar="A,B,...", help="compute these groups only; default: all")
    parser.add_argument("--seed", type=whole, default=0, help="of the probing runs; default: 0")
    parser.add_argument("--time-limit", type=number, default=30.0, metavar="SECONDS", help="per instance; default: 30")
    parser.add_argument("--cores", type=cores, default=1, help="number of files at once; default: 1")
    parser.add_argument("--skip-bad", action="store_true", help="give a file that cannot be read a row without values")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.set_defaults(run=_features)


def _features(parsed: argparse.Namespace) -> None:
    from bayes_distnet.data.tables import check_can_write, write_frame
    from bayes_distnet.features.table import extract_features

    for path in (parsed.out, parsed.costs):
        if path is not None:
            check_can_write(path)
    table = extract_features(
        found_instances(parsed.instances, quiet=parsed.quiet),
        random_state=parsed.seed,
        time_limit=parsed.time_limit,
        groups=parsed.groups,
        n_jobs=parsed.cores,
        on_error="nan" if parsed.skip_bad else "raise",
        progress=not parsed.quiet,
    )
    write_frame(table.features, parsed.out)
    if parsed.costs is not None:
        write_frame(table.costs, parsed.costs)
    for error in table.failures.values():
        print(f"no features: {error}", file=sys.stderr)
    print(
        f"{table.features.shape[1]} features of {len(table.features)} instances in {parsed.out}; "
        f"{table.cost.median():.3f} CPU seconds per instance (median)"
    )
