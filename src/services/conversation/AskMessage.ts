/**
 * Answers one message of a conversation as an agent. After the answer, one question shows all changes of the working
 * copy. Approved changes are made in the project, and the answer reports all others.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import type { Limits } from "../../domain/configuration/Limits.ts"
import { falseClaim } from "../../domain/checks/CheckClaims.ts"
import { runFacts, unfoundedText } from "../../domain/checks/Facts.ts"
import { answeredWith, stopped, withoutResultImages } from "../../domain/conversation/Conversation.ts"
import type { TaskOutcome } from "../../domain/documents/TaskOutcome.ts"
import { resultOfSummary } from "../../domain/plan/TaskResult.ts"
import type { ConversationMessage } from "../../domain/models/ConversationMessage.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import { plainTask } from "../../domain/plan/Task.ts"
import { askTask } from "../../domain/runs/ActivityKey.ts"
import { unfoundedHelp, unverifiedLines } from "../../domain/runs/RunOutcome.ts"
import { type AskEnding, withReason } from "../../domain/runs/RunReport.ts"
import { fileTools, ranWell } from "../../domain/tools/ToolCall.ts"
import { RunAnswers } from "../permissions/RunAnswers.ts"
import { ProjectWriteLock } from "../files/ProjectWriteLock.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import { makeApproval } from "../pipeline/Approval.ts"
import { changeKinds } from "../pipeline/CheckedEvidence.ts"
import { makeModelQuestions } from "../pipeline/ModelQuestions.ts"
import { ChangeApplier } from "../pipeline/ChangeApplier.ts"
import { Agent } from "../agent/Agent.ts"
import { CurrentSubject } from "../providers/CallSubject.ts"
import { type AgentEnd, newSession, type Session } from "../agent/Session.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { makeMessageWork, type MessageOrder, type OpenedMessage } from "./MessageWork.ts"

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

/** The ending of an answer that makes statements about the project without evidence. */
const unfoundedEnding = {
  status: "unfounded",
  reason: `${unfoundedText("")} ${unfoundedHelp}`,
  facts: runFacts([], [], { unfounded: [""] })
} as const

const namesOf = ({ files = [] }: Pick<TaskOutcome, "files">): string => files.map(({ path }) => path).join(", ")

