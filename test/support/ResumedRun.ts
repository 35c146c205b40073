/** A run that looks twice and then writes, in as many sessions as a test wants. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AiError from "effect/ai/AiError"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { Approver, stopAtUncertain } from "../../src/services/approvals/Approver.ts"
import { modelOf, read, stageOf, taskOf, write } from "./ReplayedRun.ts"
import { planOf, refinementWith } from "./TestRun.ts"

export { stageOf, taskOf, willing } from "./ReplayedRun.ts"

/** A model that does the plan as it stands. */
export const obedient = modelOf(
  [[{ name: "Look 1" }, { name: "Look 2" }], [{ name: "Write 1", references: "[a](#look-1-results)" }]],
  { "Write 1": [write("a.txt")] }
)

export const unreachable = AiError.make({
  module: "test",
  method: "generateText",
  reason: new AiError.UnknownError({ description: "gone" })
})

export const reading = (prompt: FilledPrompt): string => {
  if (stageOf(prompt) === "creation") return planOf([[{ name: "Read 1" }, { name: "Look 2" }]])
  return stageOf(prompt) === "refinement" && taskOf(prompt) === "Read 1"
    ? refinementWith([read(".task-conductor/skills/any/SKILL.md")])
    : obedient(prompt)
}

/** Approves everything and counts how often it was asked. */
export const makeCounting = () => {
  let asked = 0
  const layer = Layer.succeed(Approver)(
    Approver.of({
      step: () => Effect.sync(() => ((asked += 1), { answer: "step" as const, by: "person" as const })),
      call: () => Effect.sync(() => ((asked += 1), { answer: "once" as const, by: "person" as const })),
      inDoubt: () => stopAtUncertain
    })
  )
  return { layer, asked: () => asked }
}
