/**
 * How a run stands, as a symbol and words. Pure.
 */
import type { RunStanding } from "../../domain/history/RunOverview.ts"
import type { Paint } from "../terminal/Colour.ts"

type Tone = "green" | "red" | "yellow" | "bold"

const looks: Readonly<Record<RunStanding, readonly [symbol: string, tone: Tone]>> = {
  done: ["✓", "green"],
  running: ["●", "bold"],
  failed: ["✗", "red"],
  no_valid_plan: ["✗", "red"],
  unavailable: ["✗", "red"],
  unreadable: ["✗", "red"],
  declined: ["○", "yellow"],
  not_permitted: ["○", "yellow"],
  limit: ["○", "yellow"],
  interrupted: ["○", "yellow"],
  unfinished: ["○", "yellow"]
}

/** `✓ done`, `✗ no valid plan`. */
export const standingText = (standing: RunStanding, paint: Paint): string => {
  const [symbol, tone] = looks[standing]
  return paint[tone](`${symbol} ${standing.replaceAll("_", " ")}`)
}
