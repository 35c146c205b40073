import { assert, it } from "@effect/vitest"
import { nothingAsked } from "../../../../src/domain/documents/TurnFormat.ts"
import { assistantMessage } from "../../../../src/domain/models/ConversationMessage.ts"
import { lastTurn } from "../../../../src/services/agent/hooks/LastTurn.ts"
import { instructionFor } from "../../../../src/services/agent/Instruction.ts"
import { type Assignment, newSession } from "../../../../src/services/agent/Session.ts"
import type { AgentTurn } from "../../../../src/services/agent/Turn.ts"
import { makeWorkingCopy } from "../../../../src/services/files/WorkingCopy.ts"

const instruction = (left: number) => (left === 1 ? "Report." : "Go on.")
const call = { uid: "call-1", name: "read_file", arguments: { path: "a.ts" } }

const callsIn = (left: number, { kind = "task", report }: { kind?: Assignment["kind"]; report?: string } = {}) => {
  const turn: AgentTurn = {
    work: {
      assignment: {
        kind,
        id: { stage: "task", round: 1, task: "Look" },
        task: "Look",
        request: "Look.",
        step: 0,
        tools: ["read_file"],
        copy: makeWorkingCopy(),
        mostTurns: 5,
        priorCalls: []
      },
      prompt: {
        system: "",
        instruction,
        continuation: "Go on.",
        compact: (messages) => messages,
        folderInstructions: () => {
          throw new Error("No instructions are asked for.")
        }
      }
    },
    session: newSession([]),
    reply: { answer: "", shown: "", issues: [], thinking: "", asked: [] },
    parsed: {
      turn: { ...nothingAsked, calls: [call], ...(report === undefined ? {} : { report }) },
      native: [],
      message: assistantMessage("")
    },
    turn: 1,
    left
  }
  return lastTurn.beforeTools?.(turn, [call])
}

it("tells the model how many answers are left before the last ones, and says of the last one what it is for", () => {
  const texts = [5, 4, 3, 2, 1].map((left) => instructionFor({ instruction }, left))
  assert.deepStrictEqual(texts, [
    "Go on.",
    "Go on.",
    "Go on. 3 answers are left.",
    "Go on. 2 answers are left.",
    "Report."
  ])
})

it("makes no call of the last answer, but beside a report, which the calls may complete", () => {
  assert.deepStrictEqual(callsIn(1), [call])
  assert.deepStrictEqual(callsIn(0), [])
  assert.deepStrictEqual(callsIn(0, { report: "Done." }), [call])
})

it("makes no call of work that only plans its calls", () => {
  assert.deepStrictEqual(callsIn(4, { kind: "calls" }), [])
})
