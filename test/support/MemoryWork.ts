/**
 * The work of cluster runs in the memory of one process, with the clock of the fiber: what the tables do, in plain words.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import {
  type WorkAttempt,
  type ClaimedWork,
  ClusterWork,
  leaseTime,
  type NewRecord,
  priorityStep,
  runPiece
} from "../../src/plugins/cluster/ClusterWork.ts"
import { pieceId, queueOf, type WorkKind, workKinds } from "../../src/plugins/cluster/WorkQueues.ts"
import { lineOf, parseJson, type JournalLine } from "../../src/services/journal/JournalLine.ts"
import { aliveSeconds } from "../../src/plugins/cluster/ClusterWorkers.ts"

interface MemoryRun {
  readonly program: string
  readonly records: Array<NewRecord>
  readonly answers: Map<string, string>
  isCancelled: boolean
  ending?: string
}

interface MemoryPiece {
  readonly runId: string
  readonly leader: string
  readonly key: string
  readonly kind: WorkKind
  readonly payload: string
  readonly id: string
  /** Pieces of a run take turns with those of others: the greater number comes first. */
  readonly turn: number
  readonly base: number
  declined: Record<string, string>
  /** How often it was claimed; the last attempt has the number before. */
  attempts: number
  isActive: boolean
  isResting: boolean
  beatAt: number
  result?: string
}

