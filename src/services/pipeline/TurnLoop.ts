/**
 * The turns of a task, and of a message in a conversation: the model looks, changes files in a working copy, and reports; the
 * host does what each answer asks for and replies. The conversation only grows, so that a server reads each part of it once; when
 * it has become too long, it is folded into what the host knows. Nothing of the project is changed here but by calls that were
 * approved.
 */
import * as Effect from "effect/Effect"
import { type CheckOutcome, passes } from "../../domain/checks/CheckOutcome.ts"
import { fileFacts } from "../../domain/checks/Facts.ts"
import { callSign, type Refinement } from "../../domain/documents/Refinement.ts"
import { renderRefined } from "../../domain/documents/TaskRendering.ts"
import { type Answered, nothingAsked, readAskedCall } from "../../domain/documents/TurnFormat.ts"
import { type CallAnswer, foldText, replyText, toolMessages, withUniqueIds } from "../../domain/documents/TurnReply.ts"
import { type Issue, makeIssue, makeRepair, type Repair } from "../../domain/findings/Issue.ts"
import { issuesAsShown } from "../../domain/findings/IssueText.ts"
import { type AssistantMessage, type ConversationMessage, fromHost } from "../../domain/models/ConversationMessage.ts"
import { toolCallsFor } from "../../domain/models/Generation.ts"
import type { AskedCall, ModelError } from "../../domain/models/ModelAnswer.ts"
import { outcomeText } from "../../domain/models/OutputText.ts"
import { charactersLeft, neededTokens } from "../../domain/models/PromptSize.ts"
import type { ModelCallId } from "../../domain/runs/ActivityKey.ts"
import { callsBeyondLimits, type Skill } from "../../domain/skills/Skill.ts"
import { type CallOutcome, fileTools, type ToolCall } from "../../domain/tools/ToolCall.ts"
import { turnUid } from "../../domain/tools/ToolCallFormat.ts"
import { Checks } from "../checks/Checks.ts"
import { Commands } from "../commands/Commands.ts"
import { CurrentCopy, makeWorkingCopy, type WorkingCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { firstTuning, type Tuning } from "../models/CallPlan.ts"
import { measuredPrompt } from "../models/ConversationPrompt.ts"
import { ModelCaller } from "../models/ModelCaller.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { makeTaskCalls } from "../tools/TaskCalls.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import type { TooManyDenials } from "../tools/ToolRunner.ts"
import { type Attempted, type Said, unusableAnswer } from "./Attempts.ts"
import { changeOpen, makeTaskChanges, openChanges } from "./TaskChanges.ts"

/** The conversation takes at most this part of the window before it is folded. */
const foldAt = 0.65

/** A reply has at most this part of what is free in the window, so that a further turn fits behind it. */
const replyShare = 0.6

/** So many turns before the last one the model is told how many are left. */
const warnedTurns = 3

/** How often a report is sent back before it is taken with its wrong links marked. */
const mostRejectedReports = 2

/** What the turns have come to so far. */
export interface Progress {
  readonly messages: ReadonlyArray<ConversationMessage>
  readonly outcomes: ReadonlyArray<CallOutcome>
  /** How the checks of the last changes ended. */
  readonly checks: ReadonlyArray<CheckOutcome>
  /** The last answers in a row that could not be used. */
  readonly unusable: ReadonlyArray<string>
  readonly rejectedReports: number
  readonly tuning: Tuning
  readonly answers: ReadonlySet<string>
  /** True when the turns before are not shown as they were. */
  readonly hasFolded: boolean
  /** Issues of the last answer, for work that comes to no end. */
  readonly issues: ReadonlyArray<Issue>
  /** The last turn that was begun, from 1. */
  readonly turn: number
}

/** How turns begin: the conversation so far ends with what is asked for. */
export const firstProgress = (messages: ReadonlyArray<ConversationMessage>, hasFolded = false): Progress => ({
  messages,
  outcomes: [],
  checks: [],
  unusable: [],
  rejectedReports: 0,
  tuning: firstTuning,
  answers: new Set(),
  hasFolded,
  issues: [],
  turn: 0
})

/** The files that turns change, and the tools that changed each of them. */
export interface Proposal {
  readonly copy: WorkingCopy
  readonly changedBy: Map<string, Set<string>>
}

export const emptyProposal = (): Proposal => ({ copy: makeWorkingCopy(), changedBy: new Map() })

/** Who takes turns, what they may do, and what ends them: `A` is what a report becomes, `E` why calls were not approved. */
export interface TurnOrder<A, E = never> {
  readonly idOf: (turn: number) => ModelCallId
  /** The name under which calls and checks are made. */
  readonly task: string
  readonly round: number
  /** The position of the step from 0. */
  readonly step: number
  readonly skill?: Skill | undefined
  readonly tools: ReadonlyArray<string>
  /** The first message, which stays as it is. */
  readonly system: string
  readonly proposal: Proposal
  readonly mostTurns: number
  /** What was called before these turns, in the same conversation. */
  readonly earlier?: ReadonlyArray<CallOutcome>
  readonly read: (answer: string) => Effect.Effect<Answered>
  /** Asks about the calls of an answer, where it is not each call that is asked about. */
  readonly approve: (calls: ReadonlyArray<ToolCall>) => Effect.Effect<void, E>
  /** Reads a report; without a value, or with issues, it is sent back, unless it is the last and has a fallback. */
  readonly take: (report: string, progress: Progress) => Effect.Effect<Attempted<A>>
  /** What the model can do now, for the end of a reply; `left` answers are left. */
  readonly now: (left: number) => string
  /** The messages that stay when the others are folded, with what the host knows. */
  readonly fold: (messages: ReadonlyArray<ConversationMessage>, known: string) => ReadonlyArray<ConversationMessage>
  /** What to do after a fold. */
  readonly goOn: string
  /** Gets what the turns have come to, as soon as it changes. */
  readonly keep: (progress: Progress) => void
  /** Reports what an answer asks for. */
  readonly announce?: (
    turn: number,
    calls: ReadonlyArray<ToolCall>,
    changed: ReadonlyArray<string>
  ) => Effect.Effect<void>
  /** Makes a listener for the text of an answer. */
  readonly listen?: () => (delta: string) => void
  /** Failures of the model that end the turns, although it could be asked again. */
  readonly isEnd?: (error: ModelError) => boolean
  /** True when the model is told that nothing more comes of its calls, and has one more answer to end by itself. */
  readonly endsItself?: boolean
}

/** How turns end. Without a report: the same call again and again, no usable answer, or no turn left. */
export type TurnsEnd<A> =
  | { readonly _tag: "Taken"; readonly value: A }
  | { readonly _tag: "Repeated"; readonly call: ToolCall }
  | { readonly _tag: "Denied"; readonly message: string }
  | { readonly _tag: "Unusable" }
  | { readonly _tag: "Limit"; readonly turns: number }

export const assistant = (content: string, more: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: "assistant",
  content: content === "" && (more.calls ?? []).length === 0 ? "(no answer)" : content,
  thinking: "",
  calls: [],
  ...more
})

