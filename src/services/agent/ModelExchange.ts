/**
 * Asks the model for the next answer and reads it. If the model fails in a way that another answer could fix, such as a
 * loop, the failure becomes an answer with issues.
 */
import * as Effect from "effect/Effect"
import { callSchema } from "../../domain/documents/AnswerGrammar.ts"
import { type TurnAnswer, parsedAnswer, type ParsedAnswer, unreadAnswer } from "../../domain/documents/TurnAnswer.ts"
import { nothingAsked } from "../../domain/documents/TurnFormat.ts"
import { withUniqueIds } from "../../domain/documents/TurnReply.ts"
import { plainAnswer, unusableAnswer } from "../../domain/documents/UnusableAnswer.ts"
import type { ProjectPaths } from "../../domain/files/ChangePath.ts"
import { conversationSize, measuredPrompt } from "../../domain/models/ConversationMessage.ts"
import { fileTools, mayChangeFiles } from "../../domain/tools/ToolCall.ts"
import { mentionsCall } from "../../domain/tools/ToolCallTraces.ts"
import { makePathsIn } from "../changes/AnswerChanges.ts"
import type { Bound } from "../models/CallAttempt.ts"
import { ModelCaller } from "../models/ModelCaller.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import type { Compaction } from "./Compaction.ts"
import type { AgentWork, Session } from "./Session.ts"

export const makeModelExchange = Effect.fnUntraced(function* ({ conversationOf, isNative }: Compaction) {
  const caller = yield* ModelCaller
  const pathsIn = yield* makePathsIn
  const registry = yield* ToolRegistry

  /** The grammar that the server can enforce for the next answer. It is used only after an unusable answer. */
  const boundBy = Effect.fnUntraced(function* <A, E>(
    { assignment, prompt }: AgentWork<A, E>,
    { retries }: Session
  ): Effect.fn.Return<Bound> {
    const last = retries.unusable.at(-1)
    if (last === undefined || isNative(assignment)) return {}
    const tools = registry.tools.filter(({ name }) => assignment.tools.includes(name) && !fileTools.has(name))
    return {
      grammar: prompt.grammar === undefined ? undefined : yield* prompt.grammar(tools),
      format: tools.length > 0 && mentionsCall(last) ? callSchema(tools) : undefined
    }
  })

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
        tuning: session.retries,
        bound: yield* boundBy(work, session),
        ...(listen === undefined ? {} : { listen })
      })
      .pipe(
        Effect.map(({ calls = [], text, thinking }): TurnAnswer => ({
          ...plainAnswer(text),
          thinking,
          askedCalls: withUniqueIds(calls, session.messages)
        })),
        Effect.catchTag("ModelError", (error) => {
          const unusable = isFinal?.(error) === true ? undefined : unusableAnswer(error, {})
          return unusable?._tag === "Some"
            ? Effect.succeed<TurnAnswer>({ ...unusable.value, thinking: "", askedCalls: [] })
            : Effect.fail(error)
        })
      )
  })

  /**
   * Asks for the next answer. If the server refuses the prompt as too long, prepares a shorter prompt with the token
   * count that the server reported.
   */
  const askModel = Effect.fnUntraced(function* <A, E>(work: AgentWork<A, E>, prepare: () => Session) {
    const ask = (session: Session) =>
      work.saveSession(session).pipe(
        Effect.andThen(send(work, session)),
        Effect.map((answer) => ({ answer, session }))
      )
    const session = prepare()
    return yield* ask(session).pipe(
      Effect.catchIf(
        ({ isTooLong }) => isTooLong,
        (error) => {
          const shorter = prepare()
          const isShorter = conversationSize(shorter.messages) < conversationSize(session.messages)
          return isShorter ? ask(shorter) : Effect.fail(error)
        }
      )
    )
  })

  /** Reads an answer, with the calls in its text and its native tool calls. */
  const readAnswer = Effect.fnUntraced(function* <A, E>(
    { assignment, read }: AgentWork<A, E>,
    answer: TurnAnswer
  ): Effect.fn.Return<ParsedAnswer> {
    const { askedCalls, issues, text } = answer
    if (issues.length > 0) return unreadAnswer(answer)
    const mayChange = mayChangeFiles(assignment.tools)
    const paths: ProjectPaths = mayChange ? yield* pathsIn(text, assignment.task) : new Map()
    const written = askedCalls.length > 0 && text.trim() === "" ? nothingAsked : yield* read(text, paths)
    return parsedAnswer(answer, written, isNative(assignment))
  })

  return { askModel, readAnswer }
})
