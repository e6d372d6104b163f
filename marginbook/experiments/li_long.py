"""Li and Long, The Relaxed Online Maximum Margin Algorithm: Table 1, the perceptron's rows."""

from marginbook.estimators.perceptron import Perceptron
from marginbook.experiments.protocols import kernel_epochs
from marginbook.experiments.record import Published, Record

PARAMETERS = dict(
    kernel="poly",
    gamma=1.0,
    degree=4,
    coef0=1.0,
    shuffle="once",
    cache_size=4096,
    record_trace=True,
)

MISTAKES = ("7970", "10539", "11945", "12800")
LAST = ("2.84", "2.27", "1.99", "1.85")
VOTED = ("2.26", "1.88", "1.76", "1.69")


def run(seed, epochs=4):
    """One permutation: mistakes, and test errors of the last and the voted hypothesis, after each epoch."""
    return kernel_epochs(Perceptron(**PARAMETERS, max_iter=epochs, random_state=seed), "mnist")


def _cells():
    for epoch in range(4):
        column = f"T = {epoch + 1}"
        yield Published("percep", f"{column}, Err", LAST[epoch], "error", "last", epoch)
        yield Published("percep", f"{column}, MisNo", MISTAKES[epoch], "count", "mistakes", epoch, 0.02)
        yield Published("voted-percep", f"{column}, Err", VOTED[epoch], "error", "voted", epoch)
        yield Published("voted-percep", f"{column}, MisNo", MISTAKES[epoch], "count", "mistakes", epoch, 0.02)


TABLE_1 = Record(
    id="li-long-table-1",
    paper="lilong1999",
    title="Li and Long, Table 1: the perceptron on MNIST",
    protocol=(
        "Ten one-vs-rest perceptrons with the kernel (1 + x.y)^4 on raw pixels; the largest score predicts. "
        "Means over ten permutations of the training set. Mistakes are counted over the ten problems and all "
        "epochs so far."
    ),
    choices={
        "scaling": "The paper scales the pixels for ROMMA only; the perceptron gets them raw.",
        "start": "The paper starts at Phi(0). On raw pixels K(0, x) = 1 against K(x, x) near 10^27, so the "
        "start cannot be seen; we start at 0.",
        "order": "One permutation a run, used in each of its epochs and by all ten problems. Run r uses "
        "random_state = r.",
        "ties": "Not stated; equal largest scores go to the smaller digit.",
    },
    data=("mnist",),
    parameters=PARAMETERS,
    run=run,
    runs=10,
    epochs=4,
    scale={"last": 0.01, "voted": 0.01},
    cells=tuple(_cells()),
)
