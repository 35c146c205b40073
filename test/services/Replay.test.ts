import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"

import type { FilledPrompt } from "../../src/domain/PromptTemplate.ts"
import type { RunOrder } from "../../src/domain/RunOrder.ts"
import type { RunStatus } from "../../src/domain/RunReport.ts"
import { Approver, type CallAnswer, type StepAnswer } from "../../src/services/Approver.ts"
import { makeKeptRun, type Session } from "../support/KeptRun.ts"
import { liveTest } from "../support/liveTest.ts"
import { putFiles } from "../support/Project.ts"
import { scriptedApprover } from "../support/ScriptedApprover.ts"
import { planOf, type PlannedTask, refinementWith, resultSaying } from "../support/TestRun.ts"

const taskOf = ({ user }: FilledPrompt): string =>
  /^- \*\*Name\*\* (.+)$/m.exec(user.slice(user.lastIndexOf("## Task\n")))?.[1] ?? ""
const stageOf = ({ system }: FilledPrompt): string => /^# Stage: (\w+)$/m.exec(system)?.[1] ?? ""

type Calls = Parameters<typeof refinementWith>[0]

const write = (path: string, content = "new\n") => ({ name: "write_file", arguments: { path, content } })
const read = (path: string) => ({ name: "read_file", arguments: { path } })
const clock: Calls = [{ name: "get_current_time", arguments: {} }]

/** A model that plans this and makes these calls; a task without any looks at the clock. `later` are the plans of iteration. */
const modelOf = (
  plan: ReadonlyArray<ReadonlyArray<PlannedTask>>,
  calls: Readonly<Record<string, Calls>> = {},
  later: ReadonlyArray<ReadonlyArray<ReadonlyArray<PlannedTask>>> = []
): Session["answer"] => {
  let round = 0
  return (prompt) => {
    switch (stageOf(prompt)) {
      case "creation":
        return planOf(plan)
      case "refinement":
        return refinementWith(calls[taskOf(prompt)] ?? clock)
      case "execution":
        return resultSaying(`Result of ${taskOf(prompt)}.`)
      case "iteration":
        return planOf(later[round++] ?? [])
      default:
        return "All is done."
    }
  }
}

const willing = Layer.succeed(Approver)(
  Approver.of({
    step: () => Effect.succeed({ answer: "step", by: "person" }),
    call: () => Effect.succeed({ answer: "once", by: "person" })
  })
)

const answering = (steps: ReadonlyArray<StepAnswer>, calls: ReadonlyArray<CallAnswer> = []) =>
  scriptedApprover({ steps, calls }).layer

const start = Effect.fnUntraced(function* (order: Partial<RunOrder> = {}) {
  const run = yield* makeKeptRun({ prompt: "Do it.", ...order })
  yield* putFiles(run.project, { "notes.md": "# Old\n", "other.md": "# Other\n" })
  return run
})

type Kept = Effect.Success<ReturnType<typeof start>>

/** What the replay of a run comes to, after everything that it could look at is gone. */
const replayed = Effect.fnUntraced(function* (run: Kept, id?: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.remove(`${run.project}/notes.md`, { force: true })
  yield* fs.remove(`${run.project}/other.md`, { force: true })
  const { differences, isWhole } = yield* run.replay(id)
  return { isWhole, differences }
})

const same = { isWhole: true, differences: [] }

/** A session that ends with this status is the same when it is played again. */
const plays = (
  name: string,
  given: {
    readonly status: RunStatus
    readonly order?: Partial<RunOrder>
    readonly sessions: () => ReadonlyArray<Session>
  }
) =>
  liveTest(name, () =>
    Effect.gen(function* () {
      const run = yield* start(given.order)
      let status: RunStatus | undefined
      for (const session of given.sessions()) status = (yield* run.session(session)).report?.status
      expect(status).toBe(given.status)
      expect(yield* replayed(run)).toEqual(same)
    })
  )

const lookAndWrite = modelOf(
  [
    [{ name: "Look 1" }, { name: "Look 2", references: "[n](notes.md)" }],
    [{ name: "Write 1", references: "[a](#look-1-results) [n](notes.md)" }, { name: "Write 2" }]
  ],
  { "Write 1": [write("notes.md")], "Write 2": [write("b.txt"), read("notes.md")] }
)

const writers = (count: number) =>
  modelOf(
    Array.from({ length: count }, (_, index) => [{ name: `Write ${index + 1}` }]),
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`Write ${index + 1}`, [write(`${index}.txt`)]]))
  )

describe("the replay of a run", () => {
  plays("is the same when it read and wrote and was done", {
    status: "done",
    sessions: () => [{ answer: lookAndWrite, approver: willing }]
  })

  plays("is the same when rules allowed what it did", {
    status: "done",
    sessions: () => [
      {
        answer: lookAndWrite,
        rules: ["write_file", "read_file"].map((tool) => ({ verdict: "allow", tool }))
      }
    ]
  })

  plays("is the same when nobody could approve a step", {
    status: "not_permitted",
    sessions: () => [{ answer: lookAndWrite }]
  })

  plays("is the same when a person declined the second step", {
    status: "declined",
    sessions: () => [{ answer: writers(3), approver: answering(["step", "decline"]) }]
  })

  plays("is the same when all remaining steps were approved at once", {
    status: "done",
    sessions: () => [{ answer: writers(3), approver: answering(["remaining"]) }]
  })

  plays("is the same when single calls of a step were chosen", {
    status: "not_permitted",
    sessions: () => [
      {
        answer: modelOf([[{ name: "Write 1" }]], { "Write 1": [write("a.txt"), write("b.txt")] }),
        approver: answering([{ chosen: [2] }])
      }
    ]
  })

  plays("is the same when equal questions had different answers", {
    status: "not_permitted",
    sessions: () => [
      {
        answer: modelOf([[{ name: "Read 1" }], [{ name: "Read 2" }], [{ name: "Read 3" }]], {
          "Read 1": [read("notes.md"), read("notes.md")],
          "Read 2": [read("notes.md")],
          "Read 3": [read("notes.md"), read("other.md")]
        }),
        approver: answering([], ["deny", "once", "remember", "session", "deny"])
      }
    ]
  })

  plays("is the same when a call was denied, and the run ended as not permitted", {
    status: "not_permitted",
    sessions: () => [{ answer: modelOf([[{ name: "Read 1" }, { name: "Look 1" }]], { "Read 1": [read("notes.md")] }) }]
  })

  plays("is the same when the same call was denied until its task ended", {
    status: "not_permitted",
    sessions: () => [
      {
        answer: modelOf([[{ name: "Read 1" }]], {
          "Read 1": [read("notes.md"), read("./notes.md"), read(".//notes.md"), read("other.md")]
        }),
        approver: answering([], ["deny", "deny", "deny", "deny"])
      }
    ]
  })

  plays("is the same when it could change nothing", {
    status: "not_permitted",
    order: { readOnly: true },
    sessions: () => [{ answer: writers(1), approver: willing, readOnly: true }]
  })

  plays("is the same when a reference was denied", {
    status: "not_permitted",
    sessions: () => [
      {
        answer: modelOf([[{ name: "Look 1", references: "[x](/etc/hostname)" }]]),
        approver: answering([], ["deny", "deny", "deny"])
      }
    ]
  })
})
