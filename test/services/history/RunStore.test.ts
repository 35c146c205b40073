import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import type { JournalRecord } from "../../../src/domain/journal/JournalRecord.ts"
import { takeLock } from "../../../src/services/files/ProcessLock.ts"
import { runLock, RunStore } from "../../../src/services/history/RunStore.ts"
import { ended, journalBytes, openedRecord, settled } from "../../support/Journals.ts"
import { lockAddress } from "../../support/lockAddress.ts"
import { makeFolder } from "../../support/Project.ts"
import { liveTest } from "../../support/liveTest.ts"

/** A store with these journals by run; a text is what stands in the file instead. */
const storeWith = Effect.fnUntraced(function* (runs: Readonly<Record<string, ReadonlyArray<JournalRecord> | string>>) {
  const state = yield* makeFolder
  for (const [runId, records] of Object.entries(runs)) {
    mkdirSync(`${state}/runs/${runId}`, { recursive: true })
    writeFileSync(`${state}/runs/${runId}/journal.jsonl`, typeof records === "string" ? records : journalBytes(records))
  }
  const store = yield* RunStore.pipe(Effect.provide(RunStore.layer(state)))
  return { state, store }
})

const ids = ["20261120-180000-aaaa", "20261120-190000-bbbb", "20261121-100000-cccc"] as const
const [first, second, third] = ids

describe("the runs that are kept", () => {
  liveTest("are none where there is no folder", function* () {
    const { store } = yield* storeWith({})
    expect(yield* store.list).toEqual([])
    expect((yield* Effect.flip(store.find("last"))).message).toContain('There is no run "last".')
  })

  liveTest("are listed quickly: what was read of an ended run is kept beside its journal", function* () {
    const many = Array.from({ length: 60 }, (_, number) => `20261101-1000${10 + number}-aaaa`.slice(0, 20))
    const runs = Object.fromEntries(many.map((id) => [id, [openedRecord(id), ended("done")]]))
    const [changed = "", broken = "", piped = ""] = many
    const { state, store } = yield* storeWith({ ...runs, [first]: [openedRecord(first), settled("plan")] })
    const before = yield* store.list
    const kept = (id: string) => `${state}/runs/${id}/summary.json`
    expect([before.length, existsSync(kept(changed)), existsSync(kept(first))]).toEqual([61, true, false])
    expect(yield* store.list).toEqual(before)
    writeFileSync(store.pathOf(changed), journalBytes([openedRecord(changed), ended("done"), ended("limit")]))
    writeFileSync(kept(broken), "{")
    rmSync(kept(piped))
    mkdirSync(kept(piped))
    const after = new Map((yield* store.list).map((run) => [run.runId, run.standing]))
    expect([after.get(changed), after.get(broken), after.get(piped)]).toEqual(["limit", "done", "done"])
    expect(after.get(first)).toBe("unfinished")
  })

  liveTest("are listed, the newest first, with how each one stands", function* () {
    const { state, store } = yield* storeWith({
      [first]: [openedRecord(first), ended("done")],
      [second]: [openedRecord(second), settled("plan")],
      [third]: [openedRecord(third), ended("limit"), { type: "resumed", program: "0.1.0" }],
      "20261122-100000-dddd": "no journal\n",
      "20261123-100000-eeee": [openedRecord(), ended("not_permitted")],
      Other: [openedRecord()]
    })
    const journal = store.pathOf(second)
    expect(journal).toBe(`${state}/runs/${second}/journal.jsonl`)
    yield* takeLock(runLock(journal), { folder: state, runId: second, what: "run" })
    const list = yield* store.list
    expect(list.map(({ pid, runId, standing }) => [runId.slice(-4), standing, pid])).toEqual([
      ["eeee", "not_permitted", undefined],
      ["dddd", "unreadable", undefined],
      ["cccc", "unfinished", undefined],
      ["bbbb", "running", process.pid],
      ["aaaa", "done", undefined]
    ])
    expect(list.at(-1)).toEqual({
      runId: first,
      standing: "done",
      startedAt: "2026-11-20T18:30:00.000Z",
      endedAt: "2026-11-20T18:30:00.000Z",
      durationMs: 0,
      exitCode: 0,
      project: "/project",
      prompt: "Do it.",
      model: "embedded",
      bytes: journalBytes([openedRecord(first), ended("done")]).length
    })
  })

  liveTest("are found by id, by its beginning and as the last one", function* () {
    const here = { ...openedRecord(), project: process.cwd() }
    const { store } = yield* storeWith({ [first]: [here], [second]: [openedRecord()], [third]: "x" })
    expect([yield* store.find(second), yield* store.find("20261121"), yield* store.find("last")]).toEqual([
      second,
      third,
      first
    ])
    const message = (given: string) => Effect.map(Effect.flip(store.find(given)), (error) => error.message)
    expect(yield* message("20261120")).toBe(`"20261120" fits several runs: ${second}, ${first}. Write more of the id.`)
    expect(yield* message("")).toContain('There is no run "".')
    expect(yield* message("20261120-180000-aaab")).toContain(`Nearest: ${first}`)
    expect(yield* message("../../etc")).toContain('There is no run "../../etc".')
  })

  liveTest("are removed unless a process has them, also one that says nothing", function* () {
    const { state, store } = yield* storeWith({ [first]: [openedRecord()], [second]: [openedRecord()] })
    const journal = store.pathOf(first)
    const holder = takeLock(runLock(journal), { folder: state, runId: first, what: "run" })
    expect(yield* Effect.scoped(Effect.andThen(holder, store.remove(first)))).toBe(false)
    const silent = createServer(() => undefined).listen(lockAddress(runLock(journal)))
    yield* Effect.promise(() => once(silent, "listening"))
    const removed = yield* store.remove(first)
    silent.close()
    expect([removed, existsSync(journal)]).toEqual([false, true])
    expect(yield* store.remove(first)).toBe(true)
    expect([existsSync(journal), existsSync(store.pathOf(second))]).toEqual([false, true])
    expect(yield* store.remove(first)).toBe(true)
  })

  liveTest("are not read under the name of another", function* () {
    const { store } = yield* storeWith({ [second]: [openedRecord(first)] })
    const { message } = yield* Effect.flip(store.read(second))
    expect(message).toContain(`is that of the run ${first}. Give the folder of the run back its name.`)
  })
})
