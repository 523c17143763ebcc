"""pyproject.toml, the locks, requirements.txt and environment.yml say the same, each in its own way."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import rattler
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ["requirements.lock", "requirements-test.lock"]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
SUPPORTED = ["3.11", "3.12", "3.13", "3.14"]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def pins(name: str) -> set[str]:
    """The requirements of a lock, without their hashes."""
    lines = (line.split(" \\")[0].strip() for line in text(name).splitlines())
    return {str(Requirement(line)) for line in lines if line and not line.startswith(("#", "--hash"))}


def versions(name: str, package: str) -> list[str]:
    """The versions a lock pins a package to: one, or one for each range of Pythons."""
    found = [Requirement(pin) for pin in pins(name)]
    return [next(iter(r.specifier)).version for r in found if canonicalize_name(r.name) == package]


def wanted(*extras: str) -> list[Requirement]:
    """What pyproject.toml asks for, with some of its extras; an extra that names another brings that one."""
    asked = [
        *PROJECT["dependencies"],
        *PYPROJECT["build-system"]["requires"],
        *PYPROJECT["dependency-groups"]["lock"],
    ]
    for extra in extras:
        asked += PROJECT["optional-dependencies"][extra]
    found = [Requirement(line) for line in asked]
    more = {extra for requirement in found if requirement.name == "rowwise" for extra in requirement.extras}
    found = [requirement for requirement in found if requirement.name != "rowwise"]
    return found + (wanted(*more) if more else [])


@pytest.mark.parametrize(("lock", "extras"), [(LOCKS[0], ["teach"]), (LOCKS[1], ["teach", "test"])])
def test_a_lock_pins_all_that_pyproject_asks_for_and_within_its_bounds(lock, extras):
    for requirement in wanted(*extras):
        pinned = versions(lock, canonicalize_name(requirement.name))
        assert pinned, f"{requirement} is not in {lock}"
        assert all(version in requirement.specifier for version in pinned), (requirement, pinned)


def test_a_lock_pins_for_every_supported_python():
    for pin in map(Requirement, pins(LOCKS[1])):
        assert [specifier.operator for specifier in pin.specifier] == ["=="], pin
    numpy = [Requirement(pin) for pin in pins(LOCKS[0]) if pin.startswith("numpy==")]
    for python in SUPPORTED:
        here = {"python_version": python, "python_full_version": python + ".0"}
        assert sum(pin.marker is None or pin.marker.evaluate(here) for pin in numpy) == 1, python


def test_the_tests_lock_adds_to_the_course_lock_and_changes_nothing_in_it():
    assert pins(LOCKS[0]) < pins(LOCKS[1])


def test_what_conda_installs_is_what_the_lock_pins():
    assert pins("requirements.txt") == pins("requirements.lock")
    assert "--hash" not in text("requirements.txt"), "pip refuses -e beside a hash"


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_its_hashes(lock):
    entries = re.split(r"^(?=[a-z0-9])", text(lock), flags=re.MULTILINE)[1:]
    assert len(entries) == len(pins(lock))
    for entry in entries:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}$", entry.strip()), entry.splitlines()[0]


@pytest.mark.parametrize("name", [*LOCKS, "requirements.txt", "environment.yml"])
def test_no_file_names_an_address_to_download_from(name):
    assert not re.search(r"://|--(extra-)?index|--find-links|--trusted-host|\bfile:", text(name))


def environment() -> tuple[list[str], list[str]]:
    """The conda lines and the pip lines of environment.yml."""
    lines = yaml.safe_load(text("environment.yml"))["dependencies"]
    (by_pip,) = [line["pip"] for line in lines if isinstance(line, dict)]
    return [line for line in lines if isinstance(line, str)], by_pip


def test_conda_brings_a_supported_python_and_pip_the_same_packages_as_elsewhere():
    by_conda, by_pip = environment()
    specs = {spec.name.normalized: spec for spec in map(rattler.MatchSpec, by_conda)}
    assert set(specs) == {"python", "pip"}
    (python,) = re.findall(r"\d+\.\d+", str(specs["python"].version))
    assert python in SUPPORTED
    assert python + ".1" in SpecifierSet(PROJECT["requires-python"])
    assert by_pip == ["-r requirements.txt", "-e ."]
    assert yaml.safe_load(text("environment.yml"))["name"] == PROJECT["name"]


def test_start_py_and_the_readme_name_the_pythons_that_pyproject_takes():
    assert PROJECT["requires-python"] == f">={SUPPORTED[0]}"
    assert "(3, 11) <= sys.version_info[:2] <= (3, 14)" in text("start.py")
    assert f"{SUPPORTED[0]} to {SUPPORTED[-1]}" in text("README.md")


def test_before_a_commit_the_same_ruff_runs_as_in_the_tests():
    (repository,) = yaml.safe_load(text(".pre-commit-config.yaml"))["repos"]
    assert repository["repo"] == "local", "nothing is fetched but from the package index"
    pinned = {package for hook in repository["hooks"] for package in hook["additional_dependencies"]}
    assert pinned == {f"ruff=={version}" for version in versions(LOCKS[1], "ruff")}


def test_the_wheel_that_a_hub_installs_holds_every_file_of_the_package(tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("rowwise-*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    listed = subprocess.run(["git", "ls-files", "src/rowwise"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no clone: git does not list the package's files")
    assert {name.removeprefix("src/") for name in listed.stdout.split()} <= held
