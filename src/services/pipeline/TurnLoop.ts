/**
 * The turns of a task, and of a message in a conversation: the model looks, changes files in a working copy, and reports; the
 * host does what each answer asks for and replies. The conversation only grows, so that a server reads each part of it once; when
 * it has become too long, it is folded into what the host knows. Nothing of the project is changed here but by calls that were
 * approved.
 */
import { isAbsolute } from "node:path"
import * as Effect from "effect/Effect"
import { falseClaim } from "../../domain/checks/CheckClaims.ts"
import { type CheckOutcome, passes } from "../../domain/checks/CheckOutcome.ts"
import { type FileFact, fileFacts, joinedFiles } from "../../domain/checks/Facts.ts"
import { callSign, type Refinement } from "../../domain/documents/Refinement.ts"
import { callSchema } from "../../domain/documents/AnswerGrammar.ts"
import type { Answered } from "../../domain/documents/TurnFormat.ts"
import { changedSince } from "../../domain/documents/ChangedFiles.ts"
import { holdsNothing, mostUselessAnswers, unableText } from "../../domain/documents/UselessAnswers.ts"
import { plainReply, unusableAnswer } from "../../domain/documents/UnusableAnswer.ts"
import { questionOf } from "../../domain/documents/OtherForm.ts"
import { restsOnProject } from "../../domain/documents/ProjectQuestion.ts"
import { foldText, newestShare } from "../../domain/documents/FoldText.ts"
import { replyText, toolMessages, withUniqueIds } from "../../domain/documents/TurnReply.ts"
import { isTestFile } from "../../domain/files/TestFile.ts"
import { type Issue, makeIssue } from "../../domain/findings/Issue.ts"
import { issuesAsShown } from "../../domain/findings/IssueText.ts"
import {
  type ConversationMessage,
  fromHost,
  measuredPrompt,
  messageCharacters,
  messageText
} from "../../domain/models/ConversationMessage.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import { outcomeText } from "../../domain/models/OutputText.ts"
import {
  assumedScale,
  charactersIn,
  charactersLeft,
  charactersOf,
  neededTokens,
  type TokenScale
} from "../../domain/models/PromptSize.ts"
import type { ModelCallId } from "../../domain/runs/ActivityKey.ts"
import { pathOf, type CallOutcome, fileTools, isChange, ranWell, type ToolCall } from "../../domain/tools/ToolCall.ts"
import { openChanges } from "../../domain/tools/OpenChanges.ts"
import { turnOf, turnUid } from "../../domain/tools/ToolCallFormat.ts"
import { mentionsCall } from "../../domain/tools/ToolCallTraces.ts"
import { Checks } from "../checks/Checks.ts"
import { Commands } from "../commands/Commands.ts"
import { SkillFiles } from "../files/SkillFiles.ts"
import { CurrentCopy } from "../files/WorkingCopy.ts"
import type { Bound } from "../models/CallAttempt.ts"
import { ModelCaller } from "../models/ModelCaller.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import type { TooManyDenials } from "../tools/ToolRunner.ts"
import { makeLeftovers } from "./Leftovers.ts"
import { asksNothing, changedSinceReport, keepReport, type KeptReport, makeLookBack, settleReport } from "./LookBack.ts"
import { baseOf } from "../changes/FinalCalls.ts"
import { changeOpen, makeTaskChanges } from "../changes/TaskChanges.ts"
import { type CheckedCall, type Heard, makeTurnCalls, nativeReplies, refusedOutcome } from "./TurnCalls.ts"
import { type AnyOrder, type Progress, type TurnOrder, type TurnsEnd } from "./TurnOrder.ts"

/** The conversation takes at most this part of the window before it is folded. */
const foldAt = 0.72

/** A fold makes the conversation at most this part of the window where the first message leaves room for that. */
const foldTo = 0.5

/** A reply has at most this part of what is free in the window, so that a further turn fits behind it. */
const replyShare = 0.7

