"""The command that starts a web page about models: serve."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from bayes_distnet.cli.arguments import DATA_HELP, command, name_of, number, open_data, whole
from bayes_distnet.cli.paths import read_path, read_source
from bayes_distnet.errors import SettingError, not_installed


def add_serve(commands: Any) -> None:
    """Add `serve`."""
    parser = command(
        commands,
        "serve",
        "open a page and a JSON API about models, on this machine",
        "Drop a CNF, a PDDL problem or a row of features on the page to see its predicted distribution. With --data,\n"
        "browse instances: predictions beside recorded runs. The API has the answers of predict and advise; /docs\n"
        "describes it. Ctrl-C ends the server. Needs the extra `serve`.",
        "  bayes-distnet serve --model model\n"
        "  bayes-distnet serve --model model --model portfolio --data sat-portfolio --open\n"
        "  bayes-distnet serve --model model --data runs.sqlite --features features.parquet --port 9000",
    )
    parser.add_argument(
        "--model",
        type=read_path,
        action="append",
        required=True,
        nargs="+",
        metavar="FOLDER",
        help="folder that `fit` wrote; several can be given",
    )
    parser.add_argument("--data", type=read_source, metavar="DATA", help=f"data set to browse: {DATA_HELP}")
    parser.add_argument(
        "--features", type=read_path, metavar="FILE", help="with a file of runs: features of its instances"
    )
    parser.add_argument("--port", type=whole, default=8517, help="default: 8517; 0 takes a free one")
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="address to bind; default: 127.0.0.1, this machine only"
    )
    parser.add_argument(
        "--name", action="append", default=[], metavar="HOST", help="further host name under which it is reached"
    )
    parser.add_argument("--upload", type=number, default=64.0, metavar="MIB", help="largest upload; default: 64")
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    parser.set_defaults(run=_serve)


def _serve(parsed: argparse.Namespace) -> int:
    try:
        from bayes_distnet.serve.limits import Limits
        from bayes_distnet.serve.run import is_loopback, serve
    except ModuleNotFoundError as error:
        raise not_installed(str(error.name), extra="serve") from error

    if not 0 < parsed.upload <= 4096:
        raise SettingError(f"--upload {parsed.upload:g}: expected MiB, at most 4096.")
    if parsed.features is not None and parsed.data is None:
        raise SettingError("--features goes with --data.")
    if not is_loopback(parsed.host):
        print(
            f"warning: {parsed.host} lets other machines in. There are no passwords: anyone who reaches this address "
            "can use the models and have files read.",
            file=sys.stderr,
        )

    def ready(address: str) -> None:
        print(f"{address}  (Ctrl-C ends it)", flush=True)
        if parsed.open:
            import webbrowser

            webbrowser.open(address)

    data = None if parsed.data is None else open_data(parsed.data, parsed.features, None, several=True)
    try:
        serve(
            [folder for folders in parsed.model for folder in folders],
            data,
            name="" if parsed.data is None else name_of(parsed.data),
            host=parsed.host,
            port=parsed.port,
            names=parsed.name,
            limits=Limits(upload=int(parsed.upload * 2**20)),
            ready=ready,
        )
    except KeyboardInterrupt:
        print("stopped.", file=sys.stderr)
    return 0
