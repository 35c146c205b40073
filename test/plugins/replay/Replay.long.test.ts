/** Replays of more runs: declined, denied, broken off, forked or damaged. KilledRuns.long.test.ts kills them. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, describe, expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as AiError from "effect/ai/AiError"
import { JournalRecord } from "../../../src/domain/journal/JournalRecord.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import type { RunStatus } from "../../../src/domain/runs/RunReport.ts"
import { forkRecords } from "../../../src/domain/history/JournalParts.ts"
import type { Session } from "../../support/KeptRun.ts"
import { journalBytes } from "../../support/Journals.ts"
import { liveTest } from "../../support/liveTest.ts"
import { putFiles } from "../../support/Project.ts"
import {
  lookAndWrite,
  modelOf,
  read,
  replayed,
  same,
  stageOf,
  start,
  willing,
  write
} from "../../support/ReplayedRun.ts"
import { scriptedApprover, willingApprover } from "../../support/ScriptedApprover.ts"
import { answering, plays, writers } from "../../support/ReplayPlays.ts"

const unreachable = AiError.make({
  module: "test",
  method: "generateText",
  reason: new AiError.UnknownError({ description: "gone" })
})

const readNotes = modelOf([[{ name: "Read 1" }, { name: "Look 1" }]], { "Read 1": [read("notes.md")] })

const cases: ReadonlyArray<[what: string, status: RunStatus, ...sessions: ReadonlyArray<Session>]> = [
  [
    "equal questions had different answers",
    "not_permitted",
    {
      answer: modelOf([[{ name: "Read 1" }], [{ name: "Read 2" }], [{ name: "Read 3" }]], {
        "Read 1": [read("notes.md"), read("notes.md")],
        "Read 2": [read("notes.md")],
        "Read 3": [read("notes.md"), read("other.md")]
      }),
      approver: answering([], ["deny", "once", "remember", "session", "deny"])
    }
  ],
  ["nobody could approve a step", "not_permitted", { answer: lookAndWrite }],
  ["the second step was declined", "declined", { answer: writers(3), approver: answering(["step", "decline"]) }],
  [
    "single calls of a step were chosen",
    "not_permitted",
    {
      answer: modelOf([[{ name: "Write 1" }]], { "Write 1": [write("a.txt"), write("b.txt")] }),
      approver: answering([{ chosen: [2] }])
    }
  ],
  ["a call was denied, and the run ended as not permitted", "not_permitted", { answer: readNotes }],
  [
    "the model went away and came back",
    "done",
    {
      answer: (prompt) => (stageOf(prompt) === "iteration" ? unreachable : lookAndWrite(prompt)),
      approver: willing
    },
    { answer: lookAndWrite, approver: willing }
  ],
  [
    "what was declined and denied was allowed later",
    "done",
    { answer: lookAndWrite, approver: answering(["decline"], ["once"]) },
    { answer: lookAndWrite, approver: answering(["step"], ["deny"]) },
    { answer: lookAndWrite, approver: willing }
  ]
]

describe("the replay of a run", () => {
  for (const [what, status, ...sessions] of cases) {
    plays(`is the same when ${what}`, { status, sessions: () => sessions })
  }
})

/** A run that broke off while it wrote, so that nobody knows whether it did. */
const broken = Effect.fnUntraced(function* () {
  const fs = yield* FileSystem.FileSystem
  const run = yield* start()
  yield* run.session({ answer: lookAndWrite, approver: willing })
  yield* run.cut((yield* run.records).findIndex((record) => record.type === "intent" && record.task === "Write 1") + 1)
  yield* fs.writeFileString(`${run.project}/notes.md`, "# By somebody else\n")
  yield* fs.remove(`${run.project}/b.txt`, { force: true })
  return run
})

describe("the replay of a run that broke off", () => {
  liveTest("is the same when it was interrupted, and when it went on", function* () {
    const run = yield* start()
    const asked = yield* Deferred.make<void>()
    const waiting = scriptedApprover(
      { steps: ["step"] },
      Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
    )
    yield* run.session({ answer: lookAndWrite, approver: waiting.layer, until: Deferred.await(asked) })
    expect(yield* run.replay()).toMatchObject({ isWhole: false, differences: [] })
    const { report } = yield* run.session({ answer: lookAndWrite, approver: willing })
    expect(report?.status).toBe("done")
    expect(yield* replayed(run)).toEqual(same)
  })

  for (const [answer, status] of [
    ["again", "done"],
    ["done", "done"],
    ["stop", "not_permitted"]
  ] as const) {
    liveTest(`is the same when the user said "${answer}" of a call in doubt`, function* () {
      const run = yield* broken()
      const { report } = yield* run.session({ answer: lookAndWrite, approver: willingApprover(answer) })
      expect(report?.status).toBe(status)
      expect(yield* replayed(run)).toEqual({ isWhole: answer !== "stop", differences: [] })
    })
  }

  liveTest("is the same for a fork", function* () {
    const run = yield* start()
    yield* run.session({ answer: lookAndWrite, approver: willing })
    yield* putFiles(run.project, { "notes.md": "# Old\n" })
    const begin = forkRecords(yield* run.records, "write 1")
    const { report } = yield* run.fork(begin ?? [], { answer: lookAndWrite, approver: answering(["decline"]) })
    expect(report?.status).toBe("declined")
    expect(yield* replayed(run, report?.runId)).toEqual(same)
  })

  for (const count of [1, 60]) {
    liveTest(`is the same when a secret was taken out of its journal at ${count} places`, function* () {
      const run = yield* start()
      yield* putFiles(run.project, { "notes.md": "The word is the-s3cret-value.\n".repeat(count) })
      const { report } = yield* run.session({ answer: lookAndWrite, approver: willing })
      expect(report?.status).toBe("done")
      expect(JSON.stringify(yield* run.records)).not.toContain("the-s3cret-value")
      expect(yield* replayed(run)).toEqual(same)
    })
  }
})

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** A run that was done, with its records; all that look for differences share it. */
const done = Effect.runSync(
  Effect.cached(
    Effect.gen(function* () {
      const run = yield* start()
      yield* run.session({ answer: lookAndWrite, approver: willing })
      return { run, records: yield* run.records }
    }).pipe(Effect.provideService(Scope.Scope, scope), Effect.provide(NodeServices.layer))
  )
)

