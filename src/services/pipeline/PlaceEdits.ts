/**
 * Turns the model's answers about places in files into edits of the files. Takes back the answers whose edits failed.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { placeLine } from "../../domain/documents/ListedPlaces.ts"
import { type PlaceAnswer, withAnswers } from "../../domain/documents/PlaceAnswers.ts"
import { answersAfter, type PlaceTurn } from "../../domain/documents/PlaceTurn.ts"
import { isNumbered, numbersText, type NumberedPlace } from "../../domain/documents/Places.ts"
import { enclosingLines, declarationLines } from "../../domain/excerpts/EnclosingLines.ts"
import { languageOf } from "../../domain/files/Language.ts"
import { editsBetween, TextEdit } from "../../domain/files/TextEdit.ts"
import { mergeTexts } from "../../domain/files/TextMerge.ts"
import { makeIssue } from "../../domain/findings/Issue.ts"
import { seenKey } from "../../domain/runs/ActivityKey.ts"
import type { ToolCall } from "../../domain/tools/ToolCall.ts"
import { maxChangedBytes } from "../changes/SearchedTexts.ts"
import { CurrentCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"

/** One turn shows at most this many declarations around places. The model must ask again for more. */
const mostLooks = 8

/** The maximum number of lines of a shown declaration. */
const longestLook = 120

/** The edits of one file, or a reason why some answers cannot be applied to it. */
const FileEdits = Schema.Struct({
  path: Schema.String,
  edits: Schema.Array(TextEdit),
  /** Tells the model why there are no edits. Absent if there are edits. */
  problem: Schema.optionalKey(Schema.String)
})
type FileEdits = typeof FileEdits.Type

/** What is known about the places during the work. */
export interface PlaceState {
  readonly answers: ReadonlyMap<number, PlaceAnswer>
  /** The edits of the last answer. If they fail, the earlier answers in `before` are valid again. */
  readonly askedEdits: ReadonlyArray<FileEdits>
  readonly before: ReadonlyMap<number, PlaceAnswer>
  /**
   * The number of idle answers in a row. An idle answer leaves places undecided, and does not ask to look at a place.
   */
  readonly idle: number
}

/** Returns functions that read files with places, as they are in the working copy or in the project. */
const makePlaceTexts = Effect.gen(function* () {
  const workspace = yield* Workspace

  const read = Effect.fnUntraced(function* (path: string) {
    const { path: canonical } = yield* workspace.canonical(path)
    return yield* workspace.readText(canonical, maxChangedBytes)
  })
  const readNow = (path: string) => Effect.orElseSucceed(read(path), () => "")
  const readProject = (path: string) => Effect.provideService(readNow(path), CurrentCopy, undefined)
  return { readNow, readProject }
})

/** Returns a function that takes back answers whose edits failed. */
export const makeStanding = Effect.gen(function* () {
  const { readNow } = yield* makePlaceTexts

  return Effect.fnUntraced(function* (places: ReadonlyArray<NumberedPlace>, state: PlaceState) {
    const answers = new Map(state.answers)
    for (const { edits, path } of state.askedEdits) {
      const text = yield* readNow(path)
      const isOpen = edits.some(({ newText, oldText }) => text.includes(oldText) && !text.includes(newText))
      if (!isOpen) continue
      for (const { number } of places.filter((place) => place.path === path)) {
        const earlier = state.before.get(number)
        if (earlier !== undefined) answers.set(number, earlier)
        else if (answers.get(number)?._tag === "Change") answers.delete(number)
      }
    }
    return answers
  })
})

