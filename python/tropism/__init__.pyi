"""How attention selects tokens. Written by tropism._stubs from the library's own tables."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeVar, overload
from typing_extensions import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import data as data
from . import tokens as tokens
from .data import Corpus, Dataset

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

__version__: str

class Error(ValueError):
    """What the library refused, or could not do, in its own sentence. Also a ValueError.
    
    `status` says which kind: "arg" (a wrong option), "memory", "io" (a file, or the contents of an
    array), "unsupported", "numeric" or "stopped"."""

    status: str

class Stopped(UserWarning):
    """A computation ended before its end, by its time limit or because a solver came to none; what
    there is was returned."""

class ConvergenceWarning(UserWarning):
    """A flow that was asked to converge came to its last step first."""

class Group:
    """Values by name, as attributes and as items."""

    def __getattr__(self, name: str) -> Any: ...
    def __getitem__(self, name: str) -> Any: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def keys(self) -> list[str]: ...

class Table:
    """Rows of a list: `table[3].centre` is a row's value, `table.centre` the whole column."""

    def __getattr__(self, name: str) -> Any: ...
    @overload
    def __getitem__(self, row: int) -> Group: ...
    @overload
    def __getitem__(self, row: slice) -> Table: ...
    @overload
    def __getitem__(self, row: str) -> Any: ...
    def __iter__(self) -> Iterator[Group]: ...
    def __len__(self) -> int: ...
    def keys(self) -> list[str]: ...
    def to_pandas(self) -> Any: ...

class Picture:
    """A picture that shows itself in a notebook; `save` writes it."""

    svg: str
    def save(self, path: str | PathLike[str]) -> None: ...

class Attention:
    """The tokens of one item and their weights: `words`, `weights` (1 in all), the class that is
    `predicted` and its `scores`. It shows itself in a notebook with coloured words, and on a
    terminal with the weights of the words that get at least twice an equal share."""

    words: list[str] | None
    weights: FloatArray
    predicted: str
    scores: Any
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[tuple[str | int, float]]: ...
    def to_pandas(self) -> Any: ...

class Result:
    """Values by name, computed by the library; `dir(result)` has them, `result.fields()` says what
    they mean."""

    stopped: str | None
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def given(self) -> dict[str, Any]: ...
    @classmethod
    def fields(cls) -> dict[str, str]: ...
    def __getitem__(self, name: str) -> Any: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __contains__(self, name: object) -> bool: ...
    def keys(self) -> list[str]: ...
    def to_dict(self) -> dict[str, Any]: ...
    def to_json(self) -> str: ...
    def to_pandas(self, name: str | None = None) -> Any: ...
    def to_xarray(self) -> Any: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def report(self, path: str | PathLike[str]) -> None: ...
    def proof(self, path: str | PathLike[str]) -> int: ...
    def plot(
        self,
        kind: str | None = None,
        *,
        ax: Any = None,
        out: str | PathLike[str] | None = None,
        **options: Any,
    ) -> Any: ...

class Cells(Result):
    """The cells of hardmax: the points that go to each vertex of the hull."""

    @property
    def vertices(self) -> IntArray:
        """tokens that are vertices of the hull"""
    @property
    def owns_cell(self) -> BoolArray:
        """whether each vertex is in its own cell and in no other"""
    @property
    def labels(self) -> IntArray:
        """token that owns each token's cell, -1: on a wall"""
    @property
    def margins(self) -> FloatArray:
        """best score less the best of another vertex; 0 on a wall"""
    @property
    def generic(self) -> bool:
        """hypotheses (1) and (2) of theorem 4.2 hold"""
    @property
    def obstacle(self) -> str:
        """why they do not; null when they do"""
    @property
    def voronoi(self) -> bool:
        """B is symmetric and the vertices have equal energy, up to the rounding of their coordinates: the cells are the B-Voronoi cells"""
    @property
    def partition(self) -> bool:
        """cells have disjoint interiors: no B'(v_i - v_j) is 0"""
    @property
    def c0(self) -> float:
        """min <B v_i, v_i - v_j> over vertices i != j"""
    @property
    def contains_origin(self) -> bool:
        """whether 0 is in the hull; null: too near its boundary to say"""
    @property
    def dimension(self) -> int:
        """dimension of the hull"""
    @property
    def diameter(self) -> float:
        """diameter of the hull"""
    @property
    def width(self) -> float:
        """width of the hull, the least distance of two parallel planes around it; above 3 dimensions an upper bound; null when not known"""
    @property
    def width_lower(self) -> float:
        """proved bound of the width from below"""
    @property
    def volume(self) -> float:
        """volume of the hull in its own dimension; null when not known"""
    @property
    def edges(self) -> IntArray:
        """pairs of vertices joined by an edge; null above 6 dimensions with more than 32 vertices"""
    @property
    def candidates(self) -> IntArray:
        """tokens that may attain the maximum of a linear functional"""
    @property
    def walls(self) -> FloatArray:
        """distance of each token to the nearest wall of its cell"""
    @property
    def voronoi_labels(self) -> IntArray:
        """vertex nearest to each token in the B-norm, -1: not unique; null unless B is symmetric"""
    @property
    def gaps(self) -> FloatArray:
        """Frank-Wolfe gap of each token, max_j <B x_i, x_j - x_i>"""
    @property
    def gap_max(self) -> float:
        """the largest of the Frank-Wolfe gaps"""
    @property
    def energies(self) -> FloatArray:
        """J = <B x, x>/2 of each token"""
    @property
    def dominance(self) -> IntArray:
        """vertex in whose I_i(eta) each token is, -1: none; null unless eta or erode was given"""
    @property
    def eroded(self) -> IntArray:
        """the same for dominance cones eroded by erode; null unless erode was given and the hull's facets are known"""
    @property
    def query_labels(self) -> IntArray:
        """labels of the queries; null without them, as the next three"""
    @property
    def query_margins(self) -> FloatArray:
        """margins of the query points"""
    @property
    def query_walls(self) -> FloatArray:
        """distances of the query points to the nearest wall"""
    @property
    def query_inside(self) -> IntArray:
        """1: in the hull, -1: outside, 0: too near its boundary to say"""
    @property
    def origin(self) -> Group:
        """side: inside, outside or touching; distance: distance from 0 to the hull; lower: proved: the distance is at least this; direction: unit, from the hull to 0; zero when 0 is inside; atoms: tokens whose combination is the point of the hull nearest to 0; weights: weights of these tokens in the combination"""
    @property
    def cells(self) -> Table:
        """the cells as polygons, d = 2; null otherwise"""
    @property
    def band(self) -> float:
        """corners of the cells are within this of the true ones, d = 2"""
    @property
    def inset_band(self) -> float:
        """sides of dominance and eroded polygons are within this of the true lines"""
    @property
    def version(self) -> str:
        """version of tropism"""
    @property
    def seed(self) -> int:
        """seed of the run; text beyond 9223372036854775807"""
    @property
    def standing(self) -> Any:
        """proved: --proof writes what certifies the result for a checker; asserted: what certifies it is the word of the program; null: nothing is certified"""
    @property
    def seconds(self) -> float:
        """elapsed seconds; not part of the result"""
    @property
    def tokens(self) -> FloatArray:
        """The tokens, (n, d)."""

class Check(Result):
    """A claim of the papers, judged on instances."""

    @property
    def id(self) -> str:
        """id of the claim"""
    @property
    def statement(self) -> str:
        """statement of the claim, one sentence"""
    @property
    def status(self) -> str:
        """proved, conjectured, false-as-printed, refuted, artifact, needs-data or measured"""
    @property
    def remark(self) -> str:
        """what is wrong in the printed form, or how we read it; null: nothing"""
    @property
    def verdict(self) -> str:
        """holds, violated, hypothesis-fails or not-decidable"""
    @property
    def untested(self) -> Any:
        """true: no spoil of the conclusion was caught, and nothing violated it, so that the check might say holds of anything; null: no spoil was tried (a claim of a paper, or a given instance)"""
    @property
    def trials(self) -> int:
        """number of instances that were requested"""
    @property
    def applicable(self) -> int:
        """drawn or given instances on which every hypothesis was true"""
    @property
    def attempted(self) -> int:
        """instances that were judged, known counterexamples included"""
    @property
    def violations(self) -> int:
        """instances that violate it, likewise"""
    @property
    def hypothesis(self) -> Group:
        """name: name of a hypothesis that is false or undecided on the given instance; meaning: meaning of that hypothesis; line: the quantity that was measured to decide it; measured: measured value of that quantity; bound: value that the hypothesis asks for"""
    @property
    def evidence(self) -> Table:
        """the tightest line of each kind"""
    @property
    def tightest(self) -> Group:
        """name: the tightest of all; measured: measured value of this line; bound: bound of this line; slack: by how much the line holds; below 0 it fails; trial: number of the instance of this line"""
    @property
    def hypotheses(self) -> Table:
        """the hypotheses, and how many instances each one excludes"""
    @property
    def spoils(self) -> Any:
        """the spoils of a claim from a file, and whether each one was caught"""
    @property
    def caught(self) -> Any:
        """number of spoils that were caught"""
    @property
    def numbers(self) -> Table:
        """numbers of the given instance, as it was judged"""
    @property
    def known(self) -> int:
        """counterexamples of the registry among the violations"""
    @property
    def violated(self) -> Any:
        """the line that the first counterexample fails"""
    @property
    def step(self) -> Any:
        """first step at which the conclusion fails; null: the claim is not about steps"""
    @property
    def counterexample(self) -> Any:
        """file that reproduces it, for --instance; null: none"""
    @property
    def shrunk(self) -> Group:
        """instance: the counterexample made small: the inputs of the claim; numbers: how many numbers its arrays have; before: how many those of the counterexample had that was found; judged: how many instances were judged to make it small; finished: false: the time or 4000 instances were over, and more may be possible; excess: by how many allowances for rounding its conclusion fails; inf: it has none"""
    @property
    def search(self) -> Group:
        """evaluations: instances that the search drew and judged; restarts: from how many beginnings it searched; seconds: seconds that it took; refuted_after: seconds to the counterexample; null: none was found; asymptotic: true: the claim is about a limit that is read at a finite time, and no instance refutes it; ratio: violation over allowance on the instance nearest to a counterexample; below 0 the claim holds there, by that share of slack and sizes; line: line of the conclusion that the ratio is of; measured: measured value of that line; bound: bound of that line; allowance: allowance of that line; instance: inputs of that instance: shapes of arrays, and numbers"""
    @property
    def repaired(self) -> Group:
        """id: the form that holds, of a claim that is false as printed; verdict: verdict of the corrected form, on as many instances of its own; applicable: number of instances on which every hypothesis of the corrected form was true"""
    @property
    def version(self) -> str:
        """version of tropism"""
    @property
    def seed(self) -> int:
        """seed of the run; text beyond 9223372036854775807"""
    @property
    def standing(self) -> Any:
        """proved: --proof writes what certifies the result for a checker; asserted: what certifies it is the word of the program; null: nothing is certified"""
    @property
    def seconds(self) -> float:
        """elapsed seconds; not part of the result"""

class ClaimCheck(Result):
    """A claim of one's own, judged on instances."""

    @property
    def id(self) -> str:
        """id of the claim"""
    @property
    def statement(self) -> str:
        """statement of the claim, one sentence"""
    @property
    def verdict(self) -> str:
        """holds, violated, hypothesis-fails or not-decidable"""
    @property
    def untested(self) -> bool | None:
        """true: no spoil of the conclusion was caught, and nothing violated it, so that the check might say holds of anything; null: a single instance, or a search"""
    @property
    def trials(self) -> int | None:
        """number of instances that were requested; null: a search"""
    @property
    def applicable(self) -> int:
        """instances on which every hypothesis was true and the conclusion was decided"""
    @property
    def attempted(self) -> int:
        """instances that were judged"""
    @property
    def violations(self) -> int:
        """instances that violate it"""
    @property
    def open(self) -> int:
        """instances on which every hypothesis was true and the conclusion could not be decided"""
    @property
    def evidence(self) -> Table:
        """the tightest line of each name"""
    @property
    def tightest(self) -> Group | None:
        """name: the tightest of all; measured: measured value of this line; bound: bound of this line; slack: by how much the line holds; below 0 it fails; trial: number of the instance of this line"""
    @property
    def hypotheses(self) -> Table:
        """the hypotheses, and how many instances each one excludes"""
    @property
    def spoils(self) -> Table:
        """the spoils, and whether each one was caught"""
    @property
    def violated(self) -> str | None:
        """the line that the first counterexample fails"""
    @property
    def step(self) -> int | None:
        """step at which it does; null: the claim is not about steps"""
    @property
    def trial(self) -> int | None:
        """number of the first counterexample, for NAME.instance(trial, seed); null: none, or given"""
    @property
    def counterexample(self) -> str | None:
        """file of it, for python -m tropism check; null: none"""
    @property
    def seed(self) -> int | None:
        """seed of the instances; null: the instance was given"""
    @property
    def version(self) -> str:
        """version of tropism"""
    @property
    def hypothesis(self) -> Group | None:
        """name: name of a hypothesis that is false or undecided on the given instance; meaning: meaning of that hypothesis; line: the quantity that was measured to decide it; measured: measured value of that quantity; bound: value that the hypothesis asks for"""
    @property
    def case(self) -> dict[str, Any] | None:
        """The first counterexample, or the instance that was given, with what work computed, a dict;
        None: there is none."""
    def save(self, path: str | PathLike[str]) -> None:
        """Writes the result to a file, .json."""
    def to_json(self) -> str:
        """The result as the JSON text of `python -m tropism check`."""
    def plot(self, *arguments: Any, **options: Any) -> Any:
        """The picture of the claim (`@NAME.picture`) of the counterexample or of the instance that
        was given, else of the tightest one. Of a claim without a picture, or with kind="slack": how
        far every line holds on every instance. `ax`: the latter on axes of matplotlib; `out` writes
        .pdf, .svg or .png as well."""
    def report(self, path: str | PathLike[str]) -> None:
        """Writes the result as one page, .html, that needs no other file."""

