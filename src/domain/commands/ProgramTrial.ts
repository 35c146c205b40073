/**
 * The command that asks the program of another command for its version: it starts the same program, and does nothing else.
 */

/** Programs that have no `--version`. */
const asked: Readonly<Record<string, string>> = { go: "version" }

const isPython = /(?:^|\/)python[\d.]*$/

/** `run` is a command with blanks between its words. */
export const programTrial = (run: string): readonly [string, ...Array<string>] => {
  const [program = "", option, module] = run.trim().split(/\s+/)
  if (isPython.test(program) && option === "-m" && module !== undefined && module !== "unittest")
    return [program, "-m", module, "--version"]
  return [program, asked[program.slice(program.lastIndexOf("/") + 1)] ?? "--version"]
}
