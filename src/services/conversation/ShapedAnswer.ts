/** Makes the model write its last answer again as JSON that fits a schema. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { limitsOf } from "../../domain/configuration/Limits.ts"
import { type AnswerSchema, answerForm, notJson, readJsonAnswer } from "../../domain/documents/AnswerFormat.ts"
import { mostUselessAnswers } from "../../domain/documents/UselessAnswers.ts"
import { type Issue, issuesMarkdown } from "../../domain/findings/Issue.ts"
import type { ConversationMessage } from "../../domain/models/ConversationMessage.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import { modelOutcome } from "../../domain/runs/RunOutcome.ts"
import type { AskEnding } from "../../domain/runs/RunReport.ts"
import { measuredPrompt } from "../../domain/models/ConversationMessage.ts"
import { ModelCaller } from "../models/ModelCaller.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"

interface ShapeOrder {
  readonly number: number
  readonly system: string
  /** The conversation. Its last message is the answer in free form. */
  readonly messages: ReadonlyArray<ConversationMessage>
  /** The schema for the answer. If absent, the answer stays as it is. */
  readonly form: AnswerSchema | undefined
  readonly progress: { iterations: number }
}

const request = (form: AnswerSchema): ConversationMessage => ({
  role: "user",
  content: `[From task-conductor, not from the user: write your last answer again in the form below.]\n\n${answerForm(form)}`
})

const again = (answer: string, issues: ReadonlyArray<Issue>): ReadonlyArray<ConversationMessage> => [
  { role: "assistant", content: answer, thinking: "", calls: [] },
  {
    role: "user",
    content: `[From task-conductor: that has issues. Write all of it again.]\n\n${issuesMarkdown(issues)}`
  }
]

export const makeShapedAnswer = Effect.gen(function* () {
  const caller = yield* ModelCaller
  const events = yield* RunEvents
  const { limits } = yield* RunSettings
  const most = limitsOf(limits, "ask").attempts

  const attempt = (
    order: ShapeOrder,
    form: AnswerSchema,
    { attemptsLeft, useless }: { readonly attemptsLeft: number; readonly useless: number },
    rejected: ReadonlyArray<ConversationMessage>
  ): Effect.Effect<AskEnding, ModelError> =>
    Effect.gen(function* () {
      const { messages, number, progress, system } = order
      progress.iterations += 1
      const id = { stage: "ask" as const, round: number, attempt: progress.iterations }
      const conversation = { system, tools: [], messages: [...messages, request(form), ...rejected] }
      const reply = yield* caller.ask({
        id,
        step: 0,
        prompt: measuredPrompt(conversation),
        conversation,
        format: form.schema
      })
      const { issues, value } = readJsonAnswer(reply.text, form)
      if (Option.isSome(value)) return { status: "done", answer: value.value, reason: "" }
      yield* events.publish({ type: "answer.rejected", call: id, answer: reply.text, issues })
      const inRow = issues.some(({ what }) => what === notJson) ? useless + 1 : 0
      if (attemptsLeft > 1 && inRow < mostUselessAnswers) {
        return yield* attempt(
          order,
          form,
          { attemptsLeft: attemptsLeft - 1, useless: inRow },
          again(reply.text, issues)
        )
      }
      const tries = most - attemptsLeft + 1
      const reason = `The answer does not fit the JSON schema after ${tries} tries: ${issues.map(({ what }) => what).join(" ")}`
      return { status: "failed", answer: "", reason }
    })

  return Effect.fnUntraced(function* (order: ShapeOrder, ending: AskEnding): Effect.fn.Return<AskEnding> {
    const { form } = order
    if (form === undefined) return ending
    if (ending.status !== "done") return { ...ending, answer: "" }
    const shaped = yield* Effect.catchTag(
      attempt(order, form, { attemptsLeft: most, useless: 0 }, []),
      "ModelError",
      (error) => {
        const { message, status } = modelOutcome(error)
        return Effect.succeed<AskEnding>({ status, answer: "", reason: message })
      }
    )
    return { ...ending, ...shaped }
  })
})