const reasonOf = (
  end: Exclude<AgentEnd<string>, { readonly _tag: "Accepted" | "Calls" }>,
  { issues }: Session,
  limits: Limits
): string => {
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

const makeApply = Effect.gen(function* () {
  const approval = yield* makeApproval
  const changes = yield* makeTaskChanges
  const events = yield* RunEvents
  const lock = yield* ProjectWriteLock
  const applier = yield* ChangeApplier
  const { namesChecks = false } = yield* RunSettings

  /** Asks the user about the changes of the working copy. Returns why they may not be made; undefined if they may. */
  const approve = Effect.fnUntraced(function* (number: number, proposal: TaskOutcome) {
    const lockText = yield* lock.claim((text) => events.publish({ type: "message", level: "info", text }))
    if (lockText !== undefined) {
      return { status: "not_permitted" as const, why: `${namesOf(proposal)}: this ${lockText}.` }
    }
    const place = { title: `Message ${number}`, planKey: `message-${number}`, round: number }
    const asked = yield* Effect.result(approval.askForTask(wholeTask, proposal, place))
    if (Result.isSuccess(asked)) return undefined
    return asked.failure.by === "person"
      ? { status: "declined" as const, why: `you declined the changes of ${namesOf(proposal)}.` }
      : {
          status: "not_permitted" as const,
          why: `the changes of ${namesOf(proposal)} were not approved, and there is no terminal to ask on. Use --yes to approve beforehand, or allow them: --allow edit_file --allow write_file.`
        }
  })

  /**
   * Makes the changes that the user approves, and reports all other changes. `declined` is a version of the working
   * copy that the user declined. The program does not ask about that version again.
   */
  return Effect.fnUntraced(function* (opened: OpenedMessage, ending: AskEnding, declined: number | undefined) {
    const { message, session, shownAnswer, work } = opened
    const { copy } = work.assignment
    if (copy.version() === declined) return ending
    const current = yield* Ref.get(session)
    const summary = ending.answer.trim() === "" ? ending.reason : ending.answer
    const proposal: TaskOutcome = {
      task: wholeTask,
      ...changes.proposed(copy, current),
      result: resultOfSummary(summary)
    }
    const { calls, checks, files } = proposal
    if (calls.length === 0 && files === undefined) return ending
    const refused = calls.length === 0 ? undefined : yield* approve(message.number, proposal)
    if (refused !== undefined) {
      const answer = `Nothing was changed: ${refused.why}`
      shownAnswer.add(answer)
      return { status: refused.status, answer, reason: answer } satisfies AskEnding
    }
    const { briefing, number } = message
    const result =
      calls.length === 0
        ? { calls: [], files, checks, result: { summary } }
        : yield* applier.apply({ outcome: proposal, briefing, round: number, step: 0, finished: [] })
    const claim = falseClaim(result.result.summary, result.checks ?? [], current.outcomes.some(ranWell))
    const claims = claim === undefined ? [] : [{ task: "the answer", ...claim }]
    const facts = runFacts(result.files ?? [], result.checks ?? [], { claims })
    const failures = result.calls.filter((call) => !call.result.success)
    const answer = failures.length === 0 ? ending.answer : result.result.summary
    const [missing = ""] = answer.split(/\n\nThe report from before that:\n/)
    if (failures.length > 0) shownAnswer.add(missing)
    const hasChanged = facts.files.length > 0
    const lines = unverifiedLines({ checks: facts.checks, hasChanged, isNamed: namesChecks })
    const answered = { ...ending, answer, ...(hasChanged ? { facts } : {}) }
    if (ending.status !== "done") return answered
    if (failures.length > 0) return { ...answered, status: "failed" as const, reason: missing }
    const isUnverified = lines.length > 0 && message.acceptUnverified !== true
    return isUnverified ? { ...answered, status: "unverified" as const, reason: lines.join("\n") } : answered
  })
})

const makeAnswering = Effect.gen(function* () {
  const agent = yield* Agent
  const answers = yield* RunAnswers
  const apply = yield* makeApply
  const changes = yield* makeTaskChanges
  const questionsAt = yield* makeModelQuestions
  const { changeOf } = yield* changeKinds
  const registry = yield* ToolRegistry
  const { limits } = yield* RunSettings

  const runTurns = Effect.fnUntraced(function* ({ message, session, work }: OpenedMessage, begun: Session) {
    const subject = {
      stage: "ask" as const,
      request: message.briefing.prompt,
      tools: registry.tools.filter(({ name }) => work.assignment.tools.includes(name)),
      results: [],
      outcomes: () => Ref.getUnsafe(session).outcomes
    }
    const end = yield* agent.run(work, begun).pipe(
      Effect.provideService(CurrentSubject, subject),
      Effect.catchTag("TooManyDenials", (error) => Effect.succeed({ _tag: "Denied" as const, message: error.message }))
    )
    return end._tag === "Calls" ? yield* Effect.die("The calls of a message are made.") : end
  })

  /**
   * Repeats turns until there is an answer, or none is possible. A user who declines changes can say what to do
   * instead.
   */
  const answer = (opened: OpenedMessage, begun: Session, declined?: number): Effect.Effect<AskEnding, ModelError> =>
    Effect.gen(function* () {
      const { message, session, shownAnswer, work } = opened
      const { copy, mostTurns } = work.assignment
      const end = yield* runTurns(opened, begun)
      const ended = yield* Ref.get(session)
      const { messages, turn } = ended
      const reason = end._tag === "Accepted" ? "" : reasonOf(end, ended, limits)
      if (end._tag === "Unusable") return { status: end.unable === undefined ? "failed" : "limit", answer: "", reason }
      if (end._tag === "Accepted") shownAnswer.end(end.value)
      const asks = message.asksBack && end._tag === "Accepted" && turn < mostTurns
      const words = asks ? yield* questionsAt(`message-${message.number}`).words(end.value) : undefined
      if (words !== undefined) {
        return yield* answer(opened, { ...ended, messages: [...messages, { role: "user", content: words }] })
      }
      const ending: AskEnding =
        end._tag === "Accepted"
          ? { status: "done", answer: end.value, reason, ...(ended.isUnfounded ? unfoundedEnding : {}) }
          : { status: end._tag === "Denied" ? "not_permitted" : "limit", answer: withReason("", reason), reason }
      const before = (yield* answers.requestedChanges).length
      const applied = yield* apply(opened, ending, declined).pipe(
        Effect.catchTag("TaskFailure", (failure) =>
          Effect.succeed<AskEnding>({ status: "failed", answer: failure.message, reason: failure.message })
        )
      )
      const requested = (yield* answers.requestedChanges).slice(before).at(-1)
      if (applied.status !== "declined" || requested === undefined || turn >= mostTurns) return applied
      const content = `I declined these changes. Instead: ${requested.instead}`
      const paths = changes.named(copy).map(({ path }) => path)
      const note = `You declined the changes of ${paths.join(", ")}, and wanted instead: ${requested.instead}`
      const next = yield* answer(
        opened,
        { ...ended, messages: [...messages, { role: "user", content }] },
        copy.version()
      )
      const callsSince = (yield* Ref.get(session)).outcomes.slice(ended.outcomes.length)
      const hasActed = callsSince.some(
        ({ call, result }) => result.success && !fileTools.has(call.name) && changeOf(call) !== undefined
      )
      if (hasActed || next.facts !== undefined || next.status !== "done") {
        return { ...next, answer: `${note}\n\n${next.answer}` }
      }
      const nothing = `${note} Nothing was changed.`
      return { ...next, status: "declined", reason: nothing, answer: `${nothing}\n\n${next.answer}` }
    })

  return answer
})

/**
 * Answers messages. Adds each message and its replies to the conversation, even after an interruption. A message that
 * does not fit into the context window is removed again.
 */
export const makeAnswerMessage = Effect.gen(function* () {
  const answer = yield* makeAnswering
  const open = yield* makeMessageWork

  return Effect.fn("answerMessage")(function* (message: MessageOrder) {
    const { content, memory, progress } = message
    const before = yield* Ref.get(memory)
    const begun = newSession([...before.messages, ...content], before.isCompacted)
    const opened = yield* open(message, before, begun)
    const remember = (messagesAfter: (messages: Session["messages"]) => ReadonlyArray<ConversationMessage>) =>
      Effect.flatMap(Ref.get(opened.session), ({ isCompacted, messages, outcomes }) =>
        Ref.set(memory, {
          messages: withoutResultImages(messagesAfter(messages)),
          outcomes: [...before.outcomes, ...outcomes],
          isCompacted: isCompacted
        })
      )
    return yield* answer(opened, begun).pipe(
      Effect.tap((ending) =>
        remember((messages) => answeredWith(messages, ending.answer === "" ? `(${ending.reason})` : ending.answer))
      ),
      Effect.catchTag("ModelError", (error) =>
        Effect.gen(function* () {
          const ending = endingOf(error)
          if (error.reason._tag === "ContextOverflow") {
            yield* Ref.set(memory, before)
            return { ...ending, reason: `${ending.reason} The message was taken out of the conversation again.` }
          }
          const text = error.reason._tag === "CutOff" ? error.reason.partial : `(No answer came: ${error.message})`
          yield* remember((messages) => answeredWith(messages, text))
          return ending
        })
      ),
      Effect.onInterrupt(() => remember((messages) => stopped(messages, progress.partial)))
    )
  })
})
