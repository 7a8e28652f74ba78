"""Drawing a volume of classes as a solid body, with NumPy alone.

The visible faces of occupied voxels, towards the viewer and without an occupied neighbour, are drawn as points, the
nearest last. The shade of a face depends on its direction and distance.
"""

import math
from dataclasses import dataclass, field

import numpy as np

# Okabe and Ito's colours, told apart with any colour vision: https://jfly.uni-koeln.de/color/
COLOURS = ((0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (240, 228, 66))  # of categories 1, 2, ...
TURN, HEIGHT = math.radians(28), math.radians(26)  # the direction of view: plane z = 0 is on top, y = 0 behind
RIGHT = np.array([0.0, -math.sin(TURN), math.cos(TURN)])  # each (z, y, x): the picture's axes, and towards the viewer
UP = np.array([-math.cos(HEIGHT), -math.cos(TURN) * math.sin(HEIGHT), -math.sin(TURN) * math.sin(HEIGHT)])
NEAR = np.array([-math.sin(HEIGHT), math.cos(TURN) * math.cos(HEIGHT), math.sin(TURN) * math.cos(HEIGHT)])
FACES = ((0, -1, 1.12), (1, 1, 0.94), (2, 1, 0.74))  # axis, direction and shade of those that the viewer can see
FARTHEST = 0.76  # shade of the farthest points
FINER = 2  # a picture is drawn at this multiple of its size, and averaged


@dataclass
class Scene:
    """Points to be drawn; coordinates are (z, y, x). With a `zoom` of 1 a cube of 1 x 1 x 1 fills the picture, `size` x
    `size` pixels; with more its corners may lie outside."""

    size: int
    zoom: float = 1.0
    places: list[np.ndarray] = field(default_factory=list)  # (n, 3) each
    colours: list[np.ndarray] = field(default_factory=list)  # (n, 3) each, 0 to 255

    @property
    def pixels(self) -> int:
        return self.size * FINER

    @property
    def unit(self) -> float:
        """Pixels of the cube's side, seen face on."""
        return 0.99 * self.zoom * self.pixels / max(np.abs(RIGHT).sum(), np.abs(UP).sum())

    def add(self, places: np.ndarray, colours: np.ndarray) -> None:
        self.places.append(places)
        self.colours.append(np.broadcast_to(colours, places.shape))

    def spot(self, place: tuple[float, float, float]) -> tuple[float, float]:
        """The (x, y) in pixels of a place in the picture."""
        x, y = on_picture(self, np.array([place]))
        return float(x[0]) / FINER, float(y[0]) / FINER

    def solid(self, label: np.ndarray) -> None:
        """Add the occupied voxels of a volume of classes, (n, n, n)."""
        n = len(label)
        dense = math.ceil(1.3 * self.unit / n)
        grid = (np.arange(dense) + 0.5) / dense
        across = np.stack(np.meshgrid(grid, grid, indexing="ij"), -1).reshape(-1, 2)
        for axis, direction, shade in FACES:
            occupied = np.argwhere(exposed(label != 0, axis, direction))
            corner = np.repeat(occupied, len(across), axis=0).astype(float)
            corner[:, [a for a in range(3) if a != axis]] += np.tile(across, (len(occupied), 1))
            corner[:, axis] += direction > 0
            classes = np.repeat(label[tuple(occupied.T)], len(across))
            places = corner / n
            self.add(places, shaded(np.array(COLOURS)[classes - 1], shade * nearness(places)))

    def line(self, start: tuple, stop: tuple, grey: int, dash: float = 0) -> None:
        """Add a straight line, hidden behind voxels; `dash` is the length of its dashes."""
        a, b = np.array(start, float), np.array(stop, float)
        length = float(np.abs(b - a).sum())
        share = np.arange(0, 1, 1 / (2 * self.pixels))[:, None]
        if dash:
            share = share[(share[:, 0] * length / dash).astype(int) % 2 == 0]
        self.add(a + (b - a) * share, np.full(3, grey))

    def draw(self) -> np.ndarray:
        """The picture, uint8 (size, size, 3), on white."""
        canvas = np.full((self.pixels * self.pixels, 3), 255.0)
        if self.places:
            places, colours = np.concatenate(self.places), np.concatenate(self.colours)
            x, y = on_picture(self, places)
            inside = (x >= 0) & (x < self.pixels) & (y >= 0) & (y < self.pixels)
            places, colours, x, y = places[inside], colours[inside], x[inside], y[inside]
            at = y.astype(int) * self.pixels + x.astype(int)
            order = np.argsort(places @ NEAR, kind="stable")
            canvas[at[order]] = colours[order]  # the last point of a pixel counts, which is the nearest
        fine = canvas.reshape(self.size, FINER, self.size, FINER, 3)
        return np.rint(fine.mean(axis=(1, 3))).astype(np.uint8)


def on_picture(scene: Scene, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pixels to the right and down, two arrays (n,), of places (n, 3)."""
    middle, centred = scene.pixels / 2, places - 0.5
    return middle + centred @ RIGHT * scene.unit, middle - centred @ UP * scene.unit


def shaded(colours: np.ndarray, shades: np.ndarray) -> np.ndarray:
    """Colours (n, 3) by shades (n,): below 1 towards black, above 1 towards white."""
    dark, light = np.minimum(shades, 1)[:, None], np.maximum(shades - 1, 0)[:, None]
    return colours * dark + (255 - colours) * light


def nearness(places: np.ndarray) -> np.ndarray:
    """The shade of places (n, 3) by their distance: 1 for the cube's nearest corner."""
    depth = (places - 0.5) @ NEAR / np.abs(NEAR).sum() + 0.5  # 0 to 1
    return FARTHEST + (1 - FARTHEST) * depth


def exposed(occupied: np.ndarray, axis: int, direction: int) -> np.ndarray:
    """Which occupied voxels, bool (n, n, n), have no occupied neighbour in a direction along an axis."""
    beside = np.roll(occupied, -direction, axis)
    edge = [slice(None)] * 3
    edge[axis] = -1 if direction > 0 else 0
    beside[tuple(edge)] = False
    return occupied & ~beside


def grid(scene: Scene, parts: int, grey: int = 170) -> None:
    """Add the three hidden faces of the cube, divided into `parts` x `parts` cells, and the edges of the others."""
    for i in range(parts + 1):
        t = i / parts
        for start, stop in (
            *(((1, t, 0), (1, t, 1)), ((1, 0, t), (1, 1, t))),  # bottom
            *(((0, 0, t), (1, 0, t)), ((t, 0, 0), (t, 0, 1))),  # back
            *(((0, t, 0), (1, t, 0)), ((t, 0, 0), (t, 1, 0))),  # left
        ):
            scene.line(start, stop, grey)
    for start, stop in (((0, 1, 0), (0, 1, 1)), ((0, 0, 1), (0, 1, 1)), ((0, 1, 1), (1, 1, 1))):
        scene.line(start, stop, grey)
