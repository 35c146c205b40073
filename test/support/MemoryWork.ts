/**
 * The work of cluster runs in the memory of one process, with the clock of the fiber: what the tables do, in plain words.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import {
  type ClaimedWork,
  ClusterWork,
  type Lease,
  leaseTime,
  type NewRecord,
  runPiece,
  type WorkKind
} from "../../src/plugins/cluster/ClusterWork.ts"
import { lineOf, parseJson, type JournalLine } from "../../src/services/journal/JournalLine.ts"
import { aliveSeconds } from "../../src/plugins/cluster/SqlWork.ts"

interface MemoryRun {
  readonly program: string
  readonly records: Array<NewRecord>
  readonly answers: Map<string, string>
  isCancelled: boolean
  ending?: string
}

interface MemoryPiece {
  readonly runId: string
  readonly key: string
  readonly kind: WorkKind
  readonly payload: string
  declined: Record<string, string>
  epoch: number
  until?: number | undefined
  result?: string
}

export const makeMemoryWork = () => {
  const runs = new Map<string, MemoryRun>()
  let pieces: Array<MemoryPiece> = []
  const seen = new Map<string, { readonly program: string; readonly at: number }>()
  let epochs = 0

  const isOpen = (runId: string): boolean => runs.has(runId) && runs.get(runId)?.ending === undefined
  const heldBy = ({ epoch, key, runId }: Lease): MemoryPiece | undefined =>
    pieces.find((one) => one.runId === runId && one.key === key && one.epoch === epoch && one.until !== undefined)
  const put = (runId: string, { key, kind, payload }: Pick<MemoryPiece, "key" | "kind" | "payload">): void => {
    if (pieces.some((one) => one.runId === runId && one.key === key)) return
    pieces.push({ runId, key, kind, payload, declined: {}, epoch: 0 })
  }
  const now = Clock.currentTimeMillis

  const work = ClusterWork.of({
    claim: ({ name, program }, room) =>
      Effect.map(now, (at) => {
        const others = [...seen].flatMap(([other, one]) =>
          one.program === program && at - one.at < aliveSeconds * 1000 ? [other] : []
        )
        const isFree = (one: MemoryPiece): boolean =>
          isOpen(one.runId) &&
          runs.get(one.runId)?.program === program &&
          one.result === undefined &&
          (one.until === undefined || one.until < at) &&
          (!Object.hasOwn(one.declined, name) || others.every((other) => Object.hasOwn(one.declined, other)))
        return (["run", "refine", "task"] as const).flatMap((kind) =>
          pieces
            .filter((one) => one.kind === kind && isFree(one))
            .slice(0, room[kind])
            .map((one): ClaimedWork => {
              epochs += 1
              Object.assign(one, { epoch: epochs, until: at + leaseTime })
              const { declined, key, payload, runId } = one
              return { setup: "", runId, key, kind, payload, declined: { ...declined }, epoch: epochs, worker: name }
            })
        )
      }),
    renew: (leases) =>
      Effect.map(now, (at) =>
        leases.flatMap((lease) => {
          const one = heldBy(lease)
          if (one === undefined || !isOpen(lease.runId)) return []
          one.until = at + leaseTime
          return [{ ...lease, isCancelled: runs.get(lease.runId)?.isCancelled === true }]
        })
      ),
    giveBack: (lease, why) =>
      Effect.sync(() => {
        const one = heldBy(lease)
        if (one === undefined) return
        one.until = undefined
        if (why !== undefined) one.declined = { ...one.declined, [lease.worker]: why }
      }),
    offer: (lease, all) =>
      Effect.sync(() => {
        if (heldBy(lease) === undefined) return false
        if (isOpen(lease.runId)) for (const piece of all) put(lease.runId, piece)
        return true
      }),
    end: (lease, ending, record) =>
      Effect.sync(() => {
        const run = runs.get(lease.runId)
        if (run === undefined || run.ending !== undefined || heldBy(lease) === undefined) return false
        run.ending = ending
        if (record !== undefined) run.records.push(record)
        pieces = pieces.filter(({ runId }) => runId !== lease.runId)
        return true
      }),
    append: (runId, records, finished = []) =>
      Effect.sync(() => {
        const run = runs.get(runId)
        const known = new Set(run?.records.map(({ token }) => token))
        const isWritten = (record: NewRecord): boolean =>
          isOpen(runId) && heldBy({ runId, worker: "", ...record.lease }) !== undefined
        run?.records.push(...records.filter((record) => !known.has(record.token) && isWritten(record)))
        for (const { lease, result } of finished) {
          const one = heldBy({ runId, worker: "", ...lease })
          if (one !== undefined) Object.assign(one, { until: undefined, result })
        }
        const written = new Set(run?.records.map(({ token }) => token))
        return new Set(records.flatMap(({ token }) => (written.has(token) ? [token] : [])))
      }),
    results: (runId, keys) =>
      Effect.sync(
        () =>
          new Map(
            pieces.flatMap(({ key, result, runId: of }): Array<[string, string]> =>
              of === runId && result !== undefined && keys.includes(key) ? [[key, result]] : []
            )
          )
      ),
    answer: (runId, question, answer) =>
      Effect.sync(() => {
        const answers = runs.get(runId)?.answers
        if (answers?.has(question) === false) answers.set(question, answer)
      }),
    answered: (runId, question) => Effect.sync(() => runs.get(runId)?.answers.get(question))
  })

  return {
    work,
    runs,
    pieces: () => pieces,
    clear: (): void => {
      runs.clear()
      pieces = []
    },
    /** The lease on a piece has run out. */
    expire: (runId: string, key: string): void => {
      const one = pieces.find((piece) => piece.runId === runId && piece.key === key)
      if (one?.until !== undefined) one.until = -1
    },
    submit: (runId: string, program: string): void => {
      runs.set(runId, { program, records: [], answers: new Map(), isCancelled: false })
      put(runId, runPiece)
    },
    cancel: (runId: string): void => void Object.assign(runs.get(runId) ?? {}, { isCancelled: true }),
    /** A worker says that it is there. */
    see: (name: string, program: string) => Effect.map(now, (at) => void seen.set(name, { program, at })),
    /** The records of a run after this one. */
    known: (runId: string, seq: number): Array<JournalLine> =>
      (runs.get(runId)?.records ?? [])
        .map(({ at, json }, index) => lineOf({ seq: index + 1, at, json: parseJson(json), text: "" }))
        .slice(seq)
  }
}

export type MemoryWork = ReturnType<typeof makeMemoryWork>
