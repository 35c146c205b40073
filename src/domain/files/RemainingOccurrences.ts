/** Finds what changes left behind: lines that use a removed name, and lines equal to a replaced line. */
import { cutAt } from "../text/Excerpt.ts"
import { defines, linesWithName, type NamedText, removedLines, removedNames } from "./ChangedNames.ts"
import type { ProposedFile } from "./ProposedFile.ts"

const mostPlaces = 5
const mostNames = 5
/**
 * The maximum number of removed lines that are searched. If changes remove more lines than this, they rewrite whole
 * parts of files, and none of the lines is searched.
 */
const mostLines = 5
const shownLength = 80

/** The names and lines that changes removed. */
export interface RemovedText {
  readonly names: ReadonlyArray<string>
  readonly lines: ReadonlyArray<string>
}

export const removedText = (changed: ReadonlyArray<ProposedFile>): RemovedText => {
  const lines = removedLines(changed)
  return { names: removedNames(changed).slice(0, mostNames), lines: lines.length > mostLines ? [] : lines }
}

const placesText = (places: ReadonlyArray<string>): string => {
  const more = places.length - mostPlaces
  return `${places.slice(0, mostPlaces).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

export const remainingOccurrences = (
  texts: ReadonlyArray<NamedText>,
  { lines, names }: RemovedText,
  except: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const isLeft = (place: string): boolean => !except.some((named) => place === named || place.startsWith(`${named}:`))
  const ofNames = names.flatMap((name) => {
    const places = texts
      .filter((file) => !defines(file, name))
      .flatMap((file) => linesWithName(file, [name]).map(({ line }) => `${file.path}:${line}`))
      .filter(isLeft)
    return places.length === 0 ? [] : [`- \`${name}\`, which your change renamed or removed: ${placesText(places)}`]
  })
  const ofLines = lines.flatMap((wanted) => {
    const places = texts
      .flatMap(({ path, text }) =>
        text.split("\n").flatMap((line, index) => (line.trim() === wanted ? [`${path}:${index + 1}`] : []))
      )
      .filter(isLeft)
    /*
     * A line that occurs in more than `mostPlaces` places is common in this project. It says nothing about the change.
     */
    if (places.length === 0 || places.length > mostPlaces) return []
    return [`- \`${cutAt(wanted, shownLength)}\`, a line that your change replaced: ${placesText(places)}`]
  })
  return [...ofNames, ...ofLines]
}
