/** How one run of a check ended. Other files interpret it. */

export interface CheckEnd {
  /** Null if the check was stopped. */
  readonly exitCode: number | null
  readonly output: string
  readonly seconds: number
  /** Why the check was stopped, as a sentence. */
  readonly stopped?: string
  /** A setting that would help if the sandbox or a limit stopped the check, as a sentence for the user. */
  readonly hint?: string
  /** The XML reports that its tests wrote. */
  readonly reports?: ReadonlyArray<string>
}

export const linesOf = (output: string): ReadonlyArray<string> =>
  output.split("\n").filter((line) => line.trim() !== "")
