/**
 * Asks the user of an MCP client with a form: allow, allow and remember for this project, or no. The message describes
 * the call, because the form shows only the answers.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { stepText } from "../../kit/documents.ts"
import { fenced } from "../../kit/text.ts"
import { itemDoes, unsaidArgumentsText } from "../../kit/tools.ts"
import { type ApprovalItem, Approver, redactSecrets } from "../../plugin-kit.ts"
import type { Choose } from "./McpToolServer.ts"

const allow = "allow"
const remember = "allow and remember"
const no = "no"

/**
 * The rules that "allow and remember" saves: the first offered rule of each call, as with the key `p` in a terminal.
 */
const rulesOf = (items: ReadonlyArray<ApprovalItem>): ReadonlyArray<string> => [
  ...new Set(items.flatMap(({ offers }) => (offers?.always ?? []).slice(0, 1)))
]

const itemText = (item: ApprovalItem): string => {
  const { details = [], diff, facts = [], preview = "", warnings = [], words } = item
  return [
    words === undefined ? itemDoes(item) : `${itemDoes(item)}. ${words.consequence}`,
    ...warnings,
    unsaidArgumentsText(item),
    ...(words?.command === undefined ? details : [fenced(words.command, "")]),
    ...(diff === undefined ? [preview] : [fenced(diff, "diff")]),
    ...facts
  ]
    .filter((text) => text !== "")
    .join("\n\n")
}

const questionText = (title: string, items: ReadonlyArray<ApprovalItem>, rules: ReadonlyArray<string>): string => {
  const saved = rules.length === 0 ? [] : [`"${remember}" saves for this project: ${rules.join(", ")}`]
  return redactSecrets([title, ...items.map(itemText), ...saved].join("\n\n"))
}

/** Asks a client's user about steps and calls, but not about calls that a crash left without an outcome. */
export const layerClientApprover = (choose: Choose): Layer.Layer<Approver> => {
  const ask = Effect.fnUntraced(function* (title: string, items: ReadonlyArray<ApprovalItem>) {
    const rules = rulesOf(items)
    const choices = [allow, ...(rules.length === 0 ? [] : [remember]), no]
    const { by, choice } = yield* choose(questionText(title, items, rules), choices)
    return { by, choice, rules }
  })
  return Layer.succeed(Approver)({
    step: (title, items) =>
      Effect.map(ask(stepText(title), items), ({ by, choice, rules }) => {
        if (choice === allow) return { answer: "step", by }
        if (choice === remember && rules.length > 0) return { answer: "step", by, always: rules }
        return { answer: "decline", by }
      }),
    call: (item) =>
      Effect.map(ask(item.task, [item]), ({ by, choice, rules }) => {
        if (choice === allow) return { answer: "once", by }
        if (choice === remember && rules.length > 0) return { answer: "remember", by, always: rules }
        return { answer: "deny", by }
      }),
    inDoubt: () => Effect.succeed({ answer: "stop", by: "nobody" }),
    canAsk: Effect.succeed(true)
  })
}