class Claims(Result):
    """The theorems and figures of the papers, and what is known of them."""

    @property
    def claims(self) -> Table:
        """the claims of the papers, an object for each"""

class Copies(Result):
    """Many copies of one small flow: an entry for each, and means."""

    @property
    def copies(self) -> int:
        """number of copies that are done"""
    @property
    def asked(self) -> int:
        """number of copies that were requested"""
    @property
    def method(self) -> str:
        """lanes: copies side by side; flows: one after the other"""
    @property
    def means(self) -> Table:
        """an object for each beta, epsilon, alpha and gamma, its copies summed up"""
    @property
    def cluster_histogram(self) -> IntArray:
        """how many copies have 0, 1, 2, ... clusters"""
    @property
    def beta(self) -> Any:
        """inverse temperature of each copy, when they differ"""
    @property
    def epsilon(self) -> Any:
        """epsilon of each copy, when they differ"""
    @property
    def alpha(self) -> Any:
        """alpha of each copy, when they differ"""
    @property
    def gamma(self) -> Any:
        """gamma of each copy, when they differ"""
    @property
    def steps(self) -> IntArray:
        """steps taken, by copy; 2^63 - 1 for more"""
    @property
    def converged(self) -> BoolArray:
        """whether each copy converged, with a certificate"""
    @property
    def residual(self) -> FloatArray:
        """max_i |avg_i - x_i|, by copy"""
    @property
    def diameter(self) -> FloatArray:
        """max |x_i - x_j|, by copy"""
    @property
    def clusters(self) -> IntArray:
        """number of clusters, by copy"""
    @property
    def aligned_pairs(self) -> Any:
        """pairs of tokens with <x_i, x_j> > 0.999, by copy; on the sphere"""
    @property
    def aligned(self) -> Any:
        """aligned_pairs as a fraction of all pairs"""
    @property
    def tokens(self) -> FloatArray:
        """final tokens of each copy"""
    @property
    def version(self) -> str:
        """version of tropism"""
    @property
    def seed(self) -> int:
        """seed of the run; text beyond 9223372036854775807"""
    @property
    def standing(self) -> Any:
        """proved: --proof writes what certifies the result for a checker; asserted: what certifies it is the word of the program; null: nothing is certified"""
    @property
    def seconds(self) -> float:
        """elapsed seconds; not part of the result"""
    @property
    def record(self) -> Group:
        """What was recorded (option `record`): arrays by name, (copies, records). Behind the end of
        a copy that is shorter than others numbers are NaN, whole numbers -1."""
    def to_dict(self) -> dict[str, Any]:
        """Everything as dicts, lists, numbers, texts and None, which json.dumps takes, the record
        included where there is one."""
    def to_xarray(self) -> Any:
        """As of every result, and the record: `record.NAME` along the axes `copy` and `record`."""
    def to_pandas(self, name: str | None = None) -> Any:
        """A row for each copy as a pandas.DataFrame; or the list called name, such as "means"."""
    def run(self, *, progress: bool | Callable[[int, int], object] | None = None) -> Self:
        """Runs every copy to its end."""

class Doctor(Result):
    """What this build and this machine can do, after small flows with known answers."""

    @property
    def version(self) -> str:
        """version of tropism"""
    @property
    def kernel(self) -> str:
        """kernel that auto takes here"""
    @property
    def kernels(self) -> str:
        """kernels that run here"""
    @property
    def blas(self) -> str:
        """BLAS core in use, or none"""
    @property
    def cores(self) -> int:
        """workers that threads = 0 takes"""
    @property
    def libraries(self) -> Table:
        """libraries that this build uses, an object for each"""
    @property
    def warning(self) -> str | None:
        """what makes this machine slower than it could be; null: nothing"""
    @property
    def healthy(self) -> bool:
        """every test of the self-test is ok"""
    @property
    def tests(self) -> Table:
        """results of the self-test, an object for each test"""

class Escape(Result):
    """First exits at finite beta."""

    @property
    def betas(self) -> Table:
        """results at each inverse temperature, an object for each"""
    @property
    def log10_median(self) -> Any:
        """decimal logarithm of the median when there is one beta; absent with several"""
    @property
    def dynamics(self) -> str:
        """chain or flow"""
    @property
    def exponent(self) -> Group:
        """betas: betas with a finite median; fit: slope of log median against beta, by least squares over these; absent below two, and where all are the first step; standard_error: standard error of the slope; absent with fewer than three betas, and where distance leaves a median without an interval; intercept: log median that the line has at beta = 0"""
    @property
    def advice(self) -> Any:
        """which radius or gamma to take, where every median is the first step, or why there is no interval; else absent"""
    @property
    def constants(self) -> Group:
        """c0: min <B v_i, v_i - v_j> over vertices i != j; R: largest norm of a token, max |x_i|; M: crossings that an exit takes at least, ceil(radius/(gamma diameter)); tau: arrival distance tau of theorem 5.2; absent unless c0 > 0; m: least distance of a token that is not at its vertex from it; rho: largest distance of a token from its vertex; near: distance from its vertex within which a token has arrived; diameter: d(K), of the cloud; lambda: c0 - 4 R r - r^2 with r = rho + radius; n: number of tokens; kappa: vertices of the hull; groups: cells that have tokens; T1: floor(log(tau/m)/log(1-gamma)) of theorem 5.2: steps of the nearest token; T1_far: the same with rho for m: number of steps for the farthest token"""
    @property
    def hypotheses(self) -> Group:
        """identity: hypothesis identity: B is the identity; acute: hypothesis acute: <v_j - v_i, v_k - v_i> > 0 for all vertices, beyond rounding; absent when there are too many vertices; equal_norm: hypothesis equal_norm: all vertices have the same norm, up to rounding; c0_positive: hypothesis c0_positive: every vertex owns its cell, c0 > 0; small_radius: hypothesis small_radius: 4 R (rho + radius) + 2 (rho + radius)^2 <= c0/2; radius_over_gamma: hypothesis radius_over_gamma of theorem 5.4 as printed: radius/gamma is at least twice the diameter of the hull; failed: names of the hypotheses that do not hold; absent when all hold"""
    @property
    def labels(self) -> IntArray:
        """token that owns each token's group"""
    @property
    def version(self) -> str:
        """version of tropism"""
    @property
    def seed(self) -> int:
        """seed of the run; text beyond 9223372036854775807"""
    @property
    def standing(self) -> Any:
        """proved: --proof writes what certifies the result for a checker; asserted: what certifies it is the word of the program; null: nothing is certified"""
    @property
    def seconds(self) -> float:
        """elapsed seconds; not part of the result"""
    @property
    def tokens(self) -> FloatArray:
        """The tokens, (n, d)."""

class Fit(Result):
    """Attention that learnt to classify texts, images or vectors, and what it attends to."""

    @property
    def epochs(self) -> int:
        """number of epochs that were done"""
    @property
    def steps(self) -> int:
        """number of steps of the optimiser"""
    @property
    def chosen_epoch(self) -> int:
        """epoch with the best validation; without a validation split the last one"""
    @property
    def dimension(self) -> int:
        """dimension of the tokens"""
    @property
    def classes(self) -> Table:
        """the classes of the items, from class 0 on"""
    @property
    def splits(self) -> Table:
        """the parts of the items, and how they went"""
    @property
    def folds(self) -> Table | None:
        """the runs of a cross-validation, an object for each fold"""
    @property
    def test_mean(self) -> float | None:
        """cross-validation: mean test accuracy of the folds"""
    @property
    def test_deviation(self) -> float | None:
        """cross-validation: standard deviation of these accuracies"""
    @property
    def saturation(self) -> float:
        """mean of the largest weights, of the items that are looked at (test, else all)"""
    @property
    def decided(self) -> int:
        """number of these items in which one token has more than half of the attention"""
    @property
    def looked(self) -> int:
        """number of items whose attention was looked at"""
    @property
    def sparsity(self) -> Table:
        """sparsity of each trained tensor, without the rows of E that train does not have"""
    @property
    def pruned(self) -> Table:
        """accuracy when only the largest entries of the attention are kept"""
    @property
    def theory(self) -> Table:
        """W against max-margin solutions for the tokens that train selects"""
    @property
    def words(self) -> Table:
        """the words that get the most attention, among those of at least 10 tokens"""
    @property
    def lexicon(self) -> Group:
        """items: number of items that are looked at and have words inside and outside of the lexicon; auc: mean over them of the chance that a word of the lexicon has more attention than another; fake: the same for unmarked words of the same counts: 1/2 if only marks matter; value: the same with |<v, e_w>| in the place of attention; mass: mean share of the attention on words of the lexicon; uniform: the share that these words would get if attention were uniform"""
    @property
    def shown(self) -> Table:
        """single items and the weights of their tokens"""
    @property
    def weights(self) -> Group:
        """E: embeddings of the chosen epoch: vectors of words, or the map of vectors; P: vectors of the places (positions); z: the prompt, a trained query; W: attention matrices of the heads, below each other; K: kq: the matrices K of the heads, below each other; Q: kq: the matrices Q of the heads, below each other; v: decoders of the classes, heads beside each other; a: trained numbers of the attention layers; b: biases of the classes"""
    @property
    def version(self) -> str:
        """version of tropism"""
    @property
    def seed(self) -> int:
        """seed of the run; text beyond 9223372036854775807"""
    @property
    def standing(self) -> Any:
        """proved: --proof writes what certifies the result for a checker; asserted: what certifies it is the word of the program; null: nothing is certified"""
    @property
    def seconds(self) -> float:
        """elapsed seconds; not part of the result"""
    def run(self, *, progress: bool | Callable[[int, int], object] | None = None) -> Self:
        """Goes on to the end of a run that was stopped."""
    def predict(self, items: str | Sequence[str] | Corpus, *, scores: bool = False) -> Any:
        """The class of a text, or of each of a list of texts or of the items of a Corpus, by name.
        
        scores=True gives numbers instead: of two classes one, above 0 for the second class; else
        one for each class, the largest wins."""
    def attention(self, items: str | Sequence[str] | Corpus) -> Any:
        """The words of a text with their weights, an Attention; a list of them for a list of texts
        or a Corpus."""

