/**
 * Answers one message of a conversation in turns (TurnLoop.ts). After the answer one question shows what the working copy changes,
 * and what was approved is made in the project; what was denied or failed is said by the host.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { falseClaim } from "../../domain/checks/CheckClaims.ts"
import { runFacts, unfoundedText } from "../../domain/checks/Facts.ts"
import { answeredWith, foldedMessages, stopped } from "../../domain/conversation/Conversation.ts"
import { readMessageTurn } from "../../domain/conversation/MessageTurn.ts"
import { makeShownAnswer, type ShownAnswer } from "../../domain/conversation/ShownAnswer.ts"
import type { Refinement } from "../../domain/documents/Refinement.ts"
import { type Briefing, projectTextOf } from "../../domain/models/Briefing.ts"
import { resultOfSummary } from "../../domain/plan/TaskResult.ts"
import { type ConversationMessage, isFromPerson, messageText } from "../../domain/models/ConversationMessage.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import { charactersIn } from "../../domain/models/PromptSize.ts"
import { plainTask } from "../../domain/plan/Task.ts"
import { askTask, seenKey } from "../../domain/runs/ActivityKey.ts"
import { unfoundedHelp, unverifiedLines } from "../../domain/runs/RunOutcome.ts"
import { type AskEnding, withReason } from "../../domain/runs/RunReport.ts"
import { type CallOutcome, fileTools, ranWell } from "../../domain/tools/ToolCall.ts"
import { Gate, ProjectWriteLock } from "../permissions/Gate.ts"
import { makeAboutProject } from "../pipeline/AboutProject.ts"
import { changeKinds, makeEvidenceReaders } from "../pipeline/CheckedEvidence.ts"
import { makeInstructions } from "../pipeline/Instructions.ts"
import { makeModelQuestions } from "../pipeline/ModelQuestions.ts"
import { makeGatedCalls } from "../pipeline/StepApproval.ts"
import { TaskRunner } from "../pipeline/TaskRunner.ts"
import { makeTurnLoop } from "../pipeline/TurnLoop.ts"
import { CurrentSubject } from "../providers/CallSubject.ts"
import { makeWorkingCopy } from "../files/WorkingCopy.ts"
import { firstProgress, type Progress, type TurnOrder, type TurnsEnd } from "../pipeline/TurnOrder.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

/** What is known of a conversation from message to message. */
export interface Memory {
  readonly messages: ReadonlyArray<ConversationMessage>
  /** What was called for all messages so far. */
  readonly outcomes: ReadonlyArray<CallOutcome>
  /** True when not all of the outputs stand in the messages as they were. */
  readonly hasFolded: boolean
}

interface MessageOrder {
  /** The number of the message, from 1. */
  readonly number: number
  readonly system: string
  /** The message of the person, after what the host shows with it. */
  readonly content: ReadonlyArray<ConversationMessage>
  readonly briefing: Briefing
  readonly memory: Ref.Ref<Memory>
  /** The files with instructions of the project that the conversation holds. */
  readonly told: Ref.Ref<ReadonlyArray<string>>
  /** The names of the tools that the model may call. */
  readonly tools: ReadonlyArray<string>
  /** Receives the text of the answer while it is written. */
  readonly listen: (delta: string) => void
  /** A check that fails, or that the person named and that proves nothing, does not keep the answer from being done. */
  readonly acceptUnverified?: boolean | undefined
  /** True when no further message can answer a question of the model, so that the person is asked. */
  readonly asksBack: boolean
  /** The work so far, for the report on an answer that was interrupted. */
  readonly progress: { iterations: number; toolCalls: number; partial: string }
}

/** A message while it is answered. */
interface Work extends TurnOrder<string> {
  readonly message: MessageOrder
  readonly shown: ShownAnswer
  /** What the turns have come to so far. */
  readonly latest: () => Progress
}

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

const wholeTask = plainTask(askTask, askTask, "Answer the message.", "The answer.")

