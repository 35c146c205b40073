/**
 * The sandbox of commands: bubblewrap, if one trial in each run shows that it works. Otherwise, the run and every
 * question say so. Commands then run in the system's own confinement, if that works.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { listedHosts, proxyPort, proxyVariables } from "../../domain/commands/NetworkHosts.ts"
import type { SandboxSettings } from "../../domain/commands/CommandSettings.ts"
import { socketFilter } from "../../domain/commands/SocketFilter.ts"
import type { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { isWithin } from "../files/CanonicalPath.ts"
import { textHash } from "../files/Hash.ts"
import { trustedFolders } from "../files/SearchPath.ts"
import { moduleUrl } from "../files/PackageFolder.ts"
import { findProgram, processProvider, runChild } from "./ChildRun.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { emptySurvey } from "./ProjectSurvey.ts"
import { type CommandPlaces, type SandboxPlaces, sandboxFlags } from "./SandboxProfile.ts"
import { confinement, partialWords, type PartialCommand, type PartialHelper } from "./PartialSandbox.ts"
import { Workspace } from "../files/Workspace.ts"

interface SandboxState {
  readonly sandboxed: boolean
  /** A text after "Sandbox: " that says what the sandbox allows, or why there is none. */
  readonly words: string
  /** True if a command reaches only the project: no network, no Unix sockets, no other writable folder. */
  readonly isClosed?: boolean
  readonly why?: string
  /** Why no command may run, as a clause such as "needs a sandbox". */
  readonly denial?: string
}

interface EnclosedCommand extends Omit<CommandPlaces, "forwarder"> {
  readonly argv: ReadonlyArray<string>
  /**
   * True if the command may reach the listed hosts through the proxy at its descriptor 5. Absent if the user lists no
   * hosts.
   */
  readonly isConnected?: boolean
}

interface Enclosure {
  readonly argv: ReadonlyArray<string>
  readonly filter: Uint8Array | undefined
  /** Empty folders on disk that keep commands from creating something at these paths. */
  readonly placeholders: ReadonlyArray<string>
  /** Project paths that the command cannot change. */
  readonly guarded: ReadonlyArray<string>
  /** Environment variables that the sandbox sets for the command. */
  readonly variables: Readonly<Record<string, string>>
  /** The in-memory folders of the sandbox. */
  readonly temporary: ReadonlyArray<string>
  readonly shownPaths: ReadonlyArray<string>
}

export interface SandboxOptions {
  readonly sandbox?: SandboxSettings
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The user's home folder, which the sandbox hides. */
  readonly home: string
  /** The folders of this program. The sandbox hides them, as it hides the home folder. */
  readonly hidden: ReadonlyArray<string>
  /** The folder with one cache folder for each project. Without it, a cache is lost when its command ends. */
  readonly caches?: string
}

const onlyOwner = 0o700

const onlyHosts = (hosts: ReadonlyArray<string>): string =>
  hosts.length === 0 ? "no network" : `network: only ${hosts.join(", ")}`

const forwarderFile = fileURLToPath(moduleUrl("services/commands/NetworkForwarder"))
const [nodeInside, forwarderInside] = [
  "/run/task-conductor/node",
  `/run/task-conductor/${path.basename(forwarderFile)}`
]
const forwarderFlags = ["--ro-bind", process.execPath, nodeInside, "--ro-bind", forwarderFile, forwarderInside]

/**
 * Starts the forwarder. When the forwarder listens, starts the command. The command does not get descriptor 5, which
 * only the forwarder uses.
 */
const forwardScript = 'ready=$("$1" "$2" "$3" <&5 5<&- 2>/dev/null &); exec 5<&-; shift 3; exec "$@"'
const forwarded = ["/bin/sh", "-c", forwardScript, "sh", nodeInside, forwarderInside, `${proxyPort}`]

/** The persistent cache of a project, created on first use. Undefined if it cannot be created. */
const makeCache = Effect.fnUntraced(function* (caches: string, root: string) {
  const fs = yield* FileSystem.FileSystem
  const folder = path.join(caches, `${path.basename(root)}-${textHash(root).slice(0, 16)}`)
  return yield* fs.makeDirectory(folder, { recursive: true, mode: onlyOwner }).pipe(
    Effect.as(folder),
    Effect.orElseSucceed(() => undefined)
  )
})

type Provide = Effect.Success<typeof processProvider>

