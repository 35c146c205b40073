/**
 * The changes that a task proposes: those of an answer as calls of the tools that change files, and at the end those of its
 * working copy as the calls that make them.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import type { Change } from "../../domain/files/ChangeBlocks.ts"
import { FileKind, kindOfMode } from "../../domain/files/FileKind.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import { replaceIn, replacePlaces, type TextLine } from "../../domain/files/ReplacePlaces.ts"
import { listWithin, shortened } from "../../domain/text/Excerpt.ts"
import { counted } from "../../domain/text/Format.ts"
import { languageOf } from "../../domain/files/Language.ts"
import { isElision } from "../../domain/files/Elision.ts"
import { type Loss, lossOf } from "../../domain/files/Loss.ts"
import { mayBeUntidy, tidyNewText } from "../../domain/files/NewText.ts"
import { smallestEdit } from "../../domain/files/TextEdit.ts"
import type { Refinement } from "../../domain/documents/Refinement.ts"
import { Issue, makeIssue, makeRepair, Repair } from "../../domain/findings/Issue.ts"
import { gapText } from "../../domain/models/OutputCut.ts"
import { excerptOf } from "../../domain/models/ReferenceExcerpt.ts"
import { soughtOf } from "../../domain/models/Sought.ts"
import {
  type Arguments,
  type CallOutcome,
  fileTools,
  isArguments,
  isChange,
  pathOf,
  ToolCall
} from "../../domain/tools/ToolCall.ts"
import { turnOf } from "../../domain/tools/ToolCallFormat.ts"
import { seenKey } from "../../domain/runs/ActivityKey.ts"
import { Activities } from "../journal/Activities.ts"
import { infoAt } from "../files/FileLook.ts"
import { makeWorkingCopy, type WorkingCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { Gate } from "../permissions/Gate.ts"
import { makeSearchedTexts, maxSearchedBytes } from "./SearchedTexts.ts"

/** What a call makes of the text that it begins with; null when it removes it, nothing when it does not fit it. */
const textAfter = (base: string | null, { arguments: given, name }: ToolCall): string | null | undefined => {
  if (name === "remove_file") return null
  const { content, new_text: newText, old_text: oldText } = given
  if (typeof content === "string") return content
  if (base === null || typeof oldText !== "string" || typeof newText !== "string") return undefined
  return base.includes(oldText) ? base.replace(oldText, () => newText) : undefined
}

const textsOf = (given: Arguments): ReadonlyArray<string> =>
  [given, ...(Array.isArray(given["edits"]) ? given["edits"] : [])]
    .flatMap((one) => (isArguments(one) ? [one["new_text"], one["content"]] : []))
    .filter((text) => typeof text === "string")

/** The lines that a change brings, without those that stand anywhere, as brackets do. */
const newLines = ({ call }: CallOutcome): ReadonlyArray<string> =>
  textsOf(call.arguments)
    .flatMap((text) => text.split("\n"))
    .map((line) => line.trim())
    .filter((line) => /\w{2}/.test(line))

const isMissing = ({ result }: CallOutcome): boolean => /\bThere is no file at\b/.test(result.error_message ?? "")

/**
 * The changes that failed, and that no change of the same file in a later answer made up for: one that brings a line of theirs, a
 * whole file, or one for each of them.
 */
export const openChanges = (outcomes: ReadonlyArray<CallOutcome>): ReadonlyArray<CallOutcome> => {
  const changes = outcomes.filter(isChange)
  return changes.filter((failed, index) => {
    if (failed.result.success) return false
    const isOfFile = (one: CallOutcome): boolean => pathOf(one.call) === pathOf(failed.call)
    const isBeside = (one: CallOutcome): boolean => isOfFile(one) && turnOf(one) === turnOf(failed)
    const made = changes.slice(index + 1).filter((one) => one.result.success && isOfFile(one) && !isBeside(one))
    const others = changes.filter((one) => one !== failed && !one.result.success && isBeside(one))
    const lines = new Set(newLines(failed))
    // A path that leads nowhere was meant as another one.
    const elsewhere = isMissing(failed) ? changes.slice(index + 1).filter((one) => one.result.success) : []
    return !(
      made.length > others.length ||
      elsewhere.some((one) => newLines(one).some((line) => lines.has(line))) ||
      made.some((one) => one.call.name === "write_file" || newLines(one).some((line) => lines.has(line)))
    )
  })
}