class Flow(Result):
    """A token flow: its present state by name, and what moves it."""

    @property
    def steps(self) -> int:
        """number of steps taken"""
    @property
    def log10_steps(self) -> float:
        """decimal logarithm of the number of steps"""
    @property
    def time(self) -> float | None:
        """time reached by an ODE; null otherwise"""
    @property
    def outcome(self) -> str:
        """what ended the run: steps, converged or sliding; running means that it was stopped"""
    @property
    def converged(self) -> bool:
        """the residual is small and a certificate holds"""
    @property
    def residual(self) -> float:
        """max_i |avg_i - x_i| (speed, on the sphere)"""
    @property
    def tokens(self) -> FloatArray:
        """the final tokens"""
    @property
    def clusters(self) -> int:
        """number of clusters"""
    @property
    def cluster_list(self) -> Table:
        """the clusters, an object for each"""
    @property
    def labels(self) -> IntArray:
        """cluster of each token"""
    @property
    def leaders(self) -> IntArray:
        """tokens that were alone in their own neighbour set at some step"""
    @property
    def target(self) -> IntArray:
        """the token that each token followed last, while sets could still change; -1: not unique"""
    @property
    def switches(self) -> int:
        """total number of changes of target"""
    @property
    def last_switch(self) -> int:
        """step of the last change of target, -1: none"""
    @property
    def diameter(self) -> float:
        """max |x_i - x_j|"""
    @property
    def hull_vertices(self) -> IntArray:
        """tokens at the vertices of the hull; null when n^2 d exceeds 2^24 in more than 3 dimensions"""
    @property
    def graph(self) -> Group:
        """components: strongly connected components of the neighbour graph of a set rule; sinks: number of closed components, which no arc leaves; classes: the closed components, whose tokens listen only to each other; arcs: number of pairs i, j where token i listens to another token j; one_way: number of arcs whose reverse is not an arc; aligned: whether a token's own score is the largest of its row; component: strongly connected component of each token; captured: hull vertex whose neighbour set (its cap) contains all that the token listens to, -1: none; remaining: number of tokens that no vertex has captured; acting: number of remaining tokens that some captured token still listens to"""
    @property
    def gap_max(self) -> float:
        """largest Frank-Wolfe gap <B x_i, x_l - x_i>"""
    @property
    def energy(self) -> float:
        """mean of J = <B x_i, x_i>/2"""
    @property
    def interaction(self) -> float | None:
        """energy of softmax on the sphere: sum_ij m_i m_j exp(beta (s_ij - 1)) / (2 beta M^2)"""
    @property
    def merges(self) -> Any:
        """tokens that merged into another; null unless merging"""
    @property
    def merge_bound(self) -> Any:
        """upper bound of the distance that merging has moved any token"""
    @property
    def log10_time(self) -> Any:
        """decimal logarithm of the time of leaps on the sphere"""
    @property
    def merge_list(self) -> Any:
        """merges of a flow that leaps"""
    @property
    def plateaus(self) -> Any:
        """times between merges that outlast all the time before"""
    @property
    def skip_distance(self) -> Any:
        """bound, in total variation, of how much freezing has changed the law of the chain"""
    @property
    def method(self) -> str:
        """stepped, leap, closed-form once the sets were proved to last, exact for the hardmax ODE"""
    @property
    def attention(self) -> str:
        """methods that steps were computed by: direct, tree, hull, rows"""
    @property
    def attention_error(self) -> Any:
        """proved error of every average so far, relative to its farthest token; null: rounding of double alone"""
    @property
    def limits(self) -> FloatArray | None:
        """limits of the tokens, when they are proved"""
    @property
    def certificate(self) -> Group:
        """kind: what proves convergence (consensus, theorem-4.2, quiescence or fixed-point), or metastable, sliding or none, which prove nothing; rate: contraction per step (of the ODE: per unit of time); of metastable: diameters per step; distance: largest distance of a token to its limit; groups: number of closed groups; step: step from which on the neighbour sets are proved to last; still: step from which on the residual is below the tolerance, by the closed form; q1: least slack of Q1: epsilon less the spread of scores inside a group; q2: least slack of Q2: lowest score inside less highest outside less epsilon; decays: the proof of Q1 used claim T8: epsilon falls no faster than the group shrinks; diameter: diameter of the cloud when consensus was proved; token: the token that slides along a wall; wall: the two tokens between whose cells it slides"""
    @property
    def version(self) -> str:
        """version of tropism"""
    @property
    def seed(self) -> int:
        """seed of the run; text beyond 9223372036854775807"""
    @property
    def standing(self) -> str | None:
        """proved: --proof writes what certifies the result for a checker; asserted: what certifies it is the word of the program; null: nothing is certified"""
    @property
    def seconds(self) -> float:
        """elapsed seconds; not part of the result"""
    def run(self, steps: int | float | None = None, *, time: float | None = None, progress: bool | Callable[[int, int], object] | None = None) -> Self:
        """Steps to the end of the run and judges it. `steps` (or `time`, of flows that go by time)
        moves that end: a run that came to its end goes on, and is as one that was made with it."""
    def step(self, steps: int = 1, *, progress: bool | Callable[[int, int], object] | None = None) -> Self:
        """Takes so many further steps, also beyond the `steps` of the run; fewer when the flow has
        converged, or the end of its `time` comes first."""
    def until_converged(self, *, progress: bool | Callable[[int, int], object] | None = None) -> Self:
        """Steps until a certificate proves that the flow has converged; at most `steps` (`time` of
        an ODE). One that has not warns, a ConvergenceWarning; `run(steps=...)` goes on."""
    def plot(self, *arguments: Any, **options: Any) -> Any:
        """A picture by the library, or on the axes `ax` of matplotlib.
        
        `kind` and `options` are those of `tropism plot` (title, width, height, x, y, ...); `out`
        writes .pdf, .svg, .png or .gif as well.
        
        Of a small flow what the picture needs is recorded by itself; of others, give `record`."""
    def report(self, path: str | PathLike[str]) -> None:
        """Writes the result as one page, .html, that needs no other file: the answer in words,
        pictures, certificate, every number with its meaning, and what was run. The tokens of a small flow are recorded for it by
        themselves."""
    @property
    def done(self) -> bool:
        """Whether the run has come to its end."""
    @property
    def record(self) -> Group:
        """What was recorded (option `record`): arrays by name, a row for each record."""
    def weights(self, i: int | None = None) -> FloatArray:
        """The attention weights of token i in the present state, (n); of all tokens, (n, n)."""
    def to_dict(self) -> dict[str, Any]:
        """Everything as dicts, lists, numbers, texts and None, which json.dumps takes, the record
        included."""
    def to_xarray(self) -> Any:
        """As of every result, and the record: `record.NAME` along the axis `record`."""
    def to_pandas(self, name: str | None = None) -> Any:
        """The record as a pandas.DataFrame, its columns of one number; or the list called name."""

class Hull(Result):
    """The convex hull of points, in any dimension."""

    @property
    def dimension(self) -> int:
        """of the hull"""
    @property
    def vertices(self) -> IntArray:
        """points that are vertices"""
    @property
    def outline(self) -> Any:
        """in two dimensions: the vertices counterclockwise from the lowest index"""
    @property
    def candidates(self) -> IntArray:
        """points that may attain the maximum of a linear functional"""
    @property
    def edges(self) -> IntArray:
        """pairs of vertices joined by an edge"""
    @property
    def diameter(self) -> float:
        """largest distance of two points"""
    @property
    def width(self) -> float:
        """least distance of two parallel planes around it; above 3 dimensions a bound from above; null when not known"""
    @property
    def width_lower(self) -> float:
        """proved bound of the width from below"""
    @property
    def volume(self) -> float:
        """in its own dimension; null when not known"""
    def support(self, direction: ArrayLike) -> tuple[float, int]:
        """max <direction, x> over the hull, and the first vertex that attains it."""
    def place(self, query: ArrayLike) -> Group:
        """Where a point stands: side, distance, proved lower bound, depth, the nearest point of the
        hull, the direction from there, and the weights of the combination."""
    @property
    def options(self) -> dict[str, Any]:
        """The points."""
    def plot(self, *arguments: Any, **options: Any) -> Any:
        """A picture by the library, or on the axes `ax` of matplotlib.
        
        `kind` and `options` are those of `tropism plot` (title, width, height, x, y, ...); `out`
        writes .pdf, .svg, .png or .gif as well."""

class Inspection(Result):
    """The heads of a transformer on a text or on many: what each selects, and how firmly."""

    @property
    def model(self) -> Group:
        """path: folder or file; family: bert, gpt2 or llama; layers: number of layers of the model; heads: number of heads of a layer"""
    @property
    def texts(self) -> int:
        """number of texts that were read"""
    @property
    def heads(self) -> Table:
        """the heads that were looked at, an object for each"""
    @property
    def version(self) -> str:
        """version of tropism"""
    @property
    def seed(self) -> int:
        """seed of the run; text beyond 9223372036854775807"""
    @property
    def standing(self) -> str:
        """proved: --proof writes what certifies the result for a checker; asserted: what certifies it is the word of the program; null: nothing is certified"""
    @property
    def seconds(self) -> float:
        """elapsed seconds; not part of the result"""
    @property
    def tokens(self) -> list[str] | None:
        """tokens of the text, as words"""
    @property
    def ids(self) -> IntArray | None:
        """numbers of these tokens in the vocabulary"""
    @property
    def hidden(self) -> FloatArray | None:
        """the last hidden states, behind the last norm"""
    @property
    def layers(self) -> Table | None:
        """streams between layers"""
    def array(self, name: str) -> FloatArray | IntArray:
        """A number of every head, (layers, heads), or of its rows, (layers, heads, tokens), or q, k
        and v, (layers, heads, tokens, d): of those that were looked at, in their order; NaN where
        there is none."""
    def to_xarray(self) -> Any:
        """The numbers of heads along (layer, head), those of their rows along (layer, head, token),
        the residual stream's along (stream) as `layers.NAME`, the last hidden states along (token,
        channel); the rest as attributes."""

class Margin(Result):
    """The solution of a max-margin problem, with the proof of its gap."""

    @property
    def outcome(self) -> str:
        """solved, infeasible (with a proof), stalled or iteration-limit (the bounds hold all the same)"""
    @property
    def norm(self) -> float:
        """the optimal norm, as upper; inf when infeasible"""
    @property
    def margin(self) -> float:
        """1 / norm"""
    @property
    def lower(self) -> float:
        """proved: the optimal norm is at least this"""
    @property
    def upper(self) -> float:
        """proved: it is at most this; the weights attain it"""
    @property
    def gap(self) -> float:
        """upper / lower - 1"""
    @property
    def tolerance(self) -> float:
        """largest gap of a solution: the requested gap, or 8 u kappa if that is more; of several selections as good as each other, the largest of theirs"""
    @property
    def kappa(self) -> float:
        """max_j |A_j| |W|, how far rounding is magnified"""
    @property
    def weights(self) -> Group:
        """p: solution of the prompt model, a vector (d); W: solution of models with a matrix (d, d): the logits are x' W z; v: solution of the label problem, a vector (d)"""
    @property
    def factors(self) -> Group:
        """K: nuclear norm: factor K (d, rank) of W = K Q'; Q: nuclear norm: factor Q (d, rank) of W = K Q'"""
    @property
    def finite(self) -> Group:
        """W: W_fin of selected sets with attention: least Frobenius norm; outcome: outcome of solving the equations for W_fin, with the words of outcome; norm: Frobenius norm of W_fin"""
    @property
    def alpha(self) -> IntArray:
        """the token that each input selects; of sequence input i T + k is place k of input i"""
    @property
    def support(self) -> IntArray:
        """inequalities that hold with equality, equations apart: [input, token]; of graph [last word, word that loses]; of l1, linf, nuclear and spectral, where optima can be many, those of the returned W"""
    @property
    def support_doubtful(self) -> int:
        """number of inequalities for which the accuracy leaves open whether they belong to the support"""
    @property
    def multipliers(self) -> FloatArray:
        """multipliers of the constraints in their order (input after input, token after token), scaled to |A' lambda|_dual = 1"""
    @property
    def constraints(self) -> int:
        """number of constraints"""
    @property
    def rank(self) -> int | None:
        """rank of W: the number of columns of the factors (nuclear norm), or a proved lower bound (l2)"""
    @property
    def rank_upper(self) -> int | None:
        """the rank is exact when this is the same"""
    @property
    def rank_tail(self) -> float | None:
        """at most this share of the norm of any optimum lies beyond rank_upper directions"""
    @property
    def locally_optimal(self) -> bool:
        """selected tokens score higher than those of the support: true, false or ambiguous; with relaxed inputs null; of l1, linf, nuclear and spectral that of the returned W"""
    @property
    def score_gap(self) -> float:
        """least difference of scores over the support and what may be of it; inf when both are empty"""
    @property
    def score_gap_at(self) -> IntArray:
        """input and token that attain it"""
    @property
    def iterations(self) -> int:
        """iterations of all solvers together"""
    @property
    def certificate(self) -> Group:
        """kind: duality, lower-bound (no more is proved), zero-row, farkas-exact or farkas-enclosed; rows: constraints that contradict each other; tau: |A' lambda| of multipliers of sum 1: the norm is at least 1 / tau; not of exact proofs; margin: least margin of the weights, rounded down"""
    @property
    def cone(self) -> Group:
        """theta: 1 / norm, of the cone of P1 eq. 32 (l2); delta: half the least margin between support and other tokens; mu: width of the cone: it holds the directions with cosine at least 1 - mu and norms ...; radius: ... of at least this, gradient descent converges to this solution"""
    @property
    def assumptions(self) -> Group:
        """equal_scores: P1 B, P2 B.2: tokens that are not optimal score the same; all_support: P2 B.1: every token is support; with relaxed inputs null; mean_margin: over constraints with right side 1; P2 takes below 1.1 for B.1; first_step: P2 C: the first step of gradient descent from 0 separates; margin_shrinks: P1 C: mixing other tokens in lowers the label margin; decided where the selected tokens times their labels are one vector, null otherwise; shrinkage: P1 C: by at least this times the largest mass on other tokens; mixing_hurts: P1 D, of linear heads: where attention puts less on tokens that are not optimal, the loss is lower; others_blocked: P2 D (with enumerate): every other selection with a solution has an input where it is not optimal and the optimal token is support; stronger than no other being locally optimal"""
    @property
    def direction(self) -> Group:
        """alpha: tokens that the given direction selects, -1: a tie; others: inputs in which it does not select the token of alpha: what follows from cosine on is then about the solution for other tokens; margin: least lead of the tokens that it selects, over its l2 norm; norm_margin: the same over its norm in the norm of the problem; neighbours: tokens that attain its own least lead; optimal: whether these neighbours score lower than the selected tokens; of other tokens it says nothing: locally_optimal of their solution does; cosine: cosine of the direction with the solution; null when there is none; ratio: least margin of the direction in the constraints of the problem over its norm, as a share of the best margin: 1 is a solution, below 0 selects other tokens; bregman: directional Bregman divergence of the solution from the direction, of l2 and lp"""
    @property
    def combinations(self) -> int:
        """selections that were tried"""
    @property
    def feasible(self) -> int:
        """number of selections that have a solution"""
    @property
    def selections(self) -> Any:
        """selections that are locally optimal (with enumerate), smallest norm first"""
    @property
    def version(self) -> str:
        """version of tropism"""
    @property
    def seed(self) -> int:
        """seed of the run; text beyond 9223372036854775807"""
    @property
    def standing(self) -> str:
        """proved: --proof writes what certifies the result for a checker; asserted: what certifies it is the word of the program; null: nothing is certified"""
    @property
    def seconds(self) -> float:
        """elapsed seconds; not part of the result"""

