/**
 * The exchange with the model in a turn: asks for the next answer and reads it. A failure that the model can make up for by
 * answering differently, such as a loop or an empty answer, becomes a reply with issues.
 */
import * as Effect from "effect/Effect"
import { callSchema } from "../../domain/documents/AnswerGrammar.ts"
import { nothingAsked } from "../../domain/documents/TurnFormat.ts"
import { withUniqueIds } from "../../domain/documents/TurnReply.ts"
import { measuredPrompt } from "../../domain/models/ConversationMessage.ts"
import { fileTools } from "../../domain/tools/ToolCall.ts"
import { mentionsCall } from "../../domain/tools/ToolCallTraces.ts"
import type { Bound } from "../models/CallAttempt.ts"
import { ModelCaller } from "../models/ModelCaller.ts"
import { unusableAnswer } from "../pipeline/Attempts.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import type { ModelReply, ParsedReply } from "./Turn.ts"
import { makeCompaction } from "./Compaction.ts"
import { isNative, withNativeCalls, withoutNativeCalls } from "./hooks/NativeCalls.ts"
import type { AgentWork, Session } from "./Session.ts"

export const makeModelExchange = Effect.gen(function* () {
  const caller = yield* ModelCaller
  const { compacted, conversationOf, isShorter } = yield* makeCompaction
  const registry = yield* ToolRegistry
  const settings = yield* RunSettings

  /** How the server may hold the next answer to a form, after one that could not be used. */
  const boundBy = Effect.fnUntraced(function* (
    { assignment, prompt }: AgentWork<unknown, unknown>,
    { retries }: Session
  ): Effect.fn.Return<Bound> {
    const last = retries.unusable.at(-1)
    if (last === undefined || isNative(settings, assignment)) return {}
    const tools = registry.tools.filter(({ name }) => assignment.tools.includes(name) && !fileTools.has(name))
    return {
      grammar: prompt.grammar === undefined ? undefined : yield* prompt.grammar(tools),
      format: tools.length > 0 && mentionsCall(last) ? callSchema(tools) : undefined
    }
  })

  /** Sends the messages of a session once. */
  const send = Effect.fnUntraced(function* <A, E>(work: AgentWork<A, E>, session: Session) {
    const { assignment, isFinal, listen } = work
    const conversation = conversationOf(work, session.messages)
    return yield* caller
      .ask({
        id: { ...assignment.id, attempt: session.turn },
        step: assignment.step,
        prompt: measuredPrompt(conversation),
        conversation,
        model: assignment.skill?.model,
        tuning: session.retries.tuning,
        bound: yield* boundBy(work as AgentWork<unknown, unknown>, session),
        ...(listen === undefined ? {} : { listen })
      })
      .pipe(
        Effect.map(({ calls = [], text, thinking }): ModelReply => ({
          answer: text,
          shown: text,
          issues: [],
          thinking,
          asked: withUniqueIds(calls, session.messages)
        })),
        Effect.catchTag("ModelError", (error) => {
          const unusable = isFinal?.(error) === true ? undefined : unusableAnswer(error, {})
          return unusable?._tag === "Some"
            ? Effect.succeed<ModelReply>({ ...unusable.value, thinking: "", asked: [] })
            : Effect.fail(error)
        })
      )
  })

  /** Asks for the next answer. When the server refuses the prompt as too long, its count was learnt, so that less is sent once more. */
  const askModel = Effect.fnUntraced(function* <A, E>(
    work: AgentWork<A, E>,
    before: Session,
    { left, turn }: { readonly left: number; readonly turn: number }
  ) {
    const prepare = (): Session => ({ ...compacted(work, before, left + 1), turn })
    const attempt = (session: Session) =>
      work.keep(session).pipe(
        Effect.andThen(send(work, session)),
        Effect.map((reply) => ({ reply, session }))
      )
    const session = prepare()
    return yield* attempt(session).pipe(
      Effect.catchIf(
        ({ isTooLong }) => isTooLong,
        (error) => {
          const shorter = prepare()
          return isShorter(shorter, session) ? attempt(shorter) : Effect.fail(error)
        }
      )
    )
  })

  /** What a reply asks for, by its text and through the interface. */
  const readReply = Effect.fnUntraced(function* <A, E>(
    { assignment, read }: AgentWork<A, E>,
    reply: ModelReply
  ): Effect.fn.Return<ParsedReply> {
    const { answer, asked, issues, shown } = reply
    if (issues.length > 0) return withoutNativeCalls(shown, { ...nothingAsked, issues })
    const written = asked.length > 0 && answer.trim() === "" ? nothingAsked : yield* read(answer)
    return asked.length === 0
      ? withoutNativeCalls(shown, written)
      : withNativeCalls(reply, written, isNative(settings, assignment))
  })

  return { askModel, readReply }
})
