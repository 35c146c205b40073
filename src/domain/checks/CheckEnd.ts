/** How one run of a check ended, before anybody says what that means. */

export interface CheckEnd {
  /** Null when it was stopped. */
  readonly exitCode: number | null
  readonly output: string
  readonly seconds: number
  /** Why it was stopped, as a sentence. */
  readonly stopped?: string
  /** What a person can set when the sandbox or a limit kept it from working, as a sentence. */
  readonly hint?: string
}

export const linesOf = (output: string): ReadonlyArray<string> =>
  output.split("\n").filter((line) => line.trim() !== "")