class Path(Result):
    """A regularisation path."""

    @property
    def loss_infimum(self) -> float:
        """L*, of a fixed decoder"""
    @property
    def unique(self) -> bool:
        """every input has one token of the highest score"""
    @property
    def solution(self) -> Group:
        """alpha: tokens of the highest scores; of local: those of select; norm: |W_mm|_p, the least norm that selects them by margins of 1; lower: proved: it is at least this"""
    @property
    def radii(self) -> Table:
        """results at each radius, an object for each"""
    @property
    def version(self) -> str:
        """version of tropism"""
    @property
    def seed(self) -> int:
        """seed of the run; text beyond 9223372036854775807"""
    @property
    def standing(self) -> Any:
        """proved: --proof writes what certifies the result for a checker; asserted: what certifies it is the word of the program; null: nothing is certified"""
    @property
    def seconds(self) -> float:
        """elapsed seconds; not part of the result"""

class Reproduction(Result):
    """A figure or table of the papers, ours beside the published numbers."""

    @property
    def id(self) -> Any:
        """id of the figure or table, or all"""
    @property
    def statement(self) -> Any:
        """what the figure or table shows"""
    @property
    def status(self) -> Any:
        """measured, artifact, needs-data, ..."""
    @property
    def remark(self) -> Any:
        """a remark on the figure or table; null: none"""
    @property
    def figure(self) -> Any:
        """file of the picture, with .pdf and .png beside it; null: none"""
    @property
    def rows(self) -> Any:
        """our numbers beside the published ones"""
    @property
    def verdict(self) -> Any:
        """reproduced, independent, differs, not-decidable or needs-data"""
    @property
    def version(self) -> Any:
        """version of tropism"""
    @property
    def seed(self) -> Any:
        """seed of the run; text beyond 9223372036854775807"""
    @property
    def standing(self) -> Any:
        """proved: --proof writes what certifies the result for a checker; asserted: what certifies it is the word of the program; null: nothing is certified"""
    @property
    def seconds(self) -> Any:
        """elapsed seconds; not part of the result"""

class ReproductionOfAll(Result):
    """Every figure and table of the papers."""

    @property
    def id(self) -> Any:
        """always the word all"""
    @property
    def report(self) -> Any:
        """file of the report; null: none"""
    @property
    def reproduced(self) -> Any:
        """figures and tables whose published numbers all agree"""
    @property
    def independent(self) -> Any:
        """number that agree with an independent program, where no paper prints a number"""
    @property
    def differs(self) -> Any:
        """number in which some value differs from the published one"""
    @property
    def undecided(self) -> Any:
        """number that were not computed, or whose hypotheses fail"""
    @property
    def needs_data(self) -> Any:
        """number that need outside data, and are not counted"""
    @property
    def list(self) -> Any:
        """every figure and table"""
    @property
    def version(self) -> Any:
        """version of tropism"""
    @property
    def seed(self) -> Any:
        """seed of the run; text beyond 9223372036854775807"""
    @property
    def standing(self) -> Any:
        """proved: --proof writes what certifies the result for a checker; asserted: what certifies it is the word of the program; null: nothing is certified"""
    @property
    def seconds(self) -> Any:
        """elapsed seconds; not part of the result"""

class Threshold(Result):
    """An epsilon at which localmax begins to bring a cloud to one point, between two proofs."""

    @property
    def low(self) -> float:
        """at this epsilon the cloud is proved to keep several limits; null when nothing is proved below high, and when high is 0"""
    @property
    def high(self) -> float:
        """at this epsilon the cloud is proved to come to consensus"""
    @property
    def runs(self) -> int:
        """flows that were run to find the two"""
    @property
    def undecided(self) -> Any:
        """least and largest epsilon between the two at which the flow ended without a proof; null when there is none"""
    @property
    def complete(self) -> float:
        """least epsilon from which on every token attends to every other in the first step: consensus at the mean (T12)"""
    @property
    def bound(self) -> float:
        """above this epsilon consensus is certain for gamma < 1 (T4); 0: above 0"""
    @property
    def first(self) -> float:
        """least epsilon above 0 that adds a token to a neighbour set of the first step; infinite when none does"""
    @property
    def certificate(self) -> Group:
        """kind: bracket: low and high are proved; least: high is 0, and there is no low; null when low is not proved; low: proof of low: quiescence, theorem-4.2 or fixed-point of its run; null: there is none; high: proof of high: T12, T4, or quiescence or consensus of its run"""
    @property
    def version(self) -> str:
        """version of tropism"""
    @property
    def seed(self) -> int:
        """seed of the run; text beyond 9223372036854775807"""
    @property
    def standing(self) -> str:
        """proved: --proof writes what certifies the result for a checker; asserted: what certifies it is the word of the program; null: nothing is certified"""
    @property
    def seconds(self) -> float:
        """elapsed seconds; not part of the result"""
    @property
    def tokens(self) -> FloatArray:
        """The tokens, (n, d)."""

class Train(Result):
    """Attention that was trained, compared with max-margin solutions."""

    @property
    def steps(self) -> int:
        """number of steps that were done"""
    @property
    def loss(self) -> float:
        """mean loss over the inputs"""
    @property
    def loss_infimum(self) -> float:
        """infimum of the loss, where it is known: linear heads and a fixed decoder"""
    @property
    def log_gap(self) -> float:
        """log(loss - infimum), without cancellation"""
    @property
    def alpha(self) -> IntArray:
        """the token that each input selects, with more than half of the attention; -1: undecided; of sequence input i T + k is place k of input i"""
    @property
    def undecided(self) -> int:
        """inputs that are"""
    @property
    def saturation(self) -> float:
        """mean of the largest weights"""
    @property
    def norm(self) -> float:
        """norm of the weights (of K Q' for kq, without v), in the norm whose margin the optimiser maximises"""
    @property
    def log_norm(self) -> float:
        """natural logarithm of norm"""
    @property
    def weights(self) -> Group:
        """p: weights of the prompt model; unit directions when the norm exceeds 1e300; W: weights of models with a matrix (d, d): the logits are x' W z; K: weights of kq: K (d, width); Q: weights of kq: Q (d, width); v: weights of joint: the decoder v"""
    @property
    def correlation(self) -> float:
        """cosine with the l2 solution for alpha"""
    @property
    def bregman(self) -> float:
        """directional Bregman divergence, solution first: with p of the run, 2 for optimisers without one"""
    @property
    def margins(self) -> Group:
        """l1: least margin of the selected tokens over the l1 norm; l2: over the l2 norm; lp: over the lp norm, p of the run; linf: over the l-infinity norm; nuclear: over the nuclear norm; spectral: over the spectral norm"""
    @property
    def own(self) -> Group:
        """norm: norm whose margin the optimiser maximises; of kq, whose W is K Q', nuclear; ratio: after all steps: least margin of W in this norm as a share of the best for alpha, 1 for a solution; null where solving for that would take long"""
    @property
    def locally_optimal(self) -> bool:
        """whether the selection alpha is locally optimal in the norm of bregman: true, false, or ambiguous when rounding leaves it open"""
    @property
    def nuclear(self) -> Group:
        """distance_lower: kq: W / |W|_* is at least this far from the solutions of the nuclear problem (unit norm); distance_upper: kq: W / |W|_* is at most this far from these solutions"""
    @property
    def solution(self) -> Group:
        """weights: the max-margin solution for alpha, of the shape of p or W; of kq that of K Q'; norm: norm that this solution makes smallest: lp with the p of the run for optimisers with an exponent, nuclear for kq, else l2"""
    @property
    def several(self) -> Group:
        """direction: where inputs keep several tokens (attention above 1e-3): correlation with W_mm (Gen-SVM); both: correlation with W_fin + R W_mm in the same case; radius: R, by least squares; undecided: weights between 1e-6 and 1e-3"""
    @property
    def history(self) -> Table:
        """the same numbers at log-spaced steps"""
    @property
    def version(self) -> str:
        """version of tropism"""
    @property
    def seed(self) -> int:
        """seed of the run; text beyond 9223372036854775807"""
    @property
    def standing(self) -> Any:
        """proved: --proof writes what certifies the result for a checker; asserted: what certifies it is the word of the program; null: nothing is certified"""
    @property
    def seconds(self) -> float:
        """elapsed seconds; not part of the result"""
    def run(self, steps: int | None = None, *, progress: bool | Callable[[int, int], object] | None = None) -> Self:
        """Goes on to the end of a run that was stopped. `steps` moves that end: a run that came to
        its end goes on, and is as one that was made with it."""

