/**
 * Describes a call in every approval question: with a sentence, and with the arguments that the sentence omits. So no
 * user approves a call without seeing its arguments.
 */
import { fenced } from "../markdown/PromptBlock.ts"
import { printableJson } from "../text/Printable.ts"
import type { ApprovalItem } from "./ApprovalItem.ts"

/** True for a step that needs approval although it has no calls. */
export const hasNoCall = ({ call, targets }: ApprovalItem): boolean => call === undefined && targets.length === 0

/** What the call does, as a text that begins with a verb. If there is no call, the text says so. */
export const itemDoes = (item: ApprovalItem): string => {
  const { origin, targets, tool, words } = item
  if (words !== undefined) return words.does
  if (hasNoCall(item)) return "no tool call"
  const whose = origin === undefined ? "" : ` (plugin ${origin})`
  return `use ${tool}${whose}${targets.length === 0 ? "" : ` on ${targets.join(", ")}`}`
}

/**
 * True if the summary describes the call completely. False for a plugin's tool, because only the arguments describe its
 * call.
 */
export const wordsSayCall = ({ origin, targets, words }: ApprovalItem): boolean =>
  words !== undefined && origin === undefined && targets.length > 0

export const argumentsOf = ({ call }: ApprovalItem): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(call?.arguments ?? {})

/** The arguments that the summary omits. The question shows them separately. */
export const unsaidArguments = (item: ApprovalItem): ReadonlyArray<readonly [string, unknown]> =>
  wordsSayCall(item) ? [] : argumentsOf(item)

/** The arguments that the summary omits, as markdown without hidden characters. Empty if there are none. */
export const unsaidArgumentsText = (item: ApprovalItem): string => {
  const unsaid = unsaidArguments(item)
  return unsaid.length === 0 ? "" : fenced(printableJson(Object.fromEntries(unsaid), 2), "json")
}