/** Why a report is sent back whose change failed. */
export const changeOpen = (outcome: CallOutcome, task: string): Issue =>
  makeIssue(
    "change-open",
    { section: "Result summary", task },
    { what: `The change of ${pathOf(outcome.call)} failed, and nothing was changed in its place.` }
  )

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

/** A call that changes an existing file from one text to another. */
const fileCall = (uid: string, path: string, before: string, after: string): ToolCall => {
  const edit = smallestEdit(before, after)
  return edit === undefined || edit.oldText === ""
    ? { uid, name: "write_file", arguments: { path, content: after } }
    : { uid, name: "edit_file", arguments: { path, old_text: edit.oldText, new_text: edit.newText } }
}

const isKind = Schema.is(FileKind)

/** The changes of files that the calls of a refinement make, by their paths in the project, where their bases are known. */
export const proposedBy = ({ bases = [], calls }: Pick<Refinement, "bases" | "calls">): ReadonlyArray<ProposedFile> =>
  bases.flatMap(({ path: file, text: base }) => {
    const call = calls.find((one) => pathOf(one) === file)
    const text = call === undefined ? undefined : textAfter(base, call)
    if (call === undefined || text === undefined) return []
    const { kind } = call.arguments
    return [{ path: file, base, text, ...(isKind(kind) ? { kind } : {}) }]
  })

/** A change that is not made, as the call that would have made it. */
const RefusedChange = Schema.Struct({ call: ToolCall, issue: Issue })
export type RefusedChange = typeof RefusedChange.Type

/** What one change asks for, as calls. */
const ReadChange = Schema.Struct({
  calls: Schema.Array(ToolCall),
  issues: Schema.Array(Issue),
  refused: Schema.optionalKey(RefusedChange),
  /** Where a text that was replaced stood, in a sentence. */
  replaced: Schema.optionalKey(Schema.String)
})
type ReadChange = typeof ReadChange.Type
const ReadChanges = Schema.Array(ReadChange)

/** `limit` stood in 12 lines: 9 changed in 3 files, 3 left out (docs/history.md 3). */
const replacedText = (pattern: string, changed: ReadonlyArray<TextLine>, left: ReadonlyArray<TextLine>): string => {
  const files = new Set(changed.map((one) => one.path)).size
  const begin = `\`${shortened(pattern, 80)}\` stood in ${counted(changed.length + left.length, "line")}: ${changed.length} changed in ${counted(files, "file")}`
  if (left.length === 0) return `${begin}, none left out.`
  const byFile = [...Map.groupBy(left, (one) => one.path)].map(([file, lines]) => `${file} ${lines.length}`)
  const names = listWithin(byFile, 300, (count) => `and ${count} more files`).text.replaceAll("\n", ", ")
  return `${begin}, ${left.length} left out (${names}).`
}

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
    excerptOf(source, soughtOf(added), shownOfFile).text
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

/** The task that asks, and whether its answer says that text goes. */
interface Asked {
  readonly task: string
  readonly saysSo: boolean
}

/** What the new texts of a call lose of its file. */
const losses = ({ arguments: given, ...call }: ToolCall, base: string | null, saysSo: boolean): ReadonlyArray<Loss> => {
  const path = pathOf({ ...call, arguments: given })
  const edits = [given, ...(Array.isArray(given["edits"]) ? given["edits"].filter(isArguments) : [])]
  return edits.flatMap(({ content, new_text: newText, old_text: oldText }) =>
    typeof content === "string"
      ? (lossOf(path, base ?? "", content, saysSo) ?? [])
      : typeof newText === "string" && typeof oldText === "string"
        ? (lossOf(path, oldText, newText, true) ?? [])
        : []
  )
}

