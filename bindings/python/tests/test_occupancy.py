# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Scans: `berth map update` on the same points; maps of what is known; signed distances against all cells."""

import numpy as np
import pytest

import berth
from conftest import ask


def test_scans_are_those_of_the_command(tmp_path):
    rng = np.random.default_rng(1)
    seen = berth.Occupancy(0.1)
    seen.insert_scan(rng.uniform(-1, 1, (50, 3)), sensor=(0.01, 0.02, 0.03))
    seen.save(tmp_path / "a.ot")
    points, sensor = rng.uniform(-1, 1, (80, 3)), (0.5, 0.25, -0.125)
    np.save(tmp_path / "scan.npy", points)
    line = ask("map", "update", tmp_path / "a.ot", "--scan", tmp_path / "scan.npy", "--sensor", "0.5,0.25,-0.125",
               "--range", "0.8", "-o", tmp_path / "b.ot")
    answer = seen.insert_scan(points, sensor, range=0.8)
    for name in ("points", "beyond", "hit", "passed", "became_occupied", "became_free", "hit_and_free"):
        assert getattr(answer, name) == line["update"][name]
    theirs = berth.Occupancy.load(tmp_path / "b.ot")
    where = rng.uniform(-1.1, 1.1, (5000, 3))
    assert np.array_equal(seen.log_odds(where), theirs.log_odds(where), equal_nan=True)
    known = ~np.isnan(seen.log_odds(where))
    assert known.sum() > 100 and not known.all()


def test_points_of_the_plane(tmp_path):
    (tmp_path / "p.csv").write_text("x,y\n3.5,3.25\n1.5,0.25\n")
    points = berth.read_points(tmp_path / "p.csv", dim=2)
    assert points.tolist() == [[3.5, 3.25, 0.0], [1.5, 0.25, 0.0]]
    with pytest.raises(berth.BerthError):
        berth.read_points(tmp_path / "p.csv")
    (tmp_path / "empty.csv").write_text("x,y\nnan,1\n")
    assert berth.read_points(tmp_path / "empty.csv", dim=2).shape == (0, 3)
    flat = berth.Occupancy(1.0, dim=2)
    assert flat.set(points[:, :2], "occupied").hit == 2
    assert flat.insert_scan([[5.5, 0.5]], (1.5, 0.5, 0.0)).passed == 4
    assert (flat.log_odds(points[:, :2]) > 0).all()  # one miss is not enough


def test_maps_of_what_is_known():
    seen = berth.Occupancy(0.1)
    seen.set([[0.05, 0.05, 0.05]], "occupied")
    seen.set([[0.15, 0.05, 0.05], [0.25, 0.05, 0.05]], "free")
    space = seen.to_map(unknown="free")
    assert (space.cells() == 1).sum() == 1 and (space.cells() == 0).sum() == 2
    again = berth.Occupancy.from_map(space)
    assert again.insert_scan([[0.25, 0.05, 0.05]], (0.15, 0.05, 0.05)).became_occupied == 1
    with pytest.raises(berth.BerthValueError):
        seen.insert_scan([[0, 0, 0]], (1e9, 0, 0))


@pytest.mark.parametrize("dim", [2, 3])
def test_signed_distances(dim):
    rng = np.random.default_rng(dim)
    cells = (rng.random((7, 9, 5)[:dim]) < 0.2).astype(np.int8)
    space = berth.Map.from_cells(cells, resolution=0.25)
    found, gradient = space.esdf(), space.esdf(gradient=True)
    assert gradient.shape == (*cells.shape, dim)
    centres = np.argwhere(cells > -2) + 0.5
    for solid, sign in ((1, 1.0), (0, -1.0)):
        low = np.argwhere(cells == solid)
        for centre in centres[(cells != solid).ravel()]:
            away = np.maximum(np.maximum(low - centre, centre - low - 1), 0)
            at = tuple(int(i) for i in centre)
            assert found[at] == pytest.approx(sign * 0.25 * np.sqrt((away**2).sum(axis=1)).min(), rel=1e-15)
    assert np.allclose(np.linalg.norm(gradient, axis=-1), 1.0)
