/** The last call of a run: the model turns the results into the answer to the prompt, with links to sources. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { answerForm, type AnswerSchema, formOf, notJson, readJsonAnswer } from "../../domain/documents/AnswerFormat.ts"
import { type Briefing, briefingBlocks } from "../../domain/models/Briefing.ts"
import { fittedResults, frameOf, issuesBlock } from "../../domain/models/ExecutionBlocks.ts"
import { fencedBlock, rawBlock } from "../../domain/markdown/PromptBlock.ts"
import { openFailures, type TaskFailure, type TaskResult } from "../../domain/plan/TaskResult.ts"
import {
  type MissingChange,
  type NotRun,
  incompleteBlock,
  type ResultsAndLines,
  sharedBudget
} from "../../domain/runs/NotDone.ts"
import { Attempts, type Previous } from "./Attempts.ts"
import { type CheckedAnswer, makeEvidenceReaders } from "./CheckedEvidence.ts"
import { Prompts } from "../models/Prompts.ts"
import { CurrentSubject } from "../providers/CallSubject.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import type { RunState } from "../runs/RunState.ts"
import type { RoundsOutcome } from "./Rounds.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"

export interface ConclusionOrder {
  readonly briefing: Briefing
  readonly round: number
  readonly goals: string
  readonly finished: ReadonlyArray<TaskResult>
  readonly failures: ReadonlyArray<TaskFailure>
  readonly missing: ReadonlyArray<MissingChange>
  readonly notRun: ReadonlyArray<NotRun>
  readonly outputSchema?: Schema.Json
}

const noAnswer: CheckedAnswer = { text: "", evidence: { checked: 0, wrong: 0 } }

/** Uses the report of the only task of a run as the answer. */
const reportAsAnswer = ({ result: { document, evidence = noAnswer.evidence } }: TaskResult): CheckedAnswer => ({
  text: document.replace(/^#{1,6} Result summary[ \t]*\n+/im, "").trim(),
  evidence
})

const readJson = (answer: string, form: AnswerSchema) => {
  const reading = readJsonAnswer(answer, form)
  const value = Option.map(reading.value, (text): CheckedAnswer => ({ ...noAnswer, text }))
  return { ...reading, value, hasUse: reading.issues.every(({ what }) => what !== notJson) }
}

export const makeConcluder = Effect.gen(function* () {
  const attempts = yield* Attempts
  const { readAnswer } = yield* makeEvidenceReaders
  const events = yield* RunEvents
  const prompts = yield* Prompts
  const { contextWindow: window, model } = yield* RunSettings
  const calibration = yield* TokenCalibration

  const conclude = Effect.fn("Concluder.conclude")(function* (order: ConclusionOrder) {
    const shared = briefingBlocks(order.briefing)
    const form = yield* formOf(order.outputSchema)
    const fill = ({ completed, incomplete }: ResultsAndLines, previous: Previous | undefined) =>
      prompts.fill("conclusion", {
        user_prompt: shared.user_prompt,
        goals: rawBlock("## Goals / summary", order.goals),
        completed_tasks: rawBlock("## Outputs from completed tasks", completed),
        failed_tasks: [
          incomplete,
          fencedBlock("## Your previous answer", previous?.answer ?? "", "markdown"),
          issuesBlock("## Issues with your previous answer", previous?.issues),
          form === undefined ? "" : answerForm(form)
        ].join("")
      })
    const accepted = yield* attempts.run({
      stage: "conclude",
      round: order.round,
      prompt: (previous) => {
        const frame = (place: (text: string) => ResultsAndLines) =>
          frameOf((text) => fill(place(text), previous), window, calibration.scale(model))
        const incomplete = incompleteBlock(order)
        const beside = frame((completed) => ({ completed, incomplete: incomplete }))
        const completed = fittedResults(order.finished, beside)
        return beside.fits(completed)
          ? fill({ completed, incomplete: incomplete }, previous)
          : fill(
              sharedBudget(order.finished, (budget) => incompleteBlock(order, budget), frame),
              previous
            )
      },
      format: form?.schema,
      read: (answer) =>
        form === undefined
          ? readAnswer(answer, { ...order, calls: [], material: [] })
          : Effect.succeed(readJson(answer, form))
    })
    return accepted.value
  })

  /**
   * Answers the prompt from all results so far, even if a denial stopped the run. Without results there is no answer.
   */
  const concludeRun = Effect.fnUntraced(function* (
    { briefing, outputSchema }: Pick<ConclusionOrder, "briefing" | "outputSchema">,
    ended: RoundsOutcome,
    state: RunState
  ) {
    const { failures, goals, results: finished, rounds: round } = yield* state.get
    if (finished.length === 0) return noAnswer
    const [only] = finished
    if (only !== undefined && outputSchema === undefined && ended.isClean) return reportAsAnswer(only)
    const open = openFailures(failures, finished)
    const answer = conclude({ briefing, round, goals, finished, failures: open, outputSchema, ...ended }).pipe(
      Effect.provideService(CurrentSubject, { stage: "conclude", results: finished, failures: open })
    )
    if (ended.end._tag !== "Declined" && ended.end._tag !== "ModelUnable") return yield* answer
    /* If the answer fails too, the run still reports why it already ended, such as a declined step. */
    return yield* Effect.catch(answer, ({ message }) => {
      const text = `There is no answer about the finished tasks: ${message}`
      return Effect.as(events.publish({ type: "message", level: "warning", text }), noAnswer)
    })
  })

  return { conclude, concludeRun }
})
