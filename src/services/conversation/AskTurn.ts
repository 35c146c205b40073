/**
 * Answers one message of a conversation: the model is called, the calls it requests run, and their results go back, until
 * it answers without calls or a limit is reached.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import {
  callsInText,
  RepeatedCallDetector,
  readAskedCall,
  type ReadAskedCall
} from "../../domain/conversation/AskedCalls.ts"
import {
  hostAnswer,
  stopped,
  withoutThinking,
  withUniqueIds,
  capOutputs,
  fitConversation
} from "../../domain/conversation/Conversation.ts"
import { type Issue, issueText } from "../../domain/findings/Issue.ts"
import { type ConversationMessage, lastRequest, type ToolMessage } from "../../domain/models/ConversationMessage.ts"
import { type ModelAnswer, ModelError, type AskedCall } from "../../domain/models/ModelAnswer.ts"
import { charactersLeft } from "../../domain/models/PromptSize.ts"
import { type ModelCallId, askTask } from "../../domain/runs/ActivityKey.ts"
import { type AskEnding, withReason } from "../../domain/runs/RunReport.ts"
import { type ToolInfo, type CallOutcome, type ToolResult, ToolFailure } from "../../domain/tools/ToolCall.ts"
import { firstTuning, type Tuning } from "../models/CallPlan.ts"
import { measuredPrompt, type ConversationCall } from "../models/ConversationPrompt.ts"
import { ModelCaller } from "../models/ModelCaller.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"
import { forEachCall } from "../tools/TaskCalls.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"

interface AnsweredCall {
  readonly outcome: CallOutcome
  readonly message: ToolMessage
  /** Why no further call should run: the person has denied the same effect repeatedly. */
  readonly denied?: string
}

const unknownTool: ReadonlySet<string> = new Set(["tool-unknown", "tool-call-name"])

const failureOf = (issues: ReadonlyArray<Issue>): ToolFailure =>
  new ToolFailure({
    type: issues.some(({ code }) => unknownTool.has(code)) ? "not_found" : "validation_failed",
    message: issues.map(issueText).join(" ")
  })

const tooMany = (limit: number, asked: number): ToolFailure =>
  new ToolFailure({
    type: "validation_failed",
    message: `This call was not run: you asked for ${asked} calls at once, and only the first ${limit} run (limits.toolCallsPerIteration). Ask again for what you still need.`
  })

const answeredCall = ({ asked, call }: ReadAskedCall, result: ToolResult, denied?: string): AnsweredCall => ({
  outcome: { call, result },
  message: { role: "tool", id: asked.id, name: asked.name, result },
  denied
})

/**
 * Makes what runs the calls that a model requests in one iteration. Each is read, checked and decided about like any other
 * call, and each gets exactly one result. They run in parallel, or one after another when one of them changes something.
 * `record` gets each call as soon as it is answered, so that nothing is lost when the rest is interrupted. `id` is the
 * model call with the requests; `offered` are the tools that it was offered.
 */
const makeCallRunner = Effect.gen(function* () {
  const events = yield* RunEvents
  const { limits } = yield* RunSettings
  const registry = yield* ToolRegistry
  const runner = yield* ToolRunner
  const meter = yield* UsageMeter

  const check = (read: ReadAskedCall, offered: ReadonlySet<string>): ReadAskedCall => {
    if (read.issues.length > 0) return read
    const { call, issues, repairs } = registry.check(read.call, offered)
    return { ...read, call, issues, repairs: [...read.repairs, ...repairs] }
  }

  const answerOf = (read: ReadAskedCall, index: number, all: number, round: number) => {
    const { call, issues } = read
    const id = { round, task: askTask, uid: call.uid }
    const limit = limits.toolCallsPerIteration
    if (index >= limit || issues.length > 0) {
      const failure = index >= limit ? tooMany(limit, all) : failureOf(issues)
      return Effect.map(runner.reject(id, call, failure), (result) => answeredCall(read, result))
    }
    return runner.run(id, call).pipe(
      Effect.map((result) => answeredCall(read, result)),
      Effect.catchTag("TooManyDenials", ({ message, result }) => Effect.succeed(answeredCall(read, result, message))),
      Effect.tap(() => meter.toolCall)
    )
  }

  return Effect.fn("runCalls")(function* (
    id: ModelCallId,
    asked: ReadonlyArray<AskedCall>,
    offered: ReadonlySet<string>,
    record: (answered: AnsweredCall) => void
  ) {
    const calls = asked.map((one, index) => check(readAskedCall(one, `call-${id.attempt}-${index + 1}`), offered))
    const repairs = calls.flatMap((call) => call.repairs)
    if (repairs.length > 0) yield* events.publish({ type: "answer.repaired", call: id, repairs })
    return yield* forEachCall(
      registry,
      calls,
      ({ call, issues }) => (issues.length === 0 ? call.name : undefined),
      (call, index) =>
        Effect.tap(answerOf(call, index, calls.length, id.round), (answered) => Effect.sync(() => record(answered)))
    )
  })
})

