/**
 * Runs commands for tools: without a shell or terminal, with few environment variables, and in a sandbox if one works.
 */
import * as Effect from "effect/Effect"
import { release, totalmem } from "node:os"
import * as path from "node:path"
import { commandProblem, commandText } from "../../domain/commands/CommandText.ts"
import { builtInProblem, missingProgramAdvice, unreplacedWords } from "../../domain/commands/ShellWords.ts"
import { type Access, type CanonicalAccess, partly } from "../../domain/tools/Access.ts"
import { isWithin } from "../files/CanonicalPath.ts"
import { isFolder, realPath } from "../files/FileLook.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { makeCommandWatch, maxNamed } from "./CommandWatch.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { type ChildEnd, findProgram, isExecutable, processProvider, runChild } from "./ChildRun.ts"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import {
  type CommandLimits,
  commandLimitsOf,
  type GivenCommandLimits,
  likelyLimit,
  limitScript,
  usualCommandLimits
} from "../../domain/commands/CommandLimits.ts"
import { commandEnvironment, commandSeconds } from "../../domain/commands/CommandSettings.ts"
import { listedHosts } from "../../domain/commands/NetworkHosts.ts"
import { toolchainScript } from "../../domain/commands/Toolchains.ts"
import { commandScripts } from "./CommandScripts.ts"
import { trustedSearchPath } from "../files/SearchPath.ts"
import { type CommittedSecrets, makeCommittedSecrets } from "./CommittedSecrets.ts"
import { makeControlGroups } from "./ControlGroup.ts"
import { Sandbox, type SandboxOptions } from "./Sandbox.ts"
import { partialFailure } from "./PartialSandbox.ts"
import { sandboxFailure } from "./SandboxFailure.ts"
import { doing } from "./LayerWalk.ts"
import { Workspace } from "../files/Workspace.ts"
import { CurrentCopy } from "../files/WorkingCopy.ts"
import { type CopyState, makeCommandCopies } from "./CommandCopy.ts"
import type { CopyEnd } from "./CopyChanges.ts"

/** The enclosure of a command that runs without the sandbox. */
const unenclosed = { placeholders: [], guarded: [], shownPaths: [], temporary: [] } as const

/** A command in its final form: the gate decides about it, and exactly this command runs. */
export type CanonicalCommand = CanonicalAccess & { readonly _tag: "RunCommand" }

export interface CommandsOptions extends SandboxOptions {
  /** Environment variables that the user allows for commands. */
  readonly named?: ReadonlyArray<string>
  /** A folder outside the project for what commands write in working copies. */
  readonly scratch: string
  /** The default time limit of a command, in seconds; 120 if absent. */
  readonly usualSeconds?: number
  /** Limits for a command's use of the machine; defaults if absent. */
  readonly limits?: Partial<GivenCommandLimits>
}

/**
 * How a command ended. `changed` lists changed files that other programs run automatically, relative to the project.
 */
interface CommandEnd extends ChildEnd {
  readonly changed?: ReadonlyArray<string>
  /** What the command wrote in the working copy of its task. Absent if the command ran in the project. */
  readonly copied?: CopyEnd
  /** The XML reports of tests in the working copy. */
  readonly reports?: ReadonlyArray<string>
  /** If the sandbox probably made the command fail: a sentence for the user that names a setting that may help. */
  readonly sandboxHint?: string
  /** The limit that the command itself ran into, as a text. */
  readonly limitHint?: string
}

interface RunOptions {
  readonly seconds?: number
  /** The setting that determines `seconds`. Absent if the tool call determines it. */
  readonly limit?: string
  /** True for a test of the sandbox, which changes nothing. */
  readonly isTrial?: boolean
  readonly stdin?: string
  /** True if the caller itself tells the user which setting would help. */
  readonly isQuiet?: boolean
}

const invalid = (message: string) => new ToolFailure({ type: "validation_failed", message })

/** True if Linux counts the processes in a user namespace separately from the user's other processes (since 5.14). */
const countsInNamespaces = (() => {
  const [major = 0, minor = 0] = release().split(".").map(Number)
  return process.platform === "linux" && (major > 5 || (major === 5 && minor >= 14))
})()

/**
 * Wraps a command into a shell with a fixed script, which gets the words of the command as arguments. No other shell is
 * used.
 *
 * The script joins stderr to stdout, which keeps the order of their lines. It ignores SIGTERM, so that the command
 * stops before the shell. It also sets limits and links toolchains.
 */
