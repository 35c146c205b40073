/**
 * The changes that a task proposes: those of an answer as calls of the tools that change files, and at the end those of its
 * working copy as the calls that make them.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { type Change, pathQuestions } from "../../domain/files/ChangeBlocks.ts"
import type { ProjectPaths } from "../../domain/files/ChangePath.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import { counted } from "../../domain/text/Format.ts"
import { languageOf } from "../../domain/files/Language.ts"
import { elisionIn, type Loss, lossOf, mayBeUntidy, tidyNewText } from "../../domain/files/NewText.ts"
import type { CheckOutcome } from "../../domain/checks/CheckOutcome.ts"
import { type FileFact, fileFacts, joinedFiles } from "../../domain/checks/Facts.ts"
import type { TaskOutcome } from "../../domain/documents/TaskOutcome.ts"
import { Issue, makeIssue, makeRepair, Repair } from "../../domain/findings/Issue.ts"
import { gapText } from "../../domain/models/OutputCut.ts"
import { excerptOf } from "../../domain/excerpts/TextExcerpt.ts"
import { searchTermsOf } from "../../domain/excerpts/SearchTerms.ts"
import { type Arguments, fileTools, isArguments, pathOf, ToolCall } from "../../domain/tools/ToolCall.ts"
import { newTextsOf, UnmadeChange } from "../../domain/tools/OpenChanges.ts"
import { seenKey } from "../../domain/runs/ActivityKey.ts"
import { Activities } from "../journal/Activities.ts"
import { writesIn } from "../../domain/tools/Access.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { CurrentCopy, makeWorkingCopy, type WorkingCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { Gate, mayShow } from "../permissions/Gate.ts"
import { baseOf, finalCalls, proposedBy } from "./FinalCalls.ts"
import { makeReplacement } from "./Replacement.ts"
import { makeSearchedTexts, maxSearchedBytes } from "./SearchedTexts.ts"

/** Several edits of one file as one call, so that they are asked about together. */
export const inOneCall = (calls: ReadonlyArray<ToolCall>): ReadonlyArray<ToolCall> =>
  [
    ...Map.groupBy(calls, (call) => (call.name === "edit_file" ? `edit ${pathOf(call)}` : `other ${call.uid}`)).values()
  ].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const { old_text: _old, new_text: _new, ...given } = first.arguments
    const edits = [first, ...others].map(({ arguments: one }) => ({
      old_text: one["old_text"] ?? "",
      new_text: one["new_text"] ?? ""
    }))
    return [others.length === 0 ? first : { ...first, arguments: { ...given, edits } }]
  })

/** What one change asks for, as calls. */
const ReadChange = Schema.Struct({
  calls: Schema.Array(ToolCall),
  issues: Schema.Array(Issue),
  refused: Schema.optionalKey(UnmadeChange),
  /** The changes of files that a replacement did not look at, for one of its issues. */
  leftOut: Schema.optionalKey(Schema.Array(UnmadeChange)),
  /** Where a text that was replaced stood, in a sentence. */
  replaced: Schema.optionalKey(Schema.String)
})
type ReadChange = typeof ReadChange.Type
const ReadChanges = Schema.Array(ReadChange)

/** Characters of a file that are shown with a block that lacks its old text. */
const shownOfFile = 500

/** The last lines of a text, as many as make them unlike all others. */
const lastLines = (text: string): string => {
  const lines = text.trimEnd().split("\n")
  const from = lines.findLastIndex((_, index) => text.split(lines.slice(index).join("\n")).length === 2)
  return lines.slice(Math.max(0, from)).join("\n")
}

