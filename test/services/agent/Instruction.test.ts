import { assert, it } from "@effect/vitest"
import { instructionFor } from "../../../src/domain/documents/TurnBudgets.ts"
import { agentPrompt } from "../../support/AgentWork.ts"

it("tells the model how many answers are left before the last ones, and says of the last one what it is for", () => {
  const texts = [5, 4, 3, 2, 1].map((left) => instructionFor(agentPrompt, left))
  assert.deepStrictEqual(texts, [
    "Go on.",
    "Go on.",
    "Go on. 3 answers are left.",
    "Go on. 2 answers are left.",
    "Report."
  ])
})
