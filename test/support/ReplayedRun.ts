/**
 * A kept run that reads and writes, with the replay of it, and the tests that kill it.
 */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import type { RunOrder } from "../../src/domain/runs/RunOrder.ts"
import { makeKeptRun } from "./KeptRun.ts"
import { liveTest } from "./liveTest.ts"
import { putFiles } from "./Project.ts"
import { willingApprover } from "./ScriptedApprover.ts"
import { stageName } from "./stageName.ts"
import { answerIn, planOf, type PlannedTask, refinementWith, resultSaying } from "./TestRun.ts"

export const taskOf = ({ user }: FilledPrompt): string =>
  /^- \*\*Name\*\* (.+)$/m.exec(user.slice(user.lastIndexOf("## Task\n")))?.[1] ?? ""
export const stageOf = (prompt: FilledPrompt): string => stageName(prompt)

type Calls = Parameters<typeof refinementWith>[0]

export const write = (path: string, content = "new\n") => ({ name: "write_file", arguments: { path, content } })
export const read = (path: string) => ({ name: "read_file", arguments: { path } })
const clock: Calls = [{ name: "get_current_time", arguments: {} }]

/** A model that plans this and makes these calls; a task without any looks at the clock. `later` are the plans of iteration. */
export const modelOf = (
  plan: ReadonlyArray<ReadonlyArray<PlannedTask>>,
  calls: Readonly<Record<string, Calls>> = {},
  later: ReadonlyArray<ReadonlyArray<ReadonlyArray<PlannedTask>>> = []
): ((prompt: FilledPrompt) => string) => {
  let round = 0
  return (prompt) => {
    const stage = stageOf(prompt)
    return answerIn(stage, {
      creation: planOf(plan),
      refinement: refinementWith(calls[taskOf(prompt)] ?? clock),
      execution: resultSaying(`Result of ${taskOf(prompt)}.`),
      iteration: planOf((stage === "iteration" ? later[round++] : undefined) ?? [])
    })
  }
}

export const willing = willingApprover()

export const start = Effect.fnUntraced(function* (order: Partial<RunOrder> = {}) {
  const run = yield* makeKeptRun({ prompt: "Do it.", ...order })
  yield* putFiles(run.project, { "notes.md": "# Old\n", "other.md": "# Other\n" })
  return run
})

type Kept = Effect.Success<ReturnType<typeof start>>

/** What the replay of a run comes to while its project is out of reach; its skills stay. */
export const replayed = Effect.fnUntraced(function* (run: Kept, id?: string) {
  const fs = yield* FileSystem.FileSystem
  for (const name of yield* fs.readDirectory(run.project)) {
    if (name !== ".task-conductor") yield* fs.remove(`${run.project}/${name}`)
  }
  const { differences, isWhole } = yield* run.replay(id)
  return { isWhole, differences }
})

export const same = { isWhole: true, differences: [] }

export const lookAndWrite = modelOf(
  [
    [{ name: "Look 1" }, { name: "Look 2", references: "[n](notes.md)" }],
    [{ name: "Write 1", references: "[a](#look-1-results) [n](notes.md)" }, { name: "Write 2" }]
  ],
  { "Write 1": [write("notes.md")], "Write 2": [write("b.txt"), read("other.md")] }
)

/** Records after which a run is killed: every one at this distance. */
const killPoints = (first: number, count: number, distance: number): ReadonlyArray<number> =>
  Array.from({ length: Math.ceil((count - first) / distance) }, (_, index) => first + index * distance)

export const replaysOfKilled = (): void => {
  liveTest("is the same wherever it was killed, as far as it came and after it went on", function* () {
    const fs = yield* FileSystem.FileSystem
    const run = yield* start()
    yield* run.session({ answer: lookAndWrite, approver: willing })
    const whole = yield* fs.readFileString(run.file)
    const count = (yield* run.records).length
    for (const kept of killPoints(1, count, 17)) {
      yield* fs.writeFileString(run.file, whole)
      yield* run.cut(kept)
      expect([kept, yield* replayed(run)]).toEqual([kept, { isWhole: false, differences: [] }])
      yield* putFiles(run.project, { "notes.md": "# Old\n", "other.md": "# Other\n" })
      const { report } = yield* run.session({ answer: lookAndWrite, approver: willing })
      expect([kept, report?.status]).toEqual([kept, "done"])
      expect([kept, yield* replayed(run)]).toEqual([kept, same])
    }
  })

  liveTest(
    "is the same wherever the session was killed in which something was allowed that had been denied",
    function* () {
      const fs = yield* FileSystem.FileSystem
      const run = yield* start()
      const answer = modelOf([[{ name: "Read 1" }]], { "Read 1": [read("notes.md")] })
      yield* run.session({ answer })
      const first = (yield* run.records).length
      yield* run.session({ answer, approver: willing })
      const whole = yield* fs.readFileString(run.file)
      const count = (yield* run.records).length
      for (const kept of killPoints(first + 1, count, 1)) {
        yield* fs.writeFileString(run.file, whole)
        yield* run.cut(kept)
        expect([kept, yield* replayed(run)]).toEqual([kept, { isWhole: false, differences: [] }])
      }
    }
  )
}