/** How to add lines to a file that exists, with what it holds: nobody but the model knows where they belong. */
const howToAdd = (file: string, held: string, added: string): string => {
  const lines = held.replace(/\r?\n$/, "").split(/\r?\n/)
  const source = { lines, language: languageOf(file), first: 1, gap: gapText }
  const last = lastLines(held.replaceAll("\r\n", "\n"))
  return [
    "To add lines, copy a line of the file into OLD and write it again in NEW with the new lines, as here at the end:",
    `${file}\n<<<<<<< OLD\n${last}\n=======\n${last}\n<the new lines>\n>>>>>>> NEW`,
    "To write the whole file anew, send its path and a fence with all of its text.",
    `The ${counted(lines.length, "line")} of ${file}:`,
    excerptOf(source, searchTermsOf(added), shownOfFile).text
  ].join("\n")
}

/** A call of a tool that changes files, with what was left out of its new texts and what is wrong with them. */
const TidiedCall = Schema.Struct({
  call: ToolCall,
  issues: Schema.Array(Issue),
  repairs: Schema.Array(Repair),
  /** Why the call would lose what its file holds. */
  lost: Schema.optionalKey(Issue)
})
type TidiedCall = typeof TidiedCall.Type

/** The arguments of a call with other new texts. */
const withNewTexts = (given: Arguments, change: (newText: string, oldText?: string) => string): Arguments => {
  const { content, edits, new_text: newText, old_text: oldText } = given
  return {
    ...given,
    ...(typeof content === "string" ? { content: change(content) } : {}),
    ...(typeof newText === "string" && typeof oldText === "string" ? { new_text: change(newText, oldText) } : {}),
    ...(Array.isArray(edits) ? { edits: edits.map((one) => (isArguments(one) ? withNewTexts(one, change) : one)) } : {})
  }
}

/** The task that asks, what was asked for, and whether the answer says that text goes. */
interface Asked {
  readonly task: string
  readonly request: string
  readonly saysSo: boolean
}

/** What the new texts of a call lose of its file. */
const losses = (
  { arguments: given, ...call }: ToolCall,
  base: string | null,
  { request, saysSo }: Asked
): ReadonlyArray<Loss> => {
  const path = pathOf({ ...call, arguments: given })
  const edits = [given, ...(Array.isArray(given["edits"]) ? given["edits"].filter(isArguments) : [])]
  return edits.flatMap(({ content, new_text: newText, old_text: oldText }) =>
    typeof content === "string"
      ? (lossOf({ path, request, oldText: base ?? "", newText: content }, saysSo) ?? [])
      : typeof newText === "string" && typeof oldText === "string"
        ? (lossOf({ path, request, oldText, newText }, true) ?? [])
        : []
  )
}

/** Leaves out of the new texts of a call what is not meant for its file. */
const tidyCall = (call: ToolCall, base: string | null, asked: Asked): TidiedCall => {
  const path = pathOf(call)
  const left = new Set<string>()
  const problems: Array<string> = []
  const tidied = withNewTexts(call.arguments, (newText, oldText) => {
    const tidy = tidyNewText({ path, base, newText, ...(oldText === undefined ? {} : { oldText }) })
    for (const words of tidy.left) left.add(words)
    problems.push(...(tidy.problem === undefined ? [] : [tidy.problem]))
    return tidy.newText
  })
  const where = { section: "Changes", task: asked.task }
  const loss = losses(call, base, asked)[0]
  return {
    ...(loss === undefined ? {} : { lost: makeIssue(loss.code, where, loss) }),
    call: { ...call, arguments: tidied },
    issues: problems.map((what) => makeIssue("change-marks", where, { what })),
    repairs: [...left].map((words) => makeRepair("change-tidied", where, `Left out of the text for ${path}: ${words}.`))
  }
}

const openIssue = (task: string, what: string, how: string): Issue =>
  makeIssue("change-open", { section: "Changes", task }, { what, how })

/** What a path may have that the project spells otherwise. */
const mayBeRespelled = /^[\\/]|[^\w./@-]/

/** True for a change that is read with a look at the project. */
const looksAtProject = ({ _tag }: Change): boolean => _tag === "File" || _tag === "Replace"

/** The changes of a task as calls that make them in the project, with what is known of them. */
type ProposedWork = Pick<TaskOutcome, "bases" | "calls" | "checks" | "files" | "turns">