interface TurnOrder {
  /** The number of the message, from 1. */
  readonly number: number
  readonly system: string
  readonly content: string
  readonly messages: Ref.Ref<ReadonlyArray<ConversationMessage>>
  /** What the model may call. */
  readonly tools: ReadonlyArray<ToolInfo>
  /** Receives the text of the answer while it is written. */
  readonly listen: (delta: string) => void
  /** The work so far, for the report on an answer that was interrupted. */
  readonly progress: { iterations: number; toolCalls: number; partial: string }
}

const hasOnlyThought = ({ reason }: ModelError): boolean =>
  reason._tag === "ThinkingOnly" || reason._tag === "ThinkingCutOff"

const isEmpty = (error: ModelError): boolean => error.reason._tag === "EmptyAnswer" || hasOnlyThought(error)

const endingOf = (error: ModelError): AskEnding => {
  if (error.reason._tag === "CutOff") {
    const reason = `${error.message} Ask for a shorter answer, or raise contextWindow.`
    return { status: "limit", answer: withReason(error.reason.partial, reason), reason }
  }
  return {
    status: error.isUnavailable || error.isTransient ? "unavailable" : "failed",
    answer: "",
    reason: error.message
  }
}

const leftOutNote = (names: ReadonlyArray<string>): string =>
  `The conversation is too long for the context window: ${names.length === 1 ? "an older tool output is" : `${names.length} older tool outputs are`} left out for the model (${[...new Set(names)].join(", ")}).`

const namesOf = (tools: ReadonlyArray<ToolInfo>): ReadonlySet<string> => new Set(tools.map(({ name }) => name))

const add = ({ messages }: TurnOrder, added: ReadonlyArray<ConversationMessage>) =>
  Ref.update(messages, (before) => [...before, ...added])

/**
 * Makes what answers a message: it adds the message and all messages that answer it to the conversation, which is complete
 * afterwards, even after an interruption: each call has its result. A message that the context window cannot hold is
 * removed again.
 */
