/**
 * Chooses the answer of the embedded model by the stage that the system part names.
 */
import * as Option from "effect/Option"
import type { FilledPrompt } from "../../../domain/models/PromptTemplate.ts"
import { conclusionAnswer } from "./ConclusionAnswer.ts"
import { executionAnswer } from "./ExecutionAnswer.ts"
import { iterationAnswer } from "./IterationAnswer.ts"
import { planAnswer } from "./PlanAnswer.ts"
import { stageIn } from "./PromptText.ts"
import { refinementAnswer } from "./RefinementAnswer.ts"

const elsewhere =
  "I am the embedded stand-in of task-conductor, not a language model. I only know the stages of a run: use `task-conductor run`, or choose a model with `--model`."

/** The answer to a prompt: the same text every time. */
export const stageAnswer = ({ system, user }: FilledPrompt): string => {
  switch (Option.getOrUndefined(stageIn(system))) {
    case "creation":
      return planAnswer(system, user)
    case "refinement":
      return refinementAnswer(system, user)
    case "execution":
      return executionAnswer(user)
    case "iteration":
      return iterationAnswer(user)
    case "conclusion":
      return conclusionAnswer(user)
    case "ask":
    case undefined:
      return elsewhere
  }
}
