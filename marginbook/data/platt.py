"""Adult (a1a to a9a, 123 binary features) and Web (w1a to w8a, 300), as Platt encoded them."""

from . import formats
from .files import read

N_FEATURES = {"a": 123, "w": 300}
CLASSES = {"a": ["income up to 50K", "income above 50K"], "w": ["not in the category", "in the category"]}
WITH_TEST = ("a9a", "w8a")


def files(name: str) -> tuple[str, ...]:
    """Training part, and the test part of the whole sets."""
    return (f"libsvm/{name}", f"libsvm/{name}.t")[: 2 if name in WITH_TEST else 1]


def load(name: str) -> dict:
    """CSR rows and labels 1 or -1; the dimension is the whole family's, whatever the highest index seen."""
    parts = [formats.libsvm(read(path), N_FEATURES[name[0]]) for path in files(name)]
    bunch = {"data": parts[0][0], "target": parts[0][1], "target_names": CLASSES[name[0]]}
    if len(parts) == 2:
        bunch["data_test"], bunch["target_test"] = parts[1]
    return bunch
