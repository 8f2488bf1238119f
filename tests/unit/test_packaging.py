"""What packaging/run does on machines that lack things, played with stand-ins for the system's tools."""

import configparser
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ORDINARY = "sh cat cksum cp dirname env grep mkdir mktemp rm sed tr"

# A python3 whose venv holds a python that logs what it is asked and a mnemoscope that prints its arguments.
PYTHON3 = """#!/bin/sh
case "$*" in
*version_info*3,*11*) exit $TOO_OLD ;;
*"import ensurepip"*) [ -e "$CALLS/venv-installed" ] || exit $LACKS_VENV ;;
*%d-venv*) echo python3.11-venv ;;
--version) echo "Python 3.9.2" ;;
-m\\ venv*)
    echo venv >>"$CALLS/log"
    mkdir -p "$4/bin"
    cp "$CALLS/venv-python" "$4/bin/python"
    cp "$CALLS/venv-mnemoscope" "$4/bin/mnemoscope" ;;
esac
"""
VENV_PYTHON = """#!/bin/sh
case "$*" in *version_info* | "-m pip --version") exit 0 ;; esac
echo "python $*" >>"$CALLS/log"
exit ${QT_FAILS:-0}
"""
VENV_MNEMOSCOPE = """#!/bin/sh
printf '<%s>' "$@"
echo " on ${QT_QPA_PLATFORM:-display}"
exit ${APP_EXIT:-0}
"""
DPKG_QUERY = """#!/bin/sh
for package in $INSTALLED; do echo installed $package; done
echo not-installed xvfb
"""
APT_GET = """#!/bin/sh
echo "apt-get $*" >>"$CALLS/log"
>"$CALLS/venv-installed"
exit ${APT_EXIT:-0}
"""