def flow(
    tokens: str | PathLike[str] | ArrayLike | None = None,
    *,
    masses: str | PathLike[str] | ArrayLike | None = None,
    out: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    proof: str | PathLike[str] | None = None,
    record: str | PathLike[str] | Sequence[Any] | NDArray[Any] | None = None,
    every: int | None = 1,
    checkpoint: int | None = 0,
    resume: str | PathLike[str] | None = None,
    print_tokens: bool | None = False,
    time_limit: float | None = 0.0,
    copies: int | None = 0,
    betas: str | PathLike[str] | Sequence[Any] | NDArray[Any] | None = None,
    epsilons: str | PathLike[str] | Sequence[Any] | NDArray[Any] | None = None,
    alphas: str | PathLike[str] | Sequence[Any] | NDArray[Any] | None = None,
    gammas: str | PathLike[str] | Sequence[Any] | NDArray[Any] | None = None,
    n: int | None = 64,
    d: int | None = 2,
    init: Literal['gaussian', 'uniform', 'sphere', 'polygon'] | None = 'gaussian',
    seed: int | None = 1,
    dynamics: Literal['layer', 'residual', 'ode', 'chain', 'sa', 'usa', 'sa-step'] | None = 'layer',
    rule: Literal['softmax', 'hardmax', 'localmax', 'minp', 'topk', 'sparsemax', 'entmax', 'uniform', 'confidence'] | None = 'softmax',
    beta: float | str | ArrayLike | Callable[[int], float] | None = 1.0,
    epsilon: float | str | ArrayLike | Callable[[int], float] | None = 0.1,
    form: Literal['additive', 'relative', 'cosine', 'probability'] | None = 'additive',
    k: int | None = 1,
    a: float | None = 1.5,
    confidence: float | None = 1.0,
    ties: Literal['points', 'indices', 'first'] | None = 'points',
    mask: Literal['full', 'causal'] | None = 'full',
    gamma: float | str | ArrayLike | Callable[[int], float] | None = None,
    alpha: float | None = 0.0,
    key_query: float | str | ArrayLike | None = 'identity',
    value: float | str | ArrayLike | None = None,
    steps: int | float | str | None = 10000,
    tolerance: float | None = 1e-12,
    until: Literal['steps', 'converged'] | None = 'steps',
    integrator: Literal['auto', 'euler', 'rk4', 'dopri5', 'cvode', 'exact'] | None = 'auto',
    dt: float | None = 0.01,
    time: float | None = 10.0,
    accuracy: float | None = 1e-09,
    usa: Literal['survey', 'shifted'] | None = 'survey',
    clock: Literal['time', 'gradient'] | None = 'time',
    draw_key_query: Literal['none', 'gaussian', 'goe'] | None = 'none',
    draw_value: Literal['none', 'gram', 'ascent', 'descent'] | None = 'none',
    merge: float | Literal['off', 'auto'] | None = 'off',
    cluster: float | None = 1e-06,
    closed_form: Literal['auto', 'never', 'only'] | None = 'auto',
    leap: bool | None = False,
    leap_tolerance: float | None = 1e-06,
    method: Literal['auto', 'direct', 'tree', 'hull', 'rows'] | None = 'auto',
    precision: Literal['double', 'single'] | None = 'double',
    threads: int | None = 0,
    kernel: Literal['auto', 'baseline', 'avx2', 'avx512', 'neon', 'relaxed'] | None = 'auto',
    device: Literal['cpu', 'cuda', 'cuda:0', 'cuda:1', 'cuda:2', 'cuda:3', 'cuda:4', 'cuda:5', 'cuda:6', 'cuda:7'] | None = 'cpu',
    progress: bool | Callable[[int, int], object] | None = None,
) -> Flow:
    """A token flow, at its first state: call run(), step() or until_converged(). Of tokens of
    shape (m, n, d): m flows in bulk, run to their ends, Copies.

    Parameters
    ----------
    tokens
        initial tokens, a row each: an array, or a file .npy, .csv, FILE.h5:/path; of shape (m, n, d): m copies, each from its own
    masses
        masses of the tokens (1 each when not given): an array, or a file .npy, .csv, FILE.h5:/path
    out
        result: .h5 (everything), .json (as --json), .npy (final tokens) or .csv (what was recorded, else the final tokens, of copies a row each; FILE.csv:NAME has another list or array)
    report
        the result as one page to read, which needs no other file
    proof
        what is proved of the result, for tropism_verify.py to check (docs/proofs.md)
    record
        names of what to record at each step, as a list or a text separated by commas
    every
        steps from one record to the next [a whole number from 1 to 1e+18]; with record
    checkpoint
        steps from one checkpoint to the next, 0: none; needs an out in .h5 [a whole number from 0 to 1e+18]; with out and without copies
    resume
        continues the run that wrote this result file; without copies
    print_tokens
        prints the tokens in JSON also when n d exceeds 10000 [yes | no]
    time_limit
        seconds after which the run ends with what it has, 0: none; checked between steps [at least 0]
    copies
        number of copies of the flow, computed together with seeds seed, seed + 1, ...; 0: one flow, described in full [a whole number from 0 to 1000000000]
    betas
        runs all copies at each beta of the list (0.1:9:0.1); with copies; or with tokens
    epsilons
        runs all copies at each epsilon of the list; of several lists all combinations, betas slowest, then epsilons, alphas or gammas; with copies; or with tokens
    alphas
        the same for alpha; with copies; or with tokens
    gammas
        the same for gamma; with copies; or with tokens
    n
        number of tokens, when they are drawn [a whole number from 1 to 1000000000000]
    d
        dimension, when tokens are drawn [a whole number from 1 to 1000000000]
    init
        distribution from which the initial tokens are drawn [gaussian | uniform | sphere | polygon]; without tokens
    seed
        seed of every random number [a whole number from 0 to 18446744073709551615]
    dynamics
        equation by which tokens move [layer | residual | ode | chain | sa | usa | sa-step]
    rule
        rule that turns scores into attention weights [softmax | hardmax | localmax | minp | topk | sparsemax | entmax | uniform | confidence]
    beta
        inverse temperature of the softmax [any number, or a schedule name:parameters, a list of its values at steps 0, 1, ..., a function of the step, or @FILE]; with rule softmax, minp, topk, sparsemax or entmax; or with rule localmax and with form probability
    epsilon
        tolerance of localmax and minp [at least 0, or a schedule name:parameters, a list of its values at steps 0, 1, ..., a function of the step, or @FILE]; with rule localmax or minp
    form
        how epsilon is compared with the scores [additive | relative | cosine | probability]; with rule localmax or minp
    k
        number of tokens that topk keeps [a whole number from 1 to 1000000000000]; with rule topk
    a
        exponent of entmax [from 1 to 64]; with rule entmax
    confidence
        radius of bounded confidence [at least 0]; with rule confidence; or with record and with rule other than localmax
    ties
        how hardmax treats equal scores [points | indices | first]; with rule hardmax
    mask
        which tokens a token can attend to [full | causal]
    gamma
        step size (0.5 when nothing sets it) [above 0 and at most 1, or a schedule name:parameters, a list of its values at steps 0, 1, ..., a function of the step, or @FILE]; with dynamics layer or chain
    alpha
        sets gamma = alpha/(1+alpha); 0: not used [at least 0]; with dynamics layer or chain
    key_query
        B of the scores <B x_i, x_j> [identity, a number times it, an array (d, d), or a .npy or .csv file]
    value
        V: the step is (I+V)^-1 V instead of gamma I [identity, a number times it, an array (d, d), or a .npy or .csv file]; with dynamics layer, residual, sa, usa or sa-step
    steps
        largest number of steps [a whole number from 0, 1e400 and inf included]; with dynamics other than sa, usa or sa-step; or without leap
    tolerance
        residual below which a run may converge, relative to the initial diameter [from 0 to 1]; with dynamics other than residual
    until
        what ends a run before its last step [steps | converged]; with dynamics other than residual or chain; or with leap
    integrator
        integrator of ode, sa and usa [auto | euler | rk4 | dopri5 | cvode | exact]; with dynamics ode, sa or usa and without leap
    dt
        time step (the first one, when adaptive) [above 0 and at most 1000000]; with dynamics ode, sa, usa or sa-step and with rule other than hardmax and without leap
    time
        end time of ode, sa, usa and sa-step; with steps alone there is none [at least 0]; with dynamics ode, sa, usa or sa-step
    accuracy
        local error of adaptive integrators, relative to the radius; of method = tree: error of an average, relative to the farthest token [above 0 and at most 1]; with dynamics ode, sa or usa and with integrator auto, dopri5 or cvode and with rule other than hardmax and without leap; or with rule softmax or localmax and with method tree; or with rule softmax or localmax and with method auto and with n at least 16384
    usa
        weights exp(beta s)/n or exp(beta (s-1))/n [survey | shifted]; with dynamics usa
    clock
        gradient: divides all velocities by their common length, so that time is the length of the path [time | gradient]; with dynamics ode, sa or usa and with rule other than hardmax and without leap
    draw_key_query
        B drawn by the seed: G_1 G_2/sqrt(d), or (G + G')/sqrt(2), of normal G [none | gaussian | goe]; with key_query identity
    draw_value
        V drawn by the seed: G G'/sqrt(d); or B, or -B, over sqrt(d) (goe: sqrt(d + 1)) [none | gram | ascent | descent]; with dynamics layer, residual, sa, usa or sa-step and without value
    merge
        joins tokens that are this close; auto: 8 ulp of radius/gamma [off, auto, or at least 0]; with dynamics other than chain
    cluster
        linking distance of clusters, relative to the initial diameter [from 0 to 1]
    closed_form
        jumps by the closed form once the neighbour sets are proved to last; only: refuses a run that has none at its start [auto | never | only]; with dynamics layer or ode and with rule hardmax; or with dynamics layer and with rule localmax and with form additive or probability
    leap
        leaps over slow times of softmax (layer, sa, usa) and of the chain [yes | no]; with dynamics layer, chain, sa or usa and with rule softmax
    leap_tolerance
        relative error that leaps may make in the time of every event [from 1e-10 to 0.01]; with leap
    method
        how averages are computed: from every pair of tokens (direct), by a tree or the hull, or row by row; auto: the cheapest [auto | direct | tree | hull | rows]; with rule softmax, hardmax or localmax; or with method rows
    precision
        single: softmax in single precision with a proved error bound; hardmax and localmax are unchanged [double | single]; with rule softmax, hardmax or localmax
    threads
        number of threads, 0: all cores, at most OMP_NUM_THREADS; never changes a result [a whole number from 0 to 1024]
    kernel
        instruction set; never changes a result [auto | baseline | avx2 | avx512 | neon | relaxed]
    device
        machine that computes the rows of attention; cuda: a GPU, the bits of method = rows [cpu | cuda | cuda:0 | cuda:1 | cuda:2 | cuda:3 | cuda:4 | cuda:5 | cuda:6 | cuda:7]
    progress
        True or False: whether a bar is shown (None: when it takes long);
        or a function of (done, total), called between steps: a true answer stops.
    """
def cells(
    tokens: str | PathLike[str] | ArrayLike | None = None,
    *,
    query: str | PathLike[str] | ArrayLike | None = None,
    out: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    proof: str | PathLike[str] | None = None,
    print_tokens: bool | None = False,
    n: int | None = 64,
    d: int | None = 2,
    init: Literal['gaussian', 'uniform', 'sphere', 'polygon'] | None = 'gaussian',
    seed: int | None = 1,
    key_query: float | str | ArrayLike | None = 'identity',
    eta: float | Literal['off'] | None = 'off',
    erode: float | Literal['off'] | None = 'off',
    threads: int | None = 0,
    progress: bool | Callable[[int, int], object] | None = None,
) -> Cells:
    """Hull and cells of a cloud of tokens.

    Parameters
    ----------
    tokens
        the tokens, a row each: an array, or a file .npy, .csv, FILE.h5:/path
    query
        further points to label, a row each: an array, or a file .npy, .csv, FILE.h5:/path
    out
        result: .h5 (everything), .json (as --json) or .csv (arrays over the tokens; FILE.csv:NAME has another list or array)
    report
        the result as one page to read, which needs no other file
    proof
        what is proved of the result, for tropism_verify.py to check (docs/proofs.md)
    print_tokens
        prints the tokens in JSON also when n d exceeds 10000 [yes | no]
    n
        number of tokens, when they are drawn [a whole number from 1 to 1000000000000]
    d
        dimension, when tokens are drawn [a whole number from 1 to 1000000000]
    init
        distribution from which the initial tokens are drawn [gaussian | uniform | sphere | polygon]; without tokens
    seed
        seed of the drawn tokens [a whole number from 0 to 18446744073709551615]
    key_query
        B of the scores <B x_i, x_j> [identity, a number times it, an array (d, d), or a .npy or .csv file]
    eta
        least lead of a vertex in its dominance cone [off, or at least 0]
    erode
        radius by which dominance cones are eroded (eta 0 unless given) [off, or at least 0]
    threads
        number of threads, 0: all cores, at most OMP_NUM_THREADS; never changes a result [a whole number from 0 to 1024]
    progress
        True or False: whether a bar is shown (None: when it takes long);
        or a function of (done, total), called between steps: a true answer stops.
    """
def threshold(
    tokens: str | PathLike[str] | ArrayLike | None = None,
    *,
    masses: str | PathLike[str] | ArrayLike | None = None,
    out: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    proof: str | PathLike[str] | None = None,
    print_tokens: bool | None = False,
    time_limit: float | None = 0.0,
    n: int | None = 64,
    d: int | None = 2,
    init: Literal['gaussian', 'uniform', 'sphere', 'polygon'] | None = 'gaussian',
    seed: int | None = 1,
    key_query: float | str | ArrayLike | None = 'identity',
    gamma: float | str | ArrayLike | Callable[[int], float] | None = None,
    alpha: float | None = 0.0,
    width: float | None = 1e-06,
    steps: int | float | str | None = 10000,
    tolerance: float | None = 1e-12,
    threads: int | None = 0,
    kernel: Literal['auto', 'baseline', 'avx2', 'avx512', 'neon', 'relaxed'] | None = 'auto',
    progress: bool | Callable[[int, int], object] | None = None,
) -> Threshold:
    """Brackets an epsilon at which localmax begins to bring a cloud to one point.

    Parameters
    ----------
    tokens
        the tokens, a row each: an array, or a file .npy, .csv, FILE.h5:/path
    masses
        masses of the tokens (1 each when not given): an array, or a file .npy, .csv, FILE.h5:/path
    out
        result: .h5 (everything) or .json (as --json)
    report
        the result as one page to read, which needs no other file
    proof
        what is proved of the result, for tropism_verify.py to check (docs/proofs.md)
    print_tokens
        prints the tokens in JSON also when n d exceeds 10000 [yes | no]
    time_limit
        seconds after which the search ends with what it knows; 0: none [at least 0]
    n
        number of tokens, when they are drawn [a whole number from 1 to 1000000000000]
    d
        dimension, when tokens are drawn [a whole number from 1 to 1000000000]
    init
        distribution from which the initial tokens are drawn [gaussian | uniform | sphere | polygon]; without tokens
    seed
        seed of the drawn tokens [a whole number from 0 to 18446744073709551615]
    key_query
        B of the scores <B x_i, x_j> [identity, a number times it, an array (d, d), or a .npy or .csv file]
    gamma
        step size, a constant (0.5 when nothing sets it) [above 0 and at most 1, or a schedule name:parameters, a list of its values at steps 0, 1, ..., a function of the step, or @FILE]
    alpha
        sets gamma = alpha/(1+alpha); 0: not used [at least 0]
    width
        width of the bracket, relative to the smaller of complete and bound; 0: to the last bit [from 0 to 1]
    steps
        steps of a run at most [a whole number from 0, 1e400 and inf included]
    tolerance
        diameter that is a point, relative to the initial one [from 0 to 1]
    threads
        number of threads, 0: all cores, at most OMP_NUM_THREADS; never changes a result [a whole number from 0 to 1024]
    kernel
        instruction set; never changes a result [auto | baseline | avx2 | avx512 | neon | relaxed]
    progress
        True or False: whether a bar is shown (None: when it takes long);
        or a function of (done, total), called between steps: a true answer stops.
    """
def escape(
    tokens: str | PathLike[str] | ArrayLike | None = None,
    *,
    out: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    print_tokens: bool | None = False,
    time_limit: float | None = 0.0,
    n: int | None = 64,
    d: int | None = 2,
    init: Literal['gaussian', 'uniform', 'sphere', 'polygon'] | None = 'gaussian',
    seed: int | None = 1,
    key_query: float | str | ArrayLike | None = 'identity',
    beta: str | PathLike[str] | Sequence[Any] | NDArray[Any] | None = '2:10',
    gamma: float | None = 0.1,
    radius: float | None = 0.05,
    runs: int | None = 1000,
    dynamics: Literal['chain', 'flow'] | None = 'chain',
    near: float | Literal['tau'] | None = 'tau',
    shadow: float | Literal['off'] | None = 'off',
    tolerance: float | None = 1e-06,
    moves: int | None = 1000000,
    threads: int | None = 0,
    progress: bool | Callable[[int, int], object] | None = None,
) -> Escape:
    """First exits from the cells at finite beta.

    Parameters
    ----------
    tokens
        the tokens, a row each: an array, or a file .npy, .csv, FILE.h5:/path
    out
        result: .h5 (everything), .json (as --json) or .csv (a row for each beta; FILE.csv:NAME has another list or array)
    report
        the result as one page to read, which needs no other file
    print_tokens
        prints the tokens in JSON also when n d exceeds 10000 [yes | no]
    time_limit
        seconds after which the study ends with the runs that are done; 0: none [at least 0]
    n
        number of tokens, when they are drawn [a whole number from 1 to 1000000000000]
    d
        dimension, when tokens are drawn [a whole number from 1 to 1000000000]
    init
        distribution from which the initial tokens are drawn [gaussian | uniform | sphere | polygon]; without tokens
    seed
        seed of the drawn tokens and of the runs [a whole number from 0 to 18446744073709551615]
    key_query
        B of the scores <B x_i, x_j> [identity, a number times it, an array (d, d), or a .npy or .csv file]
    beta
        inverse temperatures, as a list or a text separated by commas; from:to and from:to:step stand for several
    gamma
        step size of the layer [above 0 and at most 1]
    radius
        distance from the hull of its group at step 0 beyond which a token has left [above 0]
    runs
        number of runs of the chain at each beta [a whole number from 1 to 10000000]; with dynamics chain
    dynamics
        the random chain, or its mean, the deterministic flow (one run) [chain | flow]
    near
        distance from its vertex within which a token has arrived; tau: the distance of theorem 5.2 [tau, or at least 0]
    shadow
        also finds how long the softmax flow stays within this distance of the hardmax flow [off, or above 0]
    tolerance
        relative error of the flow's times; a group of the chain that is so narrow that its exponents agree to this is one point [from 1e-10 to 0.01]
    moves
        largest number of changes (steps, skips, leaps) of a run; a run that reaches it ends without an exit [a whole number from 1 to 1e+15]
    threads
        number of threads, 0: all cores, at most OMP_NUM_THREADS; never changes a result [a whole number from 0 to 1024]
    progress
        True or False: whether a bar is shown (None: when it takes long);
        or a function of (done, total), called between steps: a true answer stops.
    """
