/**
 * `help` and `version` as words, for those who do not write them as flags.
 */

/**
 * The flags that the words stand for: `help run` is `run --help`, `version` is `--version`. A command that does not exist
 * keeps no help, so that its name is what is wrong.
 */
export const withPlainWords = (argv: ReadonlyArray<string>, commands: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, ...rest] = argv
  if (first === "version" && rest.length === 0) return ["--version"]
  if (first !== "help") return argv
  const [named] = rest
  return named === undefined || named.startsWith("-") || commands.includes(named) ? [...rest, "--help"] : rest
}
