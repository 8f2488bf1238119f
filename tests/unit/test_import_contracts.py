"""The layers are guarded: a planted import that breaks a contract makes lint-imports fail and is named."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def copy_of_the_house(folder: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", folder)
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "desktop_app", folder / "desktop_app", ignore=skipped)
    return folder


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def plant(folder: Path, module: str, statement: str) -> None:
    with (folder / "desktop_app" / module).open("a", encoding="utf-8") as file:
        file.write(f"\n{statement}\n")


def test_the_house_as_it_is_keeps_every_contract(tmp_path: Path) -> None:
    result = lint(copy_of_the_house(tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr
    assert " 0 broken" in result.stdout


@pytest.mark.parametrize(
    ("layer", "imported"),
    [
        ("ui", "desktop_app.adapters"),
        ("services", "desktop_app.adapters"),
        ("simulator", "desktop_app.core"),
        ("core", "PySide6"),
        ("services", "numpy"),
        ("core", "chromadb"),
    ],
)
def test_a_planted_import_breaks_a_contract(tmp_path: Path, layer: str, imported: str) -> None:
    house = copy_of_the_house(tmp_path)
    plant(house, f"{layer}/__init__.py", f"import {imported}")
    result = lint(house)
    assert result.returncode == 1, result.stdout + result.stderr
    assert f"desktop_app.{layer} -> {imported}" in result.stdout


def test_the_bridge_knows_no_widgets() -> None:
    """import-linter sees an outside package as a whole; this border inside PySide6 is read from source."""
    for path in (ROOT / "desktop_app" / "bridge").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            assert not [name for name in names if name.startswith("PySide6.QtWidgets")], path