/** True for a check that says nothing against the changes. */
const isFine = (outcome: CheckOutcome): boolean => outcome.notRun !== undefined || passes(outcome)

const checkFailed = ({ command, newFailures }: CheckOutcome, task: string): Issue =>
  makeIssue(
    "check-failed",
    { section: "Result summary", task },
    { what: `The check \`${command}\` fails with the changes: ${newFailures.slice(0, 3).join("; ")}.` }
  )

/** A call that has given the same output so many times. */
const repeatedCall = (outcomes: ReadonlyArray<CallOutcome>, most: number): ToolCall | undefined => {
  const times = new Map<string, number>()
  return outcomes.find((outcome) => {
    const sign = `${callSign(outcome.call)}\n${outcomeText(outcome)}`
    times.set(sign, (times.get(sign) ?? 0) + 1)
    return (times.get(sign) ?? 0) >= most
  })?.call
}

/** What was done outside of the working copy, and the changes that are still missing. */
export const doneOutside = ({ outcomes }: Progress): ReadonlyArray<CallOutcome> => {
  const open = openChanges(outcomes)
  return outcomes.filter((outcome) => !fileTools.has(outcome.call.name) || open.includes(outcome))
}

/** One answer: what its text says, and the calls that it made through the interface. */
interface Heard extends Said {
  readonly thinking: string
  readonly asked: ReadonlyArray<AskedCall>
}

