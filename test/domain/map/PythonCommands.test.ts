import { expect, it } from "@effect/vitest"
import { pythonCommands } from "../../../src/domain/map/PythonCommands.ts"

const commands = (path: string, text: string, files: ReadonlyArray<string> = []) =>
  pythonCommands({ path, text, files: new Set(files) }).map(({ does, run }) =>
    does === undefined ? run : `${run} = ${does}`
  )

it("names the tasks and the checkers of pyproject.toml", () => {
  const text = `[project]
name = "x"
[project.scripts]
x = "x.cli:main"
[tool.poe.tasks]
check = "ruff check"
_hidden = "x"
[tool.hatch.envs.default.scripts]
cov = "pytest --cov"
[tool.hatch.envs.docs.scripts]
serve = "mkdocs serve"
[tool.tox.env.style]
[tool.pytest.ini_options] # settings
[tool.ruff.lint]
[[tool.mypy.overrides]]
[tool.mypy]`
  expect(commands("pyproject.toml", text)).toEqual([
    "poe check = ruff check",
    "hatch run cov = pytest --cov",
    "hatch run docs:serve = mkdocs serve",
    "tox -e style",
    "python -m pytest",
    "ruff check .",
    "mypy ."
  ])
})

it("names environments of tox, sessions of nox and the tests of Django", () => {
  const tox =
    "[tox]\nenvlist = py{310,311}\n[testenv]\ncommands = pytest {posargs}\n[testenv:lint]\ncommands =\n  ruff\n[pytest]\n"
  expect(commands("tox.ini", tox)).toEqual(["tox = pytest {posargs}", "tox -e lint", "python -m pytest"])
  const nox =
    "import nox\n\n@nox.session(python=['3.11'])\n@nox.parametrize('a', [1])\ndef tests(session):\n  pass\n\ndef helper():\n  pass\n\n@nox.session\ndef lint(session): ...\n"
  expect(commands("noxfile.py", nox)).toEqual(["nox -s tests", "nox -s lint"])
  expect(commands("manage.py", "")).toEqual(["python manage.py test"])
  expect(commands("pytest.ini", "[pytest]\n")).toEqual(["python -m pytest"])
})

const tests = ["tests/test_till.py", "till.py"]
const pytest = "[tool.pytest.ini_options]\n"
it.each([
  ["pyproject.toml", pytest, ["uv.lock"], ["uv run python -m pytest"]],
  ["a/pyproject.toml", pytest, ["uv.lock", "a/poetry.lock"], ["poetry run python -m pytest"]],
  ["pyproject.toml", '[build-system]\nrequires = ["pytest"]\n', [], []],
  ["setup.cfg", "", [], []],
  ["requirements-dev.txt", "pytest==8\n", tests, ["python -m pytest"]],
  ["requirements.txt", "flask\n", [...tests, "tests/conftest.py"], ["python -m pytest"]],
  ["requirements.txt", "flask\n", tests, ["python -m unittest discover -s tests"]],
  ["setup.py", "", [...tests, "tests/__init__.py"], ["python -m unittest"]],
  ["setup.py", "", ["till.py"], []],
  ["pyproject.toml", "[tool.poetry]\n", tests, ["poetry run python -m unittest discover -s tests"]]
])("tells the tests of %s with %j beside %j", (path, text, files, expected) => {
  expect(commands(path, text, files)).toEqual(expected)
})

it("lists all ways to run a command, the environments of the project first", () => {
  const [command] = pythonCommands({
    path: "api/pyproject.toml",
    text: "[tool.pytest.ini_options]\n",
    files: new Set(["api/uv.lock"])
  })
  expect(command?.ways?.map(({ run }) => run)).toEqual([
    ".venv/bin/python -m pytest",
    "venv/bin/python -m pytest",
    "../.venv/bin/python -m pytest",
    "../venv/bin/python -m pytest",
    "uv run python -m pytest",
    "python -m pytest",
    "python3 -m pytest"
  ])
  expect(command?.run).toBe("uv run python -m pytest")
})
