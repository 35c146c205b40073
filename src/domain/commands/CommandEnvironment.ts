/**
 * Which environment variables a command sees: a short list of harmless ones, and what the person named. Everything else
 * stays outside, above all keys and tokens. Called when the services of a run are made, and by the configuration.
 */

const passed = /^(?:PATH|HOME|LANG|LANGUAGE|LC_[A-Z]+|TERM|TZ|TMPDIR|USER|LOGNAME|SHELL)$/

/** Variables that make programs load or run something else than they were asked to. */
const steering =
  /^(?:LD_.*|DYLD_.*|GIT_.*|BASH_.*|NODE_OPTIONS|NODE_PATH|ENV|IFS|PS4|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE|PYTHON(?:PATH|STARTUP|HOME|INSPECT)|PERL5?(?:LIB|OPT|DB)|RUBY(?:LIB|OPT)|(?:_|JDK_)?JAVA_(?:TOOL_)?OPTIONS)$/i

const secret = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|SESSION/i

/** Why a command may not be given the variable of this name; nothing when it may. */
export const environmentNameProblem = (name: string): string | undefined => {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `"${name}" is not the name of an environment variable`
  if (steering.test(name)) return `"${name}" makes programs run other code than they were asked to; no command gets it`
  if (secret.test(name)) return `"${name}" looks like a secret; no command gets it`
  return undefined
}

/** Folders of the search path; relative ones would be looked for wherever the command runs. */
const absoluteFolders = (path: string): string =>
  path
    .split(":")
    .filter((folder) => folder.startsWith("/"))
    .join(":")

/** The variables of a command out of those of this process; `named` are the person's own additions. */
export const commandEnvironment = (
  all: Readonly<Record<string, string | undefined>>,
  named: ReadonlyArray<string>
): Readonly<Record<string, string>> => {
  const isPassed = (name: string) =>
    passed.test(name) || (named.includes(name) && environmentNameProblem(name) === undefined)
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) =>
      value === undefined || !isPassed(name) ? [] : [[name, name === "PATH" ? absoluteFolders(value) : value]]
    )
  )
}
