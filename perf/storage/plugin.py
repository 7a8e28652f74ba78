"""DLIO's reader class: it reads whole samples with the reader of runs, checks included.

Only DLIO's environment can import it.
"""

from pathlib import Path

import yaml
from dlio_benchmark.reader.hdf5_reader import HDF5Reader

from benchmark.problem import load_problem
from benchmark.run.reader import read_box
from benchmark.workload import whole_box


class StoreReader(HDF5Reader):
    """Reads the sample that a link's name gives: <split>/<sample>.hdf5 below the folder of store.yaml."""

    def __init__(self, dataset_type, thread_index, epoch):
        super().__init__(dataset_type, thread_index, epoch)
        said = yaml.safe_load((Path(self._args.data_folder) / "store.yaml").read_text(encoding="utf-8"))
        self.problem, self.data, self.known = load_problem(said["problem"]), Path(said["data"]), {}

    def open(self, filename):
        return filename

    def close(self, filename):
        pass

    def get_sample(self, filename, sample_index):
        path, box = Path(filename), whole_box(self.problem)
        split, sample = {"train": "train", "valid": "validation"}[path.parent.name], int(path.stem)
        found = read_box(self.data, self.problem, split, sample, box, self.known.get(path))
        self.known[path] = found._replace(box=found.box._replace(arrays=()))
