/**
 * A line about something that is at work: its name, what it does, and for how long. The time is never cut.
 */
import { cutLine, lineWidth, type StyledLine } from "../text/StyledLine.ts"
import { textWidth } from "../text/TextWidth.ts"

/** A name is not cut below this width, in columns. */
const leastName = 14

export const workLine = (name: StyledLine, detail: string, time: string, columns: number): StyledLine => {
  const end = time === "" ? "" : ` · ${time}`
  const room = columns - end.length
  const wanted = detail === "" ? 0 : textWidth(detail) + 3
  const named = cutLine(name, Math.max(Math.min(lineWidth(name), leastName), room - wanted))
  const whole: StyledLine = detail === "" ? named : [...named, { text: ` · ${detail}` }]
  return [...cutLine(whole, room), { text: end, style: "dim" }]
}