/** What pg-boss promises, and what our statements add to it. */
export const makeMemoryWork = () => {
  const runs = new Map<string, MemoryRun>()
  let pieces: Array<MemoryPiece> = []
  const seen = new Map<string, { readonly program: string; readonly at: number }>()
  let opened = 0

  const isOpen = (runId: string): boolean => runs.has(runId) && runs.get(runId)?.ending === undefined
  /** An attempt counts while it is the last one and its piece is active: after its heartbeats end, until somebody claims it. */
  const heldBy = ({ attempt, id }: WorkAttempt): MemoryPiece | undefined =>
    pieces.find((one) => one.id === id && one.attempts - 1 === attempt && one.isActive)
  const isWaiting = (one: MemoryPiece): boolean => !one.isActive && one.result === undefined
  const put = (
    piece: Pick<MemoryPiece, "runId" | "leader" | "key" | "kind" | "payload" | "id" | "turn" | "base">
  ): void => {
    if (pieces.some(({ id }) => id === piece.id)) return
    pieces.push({ ...piece, declined: {}, attempts: 0, isActive: false, isResting: false, beatAt: 0 })
  }
  const wake = (runId: string, kinds: ReadonlyArray<WorkKind>): void => {
    for (const one of pieces) if (one.runId === runId && kinds.includes(one.kind)) one.isResting = false
  }
  const now = Clock.currentTimeMillis
  const queueOfRun = (kind: WorkKind, runId: string): string => queueOf(kind, runs.get(runId)?.program ?? "")

  const work = ClusterWork.of({
    claim: ({ name, program }, capacity) =>
      Effect.map(now, (at) => {
        for (const one of pieces) if (one.isActive && at - one.beatAt > leaseTime) one.isActive = false
        const others = [...seen].flatMap(([other, one]) =>
          one.program === program && at - one.at < aliveSeconds * 1000 ? [other] : []
        )
        const isFree = (one: MemoryPiece): boolean =>
          runs.get(one.runId)?.program === program &&
          isWaiting(one) &&
          !one.isResting &&
          (!Object.hasOwn(one.declined, name) || others.every((other) => Object.hasOwn(one.declined, other)))
        return workKinds.flatMap((kind) =>
          pieces
            .filter((one) => one.kind === kind && isFree(one))
            .toSorted((a, b) => b.turn - a.turn)
            .slice(0, capacity[kind])
            .map((one): ClaimedWork => {
              Object.assign(one, { attempts: one.attempts + 1, isActive: true, beatAt: at })
              const { attempts, base: priority, id, key, leader, payload, runId } = one
              const attempt = { queue: queueOfRun(kind, runId), id, attempt: attempts - 1 }
              const declined = structuredClone(one.declined)
              const piece = { setup: "", runId, leader, key, kind, payload, worker: name, priority, declined }
              return Object.assign(piece, attempt)
            })
        )
      }),
    renew: (leases) =>
      Effect.map(now, (at) =>
        leases.flatMap((lease) => {
          const one = heldBy(lease)
          if (one === undefined) return []
          one.beatAt = at
          return [{ ...lease, isCancelled: runs.get(lease.runId)?.isCancelled === true }]
        })
      ),
    giveBack: (lease, why) =>
      Effect.sync(() => {
        const one = heldBy(lease)
        if (one === undefined) return
        one.isActive = false
        if (why !== undefined) one.declined = { ...one.declined, [lease.worker]: why.replaceAll("\0", "") }
      }),
    rest: (lease, { keys, questions }) =>
      Effect.sync(() => {
        const one = heldBy(lease)
        if (one === undefined) return
        const answers = runs.get(lease.runId)?.answers
        const isRestingPiece = (key: string) =>
          pieces.some(({ id, isResting }) => isResting && id === pieceId(lease.leader, key))
        one.isActive = false
        one.isResting = !questions.some((question) => answers?.has(question) === true) && keys.every(isRestingPiece)
      }),
    offer: (lease, all) =>
      Effect.sync(() => {
        const { leader, priority: base, runId } = lease
        if (heldBy(lease) === undefined) return false
        for (const [kind, items] of Map.groupBy(all, (item) => item.kind)) {
          const waiting = pieces.filter((one) => one.kind === kind && isWaiting(one))
          const own = waiting.filter((one) => one.runId === runId).map(({ turn }) => turn - 1)
          const heads = waiting.filter((one) => one.base === base).map(({ turn }) => turn)
          const others = heads.length > 0 ? Math.max(...heads) : base * priorityStep
          const begin = own.length > 0 ? Math.min(...own) : others
          for (const [at, { key, payload }] of items.entries()) {
            put({ runId, leader, key, kind, payload, base, id: pieceId(leader, key), turn: begin - at })
          }
        }
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
        const isWritten = ({ lease }: NewRecord): boolean => isOpen(runId) && heldBy(lease) !== undefined
        run?.records.push(...records.filter((record) => !known.has(record.token) && isWritten(record)))
        for (const { lease, result } of finished) {
          const one = heldBy(lease)
          if (one !== undefined) Object.assign(one, { isActive: false, result })
          wake(runId, ["run"])
        }
        const written = new Set(run?.records.map(({ token }) => token))
        return new Set(records.flatMap(({ token }) => (written.has(token) ? [token] : [])))
      }),
    results: ({ leader }, keys) =>
      Effect.sync(() => {
        const byId = new Map(keys.map((key) => [pieceId(leader, key), key]))
        return new Map(
          pieces.flatMap(({ id, isResting, result }): Array<[string, string | undefined]> => {
            const key = byId.get(id)
            return key !== undefined && (result !== undefined || isResting) ? [[key, result]] : []
          })
        )
      }),
    answer: (runId, question, answer) =>
      Effect.sync(() => {
        const answers = runs.get(runId)?.answers
        if (answers?.has(question) === false) answers.set(question, answer)
        wake(runId, workKinds)
      }),
    answers: (questions) =>
      Effect.sync(() =>
        questions.flatMap(({ question, runId }) => {
          const answer = runs.get(runId)?.answers.get(question)
          return answer === undefined ? [] : [{ runId, question, answer }]
        })
      )
  })

  return {
    work,
    runs,
    pieces: () => pieces,
    clear: (): void => {
      runs.clear()
      pieces = []
    },
    /** The heartbeats of a piece have ended. */
    expire: (runId: string, key: string): void => {
      for (const one of pieces) if (one.runId === runId && one.key === key) one.beatAt = -1e9
    },
    submit: (runId: string, program: string): void => {
      runs.set(runId, { program, records: [], answers: new Map(), isCancelled: false })
      const leader = randomUUID()
      /* Runs of the same priority begin in the order in which they came. */
      put({ ...runPiece, runId, leader, id: leader, base: 0, turn: -(opened += 1) / 1e6 })
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
