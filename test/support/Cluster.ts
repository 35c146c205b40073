/**
 * Workers and clients as real processes that share a database, each worker with a model server of its own.
 */
import * as Effect from "effect/Effect"
import { scopedSandbox, program, type RunningBinary } from "./binary.ts"
import { FakeOllama } from "./FakeOllama.ts"
import { fakeModel } from "./FakeOllamaPaths.ts"
import type { ChatBody } from "./FakeOllamaScript.ts"
import { openTerminal } from "./PseudoTerminal.ts"
import { makeServer, type ServerSetup } from "./Postgres.ts"
import { answerIn, planOf, refinementWith, resultSaying, testSkills } from "./TestRun.ts"
import { stageNameOf } from "./stageName.ts"

/** What a model is asked: the stage, and the task for stages that see one. */
export interface Asked {
  readonly stage: string
  readonly task: string
}

export const runIdIn = (text: string): string => /\d{8}-\d{6}-[a-z0-9]{4}/.exec(text)?.[0] ?? ""

export const askedOf = ({ messages }: Pick<ChatBody, "messages">): Asked => {
  const user = messages.find(({ role }) => role === "user")?.content ?? ""
  return {
    stage: stageNameOf(messages),
    task: /^- \*\*Name\*\* (.+)$/m.exec(user.slice(user.lastIndexOf("## Task\n")))?.[1] ?? ""
  }
}

/** Writes a file in one task, then looks at the time in another. */
export const writing = ({ stage, task }: Asked): string =>
  answerIn(stage, {
    creation: planOf([[{ name: "Write 1" }], [{ name: "Look 1" }]]),
    ...(task === "Write 1"
      ? { refinement: refinementWith([{ name: "write_file", arguments: { path: "a.txt", content: "new\n" } }]) }
      : {}),
    execution: resultSaying(`Result of ${task}.`)
  })

/** A project, a database with these settings, and ways to start workers and clients. */
export const makeClusterWith = Effect.fnUntraced(function* (setup: ServerSetup) {
  const postgres = yield* makeServer(setup)
  const { url } = postgres
  const sandbox = yield* scopedSandbox()
  for (const [path, text] of Object.entries(testSkills)) sandbox.write(`project/${path}`, text)
  /* Commands run in the project, where the tests see what they do. */
  sandbox.write("config/task-conductor/config.json", JSON.stringify({ sandbox: { mode: "off" } }))
  const env = { TASK_CONDUCTOR_DATABASE: url }

  /** Starts the binary, or that of another build; what still runs at the end of the test is killed. */
  const start = (args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}, module = program) =>
    Effect.acquireRelease(
      Effect.sync(() => sandbox.start(args, { env: { ...env, ...more }, module })),
      ({ child, ended }) =>
        Effect.promise(() => {
          child.kill("SIGKILL")
          return ended
        })
    )

  /** How the binary ends with these words. */
  const ended = (...args: Parameters<typeof start>) =>
    Effect.flatMap(start(...args), (binary) => Effect.promise(() => binary.ended))

  /** A worker that is ready, with the model server that serves it. */
  const worker = Effect.fnUntraced(function* (
    script: Parameters<typeof FakeOllama.make>[0],
    flags: ReadonlyArray<string> = [],
    more: Readonly<Record<string, string>> = {},
    module?: string
  ) {
    const server = yield* FakeOllama.make(script)
    const binary: RunningBinary = yield* start(["worker", ...flags], { OLLAMA_HOST: server.url, ...more }, module)
    yield* Effect.promise(() => binary.says("The worker is ready"))
    return { server, binary }
  })

  /** Begins a run; its events are the lines of stdout. */
  const begin = (flags: ReadonlyArray<string> = []) =>
    start(["run", "--cluster", "--json", "--model", fakeModel, ...flags, "Do it."])

  /** Runs the binary on a terminal, in the folders of the sandbox. */
  const terminal = (words: string) => {
    const { root } = sandbox
    const folders = `HOME=${root}/home XDG_CONFIG_HOME=${root}/config TASK_CONDUCTOR_DATABASE='${url}'`
    return openTerminal(`cd ${root}/project && ${folders} ${process.execPath} ${program} ${words}`)
  }

  return { url, postgres, sandbox, start, ended, terminal, worker, begin }
})

/** As above, with the usual settings. */
export const makeCluster = makeClusterWith({})
