/**
 * What an approval question says of a call, whoever shows it: what the call does, and the arguments that these words leave out.
 * Nobody approves a call without seeing what it is called with.
 */
import { fenced } from "../markdown/PromptBlock.ts"
import { printableJson } from "../text/Printable.ts"
import type { ApprovalItem } from "./ApprovalItem.ts"

/** True for a step that is asked about although it makes no call. */
export const hasNoCall = ({ call, targets }: ApprovalItem): boolean => call === undefined && targets.length === 0

/** What the call does; begins with a verb, unless there is no call. */
export const itemDoes = (item: ApprovalItem): string => {
  const { origin, targets, tool, words } = item
  if (words !== undefined) return words.does
  if (hasNoCall(item)) return "no tool call"
  const whose = origin === undefined ? "" : ` (plugin ${origin})`
  return `use ${tool}${whose}${targets.length === 0 ? "" : ` on ${targets.join(", ")}`}`
}

/** True when the words say what a call does; what a tool of a plugin does is in its arguments only. */
export const wordsSayCall = ({ origin, targets, words }: ApprovalItem): boolean =>
  words !== undefined && origin === undefined && targets.length > 0

export const argumentsOf = ({ call }: ApprovalItem): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(call?.arguments ?? {})

/** The arguments that every question shows beside its words. */
export const unsaidArguments = (item: ApprovalItem): ReadonlyArray<readonly [string, unknown]> =>
  wordsSayCall(item) ? [] : argumentsOf(item)

/** The same as a block of Markdown, without hidden characters; empty when there are none. */
export const unsaidArgumentsText = (item: ApprovalItem): string => {
  const unsaid = unsaidArguments(item)
  return unsaid.length === 0 ? "" : fenced(printableJson(Object.fromEntries(unsaid), 2), "json")
}
