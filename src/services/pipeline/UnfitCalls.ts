/**
 * Issues about calls that would fail as they stand: the text that an edit replaces does not occur, a file is missing, a
 * folder is in the way. The model gets them before anybody is asked to approve the calls.
 */
import * as Effect from "effect/Effect"
import type { Issue, Where } from "../../domain/findings/Issue.ts"
import { makeIssue } from "../../domain/findings/IssueCode.ts"
import { callWords } from "../../domain/runs/CallWords.ts"
import { cutText } from "../../domain/text/TextWidth.ts"
import type { ToolCall } from "../../domain/tools/ToolCall.ts"
import type { ToolRegistry } from "../tools/ToolRegistry.ts"

/** A call is known by its tool and its main argument; a longer one is cut. */
const mostWords = 120

type Registry = Pick<ToolRegistry["Service"], "find" | "inspect">

const pathOf = ({ arguments: given }: ToolCall): unknown => given["path"]

/**
 * True when an earlier call may have made what a call needs: one that replaces the same file, or one that may change
 * anything, such as a command. Several edits of one file are found in the text that is there now.
 */
const mayBePrepared = (call: ToolCall, before: ReadonlyArray<ToolCall>, { find }: Registry): boolean =>
  before.some((earlier) => {
    const path = pathOf(earlier)
    if (find(earlier.name)?.effect === "pure") return false
    if (typeof path !== "string") return true
    return path === pathOf(call) && find(earlier.name)?.effect === "idempotent"
  })

/** One issue for each call that changes something and would fail; `where` is the place of the calls. */
export const unfitCalls = (
  calls: ReadonlyArray<ToolCall>,
  where: Where,
  registry: Registry
): Effect.Effect<ReadonlyArray<Issue>> =>
  Effect.map(
    Effect.forEach(calls, (call, index) =>
      Effect.gen(function* () {
        const isReading = registry.find(call.name)?.effect === "pure"
        if (isReading || mayBePrepared(call, calls.slice(0, index), registry)) return []
        const failure = yield* registry.inspect(call)
        if (failure === undefined) return []
        const what = `The call ${call.uid} (${cutText(callWords(call).replaceAll(/\s+/g, " "), mostWords)}) would fail.`
        return [
          makeIssue("tool-call-unfit", where, { what, how: failure.message.replace(/^Nothing was changed\. /, "") })
        ]
      })
    ),
    (found) => found.flat()
  )
