"""Report the keys of a workload's YAML that DLIO's own code never reads. Run it with DLIO's interpreter.

build/dlio/bin/python perf/storage/keys.py FILE...
"""

import sys

import yaml
from dlio_benchmark.utils.config import ConfigArguments, LoadConfig


class Asked(dict):
    """A mapping that records which of its keys were looked up."""

    def __init__(self, values):
        super().__init__({k: Asked(v) if isinstance(v, dict) else v for k, v in values.items()})
        self.seen = set()

    def __getitem__(self, key):
        self.seen.add(key)
        return super().__getitem__(key)

    def unknown(self, above=""):
        """The keys that were never looked up."""
        for key, value in self.items():
            if key not in self.seen:
                yield above + key
            elif isinstance(value, Asked):
                yield from value.unknown(f"{above}{key}.")


def main():
    status = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            config = Asked(yaml.safe_load(file))
        ConfigArguments.reset()
        arguments = ConfigArguments.__new__(ConfigArguments)
        LoadConfig(arguments, config)
        for key in config.unknown():
            status = 1
            print(f"{path}: {key}: DLIO does not read it", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