const settingsOf = ({ environment, hidden, home, sandbox = {} }: SandboxOptions, root: string) => {
  const { git = false, mode = "auto", network = false, unixSockets = false } = sandbox
  const hosts = listedHosts(network)
  const expand = (written: string) => (written.startsWith("~/") ? path.join(home, written.slice(2)) : written)
  const places: SandboxPlaces = {
    root,
    home,
    environment,
    programs: (environment["PATH"] ?? "").split(":"),
    readable: (sandbox.readable ?? []).map(expand),
    writable: (sandbox.writable ?? []).map(expand),
    hidden,
    network: hosts === undefined ? network === true : hosts.length > 0,
    isProxied: hosts !== undefined,
    git
  }
  return { hosts, mode, network, places, unixSockets }
}

type Settings = ReturnType<typeof settingsOf>

/**
 * Returns functions that test bubblewrap and run commands in it. `program` is the path of bubblewrap. The system call
 * filter is used only if it works.
 */
const makeBubblewrap = (
  { hosts, places, unixSockets }: Settings,
  program: Effect.Effect<string | undefined>,
  cacheFor: (command: { readonly isTrial?: boolean }) => Effect.Effect<string | undefined>,
  provide: Provide
) => {
  const { root } = places
  /** Absent if the processor is unknown or the system supports no filter. */
  let filter = socketFilter(process.arch, unixSockets)

  const enclose = Effect.fn("Sandbox.enclose")(function* (command: EnclosedCommand) {
    const bwrap = (yield* program) ?? "bwrap"
    const cache = yield* cacheFor(command)
    const isForwarded = command.isConnected === true && hosts !== undefined
    const { flags, ...around } = yield* sandboxFlags(
      { ...places, cache },
      { ...command, forwarder: isForwarded ? forwarderFlags : [] }
    )
    const filtered = filter === undefined ? [] : ["--seccomp", "4"]
    const before = [...(command.copy?.before ?? []), bwrap, "--json-status-fd", "3", ...filtered]
    const argv = [...before, ...flags, "--chdir", command.cwd, "--"]
    return {
      ...around,
      argv: [...argv, ...(isForwarded ? forwarded : []), ...command.argv],
      filter,
      variables: { ...around.variables, ...(isForwarded ? proxyVariables(hosts) : {}) }
    }
  }, provide)

  /** Tests whether bubblewrap can mount the project, which each command needs. */
  const trial = Effect.gen(function* () {
    const argv = ["/bin/sh", "-c", ":"]
    const enclosure = yield* enclose({ argv, cwd: root, survey: emptySurvey, isTrial: true })
    yield* runChild({ ...enclosure, cwd: root, env: {}, sandboxed: true, seconds: 10 })
  })

  const trialWithoutFilter = Effect.suspend(() => {
    filter = undefined
    return trial
  })

  /** Why the sandbox does not work; undefined if it does. */
  const problem = Effect.gen(function* () {
    if ((yield* program) === undefined) return "bubblewrap is not installed"
    yield* Effect.catchTag(trial, "ToolFailure", () => trialWithoutFilter)
    return undefined
  }).pipe(
    Effect.catchTag("ToolFailure", ({ message }) => Effect.succeed(`bubblewrap does not work here (${message})`)),
    provide
  )

  return { enclose, problem, isFiltered: () => filter !== undefined }
}

/**
 * Finds the confinement that the operating system offers in place of bubblewrap. Undefined if this confinement does not
 * work here.
 */
const findHelper = (
  { network, unixSockets }: Settings,
  places: SandboxPlaces,
  find: (program: string) => Effect.Effect<string | undefined>
) => {
  const tryHelper = (candidate: PartialHelper) =>
    confinement(candidate, places, { argv: ["/bin/sh", "-c", ":"], cwd: places.root, survey: emptySurvey }).pipe(
      Effect.flatMap(({ argv }) => runChild({ argv, cwd: places.root, env: {}, sandboxed: false, seconds: 10 })),
      Effect.scoped,
      Effect.map(({ exitCode }) => (exitCode === 0 ? candidate : undefined)),
      Effect.orElseSucceed(() => undefined)
    )
  return Effect.gen(function* () {
    const isMac = process.platform === "darwin"
    const file = yield* find(isMac ? "sandbox-exec" : "setpriv")
    if (file === undefined) return undefined
    if (isMac) return yield* tryHelper({ name: "sandbox-exec", path: file })
    const calls = socketFilter(process.arch, unixSockets, network === true)
    const filtered = yield* tryHelper({ name: "Landlock", path: file, filter: calls })
    return filtered ?? (yield* tryHelper({ name: "Landlock", path: file }))
  })
}