class Machine:
    """A clone in a folder with a space in its name, and a PATH that holds only what a test puts there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clone = folder / "a clone"
        self.log = folder / "log"
        self.log.touch()
        (folder / "bin").mkdir()
        self.surroundings = {
            "PATH": str(folder / "bin"),
            "TMPDIR": str(folder),
            "CALLS": str(folder),
            "TOO_OLD": "0",
            "LACKS_VENV": "0",
        }
        shutil.copytree(ROOT / "packaging", self.clone / "packaging")
        for name in ("requirements.lock", "pyproject.toml"):
            shutil.copy(ROOT / name, self.clone)
        for name in ORDINARY.split():
            (folder / "bin" / name).symlink_to(shutil.which(name) or pytest.skip(f"no {name} here"))
        self.tool("bin/uname", "#!/bin/sh\necho Linux\n")
        self.tool("bin/python3", PYTHON3)
        self.tool("venv-python", VENV_PYTHON)
        self.tool("venv-mnemoscope", VENV_MNEMOSCOPE)

    def tool(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")
        (self.folder / name).chmod(0o755)

    def debian(self, user: int, installed: str = "") -> None:
        self.surroundings["INSTALLED"] = installed
        self.tool("bin/id", f"#!/bin/sh\necho {user}\n")
        self.tool("bin/dpkg-query", DPKG_QUERY)
        self.tool("bin/apt-get", APT_GET)

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", self.clone / "packaging" / "run", *arguments],
            cwd="/",
            env={**self.surroundings, **variables},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def calls(self) -> list[str]:
        """What was asked of the stand-ins since the last look."""
        calls = self.log.read_text(encoding="utf-8").splitlines()
        self.log.write_text("", encoding="utf-8")
        return calls


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_first_start_prepares_and_the_second_only_starts(machine: Machine) -> None:
    first = machine.run("chat", "two  words", "*")
    assert (first.returncode, first.stdout) == (0, "<chat><two  words><*> on display\n")
    venv, packages, project, qt = machine.calls()
    assert venv == "venv"
    assert packages.endswith(f"-r {machine.clone}/requirements.lock")
    assert project.endswith(f"--no-deps -e {machine.clone}")
    assert "QApplication" in qt

    second = machine.run("version")
    assert (second.stdout, second.stderr) == ("<version> on display\n", "")
    assert machine.calls() == []


@pytest.mark.parametrize("file", ["requirements.lock", "pyproject.toml"])
def test_a_changed_pin_or_project_installs_again_into_the_same_venv(machine: Machine, file: str) -> None:
    machine.run("version")
    machine.calls()
    with (machine.clone / file).open("a", encoding="utf-8") as text:
        text.write("# one more line\n")
    machine.run("version")
    assert [call.split()[0] for call in machine.calls()] == ["python", "python", "python"]


def test_a_moved_clone_gets_a_new_venv(machine: Machine) -> None:
    machine.run("version")
    machine.calls()
    machine.clone = machine.clone.rename(machine.clone.with_name("another place"))
    assert machine.run("version").returncode == 0
    assert machine.calls()[0] == "venv"


def test_without_a_display_and_arguments_the_tour_is_played(machine: Machine) -> None:
    played = machine.run(APP_EXIT="3")
    _, folder, arguments = played.stdout.splitlines()
    assert Path(folder).is_dir()
    assert arguments == f"<--tour><{folder}> on offscreen"
    assert played.returncode == 3


@pytest.mark.parametrize("variable", ["DISPLAY", "WAYLAND_DISPLAY"])
def test_with_a_display_the_window_opens(machine: Machine, variable: str) -> None:
    assert machine.run(**{variable: ":7"}).stdout == "<> on display\n"


def test_too_old_a_python_is_named(machine: Machine) -> None:
    refused = machine.run("version", TOO_OLD="1")
    assert refused.returncode == 1
    assert "needs Python 3.11 or newer, and this machine has Python 3.9.2" in refused.stderr
    assert not (machine.clone / ".venv").exists()


def test_a_missing_venv_module_is_named_to_a_user(machine: Machine) -> None:
    machine.debian(user=1000)
    refused = machine.run("version", LACKS_VENV="1")
    assert refused.returncode == 1
    assert "sudo apt-get install python3.11-venv" in refused.stderr
    assert machine.calls() == []


def test_a_missing_venv_module_is_installed_by_root(machine: Machine) -> None:
    machine.debian(user=0)
    assert machine.run("version", LACKS_VENV="1").returncode == 0
    calls = machine.calls()
    assert calls[1].endswith("install -y --no-install-recommends python3.11-venv")
    assert len([call for call in calls if call.endswith(" update")]) == 1


def test_root_on_debian_gets_only_the_missing_packages_once(machine: Machine) -> None:
    machine.debian(user=0, installed="libegl1 libglib2.0-0t64")
    assert machine.run("version").returncode == 0
    update, install = (call for call in machine.calls() if call.startswith("apt-get"))
    assert update.endswith(" update")
    wanted = install.split("--no-install-recommends ")[1].split()
    assert {"libgl1", "libxcb-icccm4", "fonts-noto-cjk"} <= set(wanted)
    assert not {"libegl1", "libglib2.0-0", "xvfb"} & set(wanted)

    machine.run("version")
    assert machine.calls() == []


def test_others_on_debian_are_told_the_command(machine: Machine) -> None:
    machine.debian(user=1000, installed="libgl1")
    told = machine.run("version")
    assert told.returncode == 0
    assert "To install them: sudo apt-get install --no-install-recommends libglib2.0-0 libegl1 " in told.stderr
    assert not [call for call in machine.calls() if call.startswith("apt-get")]
    assert machine.run("version").stderr == ""


def test_a_failing_apt_is_tried_again_at_the_next_start(machine: Machine) -> None:
    machine.debian(user=0)
    going_on = machine.run("version", APT_EXIT="100")
    assert (going_on.returncode, going_on.stdout) == (0, "<version> on display\n")
    assert "Not every Debian package could be installed" in going_on.stderr
    machine.calls()
    machine.run("version")
    assert machine.calls()[0].endswith(" update")


def test_qt_that_cannot_start_ends_the_preparation(machine: Machine) -> None:
    machine.run("version")
    (machine.clone / ".venv" / "packages-run").unlink()
    refused = machine.run("version", QT_FAILS="1")
    assert refused.returncode == 1
    assert "Qt cannot start here" in refused.stderr
    assert "libegl1" in refused.stderr


@pytest.mark.parametrize("shell", ["sh", "dash", "bash"])
def test_scripts_are_plain_shell_and_can_be_started(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    for name in ("packaging/run", "packaging/test", "packaging/lock", "packaging/prepare", ".ci/run"):
        subprocess.run([shell, "-n", ROOT / name], check=True)
        assert name == "packaging/prepare" or os.access(ROOT / name, os.X_OK), name


def test_the_lock_pins_every_dependency_within_its_bounds_and_names_no_place() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = {canonicalize_name(name): version for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.M)}
    for line in [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]:
        wanted = Requirement(line)
        assert pins[canonicalize_name(wanted.name)] in wanted.specifier, line
    assert text.count("--hash=sha256:") >= len(pins)
    assert not re.search(r"https?:|file:|--index|--find-links|^-e|^/", text, re.M)


def test_desktop_entry_and_metadata_speak_of_the_same_program() -> None:
    desktop = configparser.ConfigParser(interpolation=None)
    desktop.read(ROOT / "packaging" / "mnemoscope.desktop", encoding="utf-8")
    entry = desktop["Desktop Entry"]
    metadata = ElementTree.parse(ROOT / "packaging" / "mnemoscope.metainfo.xml").getroot()
    release = metadata.find("releases/release")
    assert entry["Exec"] in PROJECT["scripts"]
    assert metadata.findtext("launchable") == "mnemoscope.desktop"
    assert metadata.findtext("summary") == entry["Comment"] == PROJECT["description"]
    assert metadata.findtext("project_license") == PROJECT["license"]
    assert release is not None
    assert release.get("version") == PROJECT["version"]