/** Leaves out of the new texts of a call what is not meant for its file. */
const tidyCall = (call: ToolCall, base: string | null, { saysSo, task }: Asked): TidiedCall => {
  const path = pathOf(call)
  const left = new Set<string>()
  const problems: Array<string> = []
  const tidied = withNewTexts(call.arguments, (newText, oldText) => {
    const tidy = tidyNewText({ path, base, newText, ...(oldText === undefined ? {} : { oldText }) })
    for (const words of tidy.left) left.add(words)
    problems.push(...(tidy.problem === undefined ? [] : [tidy.problem]))
    return tidy.newText
  })
  const where = { section: "Changes", task }
  const loss = losses(call, base, saysSo)[0]
  return {
    ...(loss === undefined ? {} : { lost: makeIssue(loss.code, where, loss) }),
    call: { ...call, arguments: tidied },
    issues: problems.map((what) => makeIssue("change-marks", where, { what })),
    repairs: [...left].map((words) => makeRepair("change-tidied", where, `Left out of the text for ${path}: ${words}.`))
  }
}

const openIssue = (task: string, what: string, how: string): Issue =>
  makeIssue("change-open", { section: "Changes", task }, { what, how })

/** True for a change that is read with a look at the project. */
const looksAtProject = ({ _tag }: Change): boolean => _tag !== "Edit" && _tag !== "Remove"