def margin(
    data: str | PathLike[str] | Dataset | Mapping[str, ArrayLike] | None = None,
    *,
    n: int | None = 0,
    T: int | None = 0,
    d: int | None = 0,
    seed: int | None = 1,
    problem: str | PathLike[str] | None = None,
    equal: str | PathLike[str] | ArrayLike | None = None,
    direction: str | PathLike[str] | ArrayLike | None = None,
    dump: str | PathLike[str] | None = None,
    out: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    proof: str | PathLike[str] | None = None,
    time_limit: float | None = 0.0,
    model: Literal['auto', 'prompt', 'cross', 'self', 'sequence', 'label', 'graph'] | None = 'auto',
    mask: Literal['full', 'causal'] | None = 'full',
    row: int | None = 0,
    select: str | PathLike[str] | Sequence[Any] | NDArray[Any] | None = None,
    relaxed: str | PathLike[str] | Sequence[Any] | NDArray[Any] | None = None,
    norm: Literal['l2', 'lp', 'l1', 'linf', 'nuclear', 'spectral'] | None = 'l2',
    p: float | None = 2.0,
    tolerance: float | None = 0.0,
    iterations: int | None = 100000,
    enumerate: bool | None = False,
    threads: int | None = 0,
    progress: bool | Callable[[int, int], object] | None = None,
) -> Margin:
    """Solves a max-margin problem to a proved gap.

    Parameters
    ----------
    data
        a Dataset, a dict of arrays, or .json, .h5, a folder of .npy, or the name of a set (see below)
    n
        inputs of a set that is drawn; 0: its own number [a whole number from 0 to 1000000000]; with data other than sequences
    T
        tokens of an input, likewise [a whole number from 0 to 1000000000]; with data other than sequences
    d
        dimension, when tokens or data are drawn [a whole number from 0 to 1000000000]; with data other than sequences
    seed
        seed of a data set that is drawn; when it is not given, the one that the set was published with [a whole number from 0 to 18446744073709551615]
    problem
        a problem that --dump wrote, instead of data
    equal
        selected sets of tokens (Gen-SVM): weights (n, T), above 0 where selected, or .json with sets or weights; without problem
    direction
        weights to be looked at: a result's weights, or .json or .h5 with p, W or v, also results, or an array, a tensor, or a file .npy, .csv
    dump
        writes the exact problem: .json or .h5
    out
        result: .h5 (everything), .json (as --json) or .csv (the weights; FILE.csv:NAME has another list or array)
    report
        the result as one page to read, which needs no other file
    proof
        what is proved of the result, for tropism_verify.py to check (docs/proofs.md)
    time_limit
        seconds after which the solver ends with the bounds it has; 0: none [at least 0]
    model
        model whose constraints are used (auto: cross when the data have queries, sequence when they have one for each token, graph with a vocabulary, else prompt) [auto | prompt | cross | self | sequence | label | graph]; without problem
    mask
        model sequence: which tokens a token can attend to [full | causal]; with model sequence
    row
        model self: the token that is the query [a whole number from 0 to 1000000000]; with model self
    select
        tokens that are to be selected: one for each input, as a list or a text separated by commas (3,2,6); several separated by | are tried in turn; optimal: those of the highest score; without problem
    relaxed
        inputs whose right side is 0, as a list or a text separated by commas; or auto, those that do not support the label problem; without problem
    norm
        norm that is minimised [l2 | lp | l1 | linf | nuclear | spectral]
    p
        exponent of lp [above 1 and at most 1000]; with norm lp
    tolerance
        relative gap of a solution; 0: what the norm promises [from 0 to 1]
    iterations
        largest number of iterations [a whole number from 1 to 1e+15]
    enumerate
        solve for every selection of tokens, and list those that are locally optimal [yes | no]; without problem
    threads
        number of threads, 0: all cores, at most OMP_NUM_THREADS; never changes a result [a whole number from 0 to 1024]
    progress
        True or False: whether a bar is shown (None: when it takes long);
        or a function of (done, total), called between steps: a true answer stops.
    """
@overload
def train(
    data: Corpus, *, progress: bool | Callable[[int, int], object] | None = None, **options: Any
) -> Fit:
    """Trains attention to classify texts, images or vectors."""

@overload
def train(
    data: str | PathLike[str] | Dataset | Mapping[str, ArrayLike] | None = None,
    *,
    n: int | None = 0,
    T: int | None = 0,
    d: int | None = 0,
    start: str | PathLike[str] | ArrayLike | Mapping[str, ArrayLike] | None = None,
    out: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    checkpoint: int | None = 0,
    resume: str | PathLike[str] | None = None,
    time_limit: float | None = 0.0,
    tokenizer: Literal['words', 'wordpiece'] | None = 'words',
    wordpiece: str | PathLike[str] | None = None,
    vocabulary: int | None = 20000,
    min_count: int | None = 1,
    max_length: int | None = 0,
    patch: int | None = 0,
    lexicon: str | PathLike[str] | None = None,
    columns: str | PathLike[str] | None = None,
    embed: int | None = 32,
    query: Literal['prompt', 'first', 'each'] | None = 'prompt',
    heads: int | None = 1,
    positions: bool | None = False,
    layers: int | None = 0,
    beta: float | None = 1000.0,
    bias: bool | None = False,
    trained: str | PathLike[str] | None = None,
    each: str | PathLike[str] | None = None,
    epochs: int | None = 20,
    patience: int | None = 0,
    validation: float | None = 0.1,
    test: float | None = 0.2,
    theory: str | PathLike[str] | None = None,
    folds: int | None = 0,
    fold: int | None = -1,
    show: int | None = 0,
    model: Literal['auto', 'prompt', 'cross', 'self', 'sequence', 'kq', 'joint'] | None = 'auto',
    mask: Literal['full', 'causal'] | None = 'full',
    row: int | None = 0,
    width: int | None = 0,
    head: Literal['linear', 'relu', 'quadratic'] | None = 'linear',
    lambda_: float | None = 1.0,
    loss: Literal['logistic', 'exponential', 'correlation', 'log'] | None = 'logistic',
    optimizer: Literal['gd', 'ngd', 'polyak', 'mirror', 'nmirror', 'square', 'steepest', 'sign', 'signum', 'greedy', 'spectral', 'muon', 'adam', 'eg', 'hypentropy', 'cosh'] | None = 'ngd',
    p: float | None = 2.0,
    eta: float | None = 0.1,
    eta_schedule: float | str | ArrayLike | Callable[[int], float] | None = 1.0,
    backtrack: bool | None = False,
    batch: int | None = 0,
    gradient: Literal['stable', 'naive', 'naive-reversed'] | None = 'stable',
    gradient_epsilon: float | None = 0.0,
    decoder_epsilon: float | Literal['same'] | None = 'same',
    decay: float | None = 0.0,
    momentum: float | None = 0.9,
    beta1: float | None = 0.9,
    beta2: float | None = 0.999,
    adam_epsilon: float | None = 0.0,
    bend: float | None = 1.0,
    polynomial: bool | None = False,
    steps: int | None = 1000,
    start_scale: float | None = 1.0,
    seed: int | None = 1,
    records: int | None = 10,
    compare: Literal['all', 'final', 'none'] | None = 'all',
    threads: int | None = 0,
    progress: bool | Callable[[int, int], object] | None = None,
) -> Train:
    """Trains attention and compares it with max-margin solutions; on texts, images and
    vectors (a Corpus, its file or name) it learns to classify them.

    Parameters
    ----------
    data
        a Dataset, a dict of arrays, or .json, .h5, a folder of .npy, or the name of a set (see below)
    n
        inputs of a set that is drawn; 0: its own number [a whole number from 0 to 1000000000]; with data other than sequences
    T
        tokens of an input, likewise [a whole number from 0 to 1000000000]; with data other than sequences
    d
        dimension, when tokens or data are drawn [a whole number from 0 to 1000000000]; with data other than sequences
    start
        weights at the start: zeros, normal, uniform, a dict of arrays, a result's weights, or a .json or .h5 with p, W, K and Q, v, also results, or an array, a tensor, or a file .npy, .csv
    out
        result: .h5 (everything), .json (as --json), .csv (the history, of sequences the splits; FILE.csv:NAME has another list or array) or, on sequences, .html (a page to read)
    report
        the result as one page to read, which needs no other file
    checkpoint
        steps, of sequences epochs, from one checkpoint to the next, 0: none; needs an out in .h5 [a whole number from 0 to 1e+18]; with out
    resume
        continues the run that wrote this result file; --steps may be larger
    time_limit
        seconds after which the run ends with what it has; 0: none [at least 0]
    tokenizer
        how texts become tokens: words and punctuation marks, or the word pieces of BERT (uncased) [words | wordpiece]; with data sequences
    wordpiece
        vocab.txt of the pieces, one a line; with data sequences and with tokenizer wordpiece
    vocabulary
        the most frequent words of the training split, the unknown word among them; 0: all [a whole number from 0 to 1000000000]; with data sequences and with tokenizer words
    min_count
        number of times that a word must occur in the training split to be in the vocabulary [a whole number from 1 to 1000000000]; with data sequences and with tokenizer words
    max_length
        tokens of an item, the first ones; 0: all of them [a whole number from 0 to 1000000000]; with data sequences
    patch
        images: side of the square patches that are tokens; 0: each row of pixels is a token [a whole number from 0 to 1000000]; with data sequences
    lexicon
        words that should matter, one a line (.txt, .zip), or opinion: that of Hu and Liu; with data sequences
    columns
        names of the columns of a table without a header: split,label,,,text; with data sequences
    embed
        dimension of the vectors of words; of images and vectors: of their linear map, 0: none [a whole number from 0 to 65536]; with data sequences
    query
        what attends: a trained prompt, the first token, or each token (the mean of all outputs) [prompt | first | each]; with data sequences
    heads
        number of attention heads; 0: every token has the same weight [a whole number from 0 to 1024]; with data sequences
    positions
        a trained vector is added for each place [yes | no]; with data sequences
    layers
        before that, tokens attend to each other so often: x += a/(1 + a) (A(x) - x), one trained a [a whole number from 0 to 1000]; with data sequences
    beta
        inverse temperature of these layers: A is the softmax of beta <x_i, x_j> [above 0]; with layers
    bias
        a trained number is added to each output [yes | no]; with data sequences
    trained
        tensors that move, as a list or a text separated by commas, of E, P, z, W, K, Q, v, a and b; all when not given; with data sequences
    each
        other optimisers and step sizes for single tensors: E=adam:0.001,v=gd; with data sequences
    epochs
        times that every item is learnt from [a whole number from 0 to 1000000]; with data sequences
    patience
        epochs without a better validation after which a run ends; 0: none [a whole number from 0 to 1000000]; with data sequences
    validation
        share of the items that chooses the epoch, where the data have no splits [from 0 to 0.999]; with data sequences
    test
        share that is only looked at in the end, where the data have no splits [from 0 to 0.999]; with data sequences and without folds
    theory
        exponents of max-margin problems that W is compared with in the end: 1.1,2,3; with data sequences and with trained W
    folds
        runs, each tested on another part of the items; 0: one run [a whole number from 0 to 1000]; with data sequences
    fold
        cross-validation: the fold to run; -1: all [a whole number from -1 to 999]; with folds
    show
        items of which the weight of every token is listed [a whole number from 0 to 1000000]; with data sequences
    model
        model that is trained (auto: cross when the data have queries or a vocabulary, sequence when they have a query for each token, else prompt) [auto | prompt | cross | self | sequence | kq | joint]
    mask
        model sequence: which tokens a token can attend to [full | causal]; with model sequence
    row
        the token that is the query, where the data have none [a whole number from 0 to 1000000000]; with model self or kq
    width
        columns of K and Q; 0: d [a whole number from 0 to 1000000]; with model kq
    head
        what is computed from the attended token o: v'o, sum_k max(0, v_k'o), v'o - lambda |o|^2 [linear | relu | quadratic]; with data other than sequences
    lambda_
        coefficient of the quadratic head [from -1000000 to 1000000]; with head quadratic
    loss
        loss as a function of the margin y h(o) [logistic | exponential | correlation | log]
    optimizer
        optimiser that moves the weights [gd | ngd | polyak | mirror | nmirror | square | steepest | sign | signum | greedy | spectral | muon | adam | eg | hypentropy | cosh]
    p
        exponent of mirror, nmirror, steepest and square [at least 1]; with optimizer mirror, nmirror, square or steepest
    eta
        step size of the optimiser [above 0]
    eta_schedule
        factor of the step size at step t: power:1,0.5 is 1/sqrt(t+1) [above 0, or a schedule name:parameters, a list of its values at steps 0, 1, ..., a function of the step, or @FILE]
    backtrack
        halve steps until the loss falls [yes | no]; without batch and with data other than sequences
    batch
        inputs of a mini-batch; 0: all [a whole number from 0 to 1000000000]
    gradient
        stable: exact at any norm; naive: as a plain program computes it [stable | naive | naive-reversed]; with data other than sequences
    gradient_epsilon
        added to the norm that the gradient is divided by [from 0 to 1]; with optimizer ngd, nmirror, square, steepest, eg, hypentropy or cosh
    decoder_epsilon
        the same for the decoder v (same: as gradient_epsilon) [same, or from 0 to 1]; with model joint and with optimizer ngd, nmirror, square, steepest, eg, hypentropy or cosh
    decay
        lambda of lambda |T|^2, which every tensor T adds to the loss that is descended; of sequences: weights, or the dual variables of mirror, shrink by 1 - eta decay in a step [from 0 to 1000000]; with data other than sequences and with optimizer other than polyak and without backtrack; or with data sequences and with optimizer gd, ngd, polyak, mirror, nmirror, steepest, sign, signum, greedy, spectral, muon or adam
    momentum
        momentum of signum and muon [from 0 to 0.999999]; with optimizer signum or muon
    beta1
        adam: decay of the running mean of the gradient [from 0 to 0.999999]; with optimizer adam
    beta2
        adam: decay of the running mean of its square [from 0 to 0.9999999]; with optimizer adam
    adam_epsilon
        adam: number that is added to the denominator [from 0 to 1]; with optimizer adam
    bend
        eg and hypentropy: the size at which weights begin to grow exponentially [above 0 and at most 1000000]; with optimizer eg or hypentropy
    polynomial
        muon: uses the Newton-Schulz polynomial as shipped instead of the exact polar factor [yes | no]; with optimizer muon
    steps
        number of steps of the run [a whole number from 0 to 1e+15]; with data other than sequences
    start_scale
        scale of weights that are drawn [at least 0]; with start normal or uniform; or with data sequences
    seed
        seed of drawn weights, of mini-batches, and of drawn data [a whole number from 0 to 18446744073709551615]
    records
        number of records in each factor of ten of steps [a whole number from 1 to 1000]; with data other than sequences
    compare
        when weights are compared with max-margin solutions [all | final | none]; with data other than sequences
    threads
        number of threads, 0: all cores, at most OMP_NUM_THREADS; never changes a result [a whole number from 0 to 1024]
    progress
        True or False: whether a bar is shown (None: when it takes long);
        or a function of (done, total), called between steps: a true answer stops.
    """
