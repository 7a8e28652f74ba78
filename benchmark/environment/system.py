"""Read the system that a process sees: kernel, distribution, container, limits of its share, file systems."""

import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmark.environment.facts import ROOT, maybe
from benchmark.launch import usable_cores

# Mount options that say how data are read. Others may name hosts, users or folders.
OPTIONS = (
    "rw", "ro", "sync", "async", "atime", "noatime", "relatime", "nodiratime", "vers", "proto", "nconnect", "rsize",
    "wsize", "hard", "soft", "timeo", "retrans", "flock", "localflock", "noflock", "lazystatfs", "checksum", "stripe",
    "data", "discard", "compress", "size", "max_read", "noac", "nolock",
)  # fmt: skip


def kernel() -> dict[str, str]:
    """Return the kernel's release, version and machine."""
    said = os.uname()
    return {"release": said.release, "version": said.version, "machine": said.machine}


def operating_system() -> str:
    """Return the distribution's name and version, or the kernel's."""
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.platform()


def container(environ: Mapping[str, str] = os.environ, root: Path = ROOT) -> dict[str, str]:
    """Return the kind of container, its image and the image's digest, as far as they can be seen from inside. `kind` is
    "none" where nothing points to a container. The variable CONTAINER_DIGEST, if set, gives the digest."""
    digest = environ.get("CONTAINER_DIGEST", "")
    found = {"digest": digest} if re.fullmatch(r"(sha256:)?[0-9a-f]{64}", digest) else {}
    if (podman := maybe(root / "run/.containerenv")) is not None or (root / "run/.containerenv").exists():
        told = dict(re.findall(r'^(image|imageid)="?([^"\n]*)', podman or "", re.M))
        found = {"digest": told["imageid"]} | found if told.get("imageid") else found
        image = {"image": told["image"].rpartition("/")[2]} if told.get("image") else {}
        return {"kind": "podman", **image, **found}
    for kind, names in (
        ("apptainer", ("APPTAINER_CONTAINER", "SINGULARITY_CONTAINER")),
        ("enroot", ("ENROOT_ROOTFS",)),
    ):
        if path := next((environ[name] for name in names if environ.get(name)), ""):
            return {"kind": kind, "image": path.rstrip("/").rpartition("/")[2], **found}
    kinds = {"docker": ".dockerenv", "apptainer": ".singularity.d", "pyxis": "etc/enroot/environ.d"}
    kind = next((kind for kind, file in kinds.items() if (root / file).exists()), "none")
    if kind == "none" and "KUBERNETES_SERVICE_HOST" in environ:
        kind = "kubernetes"
    return {"kind": kind, **found}


def share(root: Path = ROOT) -> dict[str, Any]:
    """Return how much of the node this process may use: its processors, and the limits of its control group."""
    files = {"cpu_max": "cpu.max", "memory_max": "memory.max"}
    bounds = {name: value for name, file in files.items() if (value := maybe(root / "sys/fs/cgroup" / file))}
    return {"processors": usable_cores(), **bounds}


def file_system(folder: Path, root: Path = ROOT) -> dict[str, Any]:
    """Return the type of a folder's file system, its mount options that say how data are read, and the number of its
    other options. A folder that does not exist stands for the nearest one above it. Raises OSError, or ValueError where
    no mount is found."""
    folder = existing(folder)
    best: tuple[int, str, str] = (-1, "", "")
    for line in (root / "proc/self/mountinfo").read_text(encoding="utf-8", errors="replace").splitlines():
        before, _, after = line.partition(" - ")
        fields, said = before.split(), after.split()
        mount = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4])
        if folder.is_relative_to(mount) and len(mount) >= best[0]:
            best = (len(mount), said[0], f"{fields[5]},{said[2]}" if len(said) > 2 else fields[5])
    if best[0] < 0:
        raise ValueError("no mount holds it")
    options = list(dict.fromkeys(best[2].split(",")))
    kept = [option for option in options if option.partition("=")[0] in OPTIONS]
    return {"type": best[1], "options": kept, "other_options": len(options) - len(kept)}


def existing(folder: Path) -> Path:
    """Return the folder, or the nearest one above it that exists."""
    folder = Path(os.path.realpath(folder))  # which a link to itself does not stop
    return folder if folder.exists() else existing(folder.parent)
