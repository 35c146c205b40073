/** How one run of a check ended, not yet interpreted. */

export interface CheckEnd {
  /** The exit code. Null if the check was stopped. */
  readonly exitCode: number | null
  readonly output: string
  readonly seconds: number
  /** Why the check was stopped, as a sentence. */
  readonly stopped?: string
  /** A setting that would help, as a sentence for the user. Set if the sandbox or a limit stopped the check. */
  readonly hint?: string
  /** The XML reports that the tests of the check wrote. */
  readonly reports?: ReadonlyArray<string>
}

export const linesOf = (output: string): ReadonlyArray<string> =>
  output.split("\n").filter((line) => line.trim() !== "")
