/**
 * A run of the real binary, in folders of its own, that can be killed and goes on. Its model is a script on the loopback, so
 * that it must always come to the same end.
 */
import * as Effect from "effect/Effect"
import { globSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { RunOpened } from "../../src/domain/journal/JournalRecord.ts"
import { type Ended, scopedSandbox, type StartOptions } from "./binary.ts"
import { FakeOllama } from "./FakeOllama.ts"
import { fakeModel } from "./FakeOllamaPaths.ts"
import type { ChatBody } from "./FakeOllamaScript.ts"
import { twelveTasks } from "./CrashWork.ts"
import { journalBytes } from "./Journals.ts"

/** What a run does. */
export interface CrashWork {
  /** Files by their paths in the sandbox of the run (see `makeSandbox`). */
  readonly files: Readonly<Record<string, string>>
  readonly prompt: string
  /** Flags of `run` alone, beside those of every run. */
  readonly runFlags?: ReadonlyArray<string>
  /** Flags of `run` and `resume`. */
  readonly flags: ReadonlyArray<string>
  /** What the model says; it must depend on nothing but the request. */
  readonly answer: (body: ChatBody) => string
}

/** The whole lines of JSON Lines. */
export const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .slice(0, -1)

const unfinished = /^\.task-conductor-.*\.tmp$/

/** All files below a folder with their texts; `left` are those that a write began and never finished. */
/** What stands at a path; a file that can be executed says so in front. */
const contentOf = (file: string): string => {
  const info = lstatSync(file)
  if (info.isSymbolicLink()) return `link to ${readlinkSync(file)}`
  return `${(info.mode & 0o100) === 0 ? "" : "(executable) "}${readFileSync(file, "utf8")}`
}

/** The files and links with what they hold. */
const filesOf = (folder: string) => {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => !one.isDirectory())
  const kept = all.filter(({ name }) => !unfinished.test(name)).map(({ name, parentPath }) => join(parentPath, name))
  return {
    left: all.length - kept.length,
    texts: Object.fromEntries(kept.toSorted().map((file) => [file.slice(folder.length), contentOf(file)]))
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/**
 * How a session ends: by itself, at a system call (see `strace`), when it asks the model for the `killAt`th time, when stdout or
 * stderr holds a text, or a time in ms after its first event.
 */
export interface Session {
  readonly under?: ReadonlyArray<string>
  readonly killAt?: number
  readonly killOn?: string
  readonly killAfter?: number
}

export interface CrashOptions {
  /** How many model calls go on side by side. */
  readonly parallel?: number
  /** How long the model takes for an answer, in ms. */
  readonly latency?: number
}

/** One run with its project, its state and its model; everything is removed with the scope. */
export const makeCrashRun = Effect.fnUntraced(function* (
  { latency = 0, parallel = 4 }: CrashOptions = {},
  work: CrashWork = twelveTasks
) {
  let release = 0
  const server = yield* FakeOllama.make((body) => {
    const text = work.answer(body)
    if (latency === 0) return text
    const hold = `call-${(release += 1)}`
    void pause(latency).then(() => Effect.runPromise(server.release(hold)))
    return { text, hold }
  })
  const sandbox = yield* scopedSandbox(work.files)
  const flags = ["--json", "--yes-this-run", ...work.flags]
  const project = join(sandbox.root, "project")
  const state = join(sandbox.root, "home/.local/state/task-conductor")
  const temporary = join(sandbox.root, "tmp")
  mkdirSync(temporary)

  const journals = (): ReadonlyArray<string> => globSync("runs/*/journal.jsonl", { cwd: state })
  /** The whole lines of the journal; none when there is no journal. */
  const journal = (): ReadonlyArray<string> => {
    const [file] = journals()
    return file === undefined ? [] : linesOf(readFileSync(join(state, file), "utf8"))
  }
  const hasBegun = (): boolean => journal().length > 0

  const session = ({ killAfter, killAt, killOn, under }: Session) =>
    Effect.promise(async (): Promise<Ended> => {
      const [file] = journals()
      const isNew = file === undefined || !hasBegun()
      if (isNew) rmSync(state, { recursive: true, force: true })
      const options: StartOptions = {
        env: { OLLAMA_HOST: server.url, UV_THREADPOOL_SIZE: "1", TMPDIR: temporary },
        ...(under === undefined ? {} : { under })
      }
      const words = isNew
        ? ["run", "--model", fakeModel, "--parallel", String(parallel), ...(work.runFlags ?? []), ...flags, work.prompt]
        : ["resume", ...flags, dirname(file).slice("runs/".length)]
      const before = server.chats.length
      const running = sandbox.start(words, options)
      if (killAt !== undefined) {
        const asked = Effect.runPromise(server.until(({ chats }) => chats.length >= before + killAt))
        await Promise.race([asked, running.ended])
        running.child.kill("SIGKILL")
      }
      if (killOn !== undefined) {
        await Promise.race([running.says(killOn).catch(() => undefined), running.ended])
        running.child.kill("SIGKILL")
      }
      if (killAfter !== undefined) {
        const begun = running.says('"type":"run.started"').catch(() => undefined)
        await Promise.race([begun.then(() => pause(killAfter)), running.ended])
        running.child.kill("SIGKILL")
      }
      return await running.ended
    })

  /** Begins a run as if another, with this first line, had been killed right after it, so that its name is known. */
  const seed = (firstLine: string): string => {
    const runId = "20261120-183000-k3x9"
    const file = join(state, "runs", runId, "journal.jsonl")
    const { record } = JSON.parse(firstLine) as { readonly record: RunOpened }
    const { order, settings } = record
    const opened = { ...record, project, order: { ...order, runId }, settings: { ...settings, host: server.url } }
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, journalBytes([opened]))
    return file
  }

  return {
    sandbox,
    project,
    state,
    temporary,
    server,
    session,
    seed,
    journal,
    files: () => filesOf(project),
    firstLine: () => journal()[0] ?? ""
  }
})

export type CrashRun = Effect.Success<ReturnType<typeof makeCrashRun>>
