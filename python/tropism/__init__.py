"""tropism: how attention selects tokens.

    import tropism as tr
    x = tr.tokens.gaussian(n=64, d=2, seed=1)
    run = tr.flow(x, rule="localmax", epsilon=0.1, alpha=1.0).until_converged()
    run.tokens, run.clusters, run.certificate

Functions are the verbs of the command line and give its results, bit for bit. Their options, and
the fields of what they return, come from the library's own tables: help(tropism.flow),
tropism.Flow.fields().
"""

from . import data, tokens
from ._attention import Attention
from ._cite import cite
from ._claim.claim import Claim, claim
from ._claim.judge import at_least, at_most, near, truth
from ._claim.result import ClaimCheck
from ._hull import Hull, hull
from ._inspection import Inspection
from ._library import ConvergenceWarning, Error, Stopped, library as _library
from ._load import load
from ._result import Picture, Result
from ._study import Block, Study, study
from ._study_rows import Points, Rows
from ._values import Group, Table
from ._verbs import (
    FUNCTIONS as _FUNCTIONS,
    Cells,
    Check,
    Claims,
    Copies,
    Doctor,
    Escape,
    Fit,
    Flow,
    Margin,
    Path,
    Reproduction,
    ReproductionOfAll,
    Threshold,
    Train,
    claims,
    doctor,
    rules,
    schedule,
)

globals().update(_FUNCTIONS)

__version__ = _library.trop_version().decode()

__all__ = [
    *_FUNCTIONS,
    *"Attention Block Cells Check Claim ClaimCheck Claims ConvergenceWarning Copies Doctor Error Escape Fit Flow Group Hull".split(),
    *"Inspection Margin Path Picture Points".split(),
    *"Reproduction ReproductionOfAll Result Rows Stopped Study Table Threshold Train".split(),
    *"at_least at_most cite claim claims data doctor hull load near rules schedule study tokens truth".split(),
]