const missingState = ({ hosts, mode }: Settings, why: string): SandboxState => {
  const unheld = hosts === undefined ? "" : ", so the list of hosts in sandbox.network does not hold"
  const state = { sandboxed: false, why, words: `no: ${why}${unheld}` }
  if (mode !== "required") return state
  const cure = `Install it, or set "sandbox": { "mode": "auto" } in your user configuration`
  return { ...state, denial: `needs the sandbox that your configuration requires, and ${why}. ${cure}` }
}

const enclosedState = ({ hosts, network, places, unixSockets }: Settings, isFiltered: boolean): SandboxState => {
  const reach = network === true ? "with the network" : onlyHosts(hosts ?? [])
  const sockets = isFiltered ? "" : ", Unix sockets are not blocked"
  const words = `yes: ${reach}, writes only in the project, your home folder is hidden${sockets}`
  const isClosed = !places.network && places.writable.length === 0 && !unixSockets && isFiltered
  return { sandboxed: true, words, isClosed }
}

export class Sandbox extends Context.Service<
  Sandbox,
  {
    /** Found out on first use. */
    readonly state: Effect.Effect<SandboxState>
    /** How a command runs in the sandbox. Only for a sandbox that works. */
    enclose(command: EnclosedCommand): Effect.Effect<Enclosure, ToolFailure>
    /**
     * How a command runs without the sandbox: in the system's confinement, or unconfined. Valid until the scope closes.
     */
    confine(command: PartialCommand): Effect.Effect<Pick<Enclosure, "argv" | "variables">, ToolFailure, Scope.Scope>
    /** The path of a program outside the project; undefined if there is none. */
    find(program: string): Effect.Effect<string | undefined>
  }
>()("task-conductor/services/commands/Sandbox") {
  static readonly layer = (options: SandboxOptions) =>
    Layer.effect(
      Sandbox,
      Effect.gen(function* () {
        const { caches, environment, hidden } = options
        const { root } = yield* Workspace
        const events = yield* RunEvents
        const settings = settingsOf(options, root)
        const { mode, network, places, unixSockets } = settings
        const provide = yield* processProvider
        const trusted = trustedFolders(environment["PATH"], root)
        const find = (name: string) => provide(findProgram(name, trusted))
        const cacheFor = ({ isTrial = false }: { readonly isTrial?: boolean }) =>
          caches === undefined || isTrial ? Effect.undefined : provide(makeCache(caches, root))
        const bubblewrap = makeBubblewrap(settings, yield* Effect.cached(find("bwrap")), cacheFor, provide)
        /**
         * The confinement cannot give a command its own network, which a list of hosts needs. So `true` allows all
         * hosts, and any other setting allows none.
         */
        const alone = { ...places, network: network === true }
        const helper = yield* Effect.cached(provide(findHelper(settings, alone, find)))

        const confine = Effect.fn("Sandbox.confine")(function* (command: PartialCommand) {
          const usable = mode === "auto" ? yield* helper : undefined
          if (usable === undefined) return { argv: command.argv, variables: {} }
          return yield* confinement(usable, { ...alone, cache: yield* cacheFor({}) }, command)
        }, provide)

        const state = Effect.gen(function* () {
          if (mode === "off") return missingState(settings, "it is switched off in your configuration")
          const why = yield* bubblewrap.problem
          if (why === undefined) return enclosedState(settings, bubblewrap.isFiltered())
          if (mode === "required") return missingState(settings, why)
          const usable = yield* helper
          const weaker = usable === undefined ? "without a sandbox" : `in a weaker sandbox (${usable.name})`
          yield* events.publish({ type: "message", level: "warning", text: `Commands run ${weaker}: ${why}.` })
          if (usable === undefined) return missingState(settings, why)
          const open = [root, ...places.writable]
          const isExposed = hidden.some((folder) => open.some((other) => isWithin(other, folder)))
          const words = partialWords(usable, { isExposed, network, unixSockets, why })
          return { ...missingState(settings, why), words }
        })

        return Sandbox.of({ state: yield* Effect.cached(state), enclose: bubblewrap.enclose, confine, find })
      })
    )
}
