/**
 * What the benches of cluster runs share. Each task of a run adds a line to a file, so that lost and repeated work can
 * be counted. Workers are real processes. Each has a model server that can disappear, and a database connection that
 * can fail.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { existsSync, readFileSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import * as own from "../src/plugins/cluster/scripts.ts"
import { layerDatabase } from "../src/plugins/cluster/ClusterDatabase.ts"
import { askedOf, makeClusterWith } from "../test/support/Cluster.ts"
import type { ChatBody } from "../test/support/FakeOllamaScript.ts"
import { FakeOllama } from "../test/support/FakeOllama.ts"
import { makePostgresProxy } from "../test/support/PostgresProxy.ts"
import { fakeModel } from "../test/support/FakeOllamaPaths.ts"
import { freeSkill, planOf, refinementWith, resultSaying } from "../test/support/TestRun.ts"

export const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

const answer = (body: ChatBody, names: ReadonlyArray<string>, work: number): string => {
  const { stage, task } = askedOf(body)
  if (stage === "creation") return planOf([names.map((name) => ({ name, skill: "free" }))])
  if (stage === "iteration") return planOf([])
  if (stage === "execution") return resultSaying(`${task} is done.`)
  if (stage !== "refinement") return "All is done."
  const argv = ["sh", "-c", `sleep ${work}; echo ${task} >> log.txt`]
  return refinementWith([{ name: "run_command", arguments: { argv } }])
}

/** A proxy to a server on the loopback. Closing it looks as if the server had ended. */
const makeDoor = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      let isOpen = true
      const listener = createServer((near) => {
        if (!isOpen) return void near.destroy()
        const far = connect(Number(new URL(url).port), "127.0.0.1")
        near.pipe(far).pipe(near)
        for (const socket of [near, far]) {
          sockets.add(socket)
          socket.on("error", () => undefined)
          socket.on("close", () => {
            sockets.delete(socket)
            near.destroy()
            far.destroy()
          })
        }
      })
      await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve))
      const address = listener.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const close = (): void => {
        isOpen = false
        for (const socket of sockets) socket.destroy()
      }
      return { url: `http://127.0.0.1:${port}`, close, open: () => void (isOpen = true), end: () => listener.close() }
    }),
    ({ close, end }) =>
      Effect.sync(() => {
        close()
        end()
      })
  )

/** A module that shifts the clock of its process by `offset` milliseconds. */
const clockModule = (offset: number): string => {
  const code = `const D = Date; globalThis.Date = class extends D { constructor(...a) { a.length > 0 ? super(...a) : super(D.now() + ${offset}) } static now() { return D.now() + ${offset} } }`
  return `data:text/javascript,${encodeURIComponent(code)}`
}

const seconds = (milliseconds: number): number => Number((milliseconds / 1000).toFixed(1))

export interface WorkerOptions {
  /** How far the clock of the worker is off, in ms. */
  readonly clock?: number
  readonly flags?: ReadonlyArray<string>
  /** The program file of another build. If absent, that of this build. */
  readonly program?: string
}

/** How a run begins: its permissions, and its client, which may be of another build. */
export interface BeginOptions extends Pick<own.ClusterRunOptions, "allow" | "approve"> {
  readonly client?: Pick<typeof own, "attach" | "run">
}

/** The size of a run: its number of tasks, the time of a model call in ms, and that of a command in seconds. */
export interface RunSize {
  readonly tasks: number
  readonly latency: number
  readonly work: number
}

