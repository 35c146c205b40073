/**
 * What the benches of cluster runs share: a run whose tasks each add a line to a file, so that work that is lost or done
 * twice can be counted, workers that are real processes, and a network between them and the database that can be cut.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { existsSync, readFileSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { attach, run } from "../src/cluster.ts"
import { layerDatabase } from "../src/services/cluster/ClusterDatabase.ts"
import { askedOf, makeClusterWith } from "../test/support/Cluster.ts"
import type { ChatBody } from "../test/support/FakeOllamaScript.ts"
import { FakeOllama } from "../test/support/FakeOllama.ts"
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

/** A network between this machine and the database of a test: what is sent while it is cut waits. */
const makeNetwork = (path: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      let isCut = false
      const server = createServer((near) => {
        const far = connect({ path })
        for (const [from, to] of [
          [near, far],
          [far, near]
        ] as const) {
          sockets.add(from)
          from.on("data", (data) => to.write(data))
          from.on("close", () => to.destroy())
          from.on("error", () => to.destroy())
          if (isCut) from.pause()
        }
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const set = (cut: boolean) => {
        isCut = cut
        for (const socket of sockets) {
          if (cut) socket.pause()
          else socket.resume()
        }
      }
      return { port, cut: () => set(true), mend: () => set(false), sockets, server }
    }),
    ({ server, sockets }) =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
  )

const seconds = (milliseconds: number): number => Number((milliseconds / 1000).toFixed(1))

export interface WorkerOptions {
  /** Reaches the database over a network that can be cut. */
  readonly isRemote?: boolean
}

/** The size of a run: its tasks, how long a model call takes in ms, and a command in seconds. */
export interface RunSize {
  readonly tasks: number
  readonly latency: number
  readonly work: number
}

/** A database, a project and workers. */
export const makeOperator = Effect.fnUntraced(function* ({ latency, tasks, work }: RunSize) {
  const cluster = yield* makeClusterWith({ settings: ["max_connections=800"] })
  const { postgres, sandbox } = cluster
  const names = Array.from({ length: tasks }, (_, index) => `Send-${index + 1}`)
  process.env["XDG_CONFIG_HOME"] = `${sandbox.root}/config`
  process.env["XDG_STATE_HOME"] = `${sandbox.root}/state`
  sandbox.write("config/task-conductor/skills/free/SKILL.md", freeSkill)
  const network = yield* makeNetwork(`${postgres.folder}/.s.PGSQL.5432`)

  let calls = 0
  const asked: Array<string> = []
  const worker = Effect.fnUntraced(function* ({ isRemote = false }: WorkerOptions = {}) {
    const server: Effect.Success<ReturnType<typeof FakeOllama.make>> = yield* FakeOllama.make((body) => {
      const hold = `call-${(calls += 1)}`
      void pause(latency).then(() => Effect.runPromise(server.release(hold)))
      asked.push(JSON.stringify(askedOf(body)))
      return { text: answer(body, names, work), hold }
    })
    const url = isRemote ? `postgres://tester@127.0.0.1:${network.port}/postgres` : cluster.url
    const binary = yield* cluster.start(["worker", "--allow", "run_command"], {
      OLLAMA_HOST: server.url,
      TASK_CONDUCTOR_DATABASE: url
    })
    yield* Effect.promise(() => binary.says("The worker is ready"))
    return binary
  })

  const linesOf = (project: string): ReadonlyArray<string> => {
    const log = join(sandbox.root, project, "log.txt")
    return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []
  }

  /** Follows a run to its end, answers what it asks, and measures what came of it. */
  const begin = (project = "project", runId?: string) => {
    const begun = performance.now()
    let last = begun
    let silence = 0
    let events = 0
    let doubts = 0
    const options = {
      database: cluster.url,
      approve: () => "remaining" as const,
      arbitrate: (item: object) => {
        doubts += 1
        const name = /Send-\d+/.exec(JSON.stringify(item))?.[0] ?? ""
        return linesOf(project).includes(name) ? ("done" as const) : ("again" as const)
      }
    }
    const handle =
      runId === undefined
        ? run({ ...options, prompt: "Do it.", project: join(sandbox.root, project), model: fakeModel })
        : attach(runId, options)
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
        /** Model calls that were made again. */
        askedAgain: asked.filter((one, at) => asked.indexOf(one) < at),
        doubts
      }
    }
    return { runId: handle.runId, measured, events: () => events, done: () => linesOf(project).length }
  }

  /** What the tables take on disk for each task, with their indexes, in kB. */
  const stored = SqlClient.SqlClient.use((sql) =>
    sql.unsafe<{ readonly name: string; readonly kb: number }>(`SELECT relname AS name,
      round(pg_total_relation_size(oid) / 1000.0 / ${tasks})::int AS kb FROM pg_class
      WHERE relkind = 'r' AND relname IN ('task_conductor_records', 'task_conductor_messages', 'task_conductor_replies')`)
  ).pipe(
    Effect.map((rows) => Object.fromEntries(rows.map(({ kb, name }) => [name, kb]))),
    Effect.provide(layerDatabase(Redacted.make(cluster.url)))
  )

  return { ...cluster, begin, network, stored, worker, names }
})
