/**
 * A run that asks for two plans at the same time: killed after any record of its planning it goes on with the same plan, and its
 * replay takes the same one.
 */
import { describe, expect } from "@effect/vitest"
import { makeKeptRun, type Session } from "../support/KeptRun.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { willingApprover } from "../support/ScriptedApprover.ts"
import { stageOf } from "../support/ScriptedRun.ts"
import { planOf, resultSaying } from "../support/TestRun.ts"

const [poor, good] = [planOf([[{ name: "Talk 1", skill: "Talk" }]]), planOf([[{ name: "Talk 2", skill: "talk" }]])]

/** A model whose first plan needs a repair, and whose second does not. */
const model = (): Session["answer"] => {
  let asked = 0
  return (prompt) => {
    if (stageOf(prompt) !== "plan") return resultSaying("It is done.")
    asked += 1
    return asked % 2 === 1 ? poor : good
  }
}

const session: Omit<Session, "answer"> = { approver: willingApprover(), settings: { plans: 2 } }

describe("two plans", () => {
  nodeTest("are asked for, and a resumed run and a replay take the same one", function* () {
    const run = yield* makeKeptRun({ prompt: "Do it." })
    const first = yield* run.session({ ...session, answer: model() })
    expect([first.report?.status, first.report?.results[0]?.name]).toEqual(["done", "Talk 2"])
    expect(first.sent.slice(0, 2).toSorted()).toEqual(["plan/attempt-1", "plan/attempt-1/choice-2"])
    expect(yield* run.replay()).toMatchObject({ isWhole: true, differences: [] })

    const records = yield* run.records
    const planned = records.findIndex((record) => record.type === "settled" && record.key === "plan")
    const ends = records.flatMap((record, index) =>
      record.type === "outcome" && record.key.startsWith("plan/") && index < planned ? [index] : []
    )
    expect(ends.length).toBe(2)
    yield* run.cut((ends[1] ?? 0) + 1)
    const both = yield* run.session({ ...session, answer: () => resultSaying("It is done.") })
    expect([both.report?.status, both.report?.results[0]?.name, both.sent.length]).toEqual(["done", "Talk 2", 1])
    expect(yield* run.replay()).toMatchObject({ isWhole: true, differences: [] })
  })
})
