/**
 * Turns the changes of an answer into calls of the tools that change files. What this code reads in the project is
 * recorded for a replay.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { searchTermsOf } from "../../domain/excerpts/SearchTerms.ts"
import { excerptOf } from "../../domain/excerpts/TextExcerpt.ts"
import { type Change, pathQuestions } from "../../domain/files/ChangeBlocks.ts"
import type { ProjectPaths } from "../../domain/files/ChangePath.ts"
import { languageOf } from "../../domain/files/Language.ts"
import { Issue } from "../../domain/findings/Issue.ts"
import { gapText } from "../../domain/models/OutputCut.ts"
import { seenKey } from "../../domain/runs/ActivityKey.ts"
import { counted } from "../../domain/text/Format.ts"
import { writesIn } from "../../domain/tools/Access.ts"
import { UnmadeChange } from "../../domain/tools/OpenChanges.ts"
import { pathOf, ToolCall } from "../../domain/tools/ToolCall.ts"
import { CurrentCopy, makeWorkingCopy } from "../files/WorkingCopy.ts"
import { isFileAt, Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { makeReplacement, openIssue } from "./Replacement.ts"
import { makeSearchedTexts, maxSearchedBytes } from "./SearchedTexts.ts"
import { makeTaskChanges } from "./TaskChanges.ts"

/** Merges the edits of each file into one call, so that the user answers one question about the file. */
export const inOneCall = (calls: ReadonlyArray<ToolCall>): ReadonlyArray<ToolCall> =>
  [
    ...Map.groupBy(calls, (call) => (call.name === "edit_file" ? `edit ${pathOf(call)}` : `other ${call.uid}`)).values()
  ].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const { old_text: _old, new_text: _new, ...otherArguments } = first.arguments
    const edits = [first, ...others].map(({ arguments: one }) => ({
      old_text: one["old_text"] ?? "",
      new_text: one["new_text"] ?? ""
    }))
    return [others.length === 0 ? first : { ...first, arguments: { ...otherArguments, edits } }]
  })

/** One change of an answer, as calls with their issues. */
const ReadChange = Schema.Struct({
  calls: Schema.Array(ToolCall),
  issues: Schema.Array(Issue),
  refused: Schema.optionalKey(UnmadeChange),
  /** The changes in files that the replacement could not read. These changes count as not made. */
  leftOut: Schema.optionalKey(Schema.Array(UnmadeChange)),
  /** Says where the replaced text was. */
  replaced: Schema.optionalKey(Schema.String)
})
type ReadChange = typeof ReadChange.Type
const ReadChanges = Schema.Array(ReadChange)

/** How many characters of the file the model sees if a block lacks its old text. */
const shownOfFile = 500

/** The last lines of a text: as few as possible, but enough to occur only once in the text. */
const lastLines = (text: string): string => {
  const lines = text.trimEnd().split("\n")
  const from = lines.findLastIndex((_, index) => text.split(lines.slice(index).join("\n")).length === 2)
  return lines.slice(Math.max(0, from)).join("\n")
}

/**
 * Tells the model how to add lines to an existing file, and shows the file. The model must say where the lines belong.
 */
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

/** True for a change that depends on the content of the project. */
const looksAtProject = ({ _tag }: Change): boolean => _tag === "File" || _tag === "Replace"