def path(
    data: str | PathLike[str] | Dataset | Mapping[str, ArrayLike] | None = None,
    *,
    n: int | None = 0,
    T: int | None = 0,
    d: int | None = 0,
    out: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    proof: str | PathLike[str] | None = None,
    time_limit: float | None = 0.0,
    model: Literal['auto', 'prompt', 'cross', 'self', 'sequence', 'kq', 'joint'] | None = 'auto',
    mask: Literal['full', 'causal'] | None = 'full',
    row: int | None = 0,
    loss: Literal['logistic', 'exponential', 'correlation'] | None = 'logistic',
    p: float | None = 2.0,
    radius: str | PathLike[str] | Sequence[Any] | NDArray[Any] | None = '10,20,50,100,200,500,1000',
    decoder_radius: str | PathLike[str] | Sequence[Any] | NDArray[Any] | None = None,
    local: bool | None = False,
    select: str | PathLike[str] | Sequence[Any] | NDArray[Any] | None = None,
    cone: float | None = 0.1,
    starts: int | None = 4,
    seed: int | None = 1,
    tolerance: float | None = 1e-10,
    iterations: int | None = 10000,
    threads: int | None = 0,
    progress: bool | Callable[[int, int], object] | None = None,
) -> Path:
    """Follows a regularisation path.

    Parameters
    ----------
    data
        a Dataset, a dict of arrays, or .json, .h5, a folder of .npy, or the name of a set (see below)
    n
        inputs of a set that is drawn; 0: its own number [a whole number from 0 to 1000000000]; with data other than sequences
    T
        tokens of an input, likewise [a whole number from 0 to 1000000000]; with data other than sequences
    d
        dimension, when tokens or data are drawn [a whole number from 0 to 1000000000]; with data other than sequences
    out
        result: .h5 (everything), .json (as --json) or .csv (a row for each radius; FILE.csv:NAME has another list or array)
    report
        the result as one page to read, which needs no other file
    proof
        what is proved of the result, for tropism_verify.py to check (docs/proofs.md)
    time_limit
        seconds after which the path ends with the radii that are done; 0: none [at least 0]
    model
        model that is trained: all but kq (auto: cross when the data have queries, else prompt) [auto | prompt | cross | self | sequence | kq | joint]
    mask
        model sequence: which tokens a token can attend to [full | causal]; with model sequence
    row
        model self: the token that is the query [a whole number from 0 to 1000000000]; with model self
    loss
        loss as a function of the margin y v'o [logistic | exponential | correlation]
    p
        exponent of the norm of the balls [above 1 and at most 1000]
    radius
        radii R, ascending: numbers and ranges from:to or from:to:step, as a list or a text separated by commas
    decoder_radius
        joint: radius r of the decoder for each R, or one for all; r = R when it is not given; with model joint
    local
        searches in a cone around the solution for select, instead of everywhere [yes | no]; with model other than joint
    select
        local paths: a token for each input, as a list or a text separated by commas (3,2,6), or optimal; with local
    cone
        local paths: largest directional Bregman divergence of the solution from the weights [above 0 and at most 1]; with local
    starts
        random ones at every radius, beside the warm ones [a whole number from 0 to 1000000]
    seed
        seed of random starts, and of drawn data [a whole number from 0 to 18446744073709551615]
    tolerance
        1 - alignment at which a point is stationary [above 0 and at most 1]
    iterations
        largest number of iterations of each start [a whole number from 0 to 1000000000000]
    threads
        number of threads, 0: all cores, at most OMP_NUM_THREADS; never changes a result [a whole number from 0 to 1024]
    progress
        True or False: whether a bar is shown (None: when it takes long);
        or a function of (done, total), called between steps: a true answer stops.
    """
@overload
def inspect(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    progress: bool | Callable[[int, int], object] | None = None,
    **options: Any,
) -> Inspection:
    """Says what heads select, of their queries, keys and values."""

@overload
def inspect(
    model: str | PathLike[str] | None = None,
    *,
    q: str | PathLike[str] | ArrayLike | None = None,
    k: str | PathLike[str] | ArrayLike | None = None,
    v: str | PathLike[str] | ArrayLike | None = None,
    out: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    proof: str | PathLike[str] | None = None,
    time_limit: float | None = 0.0,
    text: str | PathLike[str] | None = None,
    file: str | PathLike[str] | None = None,
    texts: int | None = 0,
    ids: str | PathLike[str] | Sequence[Any] | NDArray[Any] | None = None,
    tokenizer: str | PathLike[str] | None = None,
    names: str | PathLike[str] | None = None,
    mask: Literal['none', 'causal'] | None = 'none',
    scale: float | None = 0.0,
    layers: str | PathLike[str] | Sequence[Any] | NDArray[Any] | None = None,
    heads: str | PathLike[str] | Sequence[Any] | NDArray[Any] | None = None,
    rows: bool | None = False,
    inputs: bool | None = False,
    measure: str | PathLike[str] | Sequence[Any] | NDArray[Any] | None = None,
    norm: Literal['l2', 'nuclear'] | None = 'l2',
    nulls: int | None = 20,
    at: int | None = -1,
    tolerance: float | None = 0.1,
    seed: int | None = 1,
    threads: int | None = 0,
    progress: bool | Callable[[int, int], object] | None = None,
) -> Inspection:
    """Says what the heads of a trained transformer select, and how firmly: of a model and a
    text, or of queries, keys and values, inspect(q, k, v), arrays or tensors of the shape
    (layers, heads, n, d), (heads, n, d) or (n, d).

    Parameters
    ----------
    model
        folder with config.json and .safetensors (BERT, GPT-2, Llama and kin), or a file of llama2.c; without q
    q
        queries of any model, (layers, heads, n, d), (heads, n, d) or (n, d): an array, a tensor, or a file .npy, FILE.npz:NAME, FILE.safetensors:NAME, FILE.h5:/path; without model
    k
        keys that belong to the queries; with q
    v
        values that belong to the keys; with q
    out
        result: .h5 (everything), .json (as --json) or .csv (the heads; FILE.csv:NAME has another list or array)
    report
        the result as one page to read, which needs no other file
    proof
        what is proved of the result, for tropism_verify.py to check (docs/proofs.md)
    time_limit
        seconds after which it ends with the texts that are done; 0: none [at least 0]
    text
        text that the model reads; with model
    file
        file with the text: .txt, or texts as train reads them (.tsv, .csv, .zip, mr); with model
    texts
        how many texts to take from a file of several, spread evenly; 0: all [a whole number from 0 to 1000000]; with file
    ids
        the text as numbers of tokens: 101,2023,102; with model
    tokenizer
        tokenizer.json, vocab.txt, vocab.json or llama2.c's file, where it is not beside the model; with model
    names
        what tensors are called in a model of other names: .json, such as {"query": "blocks.{l}.wq"}; with model
    mask
        arrays: which tokens a token can attend to [none | causal]; with q
    scale
        arrays: factor of the scores; 0: 1/sqrt(d) [from 0 to 1000000]; with q
    layers
        layers to look at: 0,3:5, ends included; all when not given
    heads
        heads to look at in each of these layers, in the same form; all when not given
    rows
        one text: also tells what is measured in every row [yes | no]
    inputs
        one text: also tells queries, keys and values of each head, the streams and the last hidden states [yes | no]; with model
    measure
        what is measured: reach, margin, flip, hardmax, leaders, temperature, keys, patch, depth, hypothetical, or all; when not given, all but reach, margin and hypothetical
    norm
        margin: the norm of the max-margin problem [l2 | nuclear]; with measure
    nulls
        margin: number of random heads to compare with [a whole number from 0 to 100]; with measure
    at
        reach in a causal head: the position of the query; -1: the last [a whole number from -1 to 1000000000]; with measure
    tolerance
        clusters: distance of neighbours, relative to the median length of tokens [from 0 to 1000000]; with model
    seed
        seed of the random heads [a whole number from 0 to 18446744073709551615]
    threads
        number of threads, 0: all cores, at most OMP_NUM_THREADS; never changes a result [a whole number from 0 to 1024]
    progress
        True or False: whether a bar is shown (None: when it takes long);
        or a function of (done, total), called between steps: a true answer stops.
    """
def check(
    claim: str | PathLike[str] | None = None,
    *,
    tokens: str | PathLike[str] | ArrayLike | None = None,
    data: str | PathLike[str] | Dataset | Mapping[str, ArrayLike] | None = None,
    n: int | None = 0,
    T: int | None = 0,
    d: int | None = 0,
    key_query: str | PathLike[str] | None = None,
    value: str | PathLike[str] | None = None,
    gamma: float | None = None,
    beta: float | None = None,
    epsilon: float | None = None,
    p: float | None = None,
    steps: float | None = None,
    set: str | PathLike[str] | Sequence[Any] | NDArray[Any] | None = None,
    instance: str | PathLike[str] | None = None,
    trials: int | None = 0,
    search: float | None = 0.0,
    restarts: int | None = 0,
    seed: int | None = 1,
    full: bool | None = False,
    counterexample: str | PathLike[str] | None = None,
    shrink: bool | None = False,
    out: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    proof: str | PathLike[str] | None = None,
    time_limit: float | None = 0.0,
    threads: int | None = 0,
    progress: bool | Callable[[int, int], object] | None = None,
) -> Check:
    """Judges a claim of the papers on instances.

    Parameters
    ----------
    claim
        which claim; 'tropism claims' lists them. Or a file of your own claims, ./mine.so or ./mine.so:ID, whose code is then run
    tokens
        your cloud instead of drawn ones, a row each: .npy, .csv, FILE.h5:/path; without instance
    data
        your training data instead of drawn ones: .json, .h5, a folder of .npy, or a named set; without instance
    n
        inputs of a named set that is drawn [a whole number from 0 to 1000000000]; with data
    T
        tokens of an input, likewise [a whole number from 0 to 1000000000]; with data
    d
        dimension, when tokens or data are drawn [a whole number from 0 to 1000000000]; with data
    key_query
        matrix B (or A): a file, identity, or a number times it; without instance
    value
        matrix V, likewise; without instance
    gamma
        step size of the flow [any number]; without instance
    beta
        inverse temperature of the softmax [any number]; without instance
    epsilon
        tolerance of localmax [any number]; without instance
    p
        exponent of the norm [any number]; without instance
    steps
        number of steps of the flow or of training [from 0 to 1000000000]; without instance
    set
        further numbers that the claim takes ('tropism claims ID' lists them); without instance
    instance
        judges an instance that a check wrote, as it is in the file
    trials
        instances on which every hypothesis is true; 0: what the claim asks for [a whole number from 0 to 1000000000]; without instance and without tokens and without data
    search
        searches for a counterexample for so many seconds instead of sampling; 0: no search [from 0 to 1000000000]; without instance and without tokens and without data
    restarts
        ends the search after so many restarts; 0: time alone ends it [a whole number from 0 to 1000000000]; with search
    seed
        seed of what is drawn [a whole number from 0 to 18446744073709551615]
    full
        figures and tables at the size of the paper [yes | no]; without instance
    counterexample
        file of the first counterexample (when not given ID-counterexample.h5), or none; without instance; or with shrink
    shrink
        makes the counterexample small: fewer tokens, dimensions and digits (of an instance: ID-shrunk.h5); a search does so unless it is no [yes | no]
    out
        result: .json (as --json)
    report
        the result as one page to read, which needs no other file
    proof
        what the counterexample proves, for tropism_verify.py to check (docs/proofs.md)
    time_limit
        seconds after which the check ends with what it has judged; 0: none [at least 0]
    threads
        number of threads, 0: all cores, at most OMP_NUM_THREADS; never changes a result [a whole number from 0 to 1024]
    progress
        True or False: whether a bar is shown (None: when it takes long);
        or a function of (done, total), called between steps: a true answer stops.
    """