export const makeAnswerMessage = Effect.gen(function* () {
  const runRequested = yield* makeCallRunner
  const caller = yield* ModelCaller
  const events = yield* RunEvents
  const { contextWindow: window, limits, model } = yield* RunSettings
  const calibration = yield* TokenCalibration

  const remainingCharacters = (conversation: ConversationCall): number =>
    charactersLeft(window, measuredPrompt(conversation), calibration.scale(model))

  /** The conversation as it fits beside `frame`; what is left out stays left out. */
  const fitted = Effect.fnUntraced(function* ({ messages }: TurnOrder, frame: ConversationCall) {
    const fit = fitConversation(yield* Ref.get(messages), remainingCharacters(frame))
    yield* Ref.set(messages, fit.messages)
    if (fit.leftOut.length > 0) {
      yield* events.publish({ type: "message", level: "info", text: leftOutNote(fit.leftOut) })
    }
    return { ...frame, messages: [...fit.messages, ...frame.messages] }
  })

  const ask = Effect.fnUntraced(function* (
    order: TurnOrder,
    id: ModelCallId,
    frame: Omit<ConversationCall, "system">,
    before?: ModelError
  ) {
    const conversation = yield* fitted(order, { system: order.system, ...frame })
    order.progress.iterations += 1
    const listen = () => {
      order.progress.partial = ""
      return (delta: string): void => {
        order.progress.partial += delta
        order.listen(delta)
      }
    }
    const tuning: Tuning =
      before !== undefined && hasOnlyThought(before) ? { ...firstTuning, thinkingCuts: 1 } : firstTuning
    const answer = yield* caller.ask({
      id,
      step: 0,
      prompt: measuredPrompt(conversation),
      conversation,
      listen,
      tuning
    })
    order.progress.partial = ""
    return answer
  })

  /** The calls of an answer, including those in its text, and the text without them. */
  const readAnswer = Effect.fnUntraced(function* (
    { messages, tools }: TurnOrder,
    id: ModelCallId,
    answer: ModelAnswer
  ) {
    const { calls = [], text } = answer
    const written =
      calls.length > 0 ? undefined : callsInText(text, namesOf(tools), (n) => `call-${id.round}-${id.attempt}-${n}`)
    if (written !== undefined) {
      yield* events.publish({ type: "answer.repaired", call: id, repairs: written.repairs })
    }
    return {
      text: written?.text ?? text,
      calls: withUniqueIds(written?.calls ?? calls, yield* Ref.get(messages))
    }
  })

  const runCalls = Effect.fnUntraced(function* (order: TurnOrder, id: ModelCallId, calls: ReadonlyArray<AskedCall>) {
    const done = new Map<string, ToolMessage>()
    const answered = yield* runRequested(id, calls, namesOf(order.tools), ({ message }) => {
      order.progress.toolCalls += 1
      done.set(message.id, message)
    }).pipe(Effect.onInterrupt(() => add(order, [...done.values()])))
    const available = remainingCharacters({ system: order.system, tools: order.tools, messages: [] })
    const shown = capOutputs(
      answered.map(({ message }) => message),
      Math.floor(available / 2)
    )
    yield* add(order, shown)
    return answered
  })

  /** One last answer without tools. */
  const answerNow = Effect.fnUntraced(function* (
    order: TurnOrder,
    attempt: number,
    status: AskEnding["status"],
    reason: string
  ): Effect.fn.Return<AskEnding, ModelError> {
    const id: ModelCallId = { stage: "ask", round: order.number, attempt }
    const { text } = yield* ask(order, id, { tools: [], messages: [lastRequest] }).pipe(
      Effect.catchIf(isEmpty, () => Effect.succeed({ text: "" }))
    )
    yield* add(order, [hostAnswer(text === "" ? `(${reason})` : text)])
    return { status, answer: withReason(text, reason), reason }
  })

  const iterate = (
    order: TurnOrder,
    same: RepeatedCallDetector,
    attempt: number,
    empty?: ModelError
  ): Effect.Effect<AskEnding, ModelError> =>
    Effect.gen(function* () {
      const id: ModelCallId = { stage: "ask", round: order.number, attempt }
      const answer = yield* Effect.result(ask(order, id, { tools: order.tools, messages: [] }, empty))
      if (answer._tag === "Failure") {
        if (empty !== undefined || !isEmpty(answer.failure)) return yield* answer.failure
        return yield* iterate(order, same, attempt + 1, answer.failure)
      }
      const { calls, text } = yield* readAnswer(order, id, answer.success)
      const { thinking } = answer.success
      yield* add(order, [{ role: "assistant", content: text, thinking, calls }])
      if (calls.length === 0) return { status: "done", answer: text, reason: "" }
      const answered = yield* runCalls(order, id, calls)
      const denied = answered.find((one) => one.denied !== undefined)?.denied
      if (denied !== undefined) return yield* answerNow(order, attempt + 1, "not_permitted", denied)
      const repeated = same.add(answered.map(({ outcome }) => outcome))
      if (repeated !== undefined) {
        const reason = `Stopped because the model made the same call of ${repeated} ${limits.identicalCalls} times (limits.identicalCalls) and learned nothing new.`
        return yield* answerNow(order, attempt + 1, "limit", reason)
      }
      if (attempt >= limits.iterationsPerMessage) {
        const reason = `Stopped after ${attempt} iterations, the limit for one message. Ask for less at once, or raise limits.iterationsPerMessage.`
        return yield* answerNow(order, attempt + 1, "limit", reason)
      }
      return yield* iterate(order, same, attempt + 1)
    })

  return Effect.fn("answerMessage")(function* (order: TurnOrder) {
    const before = withoutThinking(yield* Ref.get(order.messages))
    yield* Ref.set(order.messages, [...before, { role: "user", content: order.content }])
    return yield* iterate(order, new RepeatedCallDetector(limits.identicalCalls), 1).pipe(
      Effect.catchTag("ModelError", (error) =>
        Effect.gen(function* () {
          const ending = endingOf(error)
          if (error.reason._tag === "ContextOverflow") {
            yield* Ref.set(order.messages, before)
            return { ...ending, reason: `${ending.reason} The message was taken out of the conversation again.` }
          }
          const said = error.reason._tag === "CutOff" ? error.reason.partial : `(No answer came: ${error.message})`
          yield* add(order, [hostAnswer(said)])
          return ending
        })
      ),
      Effect.onInterrupt(() =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Ref.update(order.messages, (messages) => stopped(messages, order.progress.partial, now))
        )
      )
    )
  })
})
