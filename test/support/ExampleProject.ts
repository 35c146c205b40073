/**
 * A project on a machine of its own, in which the program and plugins of `examples` are installed as their users would: from
 * packed tarballs, with npm, without the internet.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Script } from "./FakeOllamaScript.ts"
import { npmEnvironment } from "./PackedMachine.ts"
import { copyProduct, packFolder } from "./packedProduct.ts"
import { type Registry, startRegistry } from "./Registry.ts"
import { stageNameOf } from "./stageName.ts"
import { planOf, refinementWith, resultSaying } from "./TestRun.ts"
import { withinLimit } from "./withinLimit.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))

export interface EndedCommand {
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

export interface StartedCommand {
  readonly child: ChildProcess
  readonly ended: Promise<EndedCommand>
  /** Resolves when stdout or stderr has the text. */
  readonly shows: (text: string) => Promise<void>
}

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
  ) => StartedCommand
  /** Starts the installed program. */
  readonly conduct: (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => StartedCommand
  readonly remove: () => void
}

/** Starts commands in a folder; nothing of the environment of the tests is seen. */
const starter =
  (folder: string, base: Readonly<Record<string, string | undefined>>): ExampleProject["start"] =>
  (command, args, env = {}) => {
    const child = spawn(command, args, { cwd: folder, env: { ...base, ...env }, stdio: ["ignore", "pipe", "pipe"] })
    const output = { stdout: "", stderr: "" }
    const waiting = new Set<() => void>()
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        output[name] += text
        for (const check of waiting) check()
      })
    }
    const ended = new Promise<EndedCommand>((resolve, reject) => {
      child.on("error", reject)
      child.on("close", (code, signal) => resolve({ code: code ?? signal ?? "", ...output }))
    })
    const shows = (text: string): Promise<void> => {
      const seen = new Promise<void>((resolve, reject) => {
        const check = (): void => {
          if (output.stdout.includes(text) || output.stderr.includes(text)) resolve()
        }
        waiting.add(check)
        child.on("close", () => reject(new Error(`ended without "${text}":\n${output.stdout}${output.stderr}`)))
        check()
      })
      return withinLimit(`showing "${text}"`, seen, () => output.stdout + output.stderr)
    }
    return { child, ended, shows }
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
  const start = starter(app, environment)
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

/** Runs the tests of an example as its author would: in its folder, with the program installed. */
export const testExample = (project: ExampleProject, name: string): Promise<EndedCommand> =>
  project.start("npm", ["test", "--prefix", copyExample(project, name)]).ended

/** What the compiler finds in the JavaScript of an example, by the types of the installed program. */
export const typeProblems = async (project: ExampleProject, name: string): Promise<string> => {
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

/** The events that a run wrote with `--json`. */
export const eventsOf = ({ stdout }: EndedCommand): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)

/** A model that plans a task with this skill, and makes these calls in it. */
export const taskWith =
  (skill: string, ...calls: Parameters<typeof refinementWith>[0]) =>
  (messages: Parameters<typeof stageNameOf>[0]): string => {
    switch (stageNameOf(messages)) {
      case "creation":
      case "plan":
        return planOf([[{ name: "Task 1", skill }]])
      case "refinement":
        return refinementWith(calls)
      case "execution":
        return resultSaying("It is done.")
      case "iteration":
      case "iterate":
        return planOf([])
      default:
        return "It is done."
    }
  }

/** The same for Ollama. */
export const ollamaTask = (...task: Parameters<typeof taskWith>): Script => {
  const reply = taskWith(...task)
  return ({ messages }) => reply(messages)
}
