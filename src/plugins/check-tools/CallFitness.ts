/** Finds calls in a refinement that would fail, that are repeated too often, or that are missing. Runs no call. */
import * as Effect from "effect/Effect"
import { callSign, excerpt, type Issue, makeIssue, type Reading, type Task, type Where } from "../../kit/documents.ts"
import { toolCallText } from "../../kit/runs.ts"
import { cutText } from "../../kit/text.ts"
import type { ToolCall, ToolRegistry } from "../../kit/tools.ts"

/** The maximum length of a call's name (tool and main argument), in columns. */
const maxCallColumns = 120

type Registry = Pick<ToolRegistry["Service"], "find" | "inspect">

const pathOf = ({ arguments: given }: ToolCall): unknown => given["path"]

/**
 * True if an earlier call may make this call possible: it replaces the same file, or has unknown effects, like a
 * command. An edit does not count, because all edits must fit the file's current text.
 */
const mayBePrepared = (call: ToolCall, before: ReadonlyArray<ToolCall>, { find }: Registry): boolean =>
  before.some((earlier) => {
    const path = pathOf(earlier)
    if (find(earlier.name)?.effect === "pure") return false
    if (typeof path !== "string") return true
    return path === pathOf(call) && find(earlier.name)?.effect === "idempotent"
  })

/**
 * An issue for each call that would fail to change a file. `where` is the place of the calls. There is no issue about a
 * file that may not be shown, because the issue would reveal the content.
 */
export const unfitCalls = Effect.fnUntraced(function* (
  calls: ReadonlyArray<ToolCall>,
  where: Where,
  registry: Registry,
  mayReveal: (call: ToolCall) => Effect.Effect<boolean>
) {
  const issues: Array<Issue> = []
  for (const [index, call] of calls.entries()) {
    const isReading = registry.find(call.name)?.effect === "pure"
    if (isReading || mayBePrepared(call, calls.slice(0, index), registry)) continue
    const failure = (yield* mayReveal(call)) ? yield* registry.inspect(call) : undefined
    if (failure === undefined) continue
    const text = cutText(toolCallText(call).replaceAll(/\s+/g, " "), maxCallColumns)
    const what = `The call ${call.uid} (${text}) would fail.`
    const how = failure.message.replace(/^Nothing was changed\. /, "")
    issues.push(makeIssue("tool-call-unfit", where, { what, how }))
  }
  return issues
})

const callsOf = (task: Task): Where => ({ section: "Tool Calls", task: task.name })

/** An issue for each call that is repeated too often. */
export const checkRepetition = (calls: ReadonlyArray<ToolCall>, limit: number, task: Task): ReadonlyArray<Issue> => {
  if (calls.length < limit) return []
  const counts = new Map<string, number>()
  for (const call of calls) counts.set(callSign(call), (counts.get(callSign(call)) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count >= limit)
    .map(([call, count]) =>
      makeIssue("tool-call-repeated", callsOf(task), {
        what: `The same call appears ${count} times.`,
        quote: call
      })
    )
}

/** The first line in `## Tool Calls` that is no call. Undefined if there is none. */
const proseOf = ({ repairs }: Pick<Reading<unknown>, "repairs">, text: string): string | undefined => {
  const ignored = repairs.find(
    ({ code, where }) => code === "text-ignored" && /^tool.?calls$/i.test(where.section ?? "")
  )
  return text.split("\n")[(ignored?.where.line ?? 0) - 1]?.trim()
}

/** The issue of a task without calls and references, which has nothing to work on. */
export const checkPurpose = (
  calls: ReadonlyArray<ToolCall>,
  task: Task,
  reading: Pick<Reading<unknown>, "repairs">,
  text: string
): ReadonlyArray<Issue> => {
  if (calls.length > 0 || task.references.length > 0) return []
  const quote = proseOf(reading, text)
  const instead = quote === undefined ? "" : ` Under "Tool Calls" is only text: "${excerpt(quote)}".`
  const what = `The task has neither a tool call nor a reference, so there is nothing to work on.${instead}`
  return [makeIssue("tool-call-missing", callsOf(task), { what, quote })]
}
