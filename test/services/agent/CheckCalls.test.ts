import { assert, it } from "@effect/vitest"
import { callsToMake } from "../../../src/services/agent/CheckCalls.ts"
import type { Assignment } from "../../../src/services/agent/Session.ts"
import { turnOf, workOf } from "../../support/AgentWork.ts"

const call = { uid: "call-1", name: "read_file", arguments: { path: "a.ts" } }

const callsIn = (left: number, { kind = "task", report }: { kind?: Assignment["kind"]; report?: string } = {}) => {
  const content = { calls: [call], ...(report === undefined ? {} : { report }) }
  return callsToMake(turnOf({ content, left, work: workOf({ kind }) }), [call])
}

it("makes no call of the last answer, but beside a report, which the calls may complete", () => {
  assert.deepStrictEqual(callsIn(1), [call])
  assert.deepStrictEqual(callsIn(0), [])
  assert.deepStrictEqual(callsIn(0, { report: "Done." }), [call])
})

it("makes no call of work that only plans its calls", () => {
  assert.deepStrictEqual(callsIn(4, { kind: "calls" }), [])
})
