/**
 * Runs commands for tools: without a shell, with few environment variables, without input or terminal, in a sandbox
 * where there is one.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type { Access, CanonicalAccess } from "../../domain/tools/Access.ts"
import { commandEnvironment, commandSeconds, type SandboxSettings } from "../../domain/commands/CommandSettings.ts"
import { commandProblem } from "../../domain/commands/CommandText.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { type ChildEnd, runChild, findProgram, isExecutable } from "./ChildRun.ts"
import { commandScripts } from "./CommandScripts.ts"
import { isWithin } from "../files/CanonicalPath.ts"
import { makeCommandWatch } from "./CommandWatch.ts"
import { Sandbox } from "./Sandbox.ts"
import { Workspace } from "../files/Workspace.ts"

/** A command in the form that the gate decides about and that is run. */
export type CanonicalCommand = CanonicalAccess & { readonly _tag: "RunCommand" }

export interface CommandsOptions {
  /** The environment of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Variables that the person adds for commands. */
  readonly named?: ReadonlyArray<string>
  readonly sandbox?: SandboxSettings
  /** The home folder, which the sandbox hides. */
  readonly home: string
  /** Folders of this program, which the sandbox hides too. */
  readonly hidden: ReadonlyArray<string>
  /** How long a command may run that does not say it, in seconds; 120 when absent. */
  readonly usualSeconds?: number
}

/** How a command ended, with what it changed of what programs run by themselves, relative to the project. */
export interface CommandEnd extends ChildEnd {
  readonly changed?: ReadonlyArray<string>
}

const invalid = (message: string) => new ToolFailure({ type: "validation_failed", message })

/**
 * The only shell: its script is fixed, and the words of the command are its arguments. It joins stderr to stdout, so
 * that their order is preserved, and ignores SIGTERM, so that the command can stop first.
 */
const joined = (argv: ReadonlyArray<string>): ReadonlyArray<string> => [
  "/bin/sh",
  "-c",
  'trap : TERM; (exec "$@") 2>&1; exit $?',
  "sh",
  ...argv
]

const missingProgram = ([program, ...args]: readonly [string, ...Array<string>]) => {
  const words = program.trim().split(/\s+/)
  const cure =
    words.length > 1 && args.length === 0
      ? `Give every word as an element of its own: ${JSON.stringify(words)}.`
      : "Name a program that is installed, or give its path."
  return new ToolFailure({ type: "not_found", message: `There is no program ${JSON.stringify(program)}. ${cure}` })
}

export class Commands extends Context.Service<
  Commands,
  {
    /**
     * Checks a command and says where and how it would run. Fails with `validation_failed` (too long, folder outside
     * the project) or `not_found` (no such program).
     */
    canonical(access: Access & { readonly _tag: "RunCommand" }): Effect.Effect<CanonicalCommand, ToolFailure>
    /** True for a file of the project that git runs or follows, by where git really looks; its name is not judged. */
    isControl(path: string): Effect.Effect<boolean>
    /**
     * Runs what the gate has granted, at most 1800 seconds. Any exit code is a result. Fails with `timeout` or
     * `io_error`. Interruption stops the command and everything it started.
     */
    run(command: CanonicalCommand, options?: { readonly seconds?: number }): Effect.Effect<CommandEnd, ToolFailure>
  }
