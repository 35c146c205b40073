/**
 * What changes of a task have left behind: lines of the working copy that use a name which is defined no more, or that equal a
 * line which was replaced.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { defines, linesWithName, removedLines, removedNames } from "../../domain/files/ChangedNames.ts"
import { seenKey } from "../../domain/runs/ActivityKey.ts"
import { cutAt } from "../../domain/text/Excerpt.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { makeSearchedTexts, type SearchedText } from "../changes/SearchedTexts.ts"
import type { AnyOrder } from "./TurnOrder.ts"

const mostPlaces = 5
const mostNames = 5
/** More removed lines are a part that was rewritten, not a replacement. */
const mostLines = 5
const shownLength = 80
/** In a larger project nothing is searched for. */
const mostFiles = 4000

const placesText = (places: ReadonlyArray<string>): string => {
  const more = places.length - mostPlaces
  return `${places.slice(0, mostPlaces).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

/** What these texts still hold of what changes took away, a line each. */
const leftIn = (
  texts: ReadonlyArray<SearchedText>,
  names: ReadonlyArray<string>,
  lines: ReadonlyArray<string>,
  except: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const isLeft = (place: string): boolean => !except.some((one) => place === one || place.startsWith(`${one}:`))
  const ofNames = names.flatMap((name) => {
    const places = texts
      .filter((one) => !defines(one, name))
      .flatMap((one) => linesWithName(one, [name]).map(({ line }) => `${one.path}:${line}`))
      .filter(isLeft)
    return places.length === 0 ? [] : [`- \`${name}\`, which your change renamed or removed: ${placesText(places)}`]
  })
  const ofLines = lines.flatMap((wanted) => {
    const places = texts
      .flatMap(({ path, text }) =>
        text.split("\n").flatMap((line, index) => (line.trim() === wanted ? [`${path}:${index + 1}`] : []))
      )
      .filter(isLeft)
    /* A line that stands at many places is usual in this project. */
    if (places.length === 0 || places.length > mostPlaces) return []
    return [`- \`${cutAt(wanted, shownLength)}\`, a line that your change replaced: ${placesText(places)}`]
  })
  return [...ofNames, ...ofLines]
}

/** Makes what is said about the changes of a turn; `except` are files and places that the model left out. */
export const makeLeftovers = Effect.gen(function* () {
  const activities = yield* Activities
  const searchedTexts = yield* makeSearchedTexts
  const workspace = yield* Workspace

  const search = Effect.fnUntraced(function* (
    names: ReadonlyArray<string>,
    lines: ReadonlyArray<string>,
    except: ReadonlyArray<string>
  ) {
    const files = yield* Effect.orElseSucceed(workspace.tree, () => [])
    if (files.length > mostFiles) return []
    const wanted = [...names, ...lines]
    const texts = yield* searchedTexts(files, (text) => wanted.some((one) => text.includes(one)))
    return leftIn(texts, names, lines, except)
  })

  return Effect.fnUntraced(function* (
    { round, task }: AnyOrder,
    turn: number,
    changed: ReadonlyArray<ProposedFile>,
    except: ReadonlyArray<string>
  ) {
    const names = removedNames(changed).slice(0, mostNames)
    const removed = removedLines(changed)
    const lines = removed.length > mostLines ? [] : removed
    if (names.length + lines.length === 0) return []
    return yield* activities.record(
      { key: seenKey.leftovers(task, round, turn), success: Schema.Array(Schema.String) },
      search(names, lines, except)
    )
  })
})
