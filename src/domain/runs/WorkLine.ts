/**
 * A line about something that is at work: its name, what it does, and for how long. The time is never cut.
 */
import { cutLine, lineWidth, type StyledLine, textWidth } from "../text/TextWidth.ts"

/** A name is not cut below this width, in columns. */
const leastName = 20

const widthOf = (detail: string): number => (detail === "" ? 0 : textWidth(detail) + 3)

/**
 * The first of the details that fits beside the name is shown, else the last one as far as it has room. A long name stands
 * alone before both are cut, so that tasks can be told apart. On a narrow screen `word` stands for the details where it fits.
 */
export const workLine = (
  name: StyledLine,
  details: ReadonlyArray<string>,
  time: string,
  columns: number,
  word = ""
): StyledLine => {
  const end = ` · ${time}`
  const room = columns - end.length
  const isLong = lineWidth(name) > leastName
  const final = details.at(-1) ?? ""
  const last = isLong && leastName + widthOf(final) > room ? "" : final
  const fits = (one: string): boolean => lineWidth(name) + widthOf(one) <= room
  const detail = details.find(fits) ?? (word !== "" && fits(word) ? word : last)
  const least = Math.min(lineWidth(name), leastName)
  const named = cutLine(name, Math.max(least, room - widthOf(detail)))
  const whole: StyledLine = detail === "" ? named : [...named, { text: ` · ${detail}` }]
  return [...cutLine(whole, room), { text: end, style: "dim" }]
}