/** With room for fewer lines nothing is said of it: the next fold makes room. */
const leastLines = 30

/** The characters of a line of source code with its number, on average. */
const shownLine = 50

/** The characters of an answer that asks for outputs, and of what stands beside them in the reply. */
const besideOutputs = 800

/** A fold before the window is full has to show so many times more of the last outputs than their reply did. */
const worthwhile = 1.5

/** So many turns before the last one the model is told how many are left. */
const warnedTurns = 3

/** How often a report is sent back before it is taken with its wrong links marked. */
const mostRejectedReports = 2

/** True for a check that says nothing against the changes. */
export const isFine = (outcome: CheckOutcome): boolean => outcome.notRun !== undefined || passes(outcome)

const checkFailed = ({ command, newFailures, stillFails }: CheckOutcome, task: string): Issue => {
  const still = stillFails?.replace(/[.:]?$/, ".")
  const what =
    still === undefined
      ? `The check \`${command}\` fails with the changes: ${newFailures.slice(0, 3).join("; ")}.`
      : `The check \`${command}\` fails. ${still}`
  return makeIssue("check-failed", { section: "Result summary", task }, { what })
}

/** A call that has given the same output so many times. */
const repeatedCall = (outcomes: ReadonlyArray<CallOutcome>, most: number): ToolCall | undefined => {
  const times = new Map<string, number>()
  return outcomes.find((outcome) => {
    const sign = `${callSign(outcome.call)}\n${outcomeText(outcome)}`
    times.set(sign, (times.get(sign) ?? 0) + 1)
    return (times.get(sign) ?? 0) >= most
  })?.call
}

/** The characters of what was replied to the last answer. */
const lastReply = (messages: ReadonlyArray<ConversationMessage>): number =>
  messages
    .slice(messages.findLastIndex(({ role }) => role === "assistant") + 1)
    .reduce((sum, message) => sum + messageCharacters(message), 0)

const lengthOf = ({ messages }: Progress): number =>
  messages.reduce((sum, message) => sum + messageCharacters(message), 0)

/** The characters of the outputs that the last answer asked for, whole. */
const lastOutputs = ({ outcomes, turn }: Progress): number =>
  outcomes
    .filter((one) => turnUid(turn, "") === `${turnOf(one)}/` && !isChange(one))
    .reduce((sum, one) => sum + outcomeText(one).length, 0)

/** What a report says of something that it did not find. */
const notFound =
  /\b(?:(?:is|are|was|were) (?:not (?:known|found|given|defined|mentioned)|unknown)|not (?:be found|find)|nothing was found|no (?:information|mention|such))\b/i

/** What a report says was done. */
const claimed =
  /\b(?:chang|fix|edit|updat)\w*\b[^.!?]{0,20}\b(?:made|applied|done)\b|\b(?:I(?: have|'ve)?|has been|have been|was|were) (?:changed|updated|edited|fixed|modified|added|created|removed|renamed|written|implemented|refactored|replaced)\b/i

/** Why an answer about the project that looked at nothing is sent back once. */
const notLooked = makeIssue(
  "report-unfounded",
  {},
  {
    what: "This is about the project, and no file was looked at.",
    how: "Search or read first, with a tool call. If you know it from what is shown above, link the file: `[<path>](<path>)`."
  }
)

/** Why a first answer cannot be the report: it says what only calls can show, and there was none. */
const unfounded = (report: string): string | undefined => {
  if (notFound.test(report)) return "The report says that something was not found, and nothing was looked at."
  return claimed.test(report) && !/\]\([^)\s]+\)/.test(report)
    ? "The report says that something was done, and nothing was asked for."
    : undefined
}

