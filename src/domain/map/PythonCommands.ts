/**
 * Commands of Python projects: tasks and settings in pyproject.toml and its like, environments of tox, sessions of nox.
 */
import { folderOf, isCommandName, type Manifest, nameOf, type ProjectCommand } from "./ProjectCommand.ts"

interface Section {
  readonly name: string
  readonly entries: ReadonlyArray<readonly [key: string, value: string]>
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value

/** The sections of a TOML or INI text with their entries of one line; other lines are passed over. */
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

/** Sections whose keys are tasks, and how a task is run. */
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
    const found = taskSections.find(([pattern]) => pattern.test(name))
    const environment = /^tool\.hatch\.envs\.([\w-]+)\.scripts$/.exec(name)?.[1]
    const prefix =
      found === undefined ? (environment === undefined ? undefined : `hatch run ${environment}:`) : found[1]
    if (prefix === undefined) return []
    const space = prefix.endsWith(":") ? "" : " "
    return entries
      .filter(([key]) => isCommandName(key) && !key.startsWith("_"))
      .map(([key, does]) => ({ run: `${prefix}${space}${key}`, does, from }))
  })

/** Settings of a checker mean that the project is checked with it. */
const checkers: ReadonlyArray<readonly [section: RegExp, files: ReadonlyArray<string>, run: string]> = [
  [/^(?:tool\.pytest.*|tool:pytest|pytest)$/, ["pytest.ini"], "python -m pytest"],
  [/^tool\.ruff/, ["ruff.toml", ".ruff.toml"], "ruff check ."],
  [/^(?:tool\.)?mypy$/, ["mypy.ini", ".mypy.ini"], "mypy ."],
  [/^flake8$/, [".flake8"], "flake8"]
]

const environmentOf = ({ files, path }: Manifest): string => {
  const has = (file: string) => files.has(`${folderOf(path)}${file}`)
  if (has("uv.lock")) return "uv run "
  if (has("poetry.lock")) return "poetry run "
  return has("pdm.lock") ? "pdm run " : ""
}

const checkersOf = (sections: ReadonlyArray<Section>, manifest: Manifest): ReadonlyArray<ProjectCommand> =>
  checkers
    .filter(
      ([pattern, files]) => files.includes(nameOf(manifest.path)) || sections.some(({ name }) => pattern.test(name))
    )
    .map(([, , run]) => ({ run: `${environmentOf(manifest)}${run}`, from: manifest.path }))

/** Environments of tox in pyproject.toml. */
const toxSections = (sections: ReadonlyArray<Section>, from: string): ReadonlyArray<ProjectCommand> =>
  sections.flatMap(({ name }) => {
    const environment = /^tool\.tox\.env\.([\w-]+)$/.exec(name)?.[1]
    return environment === undefined ? [] : [{ run: `tox -e ${environment}`, from }]
  })

const toxEnvironments = (sections: ReadonlyArray<Section>, from: string): ReadonlyArray<ProjectCommand> =>
  sections.flatMap(({ entries, name }) => {
    const environment = /^testenv(?::([\w-]+))?$/.exec(name)
    if (environment === null) return []
    const does = entries.find(([key, value]) => key === "commands" && value !== "")?.[1]
    const run = environment[1] === undefined ? "tox" : `tox -e ${environment[1]}`
    return [{ run, from, ...(does === undefined ? {} : { does }) }]
  })

/** `@nox.session` before `def name`; other decorators may stand between them. */
const noxSessions = ({ path, text }: Manifest): ReadonlyArray<ProjectCommand> => {
  const found: Array<ProjectCommand> = []
  let isSession = false
  for (const line of text.split(/\r?\n/)) {
    if (/^@(?:nox\.)?session\b/.test(line)) isSession = true
    const name = /^(?:async )?def (\w+)/.exec(line)?.[1]
    if (isSession && name !== undefined) found.push({ run: `nox -s ${name}`, from: path })
    if (name !== undefined) isSession = false
  }
  return found
}

/** The commands of a file of a Python project. */
export const pythonCommands = (manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  const name = nameOf(manifest.path)
  if (name === "noxfile.py") return noxSessions(manifest)
  if (name === "manage.py") return [{ run: "python manage.py test", from: manifest.path }]
  const sections = sectionsOf(manifest.text)
  return [
    ...tasksOf(sections, manifest.path),
    ...toxSections(sections, manifest.path),
    ...(name === "tox.ini" ? toxEnvironments(sections, manifest.path) : []),
    ...checkersOf(sections, manifest)
  ]
}
