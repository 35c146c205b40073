/** A run that looks twice and then writes, in as many sessions as a test wants. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AiError from "effect/ai/AiError"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { Approver, stopAtUncertain } from "../../src/services/approvals/Approver.ts"
import { willingApprover } from "./ScriptedApprover.ts"
import { planOf, refinementWith, resultSaying } from "./TestRun.ts"
import { stageName } from "./stageName.ts"

export const taskOf = ({ user }: FilledPrompt): string =>
  /^- \*\*Name\*\* (.+)$/m.exec(user.slice(user.lastIndexOf("## Task\n")))?.[1] ?? ""
export const stageOf = (prompt: FilledPrompt): string => stageName(prompt)

export const plan = planOf([
  [{ name: "Look 1" }, { name: "Look 2" }],
  [{ name: "Write 1", references: "[a](#look-1-results)" }]
])

export const calls: Readonly<Record<string, string>> = {
  "Write 1": refinementWith([{ name: "write_file", arguments: { path: "a.txt", content: "new\n" } }])
}
export const clock = refinementWith([{ name: "get_current_time", arguments: {} }])

/** A model that does the plan as it stands. */
export const obedient = (prompt: FilledPrompt): string => {
  switch (stageOf(prompt)) {
    case "creation":
      return plan
    case "refinement":
      return calls[taskOf(prompt)] ?? clock
    case "execution":
      return resultSaying(`Result of ${taskOf(prompt)}.`)
    case "iteration":
      return planOf([])
    default:
      return "All is done."
  }
}

export const unreachable = AiError.make({
  module: "test",
  method: "generateText",
  reason: new AiError.UnknownError({ description: "gone" })
})

export const willing = willingApprover()

export const reading = (prompt: FilledPrompt): string => {
  if (stageOf(prompt) === "creation") return planOf([[{ name: "Read 1" }, { name: "Look 2" }]])
  if (stageOf(prompt) === "refinement" && taskOf(prompt) === "Read 1") {
    return refinementWith([{ name: "read_file", arguments: { path: ".task-conductor/skills/any/SKILL.md" } }])
  }
  return obedient(prompt)
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