/** What the person, an earlier message or a command has put before the model is a look at it. */
const isGiven = ({ briefing, content }: MessageOrder, { hasFolded, messages }: Memory): boolean =>
  hasFolded ||
  content.length > 1 ||
  content.some((one) => one.role === "user" && one.pictures !== undefined) ||
  briefing.attachment !== undefined ||
  briefing.currentFile !== undefined ||
  messages.some(
    (one) => one.role === "tool" || (one.role === "user" && !isFromPerson(one) && !one.content.startsWith("## Reply"))
  )

/** An answer about the project that looked at nothing. */
const unfoundedEnding = {
  status: "unfounded",
  reason: `${unfoundedText("")} ${unfoundedHelp}`,
  facts: runFacts([], [], { unfounded: [""] })
} as const

const namesOf = ({ files = [] }: Pick<Refinement, "files">): string => files.map(({ path }) => path).join(", ")

/**
 * Makes what answers a message: it adds the message and all messages that answer it to the conversation, which is complete
 * afterwards, even after an interruption. A message that the context window cannot hold is removed again.
 */
export const makeAnswerMessage = Effect.gen(function* () {
  const aboutProject = yield* makeAboutProject
  const gate = yield* Gate
  const gatedCalls = yield* makeGatedCalls
  const events = yield* RunEvents
  const instructions = yield* makeInstructions
  const lock = yield* ProjectWriteLock
  const loop = yield* makeTurnLoop
  const questionsAt = yield* makeModelQuestions
  const { changeOf } = yield* changeKinds
  const { readMessage } = yield* makeEvidenceReaders
  const registry = yield* ToolRegistry
  const runner = yield* TaskRunner
  const { contextWindow, limits, namesChecks = false } = yield* RunSettings

  /** Why turns ended without an answer. */
  const reasonOf = (end: Exclude<TurnsEnd<string>, { readonly _tag: "Taken" }>, { issues }: Progress): string => {
    switch (end._tag) {
      case "Repeated":
        return `Stopped because the model made the same call of ${end.call.name} ${limits.identicalCalls} times (limits.identicalCalls) and learned nothing new.`
      case "Denied":
        return end.message
      case "Limit":
        return `Stopped after ${end.turns} iterations, the limit for one message. Ask for less at once, or raise limits.iterationsPerMessage.`
      case "Unusable":
        if (end.unable !== undefined) return `No valid answer. ${end.unable}`
        return `No valid answer after ${limits.attempts} tries. ${issues.map(({ what }) => what).join(" ")}`
    }
  }

  const workOf = (message: MessageOrder, before: Memory, begun: Progress): Work => {
    const { briefing, listen, number, progress, system, tools } = message
    const isProject = aboutProject(seenKey.about(number, askTask), briefing.prompt)
    const mayChange = tools.some((tool) => fileTools.has(tool))
    const look = mayChange ? "look further, change, or" : "look further, or"
    const own = { mayChange, tools: new Set(tools) }
    const shown = makeShownAnswer(listen)
    let latest = begun
    return {
      message,
      shown,
      latest: () => latest,
      idOf: (turn) => ({ stage: "ask", round: number, attempt: turn }),
      task: askTask,
      request: briefing.prompt,
      round: number,
      step: 0,
      tools,
      system,
      copy: makeWorkingCopy(),
      mostTurns: limits.iterationsPerMessage,
      earlier: before.outcomes,
      ...(isGiven(message, before) ? {} : { basis: { isProject, shown: projectTextOf(briefing) } }),
      endsItself: true,
      read: (answer, paths) => Effect.succeed(readMessageTurn(answer, { ...own, paths })),
      instructions: (turn, files, budget) => {
        const key = seenKey.instructions(askTask, `message-${number}/turn-${turn}`)
        return instructions.told(key, files, message.told, { briefing, budget })
      },
      // Each call that needs it is asked about by itself.
      approve: () => Effect.void,
      // What the host and the person have shown, and never what the model said itself: it would confirm its own links.
      take: (report, { messages, outcomes }) =>
        readMessage(report, {
          briefing,
          finished: [],
          calls: [...before.outcomes, ...outcomes],
          material: [system, ...messages.flatMap((one) => (one.role === "assistant" ? [] : [messageText(one)]))]
        }),
      now: (left) =>
        left === 1
          ? "This is the last answer: answer the person now, without calls and changes, and say what is still open."
          : `Go on: ${look} answer the person.`,
      fold: (messages, known) => foldedMessages(messages, known, Math.floor(charactersIn(contextWindow) / 4)),
      correction: "Write the whole answer again with this corrected.",
      goOn: "Go on from here, or answer the person.",
      keep: (now) => {
        latest = now
        progress.partial = ""
        progress.iterations = now.turn
        progress.toolCalls = now.outcomes.length
      },
      announce: () => Effect.sync(shown.acted),
      isEnd: ({ reason }) => reason._tag === "CutOff" && readMessageTurn(reason.partial, own).report !== undefined,
      listen: () => {
        const take = shown.begin()
        progress.partial = ""
        return (delta) => {
          progress.partial += delta
          take(delta)
        }
      }
    }
  }

  /** Asks about the changes of the working copy; why they may not be made. */
  const approve = Effect.fnUntraced(function* (number: number, made: Refinement) {
    const taken = yield* lock.claim((text) => events.publish({ type: "message", level: "info", text }))
    if (taken !== undefined) return { status: "not_permitted" as const, why: `${namesOf(made)}: this ${taken}.` }
    const gated = yield* gatedCalls(wholeTask, made, number)
    if (gated === undefined) return undefined
    const title = `Message ${number}`
    const { approved, by } = yield* gate.approveStep({ title, planKey: `message-${number}`, tasks: [gated] })
    if (approved) return undefined
    return by === "person"
      ? { status: "declined" as const, why: `you declined the changes of ${namesOf(made)}.` }
      : {
          status: "not_permitted" as const,
          why: `the changes of ${namesOf(made)} were not approved, and there is no terminal to ask on. Use --yes to approve beforehand, or allow them: --allow edit_file --allow write_file.`
        }
  })

  /**
   * Makes the changes that were approved, and says what was not made. Those of this version of the working copy were declined, and are
   * not asked about again.
   */
  const apply = Effect.fnUntraced(function* (work: Work, ending: AskEnding, declined: number | undefined) {
    const { copy, latest, message, shown } = work
    if (copy.version() === declined) return ending
    const summary = ending.answer.trim() === "" ? ending.reason : ending.answer
    const made: Refinement = {
      task: wholeTask,
      ...loop.proposed(work, latest()),
      result: resultOfSummary(summary)
    }
    const { calls, checks, files } = made
    if (calls.length === 0 && files === undefined) return ending
    const refused = calls.length === 0 ? undefined : yield* approve(message.number, made)
    if (refused !== undefined) {
      const answer = `Nothing was changed: ${refused.why}`
      shown.add(answer)
      return { status: refused.status, answer, reason: answer } satisfies AskEnding
    }
    const { briefing, number } = message
    const result =
      calls.length === 0
        ? { calls: [], files, checks, result: { summary } }
        : yield* runner.run({ refinement: made, briefing, round: number, step: 0, finished: [] })
    const claim = falseClaim(result.result.summary, result.checks ?? [], latest().outcomes.some(ranWell))
    const claims = claim === undefined ? [] : [{ task: "the answer", ...claim }]
    const facts = runFacts(result.files ?? [], result.checks ?? [], { claims })
    const failures = result.calls.filter((one) => !one.result.success)
    const answer = failures.length === 0 ? ending.answer : result.result.summary
    const [missing = ""] = answer.split(/\n\nThe report from before that:\n/)
    if (failures.length > 0) shown.add(missing)
    const hasChanged = facts.files.length > 0
    const lines = unverifiedLines({ checks: facts.checks, hasChanged, isNamed: namesChecks })
    const known = { ...ending, answer, ...(facts.files.length === 0 ? {} : { facts }) }
    if (ending.status !== "done") return known
    if (failures.length > 0) return { ...known, status: "failed" as const, reason: missing }
    const isUnverified = lines.length > 0 && message.acceptUnverified !== true
    return isUnverified ? { ...known, status: "unverified" as const, reason: lines.join("\n") } : known
  })

  /** Answers until there is an answer, or none comes. What the person wants in the place of changes is a part of the message. */
  const answer = (work: Work, begun: Progress, declined?: number): Effect.Effect<AskEnding, ModelError> =>
    Effect.gen(function* () {
      const end = yield* loop.turns(work, begun).pipe(
        Effect.provideService(CurrentSubject, {
          stage: "ask",
          request: work.message.briefing.prompt,
          tools: registry.tools.filter(({ name }) => work.tools.includes(name)),
          results: [],
          outcomes: () => work.latest().outcomes
        }),
        Effect.catchTag("TooManyDenials", ({ message }) => Effect.succeed({ _tag: "Denied" as const, message }))
      )
      const reason = end._tag === "Taken" ? "" : reasonOf(end, work.latest())
      if (end._tag === "Unusable") return { status: end.unable === undefined ? "failed" : "limit", answer: "", reason }
      if (end._tag === "Taken") work.shown.end(end.value)
      const { message } = work
      const asks = message.asksBack && end._tag === "Taken" && work.latest().turn < work.mostTurns
      const words = asks ? yield* questionsAt(`message-${message.number}`).words(end.value) : undefined
      if (words !== undefined) {
        const { messages, ...latest } = work.latest()
        return yield* answer(work, { ...latest, messages: [...messages, { role: "user", content: words }] })
      }
      const { isUnfounded } = work.latest()
      const ending: AskEnding =
        end._tag === "Taken"
          ? { status: "done", answer: end.value, reason, ...(isUnfounded ? unfoundedEnding : {}) }
          : { status: end._tag === "Denied" ? "not_permitted" : "limit", answer: withReason("", reason), reason }
      const known = (yield* gate.requestedChanges).length
      const applied = yield* apply(work, ending, declined).pipe(
        Effect.catchTag("TaskFailure", (failure) =>
          Effect.succeed<AskEnding>({ status: "failed", answer: failure.message, reason: failure.message })
        )
      )
      const requested = (yield* gate.requestedChanges).slice(known).at(-1)
      const latest = work.latest()
      if (applied.status !== "declined" || requested === undefined || latest.turn >= work.mostTurns) return applied
      const content = `I declined these changes. Instead: ${requested.instead}`
      const said = `You declined the changes of ${loop.changedPaths(work).join(", ")}, and wanted instead: ${requested.instead}`
      const messages = [...latest.messages, { role: "user" as const, content }]
      const next = yield* answer(work, { ...latest, messages }, work.copy.version())
      /* What was declined stands above what the model says of it. */
      const acted = work
        .latest()
        .outcomes.slice(latest.outcomes.length)
        .some(({ call, result }) => result.success && !fileTools.has(call.name) && changeOf(call) !== undefined)
      const isFollowed = acted || next.facts !== undefined
      if (isFollowed || next.status !== "done") return { ...next, answer: `${said}\n\n${next.answer}` }
      const nothing = `${said} Nothing was changed.`
      return { ...next, status: "declined", reason: nothing, answer: `${nothing}\n\n${next.answer}` }
    })

  return Effect.fn("answerMessage")(function* (message: MessageOrder) {
    const { content, memory, progress } = message
    const before = yield* Ref.get(memory)
    const begun = firstProgress([...before.messages, ...content], before.hasFolded)
    const work = workOf(message, before, begun)
    const remember = (messages: ReadonlyArray<ConversationMessage>) => {
      const { hasFolded, outcomes } = work.latest()
      return Ref.set(memory, { messages, outcomes: [...before.outcomes, ...outcomes], hasFolded })
    }
    return yield* answer(work, begun).pipe(
      Effect.tap(({ answer: said, reason }) =>
        remember(answeredWith(work.latest().messages, said === "" ? `(${reason})` : said))
      ),
      Effect.catchTag("ModelError", (error) =>
        Effect.gen(function* () {
          const ending = endingOf(error)
          if (error.reason._tag === "ContextOverflow") {
            yield* Ref.set(memory, before)
            return { ...ending, reason: `${ending.reason} The message was taken out of the conversation again.` }
          }
          const said = error.reason._tag === "CutOff" ? error.reason.partial : `(No answer came: ${error.message})`
          yield* remember(answeredWith(work.latest().messages, said))
          return ending
        })
      ),
      Effect.onInterrupt(() => remember(stopped(work.latest().messages, progress.partial)))
    )
  })
})
