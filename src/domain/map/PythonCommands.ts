/**
 * Finds the commands of a Python project: its tasks, and the checks that its settings and tests imply. Each command has
 * all ways to run it: in the folder's environment, with the project manager, or with a program of the machine.
 */
import { fileName } from "../files/PathList.ts"
import type { CommandKind } from "./CommandKind.ts"
import { folderOf, inWays, isCommandName, type Manifest, type ProjectCommand } from "./ProjectCommands.ts"

interface Section {
  readonly name: string
  readonly entries: ReadonlyArray<readonly [key: string, value: string]>
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value

/** The sections of a TOML or INI text with their single-line entries. Other lines are skipped. */
const sectionsOf = (text: string): ReadonlyArray<Section> => {
  const sections: Array<{ name: string; entries: Array<readonly [string, string]> }> = []
  for (const line of text.split(/\r?\n/)) {
    const head = /^\[{1,2}([^[\]]{1,120})\]{1,2}\s*(?:#.*)?$/.exec(line)?.[1]
    if (head !== undefined) sections.push({ name: head.trim(), entries: [] })
    const [, key, value] = /^\s*["']?([\w:.-]{1,60})["']?\s*=\s*(.*)$/.exec(line) ?? []
    if (key !== undefined && value !== undefined) sections.at(-1)?.entries.push([key, unquoted(value.trim())])
  }
  return sections
}

/** Sections whose keys are tasks, and the command that runs such a task. */
const taskSections: ReadonlyArray<readonly [section: RegExp, run: string]> = [
  [/^tool\.poe\.tasks$/, "poe"],
  [/^tool\.pdm\.scripts$/, "pdm run"],
  [/^tool\.taskipy\.tasks$/, "task"],
  [/^tool\.rye\.scripts$/, "rye run"],
  [/^tool\.pixi\.tasks$/, "pixi run"],
  [/^tool\.hatch\.envs\.default\.scripts$/, "hatch run"]
]

const tasksOf = (sections: ReadonlyArray<Section>, from: string): ReadonlyArray<ProjectCommand> =>
  sections.flatMap(({ entries, name }) => {
    const taskSection = taskSections.find(([pattern]) => pattern.test(name))
    const environment = /^tool\.hatch\.envs\.([\w-]+)\.scripts$/.exec(name)?.[1]
    if (taskSection === undefined && environment === undefined) return []
    const prefix = taskSection === undefined ? `hatch run ${environment}:` : `${taskSection[1]} `
    return entries
      .filter(([key]) => isCommandName(key) && !key.startsWith("_"))
      .map(([key, does]) => ({ run: `${prefix}${key}`, does, from }))
  })

const environments: ReadonlyArray<string> = [".venv", "venv"]

/**
 * For each project manager: the words that it needs before a command, its lock file, and its section in the manifest.
 * The lock file or the section shows that the project uses this manager.
 */
const managers: ReadonlyArray<readonly [run: string, lock: string, section: RegExp]> = [
  ["uv run", "uv.lock", /^tool\.uv\b/],
  ["poetry run", "poetry.lock", /^tool\.poetry\b/],
  ["pdm run", "pdm.lock", /^tool\.pdm\b/],
  ["pipenv run", "Pipfile", /^$/]
]

const managerOf = ({ files, path }: Manifest, sections: ReadonlyArray<Section>): string | undefined => {
  const locked = managers.find(([, lock]) => files.has(`${folderOf(path)}${lock}`))
  return (locked ?? managers.find(([, , section]) => sections.some(({ name }) => section.test(name))))?.[0]
}

/**
 * All ways to run a command of an installed package. The order is: an environment beside the manifest, one at the top
 * of the project, the project manager, the machine. If the installed programs are unknown, the project manager runs the
 * command. Without a project manager, the program of the machine is used.
 */
const installed = (
  written: string,
  manifest: Manifest,
  sections: ReadonlyArray<Section>,
  kind?: CommandKind
): ProjectCommand => {
  const top = "../".repeat(folderOf(manifest.path).split("/").length - 1)
  const places = [...new Set(["", top])].flatMap((place) => environments.map((name) => `${place}${name}/bin/`))
  const manager = managerOf(manifest, sections)
  const own = manager === undefined ? [] : [`${manager} ${written}`]
  const known = [...own, written, ...(written.startsWith("python ") ? [written.replace(/^python/, "python3")] : [])]
  const before = places.map((place) => `${place}${written}`)
  return inWays([...before, ...known], manifest.path, { kind, usual: before.length })
}

/** For each checker, the settings that show that the project uses it. */
const checkers: ReadonlyArray<readonly [section: RegExp, files: ReadonlyArray<string>, run: string]> = [
  [/^(?:tool\.pytest.*|tool:pytest|pytest)$/, ["pytest.ini"], "python -m pytest"],
  [/^tool\.hatch\.envs\.hatch-test\b/, [], "hatch test"],
  [/^tool\.ruff/, ["ruff.toml", ".ruff.toml"], "ruff check ."],
  [/^(?:tool\.)?mypy$/, ["mypy.ini", ".mypy.ini"], "mypy ."],
  [/^tool\.(?:based)?pyright$/, ["pyrightconfig.json"], "pyright"],
  [/^flake8$/, [".flake8"], "flake8"]
]

const checkersOf = (sections: ReadonlyArray<Section>, manifest: Manifest): ReadonlyArray<ProjectCommand> =>
  checkers
    .filter(
      ([pattern, files]) => files.includes(fileName(manifest.path)) || sections.some(({ name }) => pattern.test(name))
    )
    .map(([, , run]) => installed(run, manifest, sections))

const testFile = /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/

/** Matches files that list what a Python project requires. */
const needs = /^(?:pyproject\.toml|setup\.(?:py|cfg)|Pipfile|.*requirements.*\.txt)$/

export const isRequirements = (path: string): boolean =>
  /^(?:[\w-]*[-_])?requirements(?:[-_.][\w-]+)?\.txt$/.test(fileName(path))

const hasConftest = (files: ReadonlySet<string>): boolean => [...files].some((file) => fileName(file) === "conftest.py")

/** True for a test that needs pytest. Other tests may use unittest. */
export const importsPytest = (text: string): boolean => /^\s*(?:import|from) (?:_?pytest)\b/m.test(text)

export const isPythonTest = (path: string): boolean => testFile.test(path)

/** True for a file that may mention pytest: requirements or test settings. */
export const mayNamePytest = (path: string): boolean => needs.test(fileName(path)) || fileName(path) === "tox.ini"

/** The test command of a project that has no test settings: pytest if a file mentions it, otherwise unittest. */
const impliedTests = (sections: ReadonlyArray<Section>, manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  const { files, path, text } = manifest
  if (!needs.test(fileName(path))) return []
  const folder = folderOf(path)
  const tests = [...files].filter((file) => file.startsWith(folder) && testFile.test(file))
  if (tests.length === 0) return []
  const isPytest = manifest.namesPytest === true || /\bpytest\b/.test(text) || hasConftest(files)
  if (isPytest) return [installed("python -m pytest", manifest, sections)]
  const apart = ["tests", "test"].find(
    (name) => tests.some((file) => file.startsWith(`${folder}${name}/`)) && !files.has(`${folder}${name}/__init__.py`)
  )
  const run = apart === undefined ? "python -m unittest" : `python -m unittest discover -s ${apart}`
  return [installed(run, manifest, sections, "tests")]
}

const toxEnvironments = (sections: ReadonlyArray<Section>, from: string): ReadonlyArray<ProjectCommand> =>
  sections.flatMap(({ entries, name }) => {
    const inProject = /^tool\.tox\.env\.([\w-]+)$/.exec(name)?.[1]
    if (inProject !== undefined) return [{ run: `tox -e ${inProject}`, from }]
    const environment = fileName(from) === "tox.ini" ? /^testenv(?::([\w-]+))?$/.exec(name) : null
    if (environment === null) return []
    const does = entries.find(([key, value]) => key === "commands" && value !== "")?.[1]
    return [{ run: environment[1] === undefined ? "tox" : `tox -e ${environment[1]}`, from, does }]
  })

/** Finds functions with the decorator `@nox.session`, also above other decorators. */
const noxSessions = ({ path, text }: Manifest): ReadonlyArray<ProjectCommand> => {
  const commands: Array<ProjectCommand> = []
  let isSession = false
  for (const line of text.split(/\r?\n/)) {
    if (/^@(?:nox\.)?session\b/.test(line)) isSession = true
    const name = /^(?:async )?def (\w+)/.exec(line)?.[1]
    if (isSession && name !== undefined) commands.push({ run: `nox -s ${name}`, from: path })
    if (name !== undefined) isSession = false
  }
  return commands
}

export const pythonCommands = (manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  const name = fileName(manifest.path)
  if (name === "noxfile.py") return noxSessions(manifest)
  if (name === "manage.py") return [installed("python manage.py test", manifest, [])]
  const sections = sectionsOf(manifest.text)
  const checks = checkersOf(sections, manifest)
  const isTested = checks.some(({ run }) => run.endsWith("-m pytest"))
  return [
    ...tasksOf(sections, manifest.path),
    ...toxEnvironments(sections, manifest.path),
    ...checks,
    ...(isTested ? [] : impliedTests(sections, manifest))
  ]
}
