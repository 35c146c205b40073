/**
 * Chooses the outputs that stay in the summary that replaces old turns. A repeated call would still return these
 * outputs, and the next answer probably needs them.
 */
import { isRead, linesOfRead } from "../models/CallLine.ts"
import { callFrame } from "../models/ExecutionBlocks.ts"
import { outcomeText } from "../models/OutputText.ts"
import { holdsRange } from "../text/LineRange.ts"
import { badExit, type CallOutcome, isChange, pathOf } from "../tools/ToolCall.ts"
import { turnOf } from "../tools/ToolCallFormat.ts"
import { callSign } from "./TaskOutcome.ts"
import type { TurnFacts } from "./TurnFacts.ts"

/** A shortened output keeps at least this many characters. */
const leastPart = 1000

const isSearch = ({ call }: CallOutcome): boolean => call.name === "search_files"

/** True if the later read shows all lines of the earlier read. */
const showsLinesOf = (later: CallOutcome, earlier: CallOutcome): boolean => {
  const [outer, inner] = [linesOfRead(later), linesOfRead(earlier)]
  return outer !== undefined && inner !== undefined && holdsRange(outer, inner)
}

/**
 * True if the call would still return this output, and no later output replaces it. The output of a search is replaced
 * when a later answer searches again.
 */
const isCurrent = (outcome: CallOutcome, later: ReadonlyArray<CallOutcome>): boolean => {
  if (isChange(outcome) || !outcome.result.success) return false
  if (isSearch(outcome)) {
    const matches = outcomeText(outcome)
    const isMoved = ({ call, result }: CallOutcome): boolean => result.success && matches.includes(`${pathOf(call)}:`)
    return later.every((next) =>
      isChange(next) ? !isMoved(next) : !isSearch(next) || turnOf(next) === turnOf(outcome)
    )
  }
  if (later.some(({ call }) => callSign(call) === callSign(outcome.call))) return false
  if (!isRead(outcome)) return true
  return later.every(
    (one) =>
      pathOf(one.call) !== pathOf(outcome.call) ||
      (isChange(one) ? !one.result.success : !isRead(one) || !showsLinesOf(one, outcome))
  )
}

/** The calls of the last answer. */
export const latestCalls = (outcomes: ReadonlyArray<CallOutcome>): ReadonlyArray<CallOutcome> => {
  const last = outcomes.at(-1)
  return outcomes.filter((one) => last !== undefined && turnOf(one) === turnOf(last))
}

/**
 * The outputs worth showing.
 * - `newest`: the outputs of the last answer.
 * - `before`: the outputs of earlier answers. The last failed command comes first, together with the reads of files
 *   whose change failed. All other outputs follow, the newest first, and searches last: the list of calls names the lines
 *   that they found.
 */
export const outputsOf = ({ open, outcomes }: Pick<TurnFacts, "open" | "outcomes">) => {
  const current = outcomes.filter((outcome, index) => isCurrent(outcome, outcomes.slice(index + 1)))
  const latest = new Set(latestCalls(outcomes))
  const newest = current.filter((one) => latest.has(one))
  const before = current.filter((one) => !latest.has(one))
  const failed = new Set(open.map(({ call }) => pathOf(call)))
  const lastFailed = before.findLast(({ result }) => badExit(result) !== undefined)
  const isNeeded = (one: CallOutcome): boolean => one === lastFailed || (isRead(one) && failed.has(pathOf(one.call)))
  const others = before.filter((one) => !isNeeded(one)).toReversed()
  return {
    newest,
    before: [...before.filter(isNeeded), ...others.filter((one) => !isSearch(one)), ...others.filter(isSearch)]
  }
}

/** True for a read or a search: its first part alone would make the model repeat the call. */
const isWholeOnly = (one: CallOutcome): boolean => isRead(one) || isSearch(one)

/**
 * Chooses the outputs that fit, in the order of `ordered`, in `most` characters. At most one output is cut, because
 * fragments of many outputs would be useless.
 */
export const fittingOutputs = (ordered: ReadonlyArray<CallOutcome>, most: number): ReadonlySet<CallOutcome> => {
  const chosen = new Set<CallOutcome>()
  let budgetLeft = most
  for (const outcome of ordered) {
    const size = callFrame([outcome]) + outcomeText(outcome).length
    if (size > budgetLeft && (budgetLeft < leastPart || isWholeOnly(outcome))) continue
    chosen.add(outcome)
    budgetLeft -= size
  }
  return chosen
}