/** What is found in the journal of a run that was done, with what `change` makes of its records. */
const differences = Effect.fnUntraced(function* (
  change: (records: ReadonlyArray<JournalRecord>) => ReadonlyArray<JournalRecord>
) {
  const fs = yield* FileSystem.FileSystem
  const { records, run } = yield* done
  yield* fs.writeFile(run.file, journalBytes(change(records)))
  return (yield* run.replay()).differences
})

const keyIs = (record: JournalRecord, key: string): boolean => "key" in record && record.key.split("#")[0] === key
const typed = (type: JournalRecord["type"], key: string) => (record: JournalRecord) =>
  record.type === type && keyIs(record, key)
const outcomeOf = (key: string) => typed("outcome", key)
const isTold = (type: RunEvent["type"], task?: string) => (record: JournalRecord) =>
  record.type === "event" &&
  record.event.type === type &&
  (task === undefined || ("task" in record.event && record.event.task === task))

const encode = Schema.encodeSync(JournalRecord)
const decode = Schema.decodeUnknownSync(JournalRecord)

/** Puts other words into the records that are meant. */
const saying =
  (isMeant: (record: JournalRecord) => boolean, before: string, after: string) =>
  (records: ReadonlyArray<JournalRecord>) =>
    records.map((record) =>
      isMeant(record) ? decode(JSON.parse(JSON.stringify(encode(record)).replaceAll(before, after))) : record
    )

/** Takes the records out that are meant. */
const without = (isMeant: (record: JournalRecord) => boolean) => (records: ReadonlyArray<JournalRecord>) =>
  records.filter((record) => !isMeant(record))

describe("the first difference", () => {
  const isAnswer = outcomeOf("round-1/turn/look-1/attempt-2")
  const isOutput = outcomeOf("round-1/tool/write-2/turn-1/call-2")
  const isPrompt = typed("prompt", "round-1/iterate/attempt-1")
  const isSeen = typed("seen", "reference/look-2/document/notes.md")
  const rows: ReadonlyArray<[what: string, change: Parameters<typeof differences>[0], abouts: ReadonlyArray<string>]> =
    [
      [
        "the result of the task whose answer was changed",
        saying(isAnswer, "Result of Look 1", "Something else"),
        ['task.finished round 1 "Look 1"', "the prompt of round-1/turn/write-1/attempt-1"]
      ],
      [
        "the call whose output was changed",
        saying(isOutput, "# Other", "# Another"),
        ['tool.finished round 1 "Write 2" turn-1/call-2', "the prompt of round-1/turn/write-2/attempt-2"]
      ],
      [
        "a file that was read otherwise",
        saying(isSeen, "# Old", "# Older"),
        [1, 2].map((attempt) => `the prompt of round-1/turn/look-2/attempt-${attempt}`)
      ],
      ["an event that was taken out", without(isTold("task.worked", "Look 2")), ['task.worked round 1 "Look 2"']],
      [
        "a call that is not in the journal",
        without(outcomeOf("round-1/conclude/attempt-1")),
        ["round-1/conclude/attempt-1 is not in the journal"]
      ]
    ]
  for (const [what, change, abouts] of rows) {
    liveTest(`is ${what}`, function* () {
      const found = yield* differences(change)
      expect(found.map(({ about }) => about).slice(0, 2)).toEqual(abouts)
    })
  }

  liveTest("shows what was said then and now, and nothing of what was not told", function* () {
    const [answer] = yield* differences(saying(isAnswer, "Result of Look 1", "Something else"))
    expect([answer?.before, answer?.now].map((text) => /"summary":"([^"]*)"/.exec(text ?? "")?.[1])).toEqual([
      "Result of Look 1.",
      "Something else."
    ])
    const [prompt] = yield* differences(saying(isPrompt, "Result of Look 2", "Something else"))
    expect(prompt?.before?.replace("Something else", "Result of Look 2")).toBe(prompt?.now)
    const [event] = yield* differences(without(isTold("task.worked", "Look 2")))
    expect(event?.before).toBeUndefined()
  })
})
