"""Run notebooks in place and leave byte-stable files: ``python tools/execute.py book/*.ipynb``.

Two runs of an unchanged notebook give identical bytes: widget ids are renamed in order of appearance,
addresses are zeroed, keys are sorted, and nothing that depends on the clock or the machine is kept. Of a
widget that has HTML for pages without a kernel, that alone is stored.
A notebook that fails is left as it was.
"""

import argparse
import hashlib
import json
import os
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError

MODEL_ID = re.compile(r'"model_id": "([0-9a-f]{32})"')
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")
HEX_ID = re.compile(r"\b[0-9a-f]{32}\b")
# As in `make test`: a sum in a BLAS call depends on how many threads share it. The kernel inherits these.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
LANGUAGE = {"name": "python"}
WIDGET = "application/vnd.jupyter.widget-view+json"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def run(notebook, folder, timeout):
    """Replace all outputs of `notebook` with those of a fresh kernel started in `folder`."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.metadata.pop("widgets", None)
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name=KERNEL["name"],
        record_timing=False,
        coalesce_streams=True,  # how a stream is cut into messages depends on the clock
        resources=resources,
    )
    client.execute()
    shown = [output.data for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    for data in shown:
        if "text/plain" in data:
            data["text/plain"] = ADDRESS.sub("0x000000000000", data["text/plain"])
        if "text/html" in data:
            data.pop(WIDGET, None)
    if not any(WIDGET in data for data in shown):
        notebook.metadata.pop("widgets", None)
    notebook.metadata["kernelspec"], notebook.metadata["language_info"] = KERNEL, LANGUAGE


def stable_text(notebook, name):
    """JSON of `notebook` with the random widget ids replaced by hashes of `name` and their rank."""
    text = nbformat.writes(notebook)
    state = json.dumps(notebook.metadata.get("widgets", {}))
    for rank, old in enumerate(dict.fromkeys(MODEL_ID.findall(text) + HEX_ID.findall(state))):
        text = text.replace(old, hashlib.md5(f"{name}:{rank}".encode()).hexdigest())
    return json.dumps(json.loads(text), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def execute(path, timeout):
    """Run the notebook at `path` and write it back, atomically; say whether its bytes changed."""
    before = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(before, as_version=4)
    run(notebook, path.parent, timeout)
    after = stable_text(notebook, path.name)
    if after != before:
        partial = path.with_suffix(".partial")
        partial.write_text(after, encoding="utf-8")
        partial.replace(path)
    return after != before


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="+", type=Path)
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one cell")
    options = parser.parse_args()
    os.environ.update(ONE_THREAD)
    failed = False
    for path in options.notebooks:
        try:
            print(f"{path}: {'changed' if execute(path, options.timeout) else 'unchanged'}", flush=True)
        except (CellExecutionError, CellTimeoutError) as error:
            failed = True
            print(f"{path}: failed, file left as it was\n{error}", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
