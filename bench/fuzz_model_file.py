"""Attack `load` with damaged files: each must end in a model or in a ModelFileError.

    PYTHONPATH=tests python bench/fuzz_model_file.py 100000

Every file is loaded with verification. Of every twentieth the memory that NumPy and Python take is
measured as well, without verification, which runs the model; the largest is printed beside the size
of the file. A crash of the interpreter would end the run, and so does any other error, with the
seed that makes the file again.
"""

import gc
import random
import resource
import sys
import time
import tracemalloc
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from hostile import attacked, models, parts_of

from linework import ModelFileError, load, save


def fuzz(count: int, first: int = 0) -> None:
    """Load this many damaged files."""
    warnings.simplefilter("ignore")
    ended: Counter[str] = Counter()
    worst, slowest = (0.0, 0), (0.0, 0)
    limit = 4 << 30
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.lw"
        sources = []
        for model, X in models():
            save(model, path, X)
            load(path)
            sources.append(parts_of(path))
        start = time.perf_counter()
        for seed in range(first, first + count):
            rng = random.Random(seed)
            data = attacked(rng.choice(sources), rng)
            path.write_bytes(data)
            began = time.perf_counter()
            try:
                load(path)
                ended["loaded"] += 1
            except ModelFileError as error:
                ended[type(error.__cause__).__name__ if error.__cause__ else "sentence"] += 1
            except BaseException:
                print(f"seed {seed}")
                raise
            slowest = max(slowest, (time.perf_counter() - began, seed))
            if seed % 20 == 0:
                gc.collect()
                tracemalloc.start()
                with suppress(ModelFileError):
                    load(path, verify=False)
                worst = max(
                    worst, (tracemalloc.get_traced_memory()[1] / max(len(data), 4096), seed)
                )
                tracemalloc.stop()
            if (seed + 1) % 10_000 == 0:
                print(seed + 1, f"{time.perf_counter() - start:.0f} s", dict(ended), flush=True)
    print(f"{count} files:", dict(ended))
    print(f"most memory: {worst[0]:.1f} times the file (seed {worst[1]})")
    print(f"slowest: {slowest[0]:.2f} s (seed {slowest[1]})")
    print(f"resident at most: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    fuzz(*(int(argument) for argument in sys.argv[1:]))
