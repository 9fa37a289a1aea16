"""The application: routes of the JSON API, and the page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

from fastapi import FastAPI, File, Query, Request, Response, UploadFile
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from bayes_distnet import __version__
from bayes_distnet.data.json_text import json_text
from bayes_distnet.errors import BayesDistNetError
from bayes_distnet.serve import bodies
from bayes_distnet.serve.batches import Batches
from bayes_distnet.serve.browse import Browser
from bayes_distnet.serve.guard import Guard
from bayes_distnet.serve.limits import NAME, Limits
from bayes_distnet.serve.refusals import Refused, invalid_sentence, one_sentence
from bayes_distnet.serve.shelf import ServedModel, Shelf
from bayes_distnet.serve.uploads import Extraction, endings, read_rows

Answer = TypeVar("Answer")
LOCAL = ("127.0.0.1", "localhost", "::1")
STATIC = Path(__file__).with_name("static")
PAGES = {
    "/": ("index.html", "text/html"),
    "/docs": ("docs.html", "text/html"),
    "/style.css": ("style.css", "text/css"),
    "/app.js": ("app.js", "text/javascript"),
    "/chart.js": ("chart.js", "text/javascript"),
    "/docs.js": ("docs.js", "text/javascript"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
SENTENCE = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
ERROR: dict[int | str, dict[str, Any]] = {
    "4XX": {
        "description": "Refused, with the reason in one sentence",
        "content": {"application/json": {"schema": SENTENCE}},
    }
}
CSV = {"requestBody": {"required": True, "content": {"text/csv": {"schema": {"type": "string"}}}}}
ModelName = Annotated[str, Query(alias="model", max_length=NAME, description="a name that /api/models lists")]


class Service:
    """The state of a server: models, data, threads.

    Parameters
    ----------
    shelf : Shelf
        The models.
    browser : Browser or None
        The data set to browse.
    limits : Limits
        Limits of requests.
    """

    def __init__(self, shelf: Shelf, browser: Browser | None, limits: Limits) -> None:
        self.shelf, self.browser, self.limits = shelf, browser, limits
        self.extraction = Extraction(limits)
        self._one = ThreadPoolExecutor(1, thread_name_prefix="predict")
        self._two = ThreadPoolExecutor(2, thread_name_prefix="answer")
        self.batches = Batches(self._one)

    def model(self, name: str) -> ServedModel:
        """Return a model by name."""
        if name not in self.shelf:
            raise Refused(404, f"No model {name[:80]!r}; there are {', '.join(self.shelf)}.")
        return self.shelf[name]

    def data(self) -> Browser:
        """Return the data set."""
        if self.browser is None:
            raise Refused(404, "The server was started without a data set (--data).")
        return self.browser

    async def compute(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        """Call a function in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._two, lambda: function(*arguments))

    def close(self) -> None:
        """End threads and processes."""
        self.extraction.close()
        for pool in (self._one, self._two):
            pool.shutdown(wait=False, cancel_futures=True)


