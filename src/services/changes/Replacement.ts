/**
 * Replaces a text everywhere in the project, with edits of all files that contain the text. If a file may contain the
 * text but could not be read, the change of this file stays open. Files that no task may read, such as secrets, are
 * only named in a warning.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import type { Change } from "../../domain/files/ChangeBlocks.ts"
import { exceptedPlaces, holdsPattern, replaceIn, replacePlaces, type TextLine } from "../../domain/files/TextEdit.ts"
import { type SkippedFile, skippedText } from "../../domain/files/SkippedFiles.ts"
import { type Issue, makeIssue } from "../../domain/findings/Issue.ts"
import { listWithin, shortened } from "../../domain/text/Excerpt.ts"
import { counted } from "../../domain/text/Format.ts"
import type { ToolCall } from "../../domain/tools/ToolCall.ts"
import { replacementUid } from "../../domain/tools/ToolCallFormat.ts"
import { maxTreeEntries, type TreeListing } from "../files/FileTree.ts"
import { Workspace } from "../files/Workspace.ts"
import { fileCall } from "./FinalCalls.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { makePatternSearch, type SearchedText } from "./SearchedTexts.ts"

/** The files that a replacement did not search. */
interface Unreached {
  readonly sentences: ReadonlyArray<string>
  /** The paths of files that may still contain the text, because they were not searched. */
  readonly paths: ReadonlyArray<string>
}

/** True for a file that no task may read. */
const isForbidden = ({ reason }: SkippedFile): boolean => reason === "secret" || reason === "denied"

/** Of the files that could not be read, the change counts as open for at most this many. */
const mostOpen = 20

const unreachedOf = (skipped: ReadonlyArray<SkippedFile>, listing: TreeListing): Unreached => {
  const { isWhole, problems, unread } = listing
  const folders = listWithin(unread, 200, (count) => `and ${count} more`).text.replaceAll("\n", ", ")
  const sentences = [
    ...(skipped.length === 0 ? [] : [`Not looked at: ${skippedText(skipped)}.`]),
    ...(isWhole ? [] : [`The project has more than ${maxTreeEntries} files; not looked at: ${folders}.`]),
    ...problems
  ]
  const paths = skipped.flatMap((file) => (isForbidden(file) ? [] : [file.path])).slice(0, mostOpen)
  const isReached = isWhole && problems.length === 0
  return { sentences, paths: paths.length > 0 || isReached ? paths : [unread[0] ?? "."] }
}

/**
 * A sentence about the replacement, such as "`limit` stood in 12 lines: 9 changed in 3 files, 3 left out
 * (docs/history.md 3)."
 */
const replacedText = (
  pattern: string,
  changed: ReadonlyArray<TextLine>,
  omittedLines: ReadonlyArray<TextLine>,
  { sentences }: Unreached
): string => {
  const files = new Set(changed.map((one) => one.path)).size
  const begin = `\`${shortened(pattern, 80)}\` stood in ${counted(changed.length + omittedLines.length, "line")}: ${changed.length} changed in ${counted(files, "file")}`
  if (omittedLines.length === 0 && sentences.length === 0) return `${begin}, none left out.`
  const byFile = [...Map.groupBy(omittedLines, (one) => one.path)].map(([file, lines]) => `${file} ${lines.length}`)
  const names = listWithin(byFile, 300, (count) => `and ${count} more files`).text.replaceAll("\n", ", ")
  const excepted = omittedLines.length === 0 ? "." : `, ${omittedLines.length} left out (${names}).`
  return [`${begin}${excepted}`, ...sentences].join(" ")
}

export const openIssue = (task: string, what: string, how: string): Issue =>
  makeIssue("change-open", { section: "Changes", task }, { what, how })

const howToGoOn =
  'Say in the report what was not looked at, and begin it with **Partly done**, or change it in another way. Files that are meant to stay as they are belong into "except".'

const notFound = (named: string): string =>
  `The text ${named} was not found in the files that were looked at, so nothing was replaced.`

/** Why nothing was replaced, and what the model should do. `inNames` is a file with longer names that contain the text. */
const whyNothing = (named: string, inNames: string | undefined, areAllSearched: boolean) => {
  if (inNames !== undefined) {
    const what = `The text ${named} occurs only inside longer names or indentations, such as in ${inNames}, so nothing was replaced.`
    return { what, how: "Name the whole text to replace." }
  }
  const what = areAllSearched
    ? `The text ${named} does not occur in the project, so nothing was replaced.`
    : notFound(named)
  return { what, how: "Search for the text, and copy it as it stands." }
}

