/** The calls and changes of an answer after their checks and before they run. */
import { type Issue, makeIssue, makeRepair, type Repair } from "../findings/Issue.ts"
import { type CallOutcome, type ToolCall, fileTools, mayChangeFiles } from "../tools/ToolCall.ts"
import { turnUid } from "../tools/ToolCallFormat.ts"
import { type UnmadeChange, unreadChanges } from "../tools/OpenChanges.ts"
import type { ParsedAnswer } from "./TurnAnswer.ts"
import { callSign } from "./TaskOutcome.ts"
import type { TurnContent } from "./TurnFormat.ts"
import type { CallReply } from "./TurnReply.ts"

/** A checked call of an answer; `wanted` is the call as the model wrote it. */
export interface AnswerCall {
  readonly wanted: ToolCall
  readonly call: ToolCall
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
}

/** The checked calls and changes of an answer. */
export interface CheckedCalls {
  readonly calls: ReadonlyArray<AnswerCall>
  /** Issues of changes that the program could not turn into a call. */
  readonly issues: ReadonlyArray<Issue>
  /** Changes that did not run. The model must still make them. */
  readonly unmade: ReadonlyArray<UnmadeChange>
  /** The issue of an answer with more calls than one turn allows. */
  readonly tooMany: ReadonlyArray<Issue>
  /** One sentence for each replacement: the replaced text, and the places that change. */
  readonly replaced: ReadonlyArray<string>
  readonly repairs: ReadonlyArray<Repair>
}

/** Calls that belong together, such as all calls that one replacement needs. */
type CallGroup = ReadonlyArray<ToolCall>

/** The groups without repeated calls. Drops groups that become empty. */
export const withoutDoubles = (groups: ReadonlyArray<CallGroup>): ReadonlyArray<CallGroup> => {
  const all = groups.flat()
  const isFirst = (call: ToolCall): boolean => all.find((other) => callSign(other) === callSign(call)) === call
  return groups.map((calls) => calls.filter(isFirst)).filter((calls) => calls.length > 0)
}

/** The changes that did not run, because they have issues, exceed the limit, or could not be read. */
export const droppedChanges = (
  calls: ReadonlyArray<AnswerCall>,
  beyond: ReadonlyArray<UnmadeChange>,
  { issues, report }: TurnContent
): ReadonlyArray<UnmadeChange> =>
  [
    ...calls.flatMap(({ call, issues: [issue] }) => (issue === undefined ? [] : [{ call, issue }])),
    ...beyond,
    ...unreadChanges(issues, report !== undefined)
  ].filter(({ call }) => fileTools.has(call.name))

/** The calls that make one change of an answer. */
interface ChangeCalls {
  readonly calls: CallGroup
  readonly issues: ReadonlyArray<Issue>
  /**
   * `refused` is set if the change would remove too much text, and is then this change. `leftOut` has the changes in
   * which the model omitted text.
   */
  readonly refused?: UnmadeChange
  readonly leftOut?: ReadonlyArray<UnmadeChange>
  readonly replaced?: string
}

interface CheckedParts {
  readonly task: string
  readonly changed: ReadonlyArray<ChangeCalls>
  readonly groups: ReadonlyArray<CallGroup>
  readonly parts: ReadonlyArray<CallGroup>
  /** The maximum number of calls and changes of one turn. */
  readonly most: number
  readonly checked: ReadonlyArray<AnswerCall | UnmadeChange>
  readonly tools: ReadonlyArray<string>
}

export const joinedChecks = (content: TurnContent, parts: CheckedParts): CheckedCalls => {
  const { changed, checked, groups, most, task, tools } = parts
  const where = { section: "Tool Calls", task }
  const beyond = `There are ${parts.parts.length} calls and changes, and only the first ${most} are done in one turn.`
  const tooMany = parts.parts.length <= most ? [] : [makeIssue("tool-calls-many", where, { what: beyond })]
  const calls = checked.flatMap((result) => ("issue" in result ? [] : [result]))
  const refused = [
    ...changed.flatMap((change) => change.refused ?? []),
    ...checked.flatMap((result) => ("issue" in result ? [result] : []))
  ]
  const undone = parts.parts.slice(most).flat()
  const left = undone.flatMap((call) => tooMany.map((issue) => ({ call, issue })))
  // The model must make dropped changes later. A task without file tools cannot make any.
  const dropped = mayChangeFiles(tools) ? droppedChanges(calls, left, content) : []
  const isDoubled = parts.parts.flat().length < groups.flat().length
  const doubled = "Made a call once that was written several times."
  return {
    calls,
    issues: [...changed.flatMap(({ issues }) => issues), ...refused.map(({ issue }) => issue)],
    unmade: [...refused, ...changed.flatMap(({ leftOut }) => leftOut ?? []), ...dropped],
    tooMany,
    replaced: changed.flatMap(({ replaced }) => replaced ?? []),
    repairs: isDoubled ? [makeRepair("tool-call-known", where, doubled)] : []
  }
}

/** The issues of an answer, except those of native calls: the reply to each native call reports its own issues. */
export const answerIssues = ({ content, native }: ParsedAnswer, checked: CheckedCalls): ReadonlyArray<Issue> => {
  const nativeSigns = new Set(native.map(({ call }) => callSign(call)))
  return [
    ...content.issues,
    ...checked.issues,
    ...checked.calls.flatMap(({ issues, wanted }) => (nativeSigns.has(callSign(wanted)) ? [] : issues)),
    ...(native.length === 0 ? checked.tooMany : [])
  ]
}

/** True if neither the text of the answer nor one of its calls has an issue. */
export const isFaultless = ({ content, native }: ParsedAnswer, { calls, issues, tooMany }: CheckedCalls): boolean =>
  content.issues.length + issues.length + tooMany.length === 0 &&
  [...calls, ...native].every((call) => call.issues.length === 0)

export const callReplies = (
  { native }: ParsedAnswer,
  { calls, tooMany }: CheckedCalls,
  outcomes: ReadonlyArray<CallOutcome>,
  turn: number
): ReadonlyArray<CallReply> =>
  native.map(({ asked: askedCall, call, issues }) => {
    const match = calls.find(({ wanted }) => callSign(wanted) === callSign(call))
    const uid = turnUid(turn, match?.call.uid ?? "")
    const outcome = issues.length > 0 ? undefined : outcomes.find((ran) => ran.call.uid === uid)
    return { askedCall, outcome, issues: issues.length > 0 ? issues : (match?.issues ?? tooMany) }
  })
