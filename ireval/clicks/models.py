"""Click models, which separate the effect of a document's rank on its clicks from its attractiveness."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.arrays import Floats, Ints
from ireval.clicks.click_files import as_sessions
from ireval.clicks.position_based import cells_of, fit_position_based
from ireval.clicks.posterior import Posterior, Views, posterior
from ireval.clicks.sessions import BadClicks, Bools, Sessions
from ireval.io.arguments import is_name_in, require_confidence, require_numbers
from ireval.io.frames import TableSource

# A chance of exactly 0 or 1 that turns out wrong would cost infinitely much.
LEAST = 1e-6
# With fewer views a document explains its own clicks: examination is 3 to 8 % too high at ten views, 40 % at five.
FEW = 10


class Trials(NamedTuple):
    """How many of each pair's `n` views were clicked, or satisfied: `yes`; (P,) each."""

    yes: NDArray
    n: NDArray


@dataclass(frozen=True, eq=False)
class ClickModel:
    """A model fitted to sessions.

    - name: one of MODELS.
    - pairs: one row per query and document, sorted: query, document, shown, support, attractiveness, low and high. The simplified
      DBN adds satisfaction. support is the number of views from which attractiveness was counted. In the position-based model it
      is the expected number of views that were examined.
    - by_rank (K,): a chance of the rank: to be examined (position-based), to go on after a click (dependent click), or to be
      clicked (rank-ctr). 1 in models without ranks.
    - attractiveness, satisfaction: those of documents never seen with a query.
    - impressions: their number. rounds, converged: of the EM; 0 and True for models that count.
    - note: a caution for the reader, or "".
    """

    name: str
    pairs: pl.DataFrame
    by_rank: Floats
    attractiveness: float
    satisfaction: float
    impressions: int
    rounds: int = 0
    converged: bool = True
    note: str = ""

    @property
    def title(self) -> str:
        """The model's name in words."""
        return MODELS[self.name].title

    def chances(self, sessions: Sessions, *, knowing: bool = False) -> Floats:
        """The chance of a click on each document shown, (N, K); NaN where nothing was shown.

        With `knowing`, it is the chance given the clicks above in the impression. Ranks beyond those of the fit count as the
        last.
        """
        attractive = sessions.spread(self.of_pairs(sessions, "attractiveness", self.attractiveness), np.nan)
        ranks = self.by_rank[np.minimum(np.arange(sessions.depth), len(self.by_rank) - 1)]
        if self.name in {"rank-ctr", "position-based"}:
            return np.clip(attractive * ranks, LEAST, 1 - LEAST)
        going_on = self.going_on(sessions, ranks)
        clicked = sessions.spread(sessions.clicked, fill=False)
        examined, chances = np.ones(len(sessions)), np.empty_like(attractive)
        for rank in range(sessions.depth):
            a, after = attractive[:, rank], going_on[:, rank]
            chances[:, rank] = examined * a
            unclicked = examined * (1 - a)
            if knowing:
                examined = np.where(clicked[:, rank], after, unclicked / np.maximum(1 - examined * a, LEAST))
            else:
                examined = unclicked + examined * a * after
        return np.clip(chances, LEAST, 1 - LEAST)

    def going_on(self, sessions: Sessions, ranks: Floats) -> Floats:
        """The chance to look further after a click, (N, K)."""
        if self.name == "cascade":
            return np.zeros((len(sessions), sessions.depth))
        if self.name == "dependent-click":
            return np.broadcast_to(ranks, (len(sessions), sessions.depth))
        return 1 - sessions.spread(self.of_pairs(sessions, "satisfaction", self.satisfaction), np.nan)

    def of_pairs(self, sessions: Sessions, column: str, unseen: float) -> Floats:
        """A column of `pairs` for each document shown, (M,)."""
        if column not in self.pairs.columns or self.pairs.is_empty():
            return np.full(len(sessions.document), unseen)
        pairs = self.pairs.select("query", "document", column)
        values = sessions.pairs.join(pairs, on=["query", "document"], how="left", maintain_order="left")[column]
        return values.fill_null(unseen).to_numpy()[sessions.pair]

    def log_likelihood(self, sessions: Sessions) -> float:
        """The natural logarithm of the chance of all clicks.

        Chances stay a millionth away from 0 and 1. An event that a model excludes, such as a second click in the cascade model,
        therefore costs 13.8.
        """
        return float(self.log_likelihoods(sessions).sum())

    def log_likelihoods(self, sessions: Sessions) -> Floats:
        """The natural logarithm of the chance of each impression's clicks, (N,)."""
        return np.nansum(log_chance(self.chances(sessions, knowing=True), sessions), axis=1)

    def perplexity(self, sessions: Sessions) -> Floats:
        """2 to the mean of −log₂ of the chance of the event at each rank, (K,), not knowing the other clicks.

        1 is perfect, 2 is a coin. Source: Dupret and Piwowarski, A user browsing model to predict search engine click data, SIGIR
        2008.
        """
        chance = log_chance(self.chances(sessions), sessions)
        shown = np.bincount(sessions.place, minlength=sessions.depth)
        return np.exp(-np.nansum(chance, axis=0) / shown)


