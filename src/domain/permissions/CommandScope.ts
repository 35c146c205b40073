/**
 * Where a rule for commands holds. A rule covers commands in the project folder, in the sandbox. For another folder, or
 * without the sandbox, it begins with that in parentheses, which no word of a command begins with:
 * `(packages/a) npm test`, `(no sandbox) make`, `(packages/*, no sandbox) make`.
 */
import { wordText } from "../commands/CommandText.ts"
import { matches } from "../text/PatternMatch.ts"

/** Where a command runs. */
export interface CommandPlace {
  /** Relative to the project; `.` for the project itself. */
  readonly folder: string
  readonly sandboxed: boolean
}

interface ScopedPattern {
  /** Absent when the pattern names none. */
  readonly folder?: string
  readonly withoutSandbox: boolean
  /** What is compared with the command. */
  readonly rest: string
}

const outside = "no sandbox"
const scoped = /^\(([^()]*)\) (.*)$/s

/** A pattern with what it says about the place. */
export const scopedPattern = (pattern: string): ScopedPattern => {
  const [, scope, rest = ""] = scoped.exec(pattern) ?? []
  if (scope === undefined) return { withoutSandbox: false, rest: pattern }
  if (scope === outside) return { withoutSandbox: true, rest }
  const withoutSandbox = scope.endsWith(`, ${outside}`)
  const folder = withoutSandbox ? scope.slice(0, -outside.length - 2) : scope
  return { folder: folder.replace(/^\.\/(?=.)|\/$/g, ""), withoutSandbox, rest }
}

/** What stands before a command in a pattern that covers it in this place; nothing in the sandbox of the project. */
export const placePrefix = ({ folder, sandboxed }: CommandPlace, escape: (text: string) => string): string => {
  const words = [...(folder === "." ? [] : [escape(wordText(folder))]), ...(sandboxed ? [] : [outside])]
  return words.length === 0 ? "" : `(${words.join(", ")}) `
}

/** True when an allow rule with this pattern covers the place. One for commands without a sandbox covers those in it. */
export const coversPlace = ({ folder = ".", withoutSandbox }: ScopedPattern, place: CommandPlace): boolean =>
  (place.sandboxed || withoutSandbox) && matches(folder, place.folder === "." ? "." : wordText(place.folder))

/** True when a deny or ask rule is about the place: about every place, unless it names a folder. */
export const concernsPlace = ({ folder }: ScopedPattern, place: CommandPlace): boolean =>
  folder === undefined || matches(folder.toLowerCase(), wordText(place.folder).toLowerCase(), "/")