def create_app(
    shelf: Shelf, browser: Browser | None = None, *, limits: Limits | None = None, hosts: Iterable[str] = LOCAL
) -> ASGIApp:
    """Return the application.

    Parameters
    ----------
    shelf : Shelf
        The models.
    browser : Browser or None
        A data set to browse.
    limits : Limits or None
        Limits of requests.
    hosts : iterable of str
        Names under which the server is reached; others are refused. "*" accepts any address in numbers.

    Returns
    -------
    ASGI application
        To be run by uvicorn, or tested with httpx.
    """
    service = Service(shelf, browser, limits or Limits())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        service.close()

    app = FastAPI(
        title="bayes-distnet",
        version=__version__,
        description="Runtime distributions of solvers: predictions, advice and features, as the command line has them.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    _add_answers(app, service)
    _add_inputs(app, service)
    _add_data(app, service)
    _add_pages(app)
    _add_errors(app)
    return Guard(app, service.limits, hosts)


def _json(value: Any) -> Response:
    return Response(json_text(value), media_type="application/json")


def _add_answers(app: FastAPI, service: Service) -> None:
    @app.get("/api/models", tags=["models"], summary="Models that are served")
    async def models() -> Response:
        """Name, kind, solvers, names of features, and the record of the training data of each model."""
        data = None if service.browser is None else service.browser.about()
        return _json({"models": [model.about() for model in service.shelf.values()], "data": data, "files": endings()})

    @app.post("/api/predict", tags=["answers"], summary="Predict rows: `predict --json`", responses=ERROR)
    async def predict(model: ModelName, body: bodies.Predict) -> Response:
        """Mean, median, quantiles, chance within, band, unsure and familiar of each row, in seconds.

        Not for portfolios.
        """
        return _json({"predictions": await service.batches.predict(service.model(model), body.rows, body.settings())})

    @app.post("/api/advise", tags=["answers"], summary="Advise on one instance: `advise --json`", responses=ERROR)
    async def advise(model: ModelName, body: bodies.Advise) -> Response:
        """Outlook and restart cutoff of every solver, a plan, and, with `elapsed`, whether to go on."""
        situation = body.model_dump(exclude={"instance", "features"})
        return _json(await service.compute(lambda: service.model(model).advise(body, **situation)))

    @app.post("/api/forecast", tags=["answers"], summary="Curves of one instance", responses=ERROR)
    async def forecast(model: ModelName, body: bodies.Forecast) -> Response:
        """Times, cdf with its 90 % band, density of log time, medians of copies; familiarity of the instance."""
        return _json(await service.compute(service.model(model).forecast, body, body.points))


def _add_inputs(app: FastAPI, service: Service) -> None:
    @app.post("/api/features", tags=["inputs"], summary="Features of a file", responses=ERROR)
    async def features(files: Annotated[list[UploadFile], File(max_length=2)]) -> Response:
        """A CNF file, plain or compressed, or a PDDL problem together with its domain.

        The features are computed in a process with a limit of time and memory; the files are removed.
        """
        contents = {file.filename or "": await file.read() for file in files}
        return _json(await service.extraction.features(contents))

    @app.post("/api/rows", tags=["inputs"], summary="Rows of a CSV table", responses=ERROR, openapi_extra=CSV)
    async def rows(request: Request) -> Response:
        """Rows in the form that the other requests take; a column `instance` names them."""
        return _json({"rows": await service.compute(read_rows, await request.body())})

    @app.get("/api/example", tags=["inputs"], summary="A row to try a model with", responses=ERROR)
    async def example(model: ModelName) -> Response:
        """An instance of the data set, or else the middle of the range of every feature on the training data."""
        own = service.model(model)
        found = None if service.browser is None else await service.compute(service.browser.first, own)
        return _json(found or {"instance": "middle of the training data", "features": own.middle()})


def _add_data(app: FastAPI, service: Service) -> None:
    @app.get("/api/data", tags=["data"], summary="Instances of the data set", responses=ERROR)
    async def data(
        model: ModelName,
        solver: Annotated[str | None, Query(max_length=NAME)] = None,
        search: Annotated[str, Query(max_length=NAME)] = "",
        sort: Annotated[str, Query(pattern="^(instance|recorded|predicted)$")] = "instance",
        descending: bool = False,
        start: Annotated[int, Query(ge=0, le=10**9)] = 0,
        count: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> Response:
        """Runs, recorded and predicted median of each, and whether the model was trained on it."""
        browser, own = service.data(), service.model(model)
        name = browser.solver_of(own, solver)
        return _json(await service.compute(browser.table, own, name, search, sort, descending, start, count))

    @app.get("/api/data/instance", tags=["data"], summary="One instance of the data set", responses=ERROR)
    async def instance(name: Annotated[str, Query(max_length=NAME)]) -> Response:
        """Its features, and the empirical cdf of its runs by solver."""
        return _json(await service.compute(service.data().instance, name))


def _add_pages(app: FastAPI) -> None:
    def page(file: str, kind: str) -> Callable[[], Any]:
        content = (STATIC / file).read_bytes()

        async def answer() -> Response:
            return Response(content, media_type=kind, headers={"cache-control": "no-cache"})

        return answer

    for path, (file, kind) in PAGES.items():
        app.add_api_route(path, page(file, kind), include_in_schema=False, methods=["GET", "HEAD"])


def _add_errors(app: FastAPI) -> None:
    def refusal(status: int, sentence: str) -> Response:
        return Response(json_text({"error": sentence}), status, media_type="application/json")

    @app.exception_handler(Refused)
    async def refused(request: Request, error: Refused) -> Response:
        return refusal(error.status, error.sentence)

    @app.exception_handler(BayesDistNetError)
    async def unusable(request: Request, error: BayesDistNetError) -> Response:
        return refusal(422, one_sentence(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        return refusal(422, invalid_sentence(error.errors()))

    @app.exception_handler(HTTPException)
    async def other(request: Request, error: HTTPException) -> Response:
        return refusal(error.status_code, f"{str(error.detail).rstrip('.')}.")

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Response:
        return refusal(500, f"The server failed with {type(error).__name__}.")