/** What is known of a working copy: its last checks, and what was changed in the project itself. */
interface CheckedWork {
  readonly checks: ReadonlyArray<CheckOutcome>
  readonly files?: ReadonlyArray<FileFact>
  readonly turn: number
}

export const makeTaskChanges = Effect.gen(function* () {
  const path = yield* Path.Path
  const activities = yield* Activities
  const gate = yield* Gate
  const registry = yield* ToolRegistry
  const replacement = yield* makeReplacement
  const searchedTexts = yield* makeSearchedTexts
  const workspace = yield* Workspace

  const nameOf = (file: string): string => path.relative(workspace.root, file).split(path.sep).join("/")

  /** What a task itself changed in its working copy, by the paths in the project. */
  const named = (copy: WorkingCopy): ReadonlyArray<ProposedFile> =>
    copy.own().map((file) => Object.assign({}, file, { path: nameOf(file.path) }))

  /** A path in the project as the project spells it, from its folder. */
  const relativePath = (written: string): string => nameOf(path.resolve(workspace.root, written))

  /** The file of a path as it is given, where the project cannot be looked at. */
  const fileAt = (given: string): string => path.resolve(workspace.root, given)

  /** The files that the project has where an answer may name one; kept for a replay. */
  const pathsIn = Effect.fnUntraced(function* (answer: string, task: string): Effect.fn.Return<ProjectPaths> {
    const questions = pathQuestions(answer)
    if (questions.length === 0) return new Map()
    const found: Record<string, string> = {}
    const look = Effect.forEach(
      questions,
      Effect.fnUntraced(function* (readings) {
        for (const reading of readings) {
          const path = yield* workspace.meant(reading)
          const place = yield* Effect.option(workspace.canonical(path))
          if (place._tag === "None" || !place.value.inside || !(yield* workspace.isFile(place.value.path))) continue
          /* A path keeps the name of a link that it goes through. */
          found[reading] = relativePath(path)
          return
        }
      }),
      { discard: true }
    )
    const success = Schema.Record(Schema.String, Schema.String)
    return new Map(
      Object.entries(yield* activities.record({ key: seenKey.paths(task), success }, Effect.as(look, found)))
    )
  })

  /** A whole file; a block without old text makes a new one, and never takes the place of what a file holds. */
  const fileOf = Effect.fnUntraced(function* (
    { mustBeNew, path: file, text }: Extract<Change, { readonly _tag: "File" }>,
    uid: string,
    task: string
  ): Effect.fn.Return<ReadChange> {
    const call = { uid, name: "write_file", arguments: { path: file, content: text } }
    const holds = Effect.gen(function* () {
      const { path: canonical } = yield* workspace.canonical(file)
      if (!(yield* workspace.isFile(canonical))) return false
      const before = yield* Effect.orElseSucceed(workspace.readText(canonical, maxSearchedBytes), () => undefined)
      return before === undefined || before.trim() !== ""
    })
    if (!mustBeNew || !(yield* Effect.orElseSucceed(holds, () => false))) return { calls: [call], issues: [] }
    const [shown] = yield* searchedTexts([file])
    const what = `${file} exists and holds text, but the block has no old text, so nothing was changed.`
    const how =
      shown === undefined
        ? "Copy the lines to change into the old part of the block."
        : howToAdd(file, shown.text, text)
    return { calls: [], issues: [], refused: { call, issue: openIssue(task, what, how) } }
  })

  const readOne = (change: Change, uid: string, task: string): Effect.Effect<ReadChange> => {
    switch (change._tag) {
      case "Edit": {
        const { newText, oldText, path: file } = change
        const call = { uid, name: "edit_file", arguments: { path: file, old_text: oldText, new_text: newText } }
        return Effect.succeed({ calls: [call], issues: [] })
      }
      case "File":
        return fileOf(change, uid, task)
      case "Replace":
        return replacement(change, uid, task)
      case "Remove":
        return Effect.succeed({ calls: [{ uid, name: "remove_file", arguments: { path: change.path } }], issues: [] })
      case "Move": {
        const { path: from, to } = change
        return Effect.map(workspace.meant(to), (meant) => ({
          calls: [{ uid, name: "move_file", arguments: { path: from, to: meant } }],
          issues: []
        }))
      }
    }
  }

  /** Makes the changes of calls in a copy, so that the change after them is read as they leave the files. */
  const tryIn = Effect.fnUntraced(function* (calls: ReadonlyArray<ToolCall>) {
    for (const call of calls) {
      const accesses = yield* Effect.match(registry.prepare(call), {
        onFailure: () => [],
        onSuccess: (prepared) => writesIn(prepared.accesses)
      })
      yield* Effect.ignore(Effect.forEach(accesses, workspace.write, { discard: true }))
    }
  })

  /** Reads the changes of an answer in their order. */
  const read = Effect.fnUntraced(function* (changes: ReadonlyArray<Change>, task: string) {
    const last = changes.findLastIndex(looksAtProject)
    const copy = makeWorkingCopy((yield* CurrentCopy)?.files())
    const inOrder: Array<ReadChange> = []
    for (const [index, change] of changes.entries()) {
      const asked = yield* Effect.provideService(readOne(change, `block-${index + 1}`, task), CurrentCopy, copy)
      if (index < last) yield* Effect.provideService(tryIn(asked.calls), CurrentCopy, copy)
      inOrder.push(asked)
    }
    return inOrder
  })

  /** The calls of each change of an answer; what was looked up in the project for them is kept for a replay. */
  const callsOf = (changes: ReadonlyArray<Change>, task: string): Effect.Effect<ReadonlyArray<ReadChange>> =>
    changes.some(looksAtProject)
      ? activities.record({ key: seenKey.changes(task), success: ReadChanges }, read(changes, task))
      : read(changes, task)

  /** A call without what in its new texts is not meant for the file; what was found is kept for a replay. */
  const tidied = Effect.fnUntraced(function* (call: ToolCall, asked: Asked): Effect.fn.Return<TidiedCall> {
    const { task } = asked
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
        const isShown = inside && (yield* mayShow(gate)(canonical)) && (yield* workspace.isFile(canonical))
        return isShown ? yield* workspace.readText(canonical, maxSearchedBytes) : null
      })
      return tidyCall(meant, yield* Effect.orElseSucceed(base, () => null), asked)
    })
    return yield* activities.record({ key: seenKey.tidied(task), success: TidiedCall }, look)
  })

  /** The files of a working copy as the calls that make its changes; `word` begins their uids. */
  const final = (copy: WorkingCopy, word = "change"): ReadonlyArray<ToolCall> => {
    const wasWritten = (file: string): boolean => {
      const tools = copy.changedBy(file)
      return tools.size === 1 && tools.has("write_file")
    }
    return finalCalls(copy.own(), { nameOf, wasWritten }).map((call, index) =>
      Object.assign({ uid: `${word}-${index + 1}` }, call)
    )
  }

  /** The changes of a working copy as calls, whose uids begin with `word`, with what is known of them. */
  const proposed = (
    copy: WorkingCopy,
    { checks, files: inProject = [], turn }: CheckedWork,
    word?: string
  ): ProposedWork => {
    const own = named(copy)
    const files = joinedFiles([...inProject, ...fileFacts(own)])
    return {
      calls: final(copy, word),
      ...(own.length === 0 ? {} : { bases: own.map(baseOf), turns: turn }),
      ...(files.length === 0 ? {} : { files }),
      ...(files.length === 0 || checks.length === 0 ? {} : { checks })
    }
  }

  /** What others propose with the changes of an outcome on top. */
  const onTop = (others: ReadonlyArray<ProposedFile>, outcome: TaskOutcome): ReadonlyArray<ProposedFile> => {
    const copy = makeWorkingCopy(others)
    for (const file of proposedBy(outcome)) copy.propose({ ...file, path: fileAt(file.path) })
    return copy.files()
  }

  return { callsOf, fileAt, named, nameOf, onTop, pathsIn, proposed, tidied }
})