const joined = (argv: ReadonlyArray<string>, limits: CommandLimits, sandboxed: boolean): ReadonlyArray<string> => [
  "/bin/sh",
  "-c",
  `trap : TERM; (${limitScript(limits, sandboxed && countsInNamespaces)} ${toolchainScript} exec "$@") 2>&1; exit $?`,
  "sh",
  ...argv
]

const notFound = (message: string) => new ToolFailure({ type: "not_found", message })

interface CommandSetting {
  readonly options: CommandsOptions
  readonly root: string
  /** The search path of commands. */
  readonly folders: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly committed: CommittedSecrets
  readonly limits: CommandLimits
}

/** The folder of a command in the project, which may exist only as a proposal. */
const folderOf = Effect.fnUntraced(function* (workspace: Workspace["Service"], written: string) {
  const { inside, path: folder } = yield* workspace.canonical(yield* workspace.meant(written))
  if (!inside)
    return yield* invalid(
      `The folder ${folder} is outside the project. Leave cwd out, or name a folder of the project.`
    )
  if (yield* isFolder(folder)) return folder
  const proposed = (yield* CurrentCopy)?.files() ?? []
  if (proposed.some((file) => file.text !== null && isWithin(folder, file.path))) return folder
  return yield* invalid(`There is no folder ${folder}. Leave cwd out, or name a folder of the project.`)
})

/** The path of a program, found in the command's folder or on the search path. */
const findFrom = ({ folders }: CommandSetting, program: string, cwd: string) =>
  program.includes("/") ? Effect.succeed(path.resolve(cwd, program)) : findProgram(program, folders)

/**
 * The place that the sandbox must show for a program:
 * - for a program outside the project, its real path,
 * - for a program in the project, the folder around its `bin`,
 * - for a link outside the project that leads into the project, nothing.
 */
const placeOfProgram = Effect.fnUntraced(function* (setting: CommandSetting, program: string, cwd: string) {
  const { root } = setting
  const file = (yield* findFrom(setting, program, cwd)) ?? root
  if (isWithin(root, file)) return { projectBin: path.dirname(path.dirname(file)) }
  const real = yield* realPath(file)
  return real === undefined || isWithin(root, real) ? {} : { program: real }
})

/** Explains to the user why commands failed, each cause once. */
const makeHints = Effect.fnUntraced(function* (setting: CommandSetting) {
  const events = yield* RunEvents
  const { committed, limits, options, root } = setting
  const { hidden, home, sandbox: settings = {} } = options
  const explained = new Set<string>()

  const reportOnce = Effect.fnUntraced(function* (argv: CanonicalCommand["argv"], hint: string) {
    if (explained.has(hint)) return
    explained.add(hint)
    yield* events.publish({ type: "message", level: "warning", text: `${commandText(argv)}: ${hint}` })
  })

  /**
   * If a limit or the sandbox made the command fail, adds a sentence about it to the result. Tells the user about each
   * cause once.
   */
  return Effect.fnUntraced(function* (
    { argv, cwd, sandbox: sandboxWords, sandboxed }: CanonicalCommand,
    shownFolders: ReadonlyArray<string>,
    end: CommandEnd,
    { isQuiet, refused }: { readonly isQuiet: boolean; readonly refused?: ReadonlySet<string> | undefined }
  ) {
    const report = isQuiet ? () => Effect.void : reportOnce
    const { exitCode, output, stopped } = end
    if (stopped !== undefined) yield* report(argv, stopped)
    if (exitCode === null) return end
    const limitHint = likelyLimit(limits, { exitCode, output, sandboxed })
    if (limitHint !== undefined) {
      yield* report(argv, limitHint)
      return { ...end, limitHint }
    }
    const isPartly = sandboxWords.startsWith(partly)
    if (!sandboxed && !isPartly) return end
    const program = (yield* findFrom(setting, argv[0], cwd)) ?? argv[0]
    const failed = {
      root,
      cwd,
      shownPaths: shownFolders,
      end: { exitCode, output },
      home,
      hidden,
      objects: committed.hidden(),
      settings,
      program,
      refused: [...(refused ?? [])]
    }
    const sandboxHint = isPartly ? partialFailure(exitCode, output) : yield* sandboxFailure(failed)
    if (sandboxHint === undefined) return end
    yield* report(argv, sandboxHint)
    return { ...end, sandboxHint }
  })
})

