import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { briefing, openStages } from "../../support/OpenStages.ts"
import { putFiles } from "../../support/Project.ts"
import { refinementWith, resultSaying } from "../../support/TestRun.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const edit = (old: string, now: string): string =>
  refinementWith([{ name: "edit_file", arguments: { path: "a.txt", old_text: old, new_text: now } }])

/** A task whose change clashes with one that was made meanwhile, after so many clashes. */
const joinAfter = Effect.fnUntraced(function* (clashes: number) {
  const answers = [edit("two", "2"), resultSaying("Done."), edit("TWO", "TWO, or 2"), resultSaying("Done again.")]
  const { join, taskAgent, messages, project } = yield* openStages({ answers, files: { "a.txt": "one\ntwo\n" } })
  const task = plainTask("Edit 1", "edit-files", "Change it.", "The change.")
  const order = { briefing, task, round: 1, step: 0, finished: [] }
  const outcome = yield* taskAgent.work(order)
  yield* putFiles(project, { "a.txt": "one\nTWO\n" })
  const joined = yield* Effect.exit(join(order, { ...outcome, joined: { times: clashes, clashes } }))
  return { joined, turns: messages.length - 2 }
})

describe("a task whose change clashes", () => {
  nodeTest("makes it again, also after one clash, and the clash is counted", function* () {
    const { joined, turns } = yield* joinAfter(1)
    expect([joined, turns]).toMatchObject([{ _tag: "Success", value: { joined: { times: 2, clashes: 2 } } }, 2])
  })

  nodeTest("fails after two, without another turn", function* () {
    const { joined, turns } = yield* joinAfter(2)
    expect([joined._tag, turns]).toEqual(["Failure", 0])
  })
})
