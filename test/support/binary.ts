/**
 * Runs the real binary as a child process in folders of its own: a project, a home, a configuration. Nothing of this
 * machine's configuration is seen.
 */
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { withinLimit } from "./withinLimit.ts"

/** What users start. */
export const program = fileURLToPath(new URL("../../bin/task-conductor.cjs", import.meta.url))

export interface Ended {
  /** The exit code, or the signal that killed the process. */
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

export interface RunningBinary {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves when stdout or stderr holds the text. */
  readonly says: (text: string) => Promise<void>
  /** What stderr holds so far. */
  readonly stderr: () => string
}

export interface StartOptions {
  readonly stdin?: string | Uint8Array
  /** A file descriptor that takes stdout, which is then empty in what comes back. */
  readonly stdout?: number
  readonly env?: Readonly<Record<string, string>>
  /** A program with its arguments that starts the binary, such as strace. */
  readonly under?: ReadonlyArray<string>
  /** A module that is started in place of the binary. */
  readonly module?: string
}

/** A sandbox with a `project` folder; texts it gets back have its path as `<root>`. */
export interface Sandbox {
  readonly root: string
  readonly write: (path: string, content: string | Uint8Array) => void
  readonly start: (args: ReadonlyArray<string>, options?: StartOptions) => RunningBinary
  readonly run: (args: ReadonlyArray<string>, options?: StartOptions) => Promise<Ended>
  readonly remove: () => void
}

/** What is printed first when the embedded model is used, which `environmentOf` names. */
export const demoLine = "Using the built-in demo, which only searches and quotes.\n"

/** What is in the environment of a command in a sandbox: nothing of this machine's configuration, and a model without a server. */
export const environmentOf = (root: string, more: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env["PATH"] ?? "",
  HOME: join(root, "home"),
  XDG_CONFIG_HOME: join(root, "config"),
  OLLAMA_HOST: "127.0.0.1:1",
  TASK_CONDUCTOR_MODEL: "embedded",
  /* Not below the folder for temporary files, where another user could have put it. */
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../node_modules/.cache/task-conductor-compile", import.meta.url)),
  ...more
})

/** Starts a program whose output is kept; `says` resolves when it holds a text, which `normal` may change in what comes back. */
export const startProgram = (
  [first = "", ...words]: ReadonlyArray<string>,
  options: SpawnOptions & { readonly input?: string | Uint8Array },
  normal = (text: string): string => text
): RunningBinary => {
  const child = spawn(first, words, options)
  const said = { stdout: "", stderr: "" }
  const waiting = new Set<() => void>()
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      said[name] += text
      for (const check of waiting) check()
    })
  }
  child.stdin?.on("error", () => undefined).end(options.input ?? "")
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code, signal) =>
      resolve({ code: code ?? signal ?? "", stdout: normal(said.stdout), stderr: normal(said.stderr) })
    )
  })
  const says = (text: string) => {
    const heard = new Promise<void>((resolve, reject) => {
      const check = (): void => {
        if (!said.stdout.includes(text) && !said.stderr.includes(text)) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      child.on("close", () => reject(new Error(`ended without saying "${text}":\n${said.stdout}${said.stderr}`)))
      check()
    })
    return withinLimit(`saying "${text}"`, heard, () => said.stdout + said.stderr)
  }
  return { child, ended, says, stderr: () => said.stderr }
}

/** A sandbox whose binary starts in `project`; without `stdin` the child's stdin is empty. */
export const makeSandbox = (): Sandbox => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "task-conductor-")))
  for (const folder of ["project", "home", "config/task-conductor"]) mkdirSync(join(root, folder), { recursive: true })
  const normal = (text: string) => text.replaceAll(root, "<root>")

  const start = (args: ReadonlyArray<string>, options: StartOptions = {}): RunningBinary =>
    startProgram(
      [...(options.under ?? []), process.execPath, options.module ?? program, ...args],
      {
        cwd: join(root, "project"),
        env: environmentOf(root, options.env),
        stdio: ["pipe", options.stdout ?? "pipe", "pipe"],
        ...(options.stdin === undefined ? {} : { input: options.stdin })
      },
      normal
    )

  return {
    root,
    write: (path, content) => {
      const file = join(root, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
    },
    start,
    run: (args, options) => start(args, options).ended,
    remove: () => rmSync(root, { recursive: true, force: true })
  }
}

/** A sandbox that is removed with the scope, with these files. */
export const scopedSandbox = (files: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const sandbox = makeSandbox()
      for (const [path, text] of Object.entries(files)) sandbox.write(path, text)
      return sandbox
    }),
    ({ remove }) => Effect.sync(remove)
  )