/** Creates a database, a project and workers. */
export const makeOperator = Effect.fnUntraced(function* ({ latency, tasks, work }: RunSize) {
  const cluster = yield* makeClusterWith({ settings: ["max_connections=800"] })
  const { postgres, sandbox } = cluster
  const names = Array.from({ length: tasks }, (_, index) => `Send-${index + 1}`)
  process.env["XDG_CONFIG_HOME"] = `${sandbox.root}/config`
  process.env["XDG_STATE_HOME"] = `${sandbox.root}/state`
  sandbox.write("config/task-conductor/skills/free/SKILL.md", freeSkill)

  let calls = 0
  const asked: Array<string> = []
  /** Starts a worker with its own model server and its own connection to the database. */
  const worker = Effect.fnUntraced(function* ({
    clock = 0,
    flags = ["--allow", "run_command"],
    program
  }: WorkerOptions = {}) {
    const server: Effect.Success<ReturnType<typeof FakeOllama.make>> = yield* FakeOllama.make((body) => {
      const hold = `call-${(calls += 1)}`
      void pause(latency).then(() => Effect.runPromise(server.release(hold)))
      asked.push(JSON.stringify(askedOf(body)))
      return { text: answer(body, names, work), hold }
    })
    const model = yield* makeDoor(server.url)
    const network = yield* makePostgresProxy({ path: `${postgres.folder}/.s.PGSQL.5432` })
    const variables = {
      OLLAMA_HOST: model.url,
      TASK_CONDUCTOR_DATABASE: network.url,
      ...(clock === 0 ? {} : { NODE_OPTIONS: `--import=${clockModule(clock)}` })
    }
    const binary = yield* cluster.start(["worker", ...flags], variables, program)
    const ready = binary.says("The worker is ready")
    /** If a fault hits a worker during its start, the worker may never be ready. */
    ready.catch(() => undefined)
    return { ...binary, model, network, ready }
  })

  const linesOf = (project: string): ReadonlyArray<string> => {
    const log = join(sandbox.root, project, "log.txt")
    return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []
  }

  /** Follows a run to its end and answers its questions. Then measures the outcome. */
  const begin = (project = "project", runId?: string, { client = own, ...permits }: BeginOptions = {}) => {
    const begun = performance.now()
    let last = begun
    let silence = 0
    let events = 0
    const doubted: Array<string> = []
    const options = {
      database: cluster.url,
      approve: () => "remaining" as const,
      arbitrate: (item: object) => {
        const name = /Send-\d+/.exec(JSON.stringify(item))?.[0] ?? ""
        doubted.push(name)
        return linesOf(project).includes(name) ? ("done" as const) : ("again" as const)
      },
      ...permits
    }
    const handle =
      runId === undefined
        ? client.run({ ...options, prompt: "Do it.", project: join(sandbox.root, project), model: fakeModel })
        : client.attach(runId, options)
    const follow = async () => {
      for await (const _ of handle.events) {
        const now = performance.now()
        silence = Math.max(silence, now - last)
        last = now
        events += 1
      }
    }
    const reading = follow().catch(() => undefined)
    const report = handle.report.then(
      ({ message, status }) => `${status}${message === "" ? "" : `: ${message}`}`,
      (error: unknown) => String(error)
    )
    const measured = async () => {
      const status = await report
      await reading
      const lines = linesOf(project)
      return {
        status,
        seconds: seconds(performance.now() - begun),
        silence: seconds(silence),
        twice: lines.length - new Set(lines).size,
        lost: status.startsWith("done") ? names.length - new Set(lines).size : 0,
        missing: names.length - new Set(lines).size,
        /** The model calls that were repeated. */
        askedAgain: asked.filter((one, at) => asked.indexOf(one) < at),
        doubts: doubted.length,
        /** Work that was done twice although no question asked whether it had been done. */
        unasked: lines.filter((line, at) => lines.indexOf(line) < at && !doubted.includes(line)).length
      }
    }
    return { runId: handle.runId, measured, events: () => events, done: () => linesOf(project).length }
  }

  /** How much the tables and indexes take on disk for each task, in kB. */
  const stored = SqlClient.SqlClient.use((sql) =>
    sql.unsafe<{ readonly name: string; readonly kb: number }>(`SELECT relname AS name,
      round(pg_total_relation_size(oid) / 1000.0 / ${tasks})::int AS kb FROM pg_class
      WHERE relkind = 'r' AND relname IN ('task_conductor_records', 'job_common')`)
  ).pipe(
    Effect.map((rows) => Object.fromEntries(rows.map(({ kb, name }) => [name, kb]))),
    Effect.provide(layerDatabase(Redacted.make(cluster.url)))
  )

  return { ...cluster, begin, stored, worker, names, linesOf }
})