def log_chance(chances: Floats, sessions: Sessions) -> Floats:
    """The logarithm of the chance of each click or missing click, (N, K); NaN where nothing was shown."""
    clicked = sessions.spread(sessions.clicked, fill=False)
    return np.log(np.where(clicked, chances, 1 - chances))


def fit(sessions: Sessions | TableSource, model: str, *, prior: float = 1, confidence: float = 0.95) -> ClickModel:
    """Fit a click model. Whether a document was clicked counts, not how often; clicks elsewhere do not.

    - rank-ctr: every rank has its click-through rate; the baseline.
    - position-based: examined(rank) · attractive(query, document), by EM (Craswell et al. 2008).
    - cascade: people look from the top to the first click, attractive(query, document) (Craswell et al. 2008). Counted over the
      documents down to the first click.
    - dependent-click: as the cascade, but after a click people go on with a chance of the rank (Guo, Liu and Wang 2009). Counted
      over the documents down to the last click, or all without a click. The chance to go on is 1 − last clicks / clicks.
    - simplified-dbn: as the cascade, but after a click people go on unless the document satisfied them (Chapelle and Zhang 2009,
      γ = 1). Attractiveness is as in the dependent click model, satisfaction last clicks / clicks of the document.

    Attractiveness and satisfaction are shrunk towards the mean m of all pairs: (yes + prior · m) / (n + prior); documents never
    seen have m. Intervals are quantiles of Beta(yes + prior · m, n − yes + prior · (1 − m)). The position-based model takes both
    from the `posterior` with that prior at fixed examination, since the examined views are not known. BadClicks for an unknown
    model, and a prior that is not above 0.
    Sources: Craswell, Zoeter, Taylor and Ramsey, An experimental comparison of click position-bias models, WSDM 2008. Guo, Liu
    and Wang, Efficient multiple-click models in web search, WSDM 2009. Chapelle and Zhang, A dynamic Bayesian network click model
    for web search ranking, WWW 2009. Chuklin, Markov and de Rijke, Click models for web search, 2015.

    >>> from ireval.clicks.sessions import small
    >>> fit(small(), "dependent-click").by_rank.round(4).tolist()
    [0.4167, 0.125, 0.125]
    """
    sessions = as_sessions(sessions)
    require_confidence(confidence)
    if not is_name_in(model, MODELS):
        raise BadClicks(f"there is no click model {model}; expected one of {', '.join(MODELS)}")
    require_numbers(prior=prior)
    if not prior > 0:
        raise BadClicks(f"the prior is {prior:g}; expected a number above 0")
    return MODELS[model].fit(sessions, prior, confidence)


def fit_rank_ctr(sessions: Sessions, prior: float, confidence: float) -> ClickModel:
    shown = np.bincount(sessions.place, minlength=sessions.depth)
    clicked = np.bincount(sessions.place[sessions.clicked], minlength=sessions.depth)
    by_rank = shrunk(Trials(clicked, shown), prior, mean_of(clicked.sum(), shown.sum()))
    return ClickModel("rank-ctr", pl.DataFrame(), by_rank, 1.0, 0.0, len(sessions))


def fit_by_em(sessions: Sessions, prior: float, confidence: float) -> ClickModel:
    fitted, cells = fit_position_based(sessions), cells_of(sessions)
    mean = mean_of(cells.clicks.sum(), fitted.support.sum())
    views = Views(cells.pair, cells.n, cells.clicks, fitted.examined[cells.place])
    attractiveness = posterior(views, len(sessions.pairs), prior=prior, mean=mean, confidence=confidence)
    notes = []
    if fitted.parts > 1:
        notes.append(f"ranks fall into {fitted.parts} groups that share no document: only within one can they be compared")
    shown = np.bincount(cells.pair, cells.n, minlength=len(sessions.pairs))
    if shown[shown < FEW].sum() > shown.sum() / 2:
        notes.append(
            f"most results are of documents shown fewer than {FEW} times for their query: these explain their own "
            "clicks, and ranks seem to be looked at more alike than they are"
        )
    return ClickModel(
        name="position-based",
        pairs=table(sessions, fitted.support, attractiveness),
        by_rank=fitted.examined,
        attractiveness=mean,
        satisfaction=0.0,
        impressions=len(sessions),
        rounds=fitted.rounds,
        converged=fitted.converged,
        note="; ".join(notes),
    )


