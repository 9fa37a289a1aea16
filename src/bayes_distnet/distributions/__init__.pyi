from .censored import censored_maximum_likelihood as censored_maximum_likelihood
from .families import (
    FAMILIES as FAMILIES,
)
from .families import (
    Exponential as Exponential,
)
from .families import (
    Family as Family,
)
from .families import (
    Gamma as Gamma,
)
from .families import (
    InverseGaussian as InverseGaussian,
)
from .families import (
    LogLogistic as LogLogistic,
)
from .families import (
    LogNormal as LogNormal,
)
from .families import (
    Weibull as Weibull,
)
from .families import (
    get_family as get_family,
)
from .runtime_distribution import RuntimeDistribution as RuntimeDistribution