/** Finds the project files that an answer may name. The result is recorded for a replay. */
export const makePathsIn = Effect.gen(function* () {
  const activities = yield* Activities
  const { fileAt, nameOf } = yield* makeTaskChanges
  const workspace = yield* Workspace

  return Effect.fnUntraced(function* (answer: string, task: string): Effect.fn.Return<ProjectPaths> {
    const questions = pathQuestions(answer)
    if (questions.length === 0) return new Map()
    const fileOfReading: Record<string, string> = {}
    const look = Effect.forEach(
      questions,
      Effect.fnUntraced(function* (readings) {
        for (const reading of readings) {
          const path = yield* workspace.meant(reading)
          const place = yield* Effect.option(workspace.canonical(path))
          if (place._tag === "None" || !place.value.inside || !(yield* isFileAt(workspace, place.value.path))) continue
          /** If the path leads through a link, calls use the path as written, without resolving the link. */
          fileOfReading[reading] = nameOf(fileAt(path))
          return
        }
      }),
      { discard: true }
    )
    const success = Schema.Record(Schema.String, Schema.String)
    return new Map(
      Object.entries(yield* activities.record({ key: seenKey.paths(task), success }, Effect.as(look, fileOfReading)))
    )
  })
})

/**
 * Reads a change that contains a whole file. A block without old text may create a new file, but never replaces
 * existing content.
 */
const makeFileOf = Effect.gen(function* () {
  const searchedTexts = yield* makeSearchedTexts
  const workspace = yield* Workspace

  return Effect.fnUntraced(function* (
    { mustBeNew, path: file, text }: Extract<Change, { readonly _tag: "File" }>,
    uid: string,
    task: string
  ): Effect.fn.Return<ReadChange> {
    const call = { uid, name: "write_file", arguments: { path: file, content: text } }
    const holds = Effect.gen(function* () {
      const { path: canonical } = yield* workspace.canonical(file)
      if (!(yield* isFileAt(workspace, canonical))) return false
      const before = yield* Effect.orElseSucceed(workspace.readText(canonical, maxSearchedBytes), () => undefined)
      return before === undefined || before.trim() !== ""
    })
    if (!mustBeNew || !(yield* Effect.orElseSucceed(holds, () => false))) return { calls: [call], issues: [] }
    const [searchedText] = yield* searchedTexts([file])
    const what = `${file} exists and holds text, but the block has no old text, so nothing was changed.`
    const how =
      searchedText === undefined
        ? "Copy the lines to change into the old part of the block."
        : howToAdd(file, searchedText.text, text)
    return { calls: [], issues: [], refused: { call, issue: openIssue(task, what, how) } }
  })
})

export const makeAnswerChanges = Effect.gen(function* () {
  const activities = yield* Activities
  const fileOf = yield* makeFileOf
  const registry = yield* ToolRegistry
  const replacement = yield* makeReplacement
  const workspace = yield* Workspace

  const readOne = (change: Change, uid: string, task: string): Effect.Effect<ReadChange> => {
    switch (change._tag) {
      case "Edit": {
        const { newText, oldText, path: file } = change
        const call = { uid, name: "edit_file", arguments: { path: file, old_text: oldText, new_text: newText } }
        return Effect.succeed({ calls: [call], issues: [] })
      }
      case "Edits": {
        const calls = change.files.flatMap(({ edits, path: file }, index) =>
          edits.map(({ newText, oldText }, edit) => ({
            uid: `${uid}-${index + 1}-${edit + 1}`,
            name: "edit_file",
            arguments: { path: file, old_text: oldText, new_text: newText }
          }))
        )
        return Effect.succeed({ calls: inOneCall(calls), issues: [] })
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

  /** Applies the calls to a copy, from which the next change is computed. */
  const tryIn = Effect.fnUntraced(function* (calls: ReadonlyArray<ToolCall>) {
    for (const call of calls) {
      const accesses = yield* Effect.match(registry.prepare(call), {
        onFailure: () => [],
        onSuccess: (prepared) => writesIn(prepared.accesses)
      })
      yield* Effect.ignore(Effect.forEach(accesses, workspace.write, { discard: true }))
    }
  })

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

  return (changes: ReadonlyArray<Change>, task: string): Effect.Effect<ReadonlyArray<ReadChange>> =>
    changes.some(looksAtProject)
      ? activities.record({ key: seenKey.changes(task), success: ReadChanges }, read(changes, task))
      : read(changes, task)
})