def fit_cascade(sessions: Sessions, prior: float, confidence: float) -> ClickModel:
    """Attractiveness is first clicks over views, of the documents down to the first click."""
    running = np.r_[0, np.cumsum(sessions.clicked)]
    clicked_above = running[:-1] - running[sessions.start[:-1]][sessions.impression]
    counts = trials_of(sessions, clicked_above == 0)
    more = int((sessions.sums(sessions.clicked) > 1).sum())
    note = f"{more:,} impressions have more clicks than the one that the model knows" if more else ""
    return counting_model("cascade", sessions, counts, prior, confidence, note=note)


def fit_dependent_click(sessions: Sessions, prior: float, confidence: float) -> ClickModel:
    last = last_ranks(sessions)
    at_rank = np.bincount(sessions.place[sessions.clicked], minlength=sessions.depth)
    ended = np.bincount(last[last >= 0], minlength=sessions.depth)
    going_on = Trials(at_rank - ended, at_rank)
    by_rank = shrunk(going_on, prior, mean_of(going_on.yes.sum(), going_on.n.sum()))
    return counting_model("dependent-click", sessions, down_to_last(sessions, last), prior, confidence, by_rank=by_rank)


def fit_simplified_dbn(sessions: Sessions, prior: float, confidence: float) -> ClickModel:
    last = last_ranks(sessions)
    ends = sessions.clicked & (sessions.place == last[sessions.impression])
    size = len(sessions.pairs)
    satisfied = Trials(
        np.bincount(sessions.pair[ends], minlength=size), np.bincount(sessions.pair[sessions.clicked], minlength=size)
    )
    mean = mean_of(satisfied.yes.sum(), satisfied.n.sum())
    model = counting_model("simplified-dbn", sessions, down_to_last(sessions, last), prior, confidence, satisfaction=mean)
    model.pairs.insert_column(-1, pl.Series("satisfaction", shrunk(satisfied, prior, mean)))
    return model


def last_ranks(sessions: Sessions) -> Ints:
    """The lowest place clicked in each impression, (N,); −1 without a click."""
    lowest = np.full(len(sessions), -1)
    np.maximum.at(lowest, sessions.impression[sessions.clicked], sessions.place[sessions.clicked])
    return lowest


def down_to_last(sessions: Sessions, last: Ints) -> Trials:
    reached = np.where(last < 0, sessions.depth, last)[sessions.impression]
    return trials_of(sessions, sessions.place <= reached)


def trials_of(sessions: Sessions, examined: Bools) -> Trials:
    size = len(sessions.pairs)
    clicks = np.bincount(sessions.pair[examined & sessions.clicked], minlength=size)
    return Trials(clicks, np.bincount(sessions.pair[examined], minlength=size))


def counting_model(
    name: str,
    sessions: Sessions,
    counts: Trials,
    prior: float,
    confidence: float,
    *,
    by_rank: Floats | None = None,
    satisfaction: float = 0.0,
    note: str = "",
) -> ClickModel:
    mean = mean_of(counts.yes.sum(), counts.n.sum())
    pairs = table(sessions, counts.n, beta(counts, prior, mean, confidence))
    ranks = np.ones(sessions.depth) if by_rank is None else by_rank
    return ClickModel(name, pairs, ranks, mean, satisfaction, len(sessions), note=note)


def mean_of(yes: float, n: float) -> float:
    """yes / n, ½ for n = 0; never quite 0 or 1, since the mean of a prior may not be either."""
    return float(np.clip(yes / n, LEAST, 1 - LEAST)) if n > 0 else 0.5


def shrunk(counts: Trials, prior: float, mean: float) -> Floats:
    return (counts.yes + prior * mean) / (counts.n + prior)


def beta(counts: Trials, prior: float, mean: float, confidence: float) -> Posterior:
    from scipy.special import betaincinv  # noqa: PLC0415 - slow to import

    yes, no = counts.yes + prior * mean, counts.n - counts.yes + prior * (1 - mean)
    low, high = (betaincinv(yes, no, end) for end in ((1 - confidence) / 2, (1 + confidence) / 2))
    return Posterior(shrunk(counts, prior, mean), low, high)


def table(sessions: Sessions, support: NDArray, attractiveness: Posterior) -> pl.DataFrame:
    columns = {
        "shown": np.bincount(sessions.pair, minlength=len(sessions.pairs)),
        "support": np.asarray(support, np.float64),
        "attractiveness": attractiveness.mean,
        "low": attractiveness.low,
        "high": attractiveness.high,
    }
    return sessions.pairs.with_columns(pl.Series(name, values) for name, values in columns.items())


class ModelKind(NamedTuple):
    title: str
    fit: Callable[[Sessions, float, float], ClickModel]


BASELINE = "rank-ctr"
MODELS = {
    BASELINE: ModelKind("click-through rate of the rank", fit_rank_ctr),
    "position-based": ModelKind("position-based model", fit_by_em),
    "cascade": ModelKind("cascade model", fit_cascade),
    "dependent-click": ModelKind("dependent click model", fit_dependent_click),
    "simplified-dbn": ModelKind("simplified dynamic Bayesian network", fit_simplified_dbn),
}