/** What a report says of checks that is not so; it is sent back once, and stands among the facts after that. */
const claimIssues = ({ checks, issues, outcomes }: Progress, task: string, report: string): ReadonlyArray<Issue> => {
  const claim = falseClaim(report, checks, outcomes.some(ranWell))
  if (claim === undefined || issues.some(({ code }) => code === "check-claimed")) return []
  const what = `The report says ${JSON.stringify(claim.claim)}, but ${claim.fact}.`
  return [makeIssue("check-claimed", { section: "Result summary", task }, { what })]
}

/** What fails now and did not fail before is worth two answers, and what fails as before one. */
const isOpenCheck = (check: CheckOutcome, rejectedReports: number): boolean =>
  !isFine(check) && rejectedReports < (check.stillFails === undefined ? mostRejectedReports : 1)

/** Why a report is sent back, by what the host knows of the changes and of what was looked at. */
const reportIssues = (
  { earlier = [], task, tools }: AnyOrder,
  progress: Progress,
  report: string
): ReadonlyArray<Issue> => {
  const { answers, checks, outcomes, rejectedReports } = progress
  const isFirst = answers.size === 0 && outcomes.length + earlier.length === 0 && tools.length > 0
  const what = isFirst ? unfounded(report) : undefined
  if (what !== undefined) return [makeIssue("report-unfounded", { section: "Result summary", task }, { what })]
  const missed = rejectedReports > 0 ? [] : openChanges(outcomes)
  if (missed.length > 0) return missed.map((one) => changeOpen(one, task))
  if (rejectedReports >= mostRejectedReports) return []
  const claims = claimIssues(progress, task, report)
  if (claims.length > 0) return claims
  return checks.filter((one) => isOpenCheck(one, rejectedReports)).map((one) => checkFailed(one, task))
}

/** What the model can do now, with a warning before the last answers. */
export const nowText = (order: AnyOrder, left: number): string => {
  const warning = left > 1 && left <= warnedTurns ? ` ${left} answers are left.` : ""
  return `${order.now(left)}${warning}`
}

/** How the turns end: with the report that is kept, when they would have none, or one that leaves a check failing. */
const ended = <A>(
  order: AnyOrder,
  end: TurnsEnd<A>,
  progress: Progress,
  kept: KeptReport<A> | undefined
): TurnsEnd<A> => {
  if (kept === undefined || (end._tag === "Taken" && progress.checks.every(isFine))) return end
  settleReport(order, kept, progress)
  return { _tag: "Taken", value: kept.value }
}