type Replace = Extract<Change, { readonly _tag: "Replace" }>

/** The call that would replace the text everywhere in a file. */
const editOfAll = ({ pattern, with: by }: Replace, uid: string, path?: string): ToolCall => ({
  uid,
  name: "edit_file",
  arguments: { ...(path === undefined ? {} : { path }), old_text: pattern, new_text: by, replace_all: true }
})

/** The edits of the files that contain the text. Lines that the model wants to keep are not changed. */
const editsOf = (
  { pattern, with: by }: Replace,
  uid: string,
  texts: ReadonlyArray<SearchedText>,
  { kept, places }: { readonly places: ReadonlyArray<TextLine>; readonly kept: ReadonlyArray<TextLine> }
): ReadonlyArray<ToolCall> =>
  texts
    .filter(({ path }) => places.some((place) => place.path === path))
    .map(({ path, text }, index) => {
      const lines = kept.flatMap((line) => (line.path === path ? [line.line] : []))
      return Object.assign(
        { uid: replacementUid(uid, index) },
        fileCall(path, text, replaceIn(text, pattern, by, lines))
      )
    })

export const makeReplacement = Effect.gen(function* () {
  const path = yield* Path.Path
  const events = yield* RunEvents
  const patternSearch = yield* makePatternSearch
  const workspace = yield* Workspace

  /** The files of the project. If listing fails, there are no files, and the listing contains the reason. */
  const listing = Effect.match(workspace.treeWithin({ entries: maxTreeEntries }), {
    onFailure: ({ message }): TreeListing => ({
      files: [],
      isWhole: false,
      unread: ["."],
      passedOver: [],
      problems: [message]
    }),
    onSuccess: (listed) => listed
  })

  const readFilesOf = Effect.fnUntraced(function* (pattern: string, except: ReadonlyArray<string>) {
    const listed = yield* listing
    const isExcepted = exceptedPlaces(except)
    const isWanted = (text: string): boolean => holdsPattern(text, pattern)
    const { skipped, texts } = yield* patternSearch(listed.files, listed.passedOver, { isWanted, pattern })
    const beginning = `${workspace.root}${path.sep}`
    return {
      texts,
      unreached: unreachedOf(
        skipped.filter((one) => !isExcepted(one.path)),
        { ...listed, problems: listed.problems.map((sentence) => sentence.replaceAll(beginning, "")) }
      )
    }
  })

  /**
   * Makes the edits of all files that contain the text. Also names the files that could not be searched, in which the
   * text may still have to be replaced.
   */
  return Effect.fnUntraced(function* (change: Replace, uid: string, task: string) {
    const { except, pattern } = change
    const { texts, unreached } = yield* readFilesOf(pattern, except)
    const places = replacePlaces(texts, { pattern, except })
    const { paths, sentences } = unreached
    const kept = replacePlaces(texts, { pattern, except: [] }).filter(
      (line) => !places.some((place) => place.path === line.path && place.line === line.line)
    )
    const named = JSON.stringify(pattern)
    if (places.length === 0 && paths.length === 0) {
      const inNames = kept.length === 0 ? texts[0]?.path : undefined
      const { how, what } = whyNothing(named, inNames, sentences.length === 0)
      const issue = openIssue(task, [what, ...sentences].join(" "), how)
      return { calls: [], issues: [], refused: { call: editOfAll(change, uid), issue } }
    }
    if (sentences.length > 0) {
      const text = `The replacement of ${named} in "${task}": ${sentences.join(" ")}`
      yield* events.publish({ type: "message", level: "warning", text })
    }
    const begin = places.length === 0 ? notFound(named) : `The text ${named} may stand in files that were not changed.`
    const issue = openIssue(task, [begin, ...sentences].join(" "), howToGoOn)
    const leftOut = paths.map((path, index) => ({
      issue,
      call: editOfAll(change, `${uid}-open-${index + 1}`, path)
    }))
    return {
      calls: editsOf(change, uid, texts, { places, kept }),
      issues: paths.length === 0 ? [] : [issue],
      ...(leftOut.length === 0 ? {} : { leftOut }),
      ...(places.length === 0 ? {} : { replaced: replacedText(pattern, places, kept, unreached) })
    }
  })
})
