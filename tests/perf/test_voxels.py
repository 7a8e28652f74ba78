"""Volumes of classes as pictures: what is in front hides what is behind, and the same input gives the same bytes."""

import numpy as np

from perf.voxels import COLOURS, Scene, exposed, grid, nearness


def body(*voxels, n=4):
    label = np.zeros((n, n, n), np.uint8)
    for category, place in voxels:
        label[place] = category
    return label


def drawn(label, size=48):
    scene = Scene(size)
    scene.solid(label)
    return scene.draw()


def coloured(picture, category):
    """Pixels whose colour is a shade of the category's: the same channel is the largest, another the smallest."""
    order = np.argsort(COLOURS[category - 1])
    values = picture.reshape(-1, 3).astype(int)[:, order]
    return int(((values[:, 2] - values[:, 0] > 60) & (values[:, 1] >= values[:, 0])).sum())


def test_nothing_is_white():
    assert (drawn(body()) == 255).all()


def test_what_is_in_front_hides_what_is_behind():
    """The viewer looks from above (z = 0), from the front (y = n) and from the right (x = n)."""
    front, back = (0, 3, 3), (3, 0, 0)
    alone = coloured(drawn(body((1, front), n=4)), 1)
    assert alone > 50
    both = body((1, front), (2, back))
    assert coloured(drawn(both), 1) >= alone - 5
    full = np.full((4, 4, 4), 2, np.uint8)
    full[back] = 1  # behind all others
    assert coloured(drawn(full), 1) == 0


def test_faces_between_voxels_are_not_drawn():
    occupied = body((1, (1, 1, 1)), (1, (2, 1, 1))) != 0
    assert np.argwhere(exposed(occupied, 0, -1)).tolist() == [[1, 1, 1]]
    assert np.argwhere(exposed(occupied, 0, 1)).tolist() == [[2, 1, 1]]
    assert exposed(np.ones((3, 3, 3), bool), 2, 1).sum() == 9  # those at the edge have none beside them


def test_near_is_bright():
    far, near = nearness(np.array([[1, 0, 0], [0, 1, 1]], float))
    assert far < near == 1


def test_lines_and_places_are_inside_the_picture():
    scene = Scene(40)
    grid(scene, 2)
    corners = [(z, y, x) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    assert all(0 <= v <= 40 for corner in corners for v in scene.spot(corner))
    assert scene.spot((0.5, 0.5, 0.5)) == (20, 20)
    assert 0 < (scene.draw() < 255).any(axis=-1).mean() < 0.5
