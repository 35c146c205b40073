/**
 * Cluster runs as an operator sees them. Workers stop and come back, the network is cut, the database restarts or is
 * missing, or one worker is killed again and again. For each fault, prints how the run ended, the longest time without
 * an event, repeated and lost work, questions, and messages of the workers.
 *
 *   node bench/cluster-operator.ts [many] [FAULT...] [--runs 50] [--tasks 12] [--latency 300] [--work 0.2] [--gone 60]
 *   node bench/cluster-operator.ts many [--quota 10]
 *
 * `--quota`: once it is ready, each worker of `many` gets this many percent of a processor (needs root and control
 * groups).
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { parseArgs } from "node:util"
import { limitProcessor } from "./CpuQuota.ts"
import { makeOperator, pause } from "./ClusterFaults.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    tasks: { type: "string", default: "12" },
    latency: { type: "string", default: "300" },
    work: { type: "string", default: "0.2" },
    gone: { type: "string", default: "60" },
    runs: { type: "string", default: "50" },
    limit: { type: "string", default: "120" },
    quota: { type: "string", default: "100" },
    verbose: { type: "boolean", default: false }
  }
})
const size = { tasks: Number(values.tasks), latency: Number(values.latency), work: Number(values.work) }
const gone = Number(values.gone) * 1000

type Operator = Effect.Success<ReturnType<typeof makeOperator>>
type Worker = Effect.Success<ReturnType<Operator["worker"]>>

/** What a fault can act on. */
interface World extends Operator {
  readonly addWorker: () => Promise<Worker>
}

interface Fault {
  readonly workers: number
  /** When the fault happens. If absent, after two tasks. */
  readonly isTime?: (workers: ReadonlyArray<Worker>) => boolean
  readonly strike: (world: World, workers: Array<Worker>, isOver: () => boolean) => Promise<void>
}

const hasRun = (workers: ReadonlyArray<Worker>): number =>
  Math.max(
    0,
    workers.findIndex(({ stderr }) => stderr().includes(": begins here"))
  )

const stopped = (seconds: number, whose: "run" | "tasks"): Fault => ({
  workers: 2,
  strike: async (_, workers) => {
    const at = whose === "run" ? hasRun(workers) : 1 - hasRun(workers)
    workers[at]?.child.kill("SIGSTOP")
    await pause(seconds * 1000)
    workers[at]?.child.kill("SIGCONT")
  }
})

const halfOpen = (whose: "run" | "tasks"): Fault => ({
  workers: 2,
  strike: async (_, workers) => {
    const worker = workers[whose === "run" ? hasRun(workers) : 1 - hasRun(workers)]
    worker?.network.fail({ with: "hole", table: "task_conductor_boss.job", verb: "update", times: 1 })
  }
})

const forgotten = (whose: "run" | "tasks"): Fault => ({
  workers: 2,
  strike: async (_, workers) => workers[whose === "run" ? hasRun(workers) : 1 - hasRun(workers)]?.network.forget()
})

const restarted = (mode: "fast" | "immediate", milliseconds: number, workers = 2): Fault => ({
  workers,
  strike: async ({ postgres }) => {
    await postgres.stop(mode)
    await pause(milliseconds)
    await postgres.start()
  }
})

const faults: Readonly<Record<string, Fault>> = {
  none: { workers: 2, strike: async () => undefined },
  "stopped-run-4s": stopped(4, "run"),
  "stopped-run-20s": stopped(20, "run"),
  "stopped-tasks-20s": stopped(20, "tasks"),
  "stopped-run": stopped(gone / 1000, "run"),
  "stopped-tasks": stopped(gone / 1000, "tasks"),
  "network-cut": {
    workers: 2,
    strike: async (_, workers) => {
      workers[1]?.network.freeze(true)
      await pause(gone)
      workers[1]?.network.freeze(false)
    }
  },
  /**
   * One connection of a worker dies (`half-open`), or all of them (`forgotten`). For `run`, it is the worker that leads
   * the run, otherwise the other worker.
   */
  "half-open-run": halfOpen("run"),
  "half-open-tasks": halfOpen("tasks"),
  "forgotten-run": forgotten("run"),
  "forgotten-tasks": forgotten("tasks"),
  "restart-fast": restarted("fast", 0),
  "restart-immediate": restarted("immediate", 0),
  "database-gone": restarted("fast", gone),
  "alone-fast": restarted("fast", 0, 1),
  "alone-immediate": restarted("immediate", 0, 1),
  "gone-immediate": restarted("immediate", gone),
  "alone-gone": restarted("fast", gone, 1),
  joined: {
    workers: 1,
    strike: async ({ addWorker }, workers) => {
      workers.push(await addWorker())
    }
  },
  "killed-again": {
    workers: 3,
    strike: async ({ addWorker }, workers, isOver) => {
      for (let times = 0; times < 5 && !isOver(); times += 1) {
        const at = hasRun(workers.slice(-1)) === 0 ? workers.length - 1 : 0
        workers[at]?.child.kill("SIGKILL")
        workers.splice(at, 1)
        workers.push(await addWorker())
        await pause(3000)
      }
    }
  }
}

