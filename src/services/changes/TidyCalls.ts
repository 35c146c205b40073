/**
 * Removes from the content of calls any text that does not belong in a file, such as a closing fence. Also finds
 * content that a call would destroy.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { elisionIn, type Loss, lossOf, mayBeUntidy, tidyNewText } from "../../domain/files/NewText.ts"
import { Issue, makeIssue, makeRepair, Repair } from "../../domain/findings/Issue.ts"
import { seenKey } from "../../domain/runs/ActivityKey.ts"
import { newTextsOf } from "../../domain/tools/OpenChanges.ts"
import { type Arguments, fileTools, isArguments, pathOf, ToolCall } from "../../domain/tools/ToolCall.ts"
import { isFileAt, Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { Gate, mayShow } from "../permissions/Gate.ts"
import { maxSearchedBytes } from "./SearchedTexts.ts"

/** A tidied call, with its repairs and issues. */
const TidiedCall = Schema.Struct({
  call: ToolCall,
  issues: Schema.Array(Issue),
  repairs: Schema.Array(Repair),
  /** The issue if the call would destroy content of its file. */
  lost: Schema.optionalKey(Issue)
})
type TidiedCall = typeof TidiedCall.Type

/** The arguments of a call, in which `change` was applied to each new text. */
const withNewTexts = (values: Arguments, change: (newText: string, oldText?: string) => string): Arguments => {
  const { content, edits, new_text: newText, old_text: oldText } = values
  return {
    ...values,
    ...(typeof content === "string" ? { content: change(content) } : {}),
    ...(typeof newText === "string" && typeof oldText === "string" ? { new_text: change(newText, oldText) } : {}),
    ...(Array.isArray(edits) ? { edits: edits.map((one) => (isArguments(one) ? withNewTexts(one, change) : one)) } : {})
  }
}

/** The task and its request. `saysSo` is true if the answer says that it removes text. */
interface Asked {
  readonly task: string
  readonly request: string
  readonly saysSo: boolean
}

/** The content of a file that the new texts of a call would destroy. */
const losses = (
  { arguments: values, ...call }: ToolCall,
  base: string | null,
  { request, saysSo }: Asked
): ReadonlyArray<Loss> => {
  const path = pathOf({ ...call, arguments: values })
  const edits = [values, ...(Array.isArray(values["edits"]) ? values["edits"].filter(isArguments) : [])]
  return edits.flatMap(({ content, new_text: newText, old_text: oldText }) =>
    typeof content === "string"
      ? (lossOf({ path, request, oldText: base ?? "", newText: content }, saysSo) ?? [])
      : typeof newText === "string" && typeof oldText === "string"
        ? (lossOf({ path, request, oldText, newText }, true) ?? [])
        : []
  )
}

const tidyCall = (call: ToolCall, base: string | null, request: Asked): TidiedCall => {
  const path = pathOf(call)
  const removedParts = new Set<string>()
  const problems: Array<string> = []
  const tidied = withNewTexts(call.arguments, (newText, oldText) => {
    const tidy = tidyNewText({ path, base, newText, ...(oldText === undefined ? {} : { oldText }) })
    for (const words of tidy.removedParts) removedParts.add(words)
    problems.push(...(tidy.problem === undefined ? [] : [tidy.problem]))
    return tidy.newText
  })
  const where = { section: "Changes", task: request.task }
  const loss = losses(call, base, request)[0]
  return {
    ...(loss === undefined ? {} : { lost: makeIssue(loss.code, where, loss) }),
    call: { ...call, arguments: tidied },
    issues: problems.map((what) => makeIssue("change-marks", where, { what })),
    repairs: [...removedParts].map((words) =>
      makeRepair("change-tidied", where, `Left out of the text for ${path}: ${words}.`)
    )
  }
}

/** Matches a path that may be spelled differently in the project, such as a path with blanks or backslashes. */
const mayBeRespelled = /^[\\/]|[^\w./@-]/

/** Returns a function that tidies a call. What it reads in the project is recorded for a replay. */
export const makeTidyCall = Effect.gen(function* () {
  const activities = yield* Activities
  const gate = yield* Gate
  const workspace = yield* Workspace

  return Effect.fnUntraced(function* (call: ToolCall, request: Asked): Effect.fn.Return<TidiedCall> {
    const { task } = request
    const written = pathOf(call)
    const isUntidy =
      call.name === "write_file" ||
      mayBeRespelled.test(written) ||
      newTextsOf(call.arguments).some(
        (text) => mayBeUntidy.test(text) || elisionIn({ path: written, newText: text, oldText: "" }) !== undefined
      )
    if (!fileTools.has(call.name) || !isUntidy) return { call, issues: [], repairs: [] } satisfies TidiedCall
    const look = Effect.gen(function* () {
      const path = yield* workspace.meant(written)
      const meant = path === written ? call : { ...call, arguments: { ...call.arguments, path } }
      const base = Effect.gen(function* () {
        const { inside, path: canonical } = yield* workspace.canonical(path)
        const isShown = inside && (yield* mayShow(gate)(canonical)) && (yield* isFileAt(workspace, canonical))
        return isShown ? yield* workspace.readText(canonical, maxSearchedBytes) : null
      })
      return tidyCall(meant, yield* Effect.orElseSucceed(base, () => null), request)
    })
    return yield* activities.record({ key: seenKey.tidied(task), success: TidiedCall }, look)
  })
})