/** Computes the edits of files from the answers about places. */
const makePlaceFiles = Effect.gen(function* () {
  const activities = yield* Activities
  const { readNow, readProject } = yield* makePlaceTexts

  /** The edits that turn a file's text after the earlier answers into its text after the new answers. */
  const editsOf = Effect.fnUntraced(function* (
    path: string,
    places: ReadonlyArray<NumberedPlace>,
    before: PlaceState["answers"],
    now: PlaceState["answers"]
  ): Effect.fn.Return<FileEdits> {
    const project = yield* readProject(path)
    const lines = project.split(/\r?\n/)
    const moved = places.filter((place) => lines[place.line - 1] !== placeLine(place))
    if (moved.length > 0) {
      const numbers = numbersText(moved.map(({ number }) => number))
      return { path, edits: [], problem: `Somebody else changed the lines of the places ${numbers} meanwhile.` }
    }
    const current = yield* readNow(path)
    const merged = mergeTexts(withAnswers(project, places, before), current, withAnswers(project, places, now))
    if (merged.clashes.length === 0) return { path, edits: editsBetween(current, merged.text) }
    const numbers = numbersText(places.filter(isNumbered).map(({ number }) => number))
    const problem = `Your block changed lines of the places ${numbers} in ${path}. Change them with another block, and answer "<number> change:" without a text.`
    return { path, edits: [], problem }
  })

  /** The edits of each file for these answers. A replay uses the recorded edits. */
  const edits = (
    task: string,
    changed: ReadonlyArray<NumberedPlace>,
    all: ReadonlyArray<NumberedPlace>,
    before: PlaceState["answers"],
    now: PlaceState["answers"]
  ) => {
    const paths = [...new Set(changed.map(({ path }) => path))]
    const isMeant = (place: NumberedPlace): boolean =>
      isNumbered(place) || before.has(place.number) || now.has(place.number)
    const ofFile = (path: string) =>
      editsOf(
        path,
        all.filter((place) => place.path === path && isMeant(place)),
        before,
        now
      )
    return activities.record(
      { key: seenKey.places(task), success: Schema.Array(FileEdits) },
      Effect.forEach(paths, ofFile)
    )
  }

  /** The calls that show the declarations around places. Each declaration is shown once. */
  const looks = Effect.fnUntraced(function* (places: ReadonlyArray<NumberedPlace>) {
    const ranges = yield* Effect.forEach(places, (place) =>
      Effect.map(readProject(place.path), (text) => {
        const lines = text.split(/\r?\n/)
        const language = languageOf(place.path)
        const at = { from: place.line, to: place.line }
        const whole = declarationLines(lines, language)(at)
        const { from, to } =
          whole !== undefined && whole.to - whole.from < longestLook
            ? whole
            : enclosingLines(lines, language)(place.line, longestLook)
        return { number: place.number, path: place.path, from, to }
      })
    )
    const byRange = new Map(ranges.map((range) => [`${range.path}:${range.from}-${range.to}`, range]))
    return [...byRange.values()].map(({ from, number, path, to }): ToolCall => ({
      uid: `look-${number}`,
      name: "read_file",
      arguments: { path, start_line: from, end_line: to }
    }))
  })

  return { edits, looks }
})

/**
 * Returns a function that evaluates an answer about places. Its result has the edits, the calls that look at places,
 * and issues about edits that failed. `now` has the decisions that are now valid.
 */
export const makePlaceEdits = Effect.gen(function* () {
  const files = yield* makePlaceFiles

  return Effect.fnUntraced(function* (task: string, read: PlaceTurn) {
    const { answers, before, places } = read
    const isEdited = ({ number }: NumberedPlace): boolean =>
      answers.get(number)?._tag === "Change" || (answers.has(number) && before.get(number)?._tag === "Change")
    const wanted = new Map([...before, ...answers])
    const edited = yield* files.edits(task, places.filter(isEdited), places, before, wanted)
    const failed = new Set(edited.flatMap(({ path, problem }) => (problem === undefined ? [] : [path])))
    const problems = edited.flatMap(({ problem }) =>
      problem === undefined ? [] : [makeIssue("place-answer", {}, { what: problem })]
    )
    const looked = places.filter(({ number }) => answers.get(number)?._tag === "Look").slice(0, mostLooks)
    return { edited, looks: yield* files.looks(looked), now: answersAfter(read, failed), problems }
  })
})
