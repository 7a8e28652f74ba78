from pathlib import Path

import pytest

from benchmark.environment.system import container, existing, file_system, share

MOUNTS = r"""22 27 0:21 / / rw,relatime - ext4 /dev/vda rw,discard
30 22 0:40 / /lustre rw,noatime shared:1 - lustre 10.0.0.1@o2ib:/home rw,flock,user_xattr
31 30 0:41 / /lustre/with\040space ro - overlay overlay rw,lowerdir=/home/jane,upperdir=/home/jane/up
"""


def test_bounds_of_a_share(machine):
    root = machine({"sys/fs/cgroup/cpu.max": "200000 100000\n", "sys/fs/cgroup/memory.max": "max\n"})
    assert {**share(root), "processors": 0} == {"processors": 0, "cpu_max": "200000 100000", "memory_max": "max"}


@pytest.mark.parametrize(
    ("folder", "wanted"),
    [
        ("/", {"type": "ext4", "options": ["rw", "relatime", "discard"], "other_options": 0}),
        ("/lustre", {"type": "lustre", "options": ["rw", "noatime", "flock"], "other_options": 1}),
        ("/lustre/with space", {"type": "overlay", "options": ["ro", "rw"], "other_options": 2}),
    ],
)
def test_file_systems_without_users_folders(machine, monkeypatch, folder, wanted):
    root = machine({"proc/self/mountinfo": MOUNTS})
    monkeypatch.setattr("benchmark.environment.system.existing", lambda path: path)
    assert file_system(Path(folder), root) == wanted
    with pytest.raises(ValueError, match="no mount"):
        file_system(Path(folder), machine({"proc/self/mountinfo": ""}))


DIGEST = "sha256:" + "a" * 64
PODMAN = f'engine="podman-5"\nimage="reg.example/jane/torch:1"\nimageid="{"b" * 64}"\n'


@pytest.mark.parametrize(
    ("files", "environ", "wanted"),
    [
        ({}, {}, {"kind": "none"}),
        ({".dockerenv": ""}, {"CONTAINER_DIGEST": DIGEST}, {"kind": "docker", "digest": DIGEST}),
        ({".dockerenv": ""}, {"CONTAINER_DIGEST": "latest"}, {"kind": "docker"}),
        ({"run/.containerenv": PODMAN}, {}, {"kind": "podman", "image": "torch:1", "digest": "b" * 64}),
        ({"run/.containerenv": ""}, {}, {"kind": "podman"}),
        ({}, {"APPTAINER_CONTAINER": "/home/jane/x.sif"}, {"kind": "apptainer", "image": "x.sif"}),
        ({".singularity.d/runscript": ""}, {}, {"kind": "apptainer"}),
        ({}, {"ENROOT_ROOTFS": "/run/enroot/torch"}, {"kind": "enroot", "image": "torch"}),
        ({}, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, {"kind": "kubernetes"}),
    ],
)
def test_containers(machine, tmp_path, files, environ, wanted):
    assert container(environ, machine(files) if files else tmp_path) == wanted


def test_a_link_to_itself_is_no_folder(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert existing(tmp_path / "loop" / "data") == tmp_path.resolve()