export const makeTaskChanges = Effect.gen(function* () {
  const path = yield* Path.Path
  const activities = yield* Activities
  const gate = yield* Gate
  const fs = yield* FileSystem.FileSystem
  const searchedTexts = yield* makeSearchedTexts
  const workspace = yield* Workspace

  const nameOf = (file: string): string => path.relative(workspace.root, file).split(path.sep).join("/")

  /** What a task itself changed in its working copy, by the paths in the project. */
  const named = (copy: WorkingCopy): ReadonlyArray<ProposedFile> =>
    copy.own().map((file) => Object.assign({}, file, { path: nameOf(file.path) }))

  /** The file of a path as it is given, where the project cannot be looked at. */
  const fileAt = (given: string): string => path.resolve(workspace.root, given)

  /** The edits of all files that hold the text to replace. */
  const replacement = Effect.fnUntraced(function* (
    { except, pattern, with: by }: Extract<Change, { readonly _tag: "Replace" }>,
    uid: string,
    task: string
  ): Effect.fn.Return<ReadChange> {
    const names = yield* Effect.orElseSucceed(workspace.tree, () => [])
    const found = yield* searchedTexts(names, (text) => text.includes(pattern))
    const places = replacePlaces(found, { pattern, except })
    const kept = replacePlaces(found, { pattern, except: [] }).filter(
      (one) => !places.some((place) => place.path === one.path && place.line === one.line)
    )
    if (places.length === 0) {
      const what = `The text ${JSON.stringify(pattern)} stands nowhere in the project, so nothing was replaced.`
      const how = "Search for the text, and copy it as it stands."
      return { calls: [], issues: [openIssue(task, what, how)] }
    }
    const calls = found
      .filter((file) => places.some((place) => place.path === file.path))
      .map((file, index) => {
        const lines = kept.filter((one) => one.path === file.path).map(({ line }) => line)
        return fileCall(`${uid}-${index + 1}`, file.path, file.text, replaceIn(file.text, pattern, by, lines))
      })
    return { calls, issues: [], replaced: replacedText(pattern, places, kept) }
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

  /** A file at another path: written there as it is, and removed here. */
  const moved = Effect.fnUntraced(function* (
    { path: from, to }: Extract<Change, { readonly _tag: "Move" }>,
    uid: string,
    task: string
  ): Effect.fn.Return<ReadChange> {
    const isThere = Effect.flatMap(workspace.canonical(to), (found) => workspace.isFile(found.path))
    const [file] = yield* searchedTexts([from])
    const isTaken = yield* Effect.orElseSucceed(isThere, () => false)
    if (file === undefined || isTaken) {
      const what = isTaken
        ? `There is a file ${to} already, so ${from} was not moved.`
        : `There is no text file ${from} that may be read, so nothing was moved.`
      const how = isTaken ? "Choose another path, or remove that file first." : "Search for the path of the file."
      return { calls: [], issues: [openIssue(task, what, how)] }
    }
    const info = yield* Effect.provideService(infoAt(fileAt(from)), FileSystem.FileSystem, fs)
    const given = { path: to, content: file.text }
    const isExecutable = info !== undefined && kindOfMode(info.mode) === "executable"
    const written = isExecutable ? { ...given, kind: "executable" } : given
    return {
      calls: [
        { uid: `${uid}-1`, name: "write_file", arguments: written },
        { uid: `${uid}-2`, name: "remove_file", arguments: { path: from } }
      ],
      issues: []
    }
  })

  const read = (changes: ReadonlyArray<Change>, task: string) =>
    Effect.forEach(changes, (change, index): Effect.Effect<ReadChange> => {
      const uid = `block-${index + 1}`
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
        case "Move":
          return moved(change, uid, task)
      }
    })

  /** The calls of each change of an answer; what was looked up in the project for them is kept for a replay. */
  const callsOf = (changes: ReadonlyArray<Change>, task: string): Effect.Effect<ReadonlyArray<ReadChange>> =>
    changes.some(looksAtProject)
      ? activities.record({ key: seenKey.changes(task), success: ReadChanges }, read(changes, task))
      : read(changes, task)

  /** A call without what in its new texts is not meant for the file; what was found is kept for a replay. */
  const tidied = Effect.fnUntraced(function* (call: ToolCall, asked: Asked): Effect.fn.Return<TidiedCall> {
    const { task } = asked
    const isUntidy =
      call.name === "write_file" ||
      textsOf(call.arguments).some((text) => mayBeUntidy.test(text) || text.split("\n").some(isElision))
    const asItIs: TidiedCall = { call, issues: [], repairs: [] }
    if (!fileTools.has(call.name) || !isUntidy) return asItIs
    const look = Effect.gen(function* () {
      const { inside, path: canonical } = yield* workspace.canonical(pathOf(call))
      const isShown = inside && (yield* gate.mayShow(canonical))
      if (!isShown || !(yield* workspace.isFile(canonical))) return tidyCall(call, null, asked)
      return tidyCall(call, yield* workspace.readText(canonical, maxSearchedBytes), asked)
    })
    const kept = Effect.orElseSucceed(look, () => asItIs)
    return yield* activities.record({ key: seenKey.tidied(task), success: TidiedCall }, kept)
  })

  /** The files of a working copy as the calls that make its changes; `word` begins their uids. */
  const final = (copy: WorkingCopy, word = "change"): ReadonlyArray<ToolCall> =>
    copy.own().map(({ base, kind, path: file, text }, index): ToolCall => {
      const uid = `${word}-${index + 1}`
      const path = nameOf(file)
      if (text === null) return { uid, name: "remove_file", arguments: { path } }
      const tools = copy.changedBy(file)
      const isWritten = base === null || kind !== undefined || (tools.size === 1 && tools.has("write_file"))
      if (!isWritten) return fileCall(uid, path, base, text)
      return { uid, name: "write_file", arguments: { path, content: text, ...(kind === undefined ? {} : { kind }) } }
    })

  /** What others propose with the changes of a refinement on top. */
  const onTop = (others: ReadonlyArray<ProposedFile>, refinement: Refinement): ReadonlyArray<ProposedFile> => {
    const copy = makeWorkingCopy(others)
    for (const file of proposedBy(refinement)) copy.propose({ ...file, path: fileAt(file.path) })
    return copy.files()
  }

  return { callsOf, fileAt, final, named, nameOf, onTop, tidied }
})
