/**
 * A project on a machine of its own, in which the program and plugins of `examples` are installed as their users would: from
 * packed tarballs, with npm, without the internet.
 */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { type Ended, type RunningBinary, startProgram } from "./binary.ts"
import type { Script } from "./FakeOllamaScript.ts"
import { npmEnvironment } from "./PackedMachine.ts"
import { copyProduct, packFolder } from "./packedProduct.ts"
import { type Registry, startRegistry } from "./Registry.ts"
import { stageNameOf } from "./stageName.ts"
import { answerIn, planOf, refinementWith } from "./TestRun.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))

export interface ExampleProject {
  /** Holds the project `app`, the home folder `home` and the configuration of the user `config`. */
  readonly root: string
  /** Writes a file below the root. */
  readonly write: (path: string, text: string) => void
  /** Starts a command in the project. */
  readonly start: (
    command: string,
    args: ReadonlyArray<string>,
    env?: Readonly<Record<string, string>>
  ) => RunningBinary
  /** Starts the installed program. */
  readonly conduct: (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => RunningBinary
  readonly remove: () => void
}

/** Packs the program and these folders of `examples`, and installs the tarballs in a new project. */
export const installExamples = async (...names: ReadonlyArray<string>): Promise<ExampleProject> => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "task-conductor-examples-")))
  const app = join(root, "app")
  for (const folder of ["app", "home", "config"]) mkdirSync(join(root, folder))
  writeFileSync(join(app, "package.json"), "{}")
  const product = copyProduct(root)
  const registry: Registry = await startRegistry(repository, product)
  const environment = {
    PATH: [dirname(process.execPath), process.env["PATH"]].join(":"),
    HOME: join(root, "home"),
    XDG_CONFIG_HOME: join(root, "config"),
    OLLAMA_HOST: "127.0.0.1:1",
    NODE_COMPILE_CACHE: join(root, "compile-cache"),
    ...npmEnvironment(root, registry.url)
  }
  const start: ExampleProject["start"] = (command, args, env = {}) =>
    startProgram([command, ...args], {
      cwd: app,
      env: { ...environment, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
  const tarballs = [product, ...names.map((name) => join(repository, "examples", name))].map((folder) =>
    packFolder(folder, root)
  )
  const installed = await start("npm", ["install", ...tarballs]).ended
  registry.close()
  if (installed.code !== 0) throw new Error(installed.stdout + installed.stderr)
  return {
    root,
    write: (path, text) => {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
    start,
    conduct: (args, env) => start(join(app, "node_modules/.bin/task-conductor"), args, env),
    remove: () => rmSync(root, { recursive: true, force: true })
  }
}

/** Puts the source of an example into the project, as its author has it; gives the folder. */
const copyExample = (project: ExampleProject, name: string): string => {
  const folder = join(project.root, "app/examples", name)
  cpSync(join(repository, "examples", name), folder, { recursive: true })
  return folder
}

/** What the compiler finds in the JavaScript of an example, by the types of the installed program. */
const typeProblems = async (project: ExampleProject, name: string): Promise<string> => {
  const folder = copyExample(project, name)
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    allowJs: true,
    checkJs: true,
    module: "NodeNext",
    target: "ES2024",
    noEmit: true,
    skipLibCheck: true,
    types: ["node"],
    typeRoots: [join(repository, "node_modules/@types")]
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.js"] }))
  const { stdout } = await project.start(join(repository, "node_modules/.bin/tsc"), ["-p", folder]).ended
  return stdout
}

/**
 * A project with one example, and the tests that its author would run: with the types of the installed program, and its own tests
 * in its folder. `prepare` is called once it is installed.
 */
export const testedExample = (name: string, prepare: (project: ExampleProject) => void = () => {}) => {
  let project: ExampleProject | undefined
  const installed = (): ExampleProject => {
    if (project === undefined) throw new Error(`${name} is not installed yet`)
    return project
  }
  beforeAll(async () => {
    project = await installExamples(name)
    prepare(project)
  })
  afterAll(() => project?.remove())
  it("fits the types of the program", async () => {
    expect(await typeProblems(installed(), name)).toBe("")
  })
  it("passes its own tests", async () => {
    const test = installed().start("npm", ["test", "--prefix", copyExample(installed(), name)])
    const { code, stdout } = await test.ended
    expect([code, stdout]).toEqual([0, expect.stringContaining("fail 0")])
  })
  return installed
}

/** The events that a run wrote with `--json`. */
export const eventsOf = ({ stdout }: Ended): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)

/** A model that plans a task with this skill, and makes these calls in it. */
export const taskWith =
  (skill: string, ...calls: Parameters<typeof refinementWith>[0]) =>
  (messages: Parameters<typeof stageNameOf>[0]): string =>
    answerIn(stageNameOf(messages), {
      creation: planOf([[{ name: "Task 1", skill }]]),
      refinement: refinementWith(calls)
    })

/** The same for Ollama. */
export const ollamaTask = (...task: Parameters<typeof taskWith>): Script => {
  const reply = taskWith(...task)
  return ({ messages }) => reply(messages)
}