def reproduce(
    claim: str | PathLike[str] | None = None,
    *,
    data: str | PathLike[str] | Dataset | Mapping[str, ArrayLike] | None = None,
    out: str | PathLike[str] | None = 'reproduced',
    quick: bool | None = False,
    seed: int | None = 1,
    time_limit: float | None = 0.0,
    threads: int | None = 0,
    progress: bool | Callable[[int, int], object] | None = None,
) -> Reproduction:
    """Computes a figure or table of the papers, ours beside the published numbers.

    Parameters
    ----------
    claim
        which figure or table, or all
    data
        your texts for the tables that learn from texts: a file, or a named set
    out
        folder of the pictures (.svg, .pdf and .png), and of report.html with all
    quick
        fewer runs, and wider allowances for what is drawn [yes | no]
    seed
        seed of what is drawn [a whole number from 0 to 18446744073709551615]
    time_limit
        seconds after which no further figure is begun, and a long one is left; 0: none [at least 0]
    threads
        number of threads, 0: all cores, at most OMP_NUM_THREADS; never changes a result [a whole number from 0 to 1024]
    progress
        True or False: whether a bar is shown (None: when it takes long);
        or a function of (done, total), called between steps: a true answer stops.
    """
class Block:
    """A range of points, first to last - 1, of a study that is shared among workers."""

    first: int
    last: int
    def __init__(self, first: int, last: int) -> None: ...
    def __len__(self) -> int: ...

class Points(Sequence[dict[str, Any]]):
    """The options of every point of a study, computed on demand."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, k: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, k: slice) -> list[dict[str, Any]]: ...
    def to_pandas(self) -> Any:
        """The options that vary, a row for each point, as a pandas.DataFrame."""

class Rows:
    """Results of points of a study: `point`, `state` and `sentence` of each, and a list for each field
    that is kept. They can be pickled."""

    point: IntArray
    state: IntArray
    sentence: list[str]
    values: dict[str, list[Any]]
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> list[Any]: ...
    def keys(self) -> list[str]: ...

class Study:
    """A verb at every point of a product of axes: `tr.study(...)`."""

    stopped: str | None
    text: str
    verb: str
    folder: str
    keep: list[str]
    fixed: dict[str, Any]
    refused: str | None
    axes: list[dict[str, NDArray[Any]]]
    def __len__(self) -> int: ...
    def points(self) -> Points:
        """The options of every point: `points()[17]` is a dict, `points().to_pandas()` a table."""
    def blocks(self, n: int) -> list[Block]:
        """The points in n blocks of (nearly) equal size, fewer when there are fewer points:
        `study.run(block)` computes one, in any process."""
    @overload
    def run(
        self,
        block: Block | tuple[int, int],
        *,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        point_limit: float | None = None,
        progress: bool | Callable[[int, int], object] | None = None,
    ) -> Rows: ...
    @overload
    def run(
        self,
        block: str | PathLike[str] | None = None,
        *,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        shard: str | tuple[int, int] | None = None,
        extend: bool = False,
        point_limit: float | None = None,
        time_limit: float | None = None,
        progress: bool | Callable[[int, int], object] | None = None,
    ) -> Self:
        """Computes the points that have no result yet, and returns the study.
        
        Results go to the folder `out`, or to one of the study's own that is gone with it. Ctrl-C, a
        time limit or a kill lose nothing that is in it: run again. shard: "i/n", or (i, n). extend:
        the folder's study may lack points of this one. A point that is refused, fails, or takes
        longer than `point_limit` seconds is a row with its sentence; a warning says how many
        failed, and why the first did. proof: what is proved of each point goes to the folder's
        proof/, for verify/tropism_verify.py; points that have none are computed again.
        
        With a block (of `blocks(n)`) computes its points alone and returns their Rows, which can be
        pickled: in worker processes call study.run(block), and study.collect(rows) with what they
        give back."""
    def collect(self, rows: Rows | Iterable[Rows]) -> Self:
        """Takes what run(block) gave in other processes: Rows, or a list of them."""
    def status(self) -> Group:
        """How many points there are, are done, failed (late ones among them), are left; the
        seconds that runs took; and how many have a proof in the folder."""
    def merge(self, *folders: str | PathLike[str]) -> str:
        """Brings the catalogue (SQLite, and HDF5 of arrays) up to what the logs of the folder, and
        of others with parts of the same study, say; returns the path of the catalogue."""
    def rows(self) -> Rows:
        """The rows there are: points, states and the values of every field that is kept."""
    def to_pandas(self) -> Any:
        """A row for each point that has one: options that vary, `state`, `sentence` and what is kept
        (arrays as objects). The index is the number of the point."""
    def to_xarray(self) -> Any:
        """What is kept, along the axes of the study and then those of the field, as an
        xarray.Dataset. Points without a value are NaN, or None; so are the ends of arrays whose
        sizes differ."""
    def table(
        self,
        by: str | Sequence[str] | None = None,
        mean: str | Sequence[str] | None = None,
        deviation: bool = False,
        where: str | None = None,
    ) -> Table:
        """A row for each value of the options `by` with the means of fields over the other points, a
        Table; without `by` a row for each point. where: a condition of SQL on the columns."""
    def plot(
        self, kind: str | None = None, *, out: str | PathLike[str] | None = None, **settings: Any
    ) -> Picture:
        """A picture of the study by the library: `kind` ("heat", "curves", "bands", "histogram"),
        `x`, `y`, `of` and the other options of `tropism plot`; `out` writes it as well."""
    def report(
        self,
        path: str | PathLike[str],
        by: str | Sequence[str] | None = None,
        mean: str | Sequence[str] | None = None,
        deviation: bool = False,
        where: str | None = None,
    ) -> None:
        """Writes the study as one page, .html, that needs no other file: what was swept, how many
        points are done and failed, pictures, and the first rows of the table that the other
        arguments ask for."""

@overload
def study(source: str | PathLike[str], /) -> Study: ...
@overload
def study(*, verb: str, **settings: Any) -> Study:
    """A verb at every point of a product: of a file .yaml, of its text, of a folder with results, or of
    options, `tr.study(verb="flow", epsilon=[0, 0.1], seed=range(1, 101), n=64, keep=["clusters"])`.
    
    A list, an array of one axis, a range() or a text such as "0:1:0.02" or "1..1000" is an axis;
    anything else is the same at every point. together=["n", "d"] lets lists go side by side;
    points= (a file .csv, a DataFrame, columns by name, or dicts) lists the points one by one; keep
    names the fields that are kept, record.NAME among them."""

_Function = TypeVar("_Function", bound=Callable[..., Any])

class _Line: ...

class Claim:
    """A statement that can be checked: `tr.claim(...)` of a function makes one.

    The function is the conclusion: its parameters are names of entries, it returns lines (`at_most`,
    `at_least`, `near`, `truth`) or truths. What else there is to say is attached with `draw`,
    `hypothesis`, `work`, `spoil` and `picture`, each a decorator that leaves its function as it is."""

    id: str
    statement: str
    inputs: dict[str, str]
    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """The conclusion, as the function that it is."""
    def draw(self, function: _Function) -> _Function:
        """Says how an instance is drawn: function(rng) returns a dict of numbers and arrays. rng is
        numpy.random.default_rng([seed, trial]), and its only source of chance. A parameter `trial`
        is the number of the instance."""
    def work(self, function: _Function) -> _Function:
        """Says what is computed of an instance, a dict of further entries; not before every
        hypothesis about what was drawn is true."""
    def hypothesis(self, name: str, meaning: str) -> Callable[[_Function], _Function]:
        """Adds a hypothesis: the function returns lines or truths, as a conclusion does. One that
        asks for what work computes is judged after it."""
    def spoil(self, meaning: str, breaks: str | None = None) -> Callable[[_Function], _Function]:
        """Adds a way to make an instance wrong, to see that the judge notices: the function returns
        a dict of the entries that it changes.

        Then the conclusion must be violated, or with `breaks` that hypothesis be false, and it
        alone. The conclusion's are applied after work, which is not done again; those of a
        hypothesis before it, unless that is about what work computes."""
    def picture(self, function: _Function) -> _Function:
        """Says how an instance is drawn on paper: the function returns a picture (`run.plot()`), a
        figure of matplotlib, or SVG as text."""
    def instance(self, trial: int, seed: int = 0) -> dict[str, Any]:
        """Instance number `trial` as draw makes it, a dict."""
    def check(
        self,
        trials: int = 100,
        seed: int = 0,
        *,
        threads: int | None = None,
        counterexample: str | PathLike[str] | None = None,
        progress: bool | Callable[[int, int], object] | None = None,
    ) -> ClaimCheck:
        """Judges instances until every hypothesis was true on `trials` of them, and returns the
        result.

        Instances are functions of (seed, trial) and counted in their order: the result does not
        depend on `threads`, the number of workers (None: every core). They are processes where
        that is safe (Linux), and threads elsewhere. `counterexample` names the file of the first
        one, ID-counterexample.npz otherwise; "none": no file. Ctrl-C ends it; what there is so far
        is the attribute `result` of the exception."""
    def search(
        self,
        seconds: float = 10.0,
        seed: int = 0,
        *,
        threads: int | None = None,
        counterexample: str | PathLike[str] | None = None,
        progress: bool | None = None,
    ) -> ClaimCheck:
        """Looks for a counterexample: from many starts, the answers that draw gets from rng are
        changed so that the worst line comes nearer to failing. One that is found is shrunk: fewer
        and smaller numbers, with fewer digits. Nothing holds because nothing is found."""
    def shrink(
        self, trial: int, seed: int = 0, *, counterexample: str | PathLike[str] | None = None
    ) -> ClaimCheck:
        """Shrinks the counterexample that is instance number `trial`."""
    def judge(self, instance: Mapping[str, Any] | str | PathLike[str]) -> ClaimCheck:
        """Judges one instance of yours, a dict of its entries, or the file of one."""

def claim(
    id: str, statement: str, *, inputs: Mapping[str, str] | None = None
) -> Callable[[Callable[..., Any]], Claim]:
    """Makes a claim of the function that follows, its conclusion.

        @tr.claim("cauchy", "The square of an inner product is at most the product of the squares.")
        def cauchy(x, y, inner):
            return tr.at_most(inner**2, (x @ x) * (y @ y), 0)  # whole numbers: exact

        @cauchy.draw
        def _(rng):
            return {"x": rng.integers(-9, 10, 3), "y": rng.integers(-9, 10, 3)}

        @cauchy.work
        def _(x, y):
            return {"inner": x @ y}

        @cauchy.spoil("1000 is added to the inner product")
        def _(inner):
            return {"inner": inner + 1000}

        cauchy.check()

    id names it in files; inputs: the meaning of entries by name, for reports."""

def at_most(
    measured: Any, bound: Any, allowance: Any, name: str | None = None, step: int | None = None
) -> _Line:
    """A line that says measured <= bound.

    allowance: how much rounding may have moved the two, derived by you; 0 of exact numbers. Arrays
    are compared entry by entry. name: of the quantity, for tables; step: of a run."""

def at_least(
    measured: Any, bound: Any, allowance: Any, name: str | None = None, step: int | None = None
) -> _Line:
    """A line that says measured >= bound; see `at_most`."""

def near(
    measured: Any, bound: Any, allowance: Any, name: str | None = None, step: int | None = None
) -> _Line:
    """A line that says |measured - bound| <= allowance; see `at_most`."""

def truth(value: Any, name: str | None = None, step: int | None = None) -> _Line:
    """A line that is true, false, or with None open. A truth that a function returns is this too."""

def claims(
    id: str | None = None, *, paper: str | None = None, status: str | None = None
) -> Claims:
    """The claims of the papers: the one called id, or those of a paper ("fw", "lm", "afz", "mm",
    "tf", "md", "sp") and with a status ("proved", "conjectured", "false-as-printed", "artifact",
    "needs-data", "measured")."""

def doctor() -> Doctor:
    """Looks around and runs small flows with known answers on every kernel."""

def hull(points: ArrayLike, *, threads: int = 0) -> Hull:
    """The convex hull of points (n, d), any n and d."""

def rules() -> list[str]:
    """The names of the attention rules."""

def schedule(words: float | str, times: ArrayLike, option: str = "gamma") -> FloatArray:
    """A schedule, such as "fw" or "geometric:1,0.5", at these times."""

def cite() -> list[str]:
    """Prints the references of what was used in this session, and returns them."""

def load(path: str | PathLike[str]) -> Any:
    """The result in a file .h5: fields, options, arrays, record and pictures as it had when it was
    saved. It does not go on: `tr.flow(..., resume=path)` and `--from` do."""