/** Starts a command in the sandbox or in the system's confinement. `words` are the arguments for the shell. */
const makeStart = Effect.fnUntraced(function* ({
  env,
  limits,
  options: { sandbox: settings = {} },
  root
}: CommandSetting) {
  const sandbox = yield* Sandbox
  const groups = yield* makeControlGroups
  const hosts = listedHosts(settings.network ?? false)
  const provide = yield* processProvider

  return Effect.fnUntraced(function* (
    sandboxed: boolean,
    command: Omit<Parameters<Sandbox["Service"]["enclose"]>[0], "isConnected" | "temporaryBytes">,
    child: Pick<Parameters<typeof runChild>[0], "input" | "limit" | "seconds">
  ) {
    const { copy, cwd } = command
    const { temporaryBytes } = limits
    const around = sandboxed
      ? yield* sandbox.enclose({ ...command, isConnected: hosts !== undefined, temporaryBytes })
      : { ...unenclosed, ...(yield* sandbox.confine(command)) }
    const proxy =
      sandboxed && hosts !== undefined
        ? yield* doing("open the proxy of commands", async () => {
            /**
             * Imported on first use, because its dependencies change `process`. This would look like the work of a
             * plugin.
             */
            const { openProxy } = await import("./NetworkProxy.ts")
            return openProxy(hosts)
          })
        : undefined
    const running = runChild({
      ...around,
      ...child,
      channel: proxy?.channel,
      /** The folder of the command may exist only in the copy, so the child starts in the project folder. */
      cwd: copy === undefined ? cwd : root,
      env: { ...env, ...(sandboxed && "TMPDIR" in env ? { TMPDIR: "/tmp" } : {}), ...around.variables },
      sandboxed,
      bounds: { limits, temporary: around.temporary, group: yield* groups(limits) }
    })
    const isolated = Effect.ensuring(
      running,
      Effect.sync(() => proxy?.close())
    )
    return { ...around, child: provide(isolated), refused: proxy?.refused }
  })
})

/** Runs the programs that calls declare with an access `RunCommand`, in a sandbox if one works. */
export class Commands extends Context.Service<
  Commands,
  {
    /**
     * Determines where and how a command would run. Fails with `validation_failed` (command too long, or folder outside
     * the project) or `not_found` (no such program).
     */
    canonical(access: Access & { readonly _tag: "RunCommand" }): Effect.Effect<CanonicalCommand, ToolFailure>
    /**
     * Returns those of these files that git runs, or whose settings it follows. Git's own rules and settings decide
     * this, not only the names.
     */
    controlsAmong(paths: ReadonlyArray<string>): Effect.Effect<ReadonlySet<string>>
    /**
     * Runs a granted command for at most 1800 seconds. Any exit code is a result. Fails with `timeout` or `io_error`.
     * An interruption stops all its processes.
     *
     * If a task has a working copy, the command sees the proposed changes, and the text files that it writes become
     * proposals. If no copy can be made, the command runs in the project, or fails with `io_error` if there are
     * proposals.
     */
    run(command: CanonicalCommand, options?: RunOptions): Effect.Effect<CommandEnd, ToolFailure>
    /** Whether and how commands see the proposals of a task; found out on first use. */
    readonly copies: Effect.Effect<CopyState>
  }