const strike = (name: string, { isTime, strike, workers: count }: Fault) =>
  Effect.gen(function* () {
    const world = yield* makeOperator(size)
    const workers = yield* Effect.forEach(Array.from({ length: count }), () => world.worker())
    yield* Effect.promise(() => Promise.all(workers.map(({ ready }) => ready)))
    const one = world.begin()
    const measuring = one.measured()
    let isOver = false
    void measuring.then(() => (isOver = true))
    while (isTime === undefined ? one.done() < 2 : !isTime(workers)) yield* Effect.promise(() => pause(20))
    const begun = performance.now()
    const scope = yield* Effect.scope
    const addWorker = async () => {
      const worker = await Effect.runPromise(Scope.provide(world.worker(), scope))
      await worker.ready
      return worker
    }
    const striking = strike({ ...world, addWorker }, workers, () => isOver)
    const limit = pause(gone + Number(values.limit) * 1000).then(() => undefined)
    const measured = yield* Effect.promise(() => Promise.race([measuring, limit]))
    yield* Effect.promise(() => striking)
    const after = ((performance.now() - begun) / 1000).toFixed(1)
    console.log(JSON.stringify({ fault: name, after, ...(measured ?? { status: "did not end" }) }))
    if (name === "none") console.log(`  kB per task: ${JSON.stringify(yield* world.stored)}`)
    const alive = workers.filter(({ child }) => child.exitCode === null && child.signalCode === null).length
    console.log(`  workers alive: ${alive} of ${workers.length}`)
    if (values.verbose || measured?.status.startsWith("done") !== true)
      for (const { stderr } of workers) console.log(stderr().replaceAll(/^/gm, "  | "))
    if (measured === undefined || measured.twice + measured.lost > 0) process.exitCode = 1
  }).pipe(Effect.scoped)

/** Many runs at the same time on two workers. Each run has its own project. */
const many = Effect.gen(function* () {
  const world = yield* makeOperator(size)
  const workers = [yield* world.worker(), yield* world.worker()]
  for (const { child, ready } of workers) {
    yield* Effect.promise(() => ready)
    if (values.quota !== "100") yield* limitProcessor(child.pid ?? 0, Number(values.quota))
  }
  const begun = performance.now()
  const projects = Array.from({ length: Number(values.runs) }, (_, index) => `many-${index}`)
  for (const project of projects) world.sandbox.write(`${project}/.gitkeep`, "")
  const all = yield* Effect.promise(() => Promise.all(projects.map((project) => world.begin(project).measured())))
  const sum = (of: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + of(one), 0)
  const figures = {
    runs: all.length,
    done: all.filter(({ status }) => status === "done").length,
    seconds: ((performance.now() - begun) / 1000).toFixed(1),
    silence: Math.max(...all.map(({ silence }) => silence)),
    twice: sum(({ twice }) => twice),
    lost: sum(({ lost }) => lost),
    doubts: sum(({ doubts }) => doubts),
    gaveUp: workers.filter(({ stderr }) => stderr().includes("does not answer in time")).length
  }
  console.log(JSON.stringify({ fault: "many", ...figures }))
  for (const { status } of all) if (status !== "done") console.log(`  ${status}`)
  if (figures.done < figures.runs || figures.twice + figures.lost > 0) process.exitCode = 1
}).pipe(Effect.scoped)

if (positionals.includes("many")) await Effect.runPromise(Effect.provide(many, NodeServices.layer))
const given = positionals.filter((name) => name !== "many")
const chosen = positionals.length === 0 ? Object.keys(faults) : given
for (const name of chosen) {
  const fault = faults[name]
  if (fault === undefined) throw new Error(`There is no scenario ${name}: ${Object.keys(faults).join(", ")}`)
  await Effect.runPromise(Effect.provide(strike(name, fault), NodeServices.layer))
}
process.exit()
