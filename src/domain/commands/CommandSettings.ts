/**
 * The user's settings for commands: the sandbox, the time limit, and environment variables. Commands get these
 * variables and a few harmless ones, but never keys and tokens.
 */
import * as Schema from "effect/Schema"
import { NetworkHost } from "./NetworkHosts.ts"
import { toolchainVariables } from "./Toolchains.ts"

/** The default (`usual`) and maximum (`most`) time limit of a command, in seconds. */
export const commandSeconds = { usual: 120, most: 1800 } as const

const key = <A>(schema: Schema.Codec<A>, description: string) => Schema.optionalKey(schema.annotate({ description }))

const Folder = Schema.String.check(
  Schema.isPattern(/^(?:\/|~\/)[^\0]*$/, { expected: 'an absolute path, or one that begins with "~/"' })
)

export const SandboxSettings = Schema.Struct({
  mode: key(
    Schema.Literals(["auto", "required", "off"]),
    '"auto" uses the sandbox if bubblewrap works, else the weaker one of the system if there is one, "required" runs no command without it, "off" never uses it. Default: "auto".'
  ),
  network: key(
    Schema.Union([Schema.Boolean, Schema.Array(NetworkHost)]),
    'Whether commands can use the network, or the hosts that they can reach through a proxy, such as "registry.npmjs.org", "*.pypi.org" or "localhost:8080". Default: false.'
  ),
  unixSockets: key(
    Schema.Boolean,
    "Whether commands can use Unix sockets, for example for a server that a test starts. Default: false."
  ),
  git: key(
    Schema.Boolean,
    "Whether commands can change the repositories of the project, for example to commit. Hooks and configuration stay as they are. Default: false."
  ),
  writable: key(
    Schema.Array(Folder),
    "Folders in addition to the project that commands may write to, such as a cache."
  ),
  readable: key(
    Schema.Array(Folder),
    "Folders and files outside the project that commands may read, such as a toolchain, and files of the project that look like secrets."
  )
})
export type SandboxSettings = typeof SandboxSettings.Type

const passed = /^(?:PATH|HOME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|USER|LOGNAME|SHELL)$/

/** Variables that ask programs for plain text, because no terminal shows their output. */
const outputVariables = { TERM: "dumb", NO_COLOR: "1", AI_AGENT: "task-conductor" } as const

/** Variables that make programs load or run other code. */
const codeLoading =
  /^(?:LD_.*|DYLD_.*|GIT_.*|BASH_.*|NODE_OPTIONS|NODE_PATH|ENV|IFS|PS4|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE|PYTHON(?:PATH|STARTUP|HOME|INSPECT)|PERL5?(?:LIB|OPT|DB)|RUBY(?:LIB|OPT)|(?:_|JDK_)?JAVA_(?:TOOL_)?OPTIONS)$/i

const secret = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|SESSION/i

/** Why commands never get the variable, as a clause; undefined if they may get it. */
export const environmentNameProblem = (name: string): string | undefined => {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `"${name}" is not the name of an environment variable`
  if (codeLoading.test(name)) return `"${name}" makes programs run other code; no command gets it`
  if (secret.test(name)) return `"${name}" looks like a secret; no command gets it`
  return undefined
}

/** The absolute folders of a search path. The meaning of a relative folder depends on the command's folder. */
const absoluteFolders = (path: string): string =>
  path
    .split(":")
    .filter((folder) => folder.startsWith("/"))
    .join(":")

/**
 * The variables of a command: harmless ones of this process, those that the user names (`named`), and
 * `outputVariables`.
 */
export const commandEnvironment = (
  all: Readonly<Record<string, string | undefined>>,
  named: ReadonlyArray<string>
): Readonly<Record<string, string>> => {
  const isPassed = (name: string) =>
    passed.test(name) ||
    toolchainVariables.has(name) ||
    (named.includes(name) && environmentNameProblem(name) === undefined)
  const passedVariables = Object.entries(all).flatMap(([name, value]) =>
    value === undefined || !isPassed(name) ? [] : [[name, name === "PATH" ? absoluteFolders(value) : value] as const]
  )
  return { ...outputVariables, ...Object.fromEntries(passedVariables) }
}