>()("task-conductor/services/commands/Commands") {
  static readonly layer = (options: CommandsOptions) =>
    Layer.effect(
      Commands,
      Effect.gen(function* () {
        const sandbox = yield* Sandbox
        const workspace = yield* Workspace
        const provide = yield* processProvider
        const { root } = workspace
        const { home, sandbox: { git = false } = {}, scratch } = options
        const env = commandEnvironment(options.environment, options.named ?? [])
        const committed = makeCommittedSecrets({ git, searchPath: trustedSearchPath(env["PATH"], root) })
        const limits = commandLimitsOf({ ...usualCommandLimits, ...options.limits }, totalmem())
        const setting = { options, root, folders: (env["PATH"] ?? "").split(":"), env, committed, limits }
        const watch = yield* makeCommandWatch(root, home, committed)
        const copies = yield* makeCommandCopies({ root, scratch, git, sandbox, holding: watch.holding })
        const start = yield* makeStart(setting)
        const withHint = yield* makeHints(setting)

        const canonical = Effect.fn("Commands.canonical")(function* ({
          argv,
          cwd: written = "."
        }: Access & { readonly _tag: "RunCommand" }) {
          const problem = commandProblem(argv)
          if (problem !== undefined) return yield* invalid(problem)
          const cwd = yield* provide(folderOf(workspace, written))
          const program = yield* provide(findFrom(setting, argv[0], cwd))
          if (program === undefined || !(yield* provide(isExecutable(program)))) {
            return yield* notFound(builtInProblem(argv) ?? missingProgramAdvice(argv))
          }
          const { denial, isClosed = false, sandboxed, words } = yield* sandbox.state
          const scripts = yield* provide(commandScripts(root, argv, cwd))
          const onCopy = (yield* CurrentCopy) !== undefined && (yield* copies.state).mechanism !== "none"
          return {
            _tag: "RunCommand",
            argv,
            cwd,
            sandboxed,
            sandbox: words,
            ...(onCopy ? { onCopy, leavesNothing: isClosed } : {}),
            ...(scripts.length === 0 ? {} : { scripts }),
            ...(denial === undefined ? {} : { denial })
          } satisfies CanonicalCommand
        })

        const run = Effect.fn("Commands.run")(function* (
          command: CanonicalCommand,
          { isQuiet = false, isTrial = false, limit = "the time of this call", seconds, stdin }: RunOptions = {}
        ) {
          const { argv, cwd, sandboxed } = command
          if ((yield* provide(folderOf(workspace, cwd))) !== cwd)
            return yield* invalid(`The folder ${cwd} became a link after it was checked. Nothing was run.`)
          const survey = yield* watch.survey(sandboxed)
          const place = yield* provide(placeOfProgram(setting, argv[0], cwd))
          const child = {
            input: stdin,
            seconds: Math.min(seconds ?? options.usualSeconds ?? commandSeconds.usual, commandSeconds.most),
            limit: seconds === undefined ? "limits.commandSeconds" : limit
          }
          const enclosed = { argv: joined(argv, limits, sandboxed), cwd, survey, isTrial, ...place }
          const hinted = (shown: ReadonlyArray<string>, end: CommandEnd, refused?: ReadonlySet<string>) =>
            provide(withHint(command, shown, end, { isQuiet, refused }))
          const copy = yield* CurrentCopy
          if (copy !== undefined && ((yield* copies.state).mechanism !== "none" || copy.files().length > 0)) {
            return yield* copies.within(copy, (mounts) =>
              Effect.gen(function* () {
                const { guarded, placeholders, refused, shownPaths, ...started } = yield* start(
                  sandboxed,
                  { ...enclosed, copy: mounts },
                  child
                )
                const end = yield* watch.holding(placeholders, started.child)
                return { end: yield* hinted(shownPaths, end, refused), guarded }
              }).pipe(Effect.scoped)
            )
          }
          const { placeholders, refused, shownPaths, ...started } = yield* start(sandboxed, enclosed, child)
          return yield* hinted(shownPaths, yield* watch.watching(survey, placeholders, started.child), refused)
        }, Effect.scoped)

        return Commands.of({ canonical, controlsAmong: watch.controlsAmong, run, copies: copies.state })
      })
    ).pipe(Layer.provide(Sandbox.layer(options)))
}

/** The first names of a list, and a count of the others. */
const firstOf = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.length <= maxNamed ? names : [...names.slice(0, maxNamed), `and ${names.length - maxNamed} more`]

/**
 * Runs the granted command of a call for at most `seconds` (default 120). Returns the result of the tool: `{ exit_code,
 * output }`.
 *
 * - `exit_code` is null for a command that wrote or used too much; `stopped` says why.
 * - `limit` names a limit that the command itself ran into.
 * - `changed_controls` lists changes to repositories and files that programs run automatically.
 * - `changed_files` lists changes of a working copy that are now proposed. `not_proposed` lists changes that are not
 *   proposed, with reasons.
 * - `sandbox` is the setting that would help if the sandbox made the command fail.
 * - `shell` lists words that a shell would have replaced, such as `*.ts`.
 *
 * Fails as `Commands.run` does.
 *
 * ```ts
 * access: ({ argv }) => [{ _tag: "RunCommand", argv }],
 * execute: (_params, { granted: [command] }) => runGranted(command)
 * ```
 */
export const runGranted = Effect.fnUntraced(function* (granted: CanonicalAccess | undefined, seconds?: number) {
  if (granted?._tag !== "RunCommand") return yield* Effect.die("the tool got no command to run")
  const end = yield* (yield* Commands).run(granted, { seconds })
  const { changed = [], copied, exitCode, limitHint, output, sandboxHint, stopped } = end
  const shellHint = exitCode === 0 ? undefined : unreplacedWords(granted.argv, output)
  const { leftOut, proposed } = copied ?? { leftOut: [], proposed: [] }
  return {
    exit_code: exitCode,
    ...(stopped === undefined ? {} : { stopped }),
    ...(limitHint === undefined ? {} : { limit: limitHint }),
    ...(changed.length === 0 ? {} : { changed_controls: changed }),
    ...(proposed.length === 0 ? {} : { changed_files: firstOf(proposed) }),
    ...(leftOut.length === 0 ? {} : { not_proposed: firstOf(leftOut) }),
    ...(sandboxHint === undefined ? {} : { sandbox: sandboxHint }),
    ...(shellHint === undefined ? {} : { shell: shellHint }),
    output
  }
})
