"""Bodies of requests: their fields, types and limits. They refuse NaN, infinity, nested values and unknown fields."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from bayes_distnet.serve.limits import COLUMNS, CORES, LEVELS, NAME, ROWS, SECONDS

Text = Annotated[str, Field(max_length=NAME)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Value = Annotated[Number | bool | Text | None, Field(description="a number; null if it is missing")]
Features = Annotated[
    dict[Text, Value],
    Field(
        min_length=1,
        max_length=COLUMNS,
        description="features by name: all that the model was fitted on",
    ),
]
Level = Annotated[float, Field(gt=0, lt=1)]
Seconds = Annotated[float, Field(gt=0, le=SECONDS, allow_inf_nan=False)]
Elapsed = Annotated[float, Field(ge=0, le=SECONDS, allow_inf_nan=False)]


class Body(BaseModel):
    """The base of all bodies."""

    model_config = ConfigDict(extra="forbid")


class Row(Body):
    """One instance."""

    instance: Text = Field("", description="name of the instance, which is repeated in the answer")
    features: Features


class Predict(Body):
    """Rows to predict, and columns of the answer; as the options of `bayes-distnet predict`."""

    rows: Annotated[list[Row], Field(min_length=1, max_length=ROWS, description="instances, each with its features")]
    quantiles: Annotated[list[Level], Field(max_length=LEVELS, description="levels of the columns q10, q25, ...")] = [
        0.1,
        0.25,
        0.75,
        0.9,
    ]
    within: Annotated[
        list[Seconds], Field(max_length=LEVELS, description="seconds of the columns within_60, ...: chance to finish")
    ] = []
    columns: (
        Annotated[
            list[Text],
            Field(min_length=1, max_length=2 * LEVELS, description="columns in their place, as of --columns"),
        ]
        | None
    ) = None
    elapsed: Elapsed = Field(0.0, description="seconds that the runs have been going: all is then about the time left")
    band: Level = Field(0.9, description="probability of the band of the median, low to high")

    @model_validator(mode="after")
    def _one_way(self) -> Predict:
        if self.columns is not None and self.model_fields_set & {"quantiles", "within"}:
            raise ValueError("quantiles and within beside columns: name all columns there, such as q90 and within:60")
        return self

    def settings(self) -> dict[str, Any]:
        """Return all fields except the rows, as `predictions` takes them."""
        wanted = {"quantiles": self.quantiles, "within": self.within}
        columns = wanted if self.columns is None else {"columns": self.columns}
        return {**columns, "elapsed": self.elapsed, "band": self.band}


class Advise(Row):
    """One instance and the situation; as the options of `bayes-distnet advise`."""

    elapsed: Elapsed | None = Field(None, description="seconds that a solver has run without an answer")
    running: Text | None = Field(None, description="that solver; by default the one that the model would choose")
    deadline: Seconds | None = Field(None, description="seconds from the start in which to answer")
    cores: Annotated[int, Field(ge=1, le=CORES, description="number of cores of the plan")] = 1
    objective: Literal["time", "par10", "par2", "deadline"] | None = Field(None, description="what to make small")


class Forecast(Row):
    """One instance, and the number of points of its curves."""

    points: Annotated[int, Field(ge=10, le=500, description="points of each curve")] = 120