export const makeTurnLoop = Effect.gen(function* () {
  const calibration = yield* TokenCalibration
  const caller = yield* ModelCaller
  const changes = yield* makeTaskChanges
  const { act, checkCalls, isNative, readHeard } = yield* makeTurnCalls
  const checksOfHost = yield* Checks
  const commands = yield* Commands
  const events = yield* RunEvents
  const leftovers = yield* makeLeftovers
  const lookBack = yield* makeLookBack
  const registry = yield* ToolRegistry
  const settings = yield* RunSettings
  const { contextWindow: window, limits } = settings

  const scaleOf = ({ skill }: Pick<AnyOrder, "skill">) => calibration.scale(skill?.model ?? settings.model)

  const conversationOf = (order: AnyOrder, messages: ReadonlyArray<ConversationMessage>) => ({
    system: order.system,
    messages,
    tools: isNative(order) ? registry.tools.filter(({ name }) => order.tools.includes(name)) : []
  })

  /** The characters that a reply may have behind these messages. */
  const replyBudget = (
    order: AnyOrder,
    messages: ReadonlyArray<ConversationMessage>,
    scale: TokenScale = scaleOf(order)
  ): number => Math.floor(charactersLeft(window, measuredPrompt(conversationOf(order, messages)), scale) * replyShare)

  /**
   * Says at the end of the last message how much can be shown next, in the reply or in the fold that shows more, so that one
   * answer does not ask for more. What the server counted is left aside: a prompt must not depend on which of several tasks was
   * answered first.
   */
  const sayingRoom = (
    order: AnyOrder,
    messages: ReadonlyArray<ConversationMessage>
  ): ReadonlyArray<ConversationMessage> => {
    const last = messages.at(-1)
    const looks = order.tools.some((tool) => !fileTools.has(tool))
    if (last?.role !== "user" || !looks) return messages
    const reply = replyBudget(order, messages, assumedScale) - besideOutputs
    const fold = (replyBudget(order, order.fold(messages, ""), assumedScale) - besideOutputs) * newestShare
    const lines = Math.floor((fold > reply * worthwhile ? fold : reply) / shownLine / 10) * 10
    if (lines < leastLines) return messages
    const room = ` There is room for about ${lines} lines of output in all.`
    return [...messages.slice(0, -1), { ...last, content: `${last.content.trimEnd()}${room}` }]
  }

  /** The characters that a fold may have, of which the outputs of the last answer take the most. */
  const foldBudget = (order: AnyOrder, progress: Progress, left = order.fold(progress.messages, "")): number => {
    const kept = conversationOf(order, left)
    const room = charactersIn(window * foldTo, scaleOf(order)) - charactersOf(measuredPrompt(kept))
    // What the last answer asked for comes first: cut to less, the model would ask for it again.
    const most = replyBudget(order, kept.messages)
    const wanted = Math.max(lastReply(progress.messages), lastOutputs(progress) / newestShare)
    return Math.max(room, most / 2, Math.min(most, wanted))
  }

  /** The messages of turns in whose place stands what the host knows of them. */
  const foldedMessages = (order: AnyOrder, progress: Progress, now: string) => {
    const { checks, issues, messages, outcomes: own } = progress
    const outcomes = [...(order.earlier ?? []), ...own]
    const files = changes.named(order.copy)
    const left = order.fold(messages, "")
    const isKnown = outcomes.length + files.length + issues.length > 0 || now !== order.goOn
    if (!isKnown) return left
    const budget = foldBudget(order, progress, left)
    const above = left.map(messageText).join("\n")
    return order.fold(
      messages,
      foldText({ outcomes, open: openChanges(outcomes), files, above, checks, issues, now, budget })
    )
  }

  /**
   * Puts what the host knows in the place of the turns when they have taken too much of the window, or have left the last reply
   * too little room; `left` answers are to come.
   */
  const folded = (order: AnyOrder, progress: Progress, left: number): Progress => {
    const tokensOf = (messages: ReadonlyArray<ConversationMessage>): number =>
      neededTokens(measuredPrompt(conversationOf(order, messages)), scaleOf(order))
    const before = tokensOf(progress.messages)
    const reply = lastReply(progress.messages)
    const hasRoom = (): boolean => foldBudget(order, progress) * newestShare > reply * worthwhile
    const isCut = lastOutputs(progress) > reply * worthwhile && hasRoom()
    if (before <= window * foldAt && !isCut) return progress
    const now = left <= warnedTurns ? nowText(order, left) : order.goOn
    const shown = foldedMessages(order, progress, now)
    const messages = left > 1 ? sayingRoom(order, shown) : shown
    return isCut || tokensOf(messages) < before ? { ...progress, hasFolded: true, messages } : progress
  }

  /** How the server may hold the next answer to a form, after one that could not be used. */
  const boundBy = (order: AnyOrder, { unusable }: Progress): Bound => {
    const last = unusable.at(-1)
    if (last === undefined || isNative(order)) return {}
    const tools = registry.tools.filter(({ name }) => order.tools.includes(name) && !fileTools.has(name))
    return {
      grammar: order.grammar?.(tools),
      format: tools.length > 0 && mentionsCall(last) ? callSchema(tools) : undefined
    }
  }

  /** Asks for the next answer; one that cannot be read at all is an answer with issues. */
  const ask = Effect.fnUntraced(function* (order: AnyOrder, progress: Progress, turn: number) {
    const conversation = conversationOf(order, progress.messages)
    return yield* caller
      .ask({
        id: order.idOf(turn),
        step: order.step,
        prompt: measuredPrompt(conversation),
        conversation,
        model: order.skill?.model,
        tuning: progress.tuning,
        bound: boundBy(order, progress),
        ...(order.listen === undefined ? {} : { listen: order.listen })
      })
      .pipe(
        Effect.map(({ calls = [], text, thinking }): Heard => ({
          ...plainReply(text),
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

  /** Checks what the working copy changes, where commands can see it. */
  const check = Effect.fnUntraced(function* (
    { copy, request, round, task }: Pick<AnyOrder, "copy" | "request" | "round" | "task">,
    turn: number,
    made: ReadonlyArray<FileFact> = []
  ) {
    const paths = [...new Set([...made, ...changes.named(copy)].map(({ path }) => path))]
    if (paths.length === 0 || (made.length === 0 && (yield* commands.copies).mechanism === "none")) return []
    return yield* checksOfHost.run({ task, round, turn, request }, paths)
  })

  const reject = ({ endsItself }: AnyOrder, call: ModelCallId, answer: string, issues: ReadonlyArray<Issue>) =>
    events.publish({
      type: "answer.rejected",
      call,
      answer,
      issues,
      ...(endsItself === true ? {} : { mostAttempts: limits.attempts })
    })

  /** Makes what an answer asks for, and checks what that changes. */
  const carryOut = Effect.fnUntraced(function* <E>(
    order: Omit<TurnOrder<unknown, E>, "take">,
    turn: number,
    calls: ReadonlyArray<ToolCall>,
    { changes: written }: Answered,
    made: ReadonlyArray<FileFact>
  ) {
    if (calls.length === 0) {
      return {
        outcomes: [],
        denied: undefined,
        files: [],
        hasChanged: false,
        checks: undefined,
        changedFiles: [],
        left: []
      }
    }
    const { copy } = order
    const known = changes.named(copy)
    const version = copy.version()
    const changed = written.flatMap((change) => ("path" in change ? [change.path] : []))
    const leftOut = written.flatMap((change) => ("except" in change ? change.except : []))
    const uids = calls.map((one) => ({ ...one, uid: turnUid(turn, one.uid) }))
    yield* order.announce?.(turn, uids, [...new Set(changed)]) ?? Effect.void
    const acted = yield* act(order, turn, calls)
    const hasChanged = copy.version() !== version || acted.files.length > 0
    const changedFiles = changedSince(changes.named(copy), known)
    return {
      ...acted,
      hasChanged,
      changedFiles,
      left: hasChanged ? yield* leftovers(order, turn, changedFiles, leftOut) : [],
      checks: hasChanged ? yield* check(order, turn, [...made, ...acted.files]) : undefined
    }
  })

  /** True for a report about the project for which nothing was looked at, and that links nothing of it. */
  const looksUnfounded = (order: AnyOrder, { outcomes }: Progress, report: string): Effect.Effect<boolean> => {
    const { basis, copy, earlier = [], tools } = order
    const canLook = tools.some((tool) => !fileTools.has(tool) && registry.find(tool)?.effect === "pure")
    const isFounded =
      basis === undefined ||
      !canLook ||
      outcomes.length + earlier.length > 0 ||
      copy.files().length > 0 ||
      questionOf(report) !== undefined ||
      restsOnProject(report, basis.shown)
    return isFounded ? Effect.succeed(false) : basis.isProject
  }

  /** Holds a report against the changes and its links against the project; nothing when it is sent back. */
  const takeReport = Effect.fnUntraced(function* <A>(
    order: Pick<TurnOrder<A, unknown>, "take"> & AnyOrder,
    progress: Progress,
    report: string,
    isLast: boolean
  ) {
    const isUnfounded = yield* looksUnfounded(order, progress, report)
    const known = isLast ? [] : reportIssues(order, progress, report)
    const again = isUnfounded && !isLast && progress.unfoundedReports === 0 ? [notLooked] : []
    if (known.length + again.length > 0) {
      return { value: undefined, issues: known.length > 0 ? known : again, repairs: [], isUnfounded }
    }
    const { fallback, issues, repairs, value } = yield* order.take(report, progress)
    if (issues.length === 0 && value._tag === "Some") {
      return { value: { taken: value.value }, issues, repairs, isUnfounded }
    }
    if (fallback !== undefined && (isLast || progress.rejectedReports > 0)) {
      return { value: { taken: fallback.value }, issues: [], repairs: fallback.repairs, isUnfounded }
    }
    return { value: undefined, issues, repairs: [], isUnfounded: false }
  })

  /** The instructions for the files of these calls that are not shown yet, in a part of what the reply may have. */
  const instructionsFor = (
    order: AnyOrder,
    turn: number,
    calls: ReadonlyArray<ToolCall>,
    messages: ReadonlyArray<ConversationMessage>
  ): Effect.Effect<string> => {
    const files = calls.flatMap((call) => (typeof call.arguments["path"] === "string" ? [pathOf(call)] : []))
    return files.length === 0 || order.instructions === undefined
      ? Effect.succeed("")
      : order.instructions(turn, files, replyBudget(order, messages) / 2)
  }

  /** One turn: an answer, what it asks for, and the reply to it. */
  const step = Effect.fnUntraced(function* <A, E>(
    order: TurnOrder<A, E>,
    given: Progress,
    turn: number,
    { kept, most }: { readonly kept: KeptReport<A> | undefined; readonly most: number }
  ) {
    let before = { ...folded(order, given, most - turn + 1), turn }
    order.keep(before)
    const call = order.idOf(turn)
    const said = yield* ask(order, before, turn).pipe(
      Effect.catchIf(
        ({ isTooLong }) => isTooLong,
        (error) => {
          // What the server counted was learnt, so that less is kept now.
          const shorter = folded(order, given, most - turn + 1)
          if (lengthOf(shorter) >= lengthOf(before)) return Effect.fail(error)
          before = { ...shorter, turn }
          order.keep(before)
          return ask(order, before, turn)
        }
      )
    )
    const { message, native, turn: read } = yield* readHeard(order, said)
    const { checked, dropped, refused, tooMany, ...found } = yield* checkCalls(order, read)
    const left = most - turn
    const possible = checked.flatMap((one) => (one.issues.length === 0 ? [one.call] : []))
    // What is asked for without a report comes to nothing when no answer is left.
    const calls = left === 0 && read.report === undefined ? [] : possible
    const messages = [...before.messages, message]
    order.keep({ ...before, messages })
    const { changedFiles, denied, hasChanged, outcomes, ...made } = yield* carryOut(
      order,
      turn,
      calls,
      read,
      before.files
    )
    const checks = made.checks ?? before.checks
    const files = [...before.files, ...made.files]
    const missed = [...refused, ...dropped].map((one) => refusedOutcome(one, turn))
    let all: Progress = {
      ...before,
      messages,
      outcomes: [...before.outcomes, ...outcomes, ...missed],
      files,
      checks
    }
    const isOfText = ({ wanted }: CheckedCall): boolean =>
      !native.some((one) => callSign(one.call) === callSign(wanted))
    const problems = [
      ...read.issues,
      ...found.issues,
      ...checked.flatMap((one) => (isOfText(one) ? one.issues : [])),
      ...(native.length === 0 ? tooMany : [])
    ]
    const isOpen = problems.length > 0 || outcomes.some(({ result }) => !result.success)
    const instructions = left === 0 ? "" : yield* instructionsFor(order, turn, [...calls, ...read.calls], messages)
    /* A report beside changes was written without what the host says of them. */
    const isEarly = hasChanged && left > 0 && (made.left.length > 0 || !checks.every(isFine) || instructions !== "")
    const report =
      read.report === undefined || isOpen || isEarly || read.calls.length > 0
        ? undefined
        : yield* takeReport(order, all, read.report, left === 0 && order.endsItself === true)
    all = { ...all, isUnfounded: report?.value !== undefined && report.isUnfounded }
    const issues = [...problems, ...(report?.issues ?? [])]
    const repairs = [
      ...read.repairs,
      ...found.repairs,
      ...checked.flatMap((one) => one.repairs),
      ...(report?.repairs ?? [])
    ]
    if (repairs.length > 0 && issues.length === 0) yield* events.publish({ type: "answer.repaired", call, repairs })
    const isAsBefore = kept?.version === order.copy.version() && asksNothing(said.answer, read, native)
    /* A test that passes changes nothing that the report is about; what it tests stands among the facts. */
    const isTested =
      kept !== undefined &&
      hasChanged &&
      !isOpen &&
      checks.length > 0 &&
      checks.every(passes) &&
      changedSinceReport(kept, order).every(({ path }) => isTestFile(changes.nameOf(path)))
    const known = kept === undefined ? undefined : { taken: kept.value }
    const taken = isAsBefore ? known : (report?.value ?? (isTested ? known : undefined))
    if (taken !== undefined) {
      const question = kept === undefined ? yield* lookBack(order, all, left) : undefined
      const asked = question === undefined ? all : { ...all, messages: [...messages, fromHost(question)] }
      /* A question that the next fold would take out of the conversation is not worth a call. */
      const isAsked = asked !== all && folded(order, asked, left) === asked
      order.keep(isAsked ? asked : all)
      if (isAsked) {
        return { end: undefined, progress: asked, last: false, kept: keepReport(order, all, taken.taken) }
      }
      return { end: { _tag: "Taken", value: taken.taken } as TurnsEnd<A>, progress: all, last: false, kept }
    }
    const replies = nativeReplies(native, checked, outcomes, turn, tooMany)
    const wrong = [...issues, ...replies.flatMap((one) => (one.outcome === undefined ? one.issues : []))]
    if (wrong.length > 0) yield* reject(order, call, said.answer, wrong)
    const answer = said.answer.trim()
    const isRepeated = before.answers.has(answer) && native.length === 0
    const isUnusable = possible.length === 0 && wrong.length > 0
    const isUseless =
      isUnusable &&
      native.length === 0 &&
      read.hasUse !== true &&
      (isRepeated || holdsNothing(read.report === undefined ? read.issues : issues))
    const tools = toolMessages(replies, replyBudget(order, messages))
    const repeated = repeatedCall(all.outcomes, limits.identicalCalls)
    const isEnding = order.endsItself === true && (repeated ?? denied) !== undefined
    const isNativeOutcome = (one: CallOutcome): boolean => replies.some(({ outcome }) => outcome === one)
    const remaining = isEnding ? 1 : left
    const others = outcomes.filter((one) => !isNativeOutcome(one))
    const needsReply =
      native.length === 0 ||
      issues.length > 0 ||
      others.length > 0 ||
      hasChanged ||
      instructions !== "" ||
      remaining <= warnedTurns
    const reply = replyText({
      turn,
      issues: issuesAsShown(issues, said.answer, said.shown),
      outcomes: others,
      files: native.length === 0 ? changedFiles : [],
      checks: hasChanged ? checks : [],
      replaced: found.replaced,
      leftovers: made.left,
      instructions,
      before: [...(order.earlier ?? []), ...before.outcomes],
      hasFolded: before.hasFolded,
      isRepeated,
      correction: report === undefined ? undefined : order.correction,
      now: nowText(order, remaining),
      budget: replyBudget(order, [...messages, ...tools])
    })
    const replied = [...messages, ...tools, ...(needsReply ? [fromHost(reply)] : [])]
    const progress: Progress = {
      ...all,
      issues: wrong,
      unusable: isUnusable ? [...all.unusable, answer] : [],
      useless: isUseless ? all.useless + 1 : 0,
      rejectedReports: all.rejectedReports + (report === undefined ? 0 : 1),
      unfoundedReports: all.unfoundedReports + (report?.isUnfounded === true ? 1 : 0),
      answers: new Set([...all.answers, answer]),
      tuning: {
        repeats: all.tuning.repeats + (isRepeated ? 1 : 0),
        thinkingCuts: all.tuning.thinkingCuts + (said.hasOnlyThought === true ? 1 : 0)
      },
      messages: remaining > 1 ? sayingRoom(order, replied) : replied
    }
    order.keep(progress)
    const end: TurnsEnd<A> | undefined =
      repeated !== undefined
        ? { _tag: "Repeated", call: repeated }
        : denied !== undefined
          ? { _tag: "Denied", message: denied }
          : progress.useless >= mostUselessAnswers
            ? { _tag: "Unusable", unable: unableText(order.skill?.model ?? settings.model, call.stage) }
            : progress.unusable.length >= limits.attempts
              ? { _tag: "Unusable" }
              : undefined
    return { end, progress, last: isEnding, kept }
  })

  /** Takes turns until a report is taken, or there is no further one. */
  const turns = Effect.fnUntraced(function* <A, E>(
    order: TurnOrder<A, E>,
    begun: Progress
  ): Effect.fn.Return<TurnsEnd<A>, ModelError | TooManyDenials | E> {
    let progress = begun
    let most = order.mostTurns
    let end: TurnsEnd<A> = { _tag: "Limit", turns: most }
    let kept: KeptReport<A> | undefined
    for (let turn = begun.turn + 1; turn <= most; turn += 1) {
      const taken = yield* step(order, progress, turn, { kept, most })
      progress = taken.progress
      kept = taken.kept
      if (taken.end === undefined) continue
      end = end._tag === "Limit" || taken.end._tag === "Taken" ? taken.end : end
      if (!taken.last || turn === most) return ended(order, end, progress, kept)
      most = turn + 1
    }
    return ended(order, end, progress, kept)
  })

  /** The changes of the working copy as calls that make them, whose uids begin with `word`, and what the host knows of them. */
  const proposed = (
    { copy }: Pick<AnyOrder, "copy">,
    { checks, files: made = [], turn }: Pick<Progress, "checks" | "turn"> & Partial<Pick<Progress, "files">>,
    word?: string
  ): Pick<Refinement, "bases" | "calls" | "checks" | "files" | "turns"> => {
    const named = changes.named(copy)
    const proposed = fileFacts(named)
    const files = joinedFiles([...made, ...proposed])
    return {
      calls: changes.final(copy, word),
      ...(named.length === 0 ? {} : { bases: named.map(baseOf), turns: turn }),
      ...(files.length === 0 ? {} : { files }),
      ...(files.length === 0 || checks.length === 0 ? {} : { checks })
    }
  }

  /** What the calls of a task see: the project itself where each change is asked about first. */
  const within =
    ({ copy, skill }: Pick<AnyOrder, "copy" | "skill">) =>
    <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      work.pipe(
        Effect.provideService(CurrentCopy, settings.askFirst === true ? undefined : copy),
        Effect.provideService(SkillFiles, new Set(skill?.files?.filter((file) => isAbsolute(file))))
      )

  return {
    act,
    ask,
    within,
    check: (order: Pick<AnyOrder, "copy" | "request" | "round" | "task">, turn: number) =>
      Effect.provideService(check(order, turn), CurrentCopy, order.copy),
    checkCalls,
    changedPaths: ({ copy }: Pick<AnyOrder, "copy">) => changes.named(copy).map(({ path }) => path),
    foldedMessages,
    proposed,
    readHeard,
    reject,
    replyBudget,
    sayingRoom,
    turns: <A, E>(order: TurnOrder<A, E>, begun: Progress) => within(order)(turns(order, begun))
  }
})