/** A call that was made through the interface, as it was read. */
type NativeCall = ReturnType<typeof readAskedCall>

/** One call of an answer, checked; `wanted` is how it was written. */
interface CheckedCall {
  readonly wanted: ToolCall
  readonly call: ToolCall
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
}

export const makeTurnLoop = Effect.gen(function* () {
  const calibration = yield* TokenCalibration
  const caller = yield* ModelCaller
  const changes = yield* makeTaskChanges
  const checksOfHost = yield* Checks
  const commands = yield* Commands
  const events = yield* RunEvents
  const registry = yield* ToolRegistry
  const runCalls = yield* makeTaskCalls
  const settings = yield* RunSettings
  const workspace = yield* Workspace
  const { contextWindow: window, limits } = settings

  type Order = Omit<TurnOrder<unknown, unknown>, "take">

  const scaleOf = ({ skill }: Pick<Order, "skill">) => calibration.scale(skill?.model ?? settings.model)

  /** True when the model is offered its tools through the interface. */
  const isNative = ({ idOf }: Order): boolean => toolCallsFor(settings, idOf(1).stage) === "native"

  const conversationOf = (order: Order, messages: ReadonlyArray<ConversationMessage>) => ({
    system: order.system,
    messages,
    tools: isNative(order) ? registry.tools.filter(({ name }) => order.tools.includes(name)) : []
  })

  /** The characters that a reply may have behind these messages. */
  const replyBudget = (order: Order, messages: ReadonlyArray<ConversationMessage>): number =>
    Math.floor(charactersLeft(window, measuredPrompt(conversationOf(order, messages)), scaleOf(order)) * replyShare)

  /** Puts what the host knows in the place of the turns when they have taken too much of the window. */
  const folded = (order: Order, progress: Progress): Progress => {
    const tokensOf = (messages: ReadonlyArray<ConversationMessage>): number =>
      neededTokens(measuredPrompt(conversationOf(order, messages)), scaleOf(order))
    const before = tokensOf(progress.messages)
    if (before <= window * foldAt) return progress
    const outcomes = [...(order.earlier ?? []), ...progress.outcomes]
    const files = changes.named(order.proposal.copy)
    const budget = replyBudget(order, order.fold(progress.messages, ""))
    const known =
      outcomes.length + files.length === 0
        ? ""
        : foldText({ outcomes, checks: progress.checks, files, now: order.goOn, budget })
    const messages = order.fold(progress.messages, known)
    return tokensOf(messages) < before ? { ...progress, hasFolded: true, messages } : progress
  }

  /** Asks for the next answer; one that cannot be read at all is an answer with issues. */
  const ask = Effect.fnUntraced(function* (order: Order, progress: Progress, turn: number) {
    const conversation = conversationOf(order, progress.messages)
    return yield* caller
      .ask({
        id: order.idOf(turn),
        step: order.step,
        prompt: measuredPrompt(conversation),
        conversation,
        model: order.skill?.model,
        tuning: progress.tuning,
        ...(order.listen === undefined ? {} : { listen: order.listen })
      })
      .pipe(
        Effect.map(({ calls = [], text, thinking }): Heard => ({
          answer: text,
          shown: text,
          issues: [],
          thinking,
          asked: withUniqueIds(calls, progress.messages)
        })),
        Effect.catchTag("ModelError", (error) => {
          const said = order.isEnd?.(error) === true ? undefined : unusableAnswer(error, {})
          return said?._tag === "Some"
            ? Effect.succeed<Heard>({ ...said.value, thinking: "", asked: [] })
            : Effect.fail(error)
        })
      )
  })

  /** What an answer asks for, by its text and through the interface. Words beside calls of the interface are no report. */
  const readHeard = Effect.fnUntraced(function* (
    order: Order,
    { answer, asked, issues }: Heard
  ): Effect.fn.Return<{ readonly turn: Answered; readonly native: ReadonlyArray<NativeCall> }> {
    if (issues.length > 0) return { turn: { ...nothingAsked, issues }, native: [] }
    const written = asked.length > 0 && answer.trim() === "" ? nothingAsked : yield* order.read(answer)
    if (asked.length === 0) return { turn: written, native: [] }
    const native = asked.map((call, index) => readAskedCall(call, `call-${written.calls.length + index + 1}`))
    const { report: _, ...rest } = written
    const isActing = written.calls.length + written.changes.length > 0
    const calls = native.flatMap((one) => (one.issues.length === 0 ? [one.call] : []))
    const unread = isNative(order) ? [] : native.flatMap((one) => one.issues)
    return {
      turn: {
        ...rest,
        calls: [...written.calls, ...calls],
        issues: [...(isActing ? written.issues : []), ...unread],
        repairs: [...written.repairs, ...native.flatMap((one) => one.repairs)]
      },
      native: isNative(order) ? native : []
    }
  })

  /** The calls of an answer that can be made, with what is wrong with the others. */
  const checkCalls = Effect.fnUntraced(function* ({ skill, task, tools }: Order, turn: Answered) {
    const allowed = new Set(tools)
    const limit = limits.toolCallsPerIteration
    const literal = yield* changes.callsOf(turn.changes, task)
    const wanted = [...turn.calls, ...literal.calls]
    const all = wanted.filter(
      (call, index) => wanted.findIndex((other) => callSign(other) === callSign(call)) === index
    )
    const doubled =
      all.length === wanted.length
        ? []
        : [
            makeRepair(
              "tool-call-known",
              { section: "Tool Calls", task },
              "Made a call once that was written several times."
            )
          ]
    const checked = all.slice(0, limit).map((call): CheckedCall => {
      const { issues, repairs, ...found } = registry.check(call, allowed, task)
      const beyond = skill === undefined ? [] : callsBeyondLimits(skill, [found.call], task)
      return { wanted: call, call: found.call, repairs, issues: [...issues, ...beyond] }
    })
    const tooMany =
      all.length <= limit
        ? []
        : [
            makeIssue(
              "tool-calls-many",
              { section: "Tool Calls", task },
              { what: `There are ${all.length} calls and changes, and only the first ${limit} are done in one turn.` }
            )
          ]
    return { checked, issues: [...literal.issues], tooMany, repairs: doubled }
  })

  /** Makes the calls of an answer, in their order where one of them may change something. */
  const act = Effect.fnUntraced(function* <E>(
    order: Pick<TurnOrder<unknown, E>, "approve" | "endsItself" | "proposal" | "round" | "task">,
    turn: number,
    asked: ReadonlyArray<ToolCall>
  ) {
    const calls = asked.map((call) => ({ ...call, uid: turnUid(turn, call.uid) }))
    yield* order.approve(calls)
    const { denied, outcomes } = yield* runCalls(order.task, order.round, calls, order.endsItself === true)
    for (const { call, result } of outcomes) {
      const given = call.arguments["path"]
      if (!result.success || !fileTools.has(call.name) || typeof given !== "string") continue
      const { path: file } = yield* Effect.orElseSucceed(workspace.canonical(given), () => ({
        path: changes.fileAt(given)
      }))
      const { changedBy } = order.proposal
      changedBy.set(file, (changedBy.get(file) ?? new Set()).add(call.name))
    }
    return { denied, outcomes }
  })

  /** Checks what the working copy changes, where commands can see it. */
  const check = Effect.fnUntraced(function* ({ proposal, round, task }: Order, turn: number) {
    const paths = changes.named(proposal.copy).map(({ path }) => path)
    if (paths.length === 0 || (yield* commands.copies).mechanism === "none") return []
    return yield* checksOfHost.run({ task, round, turn }, paths)
  })

  const reject = (call: ModelCallId, answer: string, issues: ReadonlyArray<Issue>) =>
    events.publish({ type: "answer.rejected", call, answer, issues, mostAttempts: limits.attempts })

  const nowText = (order: Order, left: number): string => {
    const warning = left > 1 && left <= warnedTurns ? ` ${left} answers are left.` : ""
    return `${order.now(left)}${warning}`
  }

  /** Why a report is sent back, by what the host knows of the changes. */
  const reportIssues = ({ task }: Order, { checks, outcomes, rejectedReports }: Progress): ReadonlyArray<Issue> => {
    const missed = rejectedReports > 0 ? [] : openChanges(outcomes)
    if (missed.length > 0) return missed.map((one) => changeOpen(one, task))
    return rejectedReports >= mostRejectedReports
      ? []
      : checks.filter((one) => !isFine(one)).map((one) => checkFailed(one, task))
  }

  /** Holds a report against the changes and its links against the project; nothing when it is sent back. */
  const takeReport = Effect.fnUntraced(function* <A>(
    order: Pick<TurnOrder<A, unknown>, "take"> & Order,
    progress: Progress,
    report: string,
    isLast: boolean
  ) {
    const known = isLast ? [] : reportIssues(order, progress)
    if (known.length > 0) return { value: undefined, issues: known, repairs: [] }
    const { fallback, issues, repairs, value } = yield* order.take(report, progress)
    if (issues.length === 0 && value._tag === "Some") return { value: { taken: value.value }, issues, repairs }
    if (fallback !== undefined && (isLast || progress.rejectedReports >= mostRejectedReports)) {
      return { value: { taken: fallback.value }, issues: [], repairs: fallback.repairs }
    }
    return { value: undefined, issues, repairs: [] }
  })

  /** The messages that answer calls of the interface, one for each. */
  const nativeReplies = (
    native: ReadonlyArray<NativeCall>,
    checked: ReadonlyArray<CheckedCall>,
    outcomes: ReadonlyArray<CallOutcome>,
    turn: number,
    tooMany: ReadonlyArray<Issue>
  ): ReadonlyArray<CallAnswer> =>
    native.map(({ asked, call, issues }) => {
      const found = checked.find(({ wanted }) => callSign(wanted) === callSign(call))
      const uid = turnUid(turn, found?.call.uid ?? "")
      const outcome = issues.length > 0 ? undefined : outcomes.find((one) => one.call.uid === uid)
      return { asked, outcome, issues: issues.length > 0 ? issues : (found?.issues ?? tooMany) }
    })

  /** One turn: an answer, what it asks for, and the reply to it. */
  const step = Effect.fnUntraced(function* <A, E>(order: TurnOrder<A, E>, given: Progress, turn: number, most: number) {
    const before = { ...folded(order, given), turn }
    order.keep(before)
    const call = order.idOf(turn)
    const said = yield* ask(order, before, turn)
    const { native, turn: read } = yield* readHeard(order, said)
    const { checked, tooMany, ...found } = yield* checkCalls(order, read)
    const left = most - turn
    const possible = checked.flatMap((one) => (one.issues.length === 0 ? [one.call] : []))
    // What is asked for without a report comes to nothing when no answer is left.
    const calls = left === 0 && read.report === undefined ? [] : possible
    const text = isNative(order) || said.asked.length === 0 ? said.shown : renderRefined({ calls: read.calls })
    const shown = isNative(order)
      ? assistant(text, { calls: native.map(({ asked }) => asked), thinking: native.length > 0 ? said.thinking : "" })
      : assistant(text)
    const messages = [...before.messages, shown]
    order.keep({ ...before, messages })
    const { copy } = order.proposal
    const version = copy.version()
    let denied: string | undefined
    let outcomes: ReadonlyArray<CallOutcome> = []
    if (calls.length > 0) {
      const changed = read.changes.flatMap((change) => ("path" in change ? [change.path] : []))
      const uids = calls.map((one) => ({ ...one, uid: turnUid(turn, one.uid) }))
      yield* order.announce?.(turn, uids, [...new Set(changed)]) ?? Effect.void
      const acted = yield* act(order, turn, calls)
      denied = acted.denied
      outcomes = acted.outcomes
    }
    const hasChanged = copy.version() !== version
    const checks = hasChanged ? yield* check(order, turn) : before.checks
    const all: Progress = { ...before, messages, outcomes: [...before.outcomes, ...outcomes], checks }
    const isOfText = ({ wanted }: CheckedCall): boolean =>
      !native.some((one) => callSign(one.call) === callSign(wanted))
    const problems = [
      ...read.issues,
      ...found.issues,
      ...checked.flatMap((one) => (isOfText(one) ? one.issues : [])),
      ...(native.length === 0 ? tooMany : [])
    ]
    const isOpen = problems.length > 0 || outcomes.some(({ result }) => !result.success)
    const report =
      read.report === undefined || isOpen || read.calls.length > 0
        ? undefined
        : yield* takeReport(order, all, read.report, left === 0 && order.endsItself === true)
    const issues = [...problems, ...(report?.issues ?? [])]
    const repairs = [
      ...read.repairs,
      ...found.repairs,
      ...checked.flatMap((one) => one.repairs),
      ...(report?.repairs ?? [])
    ]
    if (repairs.length > 0 && issues.length === 0) yield* events.publish({ type: "answer.repaired", call, repairs })
    if (report?.value !== undefined) {
      order.keep(all)
      return { end: { _tag: "Taken", value: report.value.taken } as TurnsEnd<A>, progress: all, last: false }
    }
    if (issues.length > 0) yield* reject(call, said.answer, issues)
    const answer = said.answer.trim()
    const isRepeated = before.answers.has(answer) && native.length === 0
    const isUnusable = possible.length === 0 && native.length === 0 && issues.length > 0
    const replies = nativeReplies(native, checked, outcomes, turn, tooMany)
    const tools = toolMessages(replies, replyBudget(order, messages))
    const repeated = repeatedCall(all.outcomes, limits.identicalCalls)
    const isEnding = order.endsItself === true && (repeated ?? denied) !== undefined
    const isNativeOutcome = (one: CallOutcome): boolean => replies.some(({ outcome }) => outcome === one)
    const remaining = isEnding ? 1 : left
    const others = outcomes.filter((one) => !isNativeOutcome(one))
    const needsReply =
      native.length === 0 || issues.length > 0 || others.length > 0 || hasChanged || remaining <= warnedTurns
    const reply = replyText({
      turn,
      issues: issuesAsShown(issues, said.answer, said.shown),
      outcomes: others,
      checks: hasChanged ? checks : [],
      before: [...(order.earlier ?? []), ...before.outcomes],
      hasFolded: before.hasFolded,
      isRepeated,
      now: nowText(order, remaining),
      budget: replyBudget(order, [...messages, ...tools])
    })
    const progress: Progress = {
      ...all,
      issues,
      unusable: isUnusable ? [...all.unusable, answer] : [],
      rejectedReports: all.rejectedReports + (report === undefined ? 0 : 1),
      answers: new Set([...all.answers, answer]),
      tuning: {
        repeats: all.tuning.repeats + (isRepeated ? 1 : 0),
        thinkingCuts: all.tuning.thinkingCuts + (said.hasOnlyThought === true ? 1 : 0)
      },
      messages: [...messages, ...tools, ...(needsReply ? [fromHost(reply)] : [])]
    }
    order.keep(progress)
    const end: TurnsEnd<A> | undefined =
      repeated !== undefined
        ? { _tag: "Repeated", call: repeated }
        : denied !== undefined
          ? { _tag: "Denied", message: denied }
          : progress.unusable.length >= limits.attempts
            ? { _tag: "Unusable" }
            : undefined
    return { end, progress, last: isEnding }
  })

  /** Takes turns until a report is taken, or there is no further one. */
  const turns = Effect.fnUntraced(function* <A, E>(
    order: TurnOrder<A, E>,
    begun: Progress
  ): Effect.fn.Return<TurnsEnd<A>, ModelError | TooManyDenials | E> {
    let progress = begun
    let most = order.mostTurns
    let end: TurnsEnd<A> = { _tag: "Limit", turns: most }
    for (let turn = begun.turn + 1; turn <= most; turn += 1) {
      const taken = yield* step(order, progress, turn, most)
      progress = taken.progress
      if (taken.end === undefined) continue
      end = end._tag === "Limit" || taken.end._tag === "Taken" ? taken.end : end
      if (!taken.last || turn === most) return end
      most = turn + 1
    }
    return end
  })

  /** The changes of the working copy as calls that make them, and what the host knows of them. */
  const proposed = (
    { changedBy, copy }: Proposal,
    { checks }: Progress
  ): Pick<Refinement, "calls" | "checks" | "files"> => {
    const files = fileFacts(changes.named(copy).map(({ base, path, text }) => ({ path, before: base, after: text })))
    return {
      calls: changes.final(copy, changedBy),
      ...(files.length === 0 ? {} : { files }),
      ...(files.length === 0 || checks.length === 0 ? {} : { checks })
    }
  }

  return {
    act,
    ask,
    checkCalls,
    nowText,
    proposed,
    readHeard,
    reject,
    replyBudget,
    turns: <A, E>(order: TurnOrder<A, E>, begun: Progress) =>
      Effect.provideService(turns(order, begun), CurrentCopy, order.proposal.copy)
  }
})