>()("task-conductor/services/commands/Commands") {
  static readonly layer = (options: CommandsOptions) =>
    Layer.effect(
      Commands,
      Effect.gen(function* () {
        const sandbox = yield* Sandbox
        const workspace = yield* Workspace
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const provide = Effect.provideContext(
          yield* Effect.context<ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path>()
        )
        const watch = yield* makeCommandWatch(workspace.root, options.home)
        const env = commandEnvironment(options.environment, options.named ?? [])
        const folders = (env["PATH"] ?? "").split(":")

        const folderOf = Effect.fnUntraced(function* (written: string) {
          const { inside, path: folder } = yield* workspace.canonical(written)
          if (!inside)
            return yield* invalid(
              `The folder ${folder} is outside the project. Leave cwd out, or name a folder of the project.`
            )
          const info = yield* Effect.option(fs.stat(folder))
          if (Option.exists(info, ({ type }) => type === "Directory")) return folder
          return yield* invalid(`There is no folder ${folder}. Leave cwd out, or name a folder of the project.`)
        })

        const hasProgram = (program: string, cwd: string) =>
          program.includes("/")
            ? isExecutable(path.resolve(cwd, program))
            : Effect.map(findProgram(program, folders), Option.isSome)

        /** The real path of a program outside the project. A link in the project shows nothing that lies elsewhere. */
        const programOutside = Effect.fnUntraced(function* (program: string, cwd: string) {
          const { root } = workspace
          const found = program.includes("/")
            ? path.resolve(cwd, program)
            : Option.getOrElse(yield* findProgram(program, folders), () => root)
          const real = isWithin(path, root, found) ? root : yield* Effect.orElseSucceed(fs.realPath(found), () => root)
          return isWithin(path, root, real) ? {} : { program: real }
        })

        const canonical = Effect.fn("Commands.canonical")(function* ({
          argv,
          cwd: written = "."
        }: Access & { readonly _tag: "RunCommand" }) {
          const problem = commandProblem(argv)
          if (problem !== undefined) return yield* invalid(problem)
          const cwd = yield* folderOf(written)
          if (!(yield* provide(hasProgram(argv[0], cwd)))) return yield* missingProgram(argv)
          const { denial, sandboxed, words } = yield* sandbox.state
          const scripts = yield* provide(commandScripts(workspace.root, argv, cwd))
          const command: CanonicalCommand = {
            _tag: "RunCommand",
            argv,
            cwd,
            sandboxed,
            sandbox: words,
            ...(scripts.length === 0 ? {} : { scripts }),
            ...(denial === undefined ? {} : { denial })
          }
          return command
        })

        const run = Effect.fn("Commands.run")(function* (
          { argv, cwd, sandboxed }: CanonicalCommand,
          { seconds }: { readonly seconds?: number } = {}
        ) {
          if ((yield* folderOf(cwd)) !== cwd)
            return yield* invalid(`The folder ${cwd} became a link after it was checked. Nothing was run.`)
          const survey = yield* watch.survey(sandboxed)
          const program = yield* provide(programOutside(argv[0], cwd))
          const around = sandboxed
            ? yield* sandbox.enclose({ argv: joined(argv), cwd, survey, ...program })
            : { argv: joined(argv), placeholders: [] }
          const child = runChild({
            ...around,
            cwd,
            env: sandboxed && env["TMPDIR"] !== undefined ? { ...env, TMPDIR: "/tmp" } : env,
            sandboxed,
            seconds: Math.min(seconds ?? options.usualSeconds ?? commandSeconds.usual, commandSeconds.most),
            limit: seconds === undefined ? "limits.commandSeconds" : "the time of this call"
          })
          return yield* watch.watching(survey, around.placeholders, provide(child))
        })

        return Commands.of({ canonical, isControl: watch.isControl, run })
      })
    ).pipe(Layer.provide(Sandbox.layer(options)))

  /** Accepts every command and runs none, for lists and descriptions of tools. */
  static readonly layerNone = Layer.succeed(Commands)(
    Commands.of({
      canonical: ({ argv }) =>
        Effect.succeed({ _tag: "RunCommand", argv, cwd: "/", sandboxed: false, sandbox: "no: nothing runs" }),
      isControl: () => Effect.succeed(false),
      run: () =>
        Effect.fail(new ToolFailure({ type: "permission_denied", message: "Permission denied: no command runs here." }))
    })
  )
}

const tooMuch = "It wrote more than 10 MB and was stopped."

/**
 * Runs the command that a call was granted, for at most `seconds` (120 when absent), and gives the result of the tool:
 * `{ exit_code, output }`. For a command that wrote too much `exit_code` is null and `stopped` says why; what it changed of
 * repositories and of files that programs run by themselves is in `changed_controls`. Fails as
 * `Commands.run` does.
 *
 * ```ts
 * access: ({ argv }) => [{ _tag: "RunCommand", argv }],
 * execute: (_params, [granted]) => runGranted(granted)
 * ```
 */
export const runGranted = Effect.fnUntraced(function* (granted: CanonicalAccess | undefined, seconds?: number) {
  if (granted?._tag !== "RunCommand") return yield* Effect.die("the tool got no command to run")
  const end = yield* (yield* Commands).run(granted, seconds === undefined ? {} : { seconds })
  const { changed = [], exitCode, output } = end
  return {
    exit_code: exitCode,
    ...(exitCode === null ? { stopped: tooMuch } : {}),
    ...(changed.length === 0 ? {} : { changed_controls: changed }),
    output
  }
})
