/** Random faults of a worker, its model server and the database. */
import type * as Effect from "effect/Effect"
import type { Random } from "../test/support/randomDocuments.ts"
import { type makeOperator, pause } from "./ClusterFaults.ts"

type Operator = Effect.Success<ReturnType<typeof makeOperator>>
type Worker = Effect.Success<ReturnType<Operator["worker"]>>

const codes = "53100 53200 53300 53400 25006 57014 57P01 57P03 40001 40P01 08006 55P03 58030 XX000 lost".split(" ")
const ours = "runs records answers workers declined".split(" ").map((table) => `task_conductor_${table}`)
const tables = [...ours, ...["job", "job_common", "queue"].map((table) => `task_conductor_boss.${table}`)]
const verbs = ["insert", "update", "select", undefined]

export const oneOf = <A>(random: Random, all: ReadonlyArray<A>): A => all[random(all.length)] as A

/** Pauses in ms. The longest is longer than a worker may hold its work. */
const stops = [500, 2000, 5000, 12_000, 20_000]

interface Struck {
  readonly random: Random
  readonly worker: Worker
  readonly postgres: Operator["postgres"]
}

/** A fault of a worker: its description, and a promise that resolves when the fault ends. */
export type Strike = (struck: Struck) => readonly [what: string, passed: Promise<void>]

export const strikes: Readonly<Record<string, Strike>> = {
  kill: ({ worker }) => {
    worker.child.kill("SIGKILL")
    return ["killed", Promise.resolve()]
  },
  stop: ({ random, worker }) => {
    const time = oneOf(random, stops)
    worker.child.kill("SIGSTOP")
    return [`stopped for ${time} ms`, pause(time).then(() => void worker.child.kill("SIGCONT"))]
  },
  freeze: ({ random, worker: { network } }) => {
    const time = oneOf(random, stops)
    network.freeze(true)
    return [`frozen off the database for ${time} ms`, pause(time).then(() => network.freeze(false))]
  },
  cut: ({ random, worker: { network } }) => {
    const time = oneOf(random, [0, 0, 1000, 5000, 15_000])
    network.refuse(true)
    return [`cut off for ${time} ms`, pause(time).then(() => network.refuse(false))]
  },
  error: ({ random, worker: { network } }) => {
    const [code, table, verb] = [oneOf(random, codes), oneOf(random, tables), oneOf(random, verbs)]
    const time = oneOf(random, [500, 1500, 4000])
    const isCounted = random(2) === 0
    const mend = network.fail({
      with: code,
      table,
      ...(verb === undefined ? {} : { verb }),
      ...(isCounted ? { times: 1 + random(3) } : {})
    })
    return [
      `${code} at ${verb ?? "anything"} of ${table} ${isCounted ? "some times" : `for ${time} ms`}`,
      pause(time).then(mend)
    ]
  },
  anything: ({ random, worker: { network } }) => {
    const code = oneOf(random, codes)
    const time = oneOf(random, [300, 1000, 3000])
    return [`${code} at every statement for ${time} ms`, pause(time).then(network.fail({ with: code }))]
  },
  hole: ({ random, worker: { network } }) => {
    const [table, verb] = [oneOf(random, tables), oneOf(random, verbs)]
    const mend = network.fail({ with: "hole", times: 1, table, ...(verb === undefined ? {} : { verb }) })
    return [`the connection of the next ${verb ?? "anything"} of ${table} dead for good`, pause(4000).then(mend)]
  },
  forget: ({ worker: { network } }) => {
    network.forget()
    return ["all its connections of now dead for good", Promise.resolve()]
  },
  model: ({ random, worker: { model } }) => {
    const time = oneOf(random, [300, 2000, 6000])
    model.close()
    return [`its model server away for ${time} ms`, pause(time).then(model.open)]
  },
  database: ({ postgres, random }) => {
    const mode = oneOf(random, ["fast", "immediate"] as const)
    const time = oneOf(random, [0, 1000, 4000])
    const restart = async (): Promise<void> => {
      await postgres.stop(mode)
      await pause(time)
      await postgres.start()
    }
    return [`the database ended (${mode}) and away for ${time} ms`, restart()]
  }
}
