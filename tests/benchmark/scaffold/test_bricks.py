import hashlib
import os

import pytest

from benchmark.scaffold import bricks, store


@pytest.mark.parametrize(
    ("places", "found"),
    [
        ([], []),
        ([(8, 4)], [(8, 4, 1)]),
        ([(8, 4), (12, 2), (14, 1), (20, 5), (25, 5)], [(8, 7, 3), (20, 10, 2)]),
        ([(12, 2), (8, 4)], [(12, 2, 1), (8, 4, 1)]),
    ],
)
def test_chunks_that_lie_one_behind_another_are_one_request(places, found):
    assert list(bricks.adjacent(places)) == found


def test_the_first_fault_of_other_threads_comes_first():
    seen = []

    def check(number):
        seen.append(number)
        if number > 1:
            raise ValueError(f"brick {number}")

    with pytest.raises(ValueError, match="brick 2"), bricks.beside() as hand_over:
        for number in range(4):
            hand_over(check, number)
        raise OSError("reading failed later")
    assert sorted(seen) == [0, 1, 2, 3]
    with pytest.raises(OSError, match="reading"), bricks.beside() as hand_over:
        hand_over(check, 0)
        raise OSError("reading")


def test_a_forked_process_has_threads_of_its_own():
    bricks.pool(os.getpid()).submit(int).result()
    if not (child := os.fork()):
        with bricks.beside() as hand_over:
            hand_over(int)
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("kind", [0, 1])
def test_a_flipped_bit_of_any_brick_is_found_by_any_thread(stored, kind):
    path, places = stored[0], store.verify_box(stored[0])[2]
    whole, digest = path.read_bytes(), hashlib.sha256(path.read_bytes()).digest()
    for number, (offset, size) in enumerate(places[:, kind].tolist()):
        for at in (offset, offset + size // 2, offset + size - 1):
            changed = bytearray(whole)
            changed[at] ^= 16
            path.write_bytes(changed)
            brick = rf"brick \({number // 4}, {number // 2 % 2}, {number % 2}\) is corrupt"
            with pytest.raises(ValueError, match=brick if kind == 0 else f"{brick}|does not inflate|found .* bytes"):
                store.verify_box(path)
    path.write_bytes(whole)
    assert hashlib.sha256(path.read_bytes()).digest() == digest and store.verify_box(path)


def test_turns_hold_every_brick_once_in_order():
    for count in range(1, 40):
        for threads in (1, 2, 4):
            for most in (1, 3, 100):
                found = list(bricks.turns(count, threads, most))
                assert [n for turn in found for part in turn for n in part] == list(range(count))
                assert all(len(turn) <= threads and 0 < len(p) <= most for turn in found for p in turn)
                sizes = [len(p) for turn in found for p in turn]
                assert max(sizes) - min(sizes) <= 1
