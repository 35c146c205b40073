/**
 * The sandbox of commands: bubblewrap, where it works. Whether it works is tried once per run; if it does not, the run
 * warns and every question says so.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type { SandboxSettings } from "../../domain/commands/CommandSettings.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { isWithin } from "../files/CanonicalPath.ts"
import { runChild, findProgram } from "./ChildRun.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { sandboxFlags } from "./SandboxProfile.ts"
import { Workspace } from "../files/Workspace.ts"

/** Whether commands run in the sandbox. */
interface SandboxState {
  readonly sandboxed: boolean
  /** What it allows, or why there is none; shown after "Sandbox: ". */
  readonly words: string
  /** Why no command may run; a clause of which a command is the subject. */
  readonly denial?: string
}

interface SandboxOptions {
  readonly sandbox?: SandboxSettings
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** Folders of this program. */
  readonly hidden: ReadonlyArray<string>
}

export class Sandbox extends Context.Service<
  Sandbox,
  {
    /** Determined when it is first needed. */
    readonly state: Effect.Effect<SandboxState>
    /** The program and arguments that run a command in the sandbox; only for a state that is `sandboxed`. */
    enclose(argv: ReadonlyArray<string>, cwd: string): Effect.Effect<ReadonlyArray<string>, ToolFailure>
  }
>()("task-conductor/services/commands/Sandbox") {
  static readonly layer = (options: SandboxOptions) =>
    Layer.effect(
      Sandbox,
      Effect.gen(function* () {
        const { environment, hidden, home, sandbox = {} } = options
        const { root } = yield* Workspace
        const events = yield* RunEvents
        const path = yield* Path.Path
        const { mode = "auto", network = false } = sandbox
        const provide = Effect.provideContext(
          yield* Effect.context<ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path>()
        )
        const expand = (given: string) => (given.startsWith("~/") ? path.join(home, given.slice(2)) : given)
        const programs = (environment["PATH"] ?? "").split(":")
        /** A bubblewrap in the project is not trusted. */
        const trusted = programs.filter((folder) => !isWithin(path, root, folder))
        const program = yield* Effect.cached(provide(findProgram("bwrap", trusted)))
        const flags = sandboxFlags({
          root,
          home,
          programs,
          readable: (sandbox.readable ?? []).map(expand),
          writable: (sandbox.writable ?? []).map(expand),
          hidden,
          network
        })

        const enclose = Effect.fn("Sandbox.enclose")(function* (argv: ReadonlyArray<string>, cwd: string) {
          const bwrap = Option.getOrElse(yield* program, () => "bwrap")
          const around = yield* Effect.mapError(
            flags,
            ({ message }) => new ToolFailure({ type: "io_error", message: `The sandbox cannot be made: ${message}` })
          )
          return [bwrap, "--json-status-fd", "3", ...around, "--chdir", cwd, "--", ...argv]
        }, provide)

        /** Why the sandbox does not work; nothing when it works. */
        const problem = Effect.gen(function* () {
          if (Option.isNone(yield* program)) return "bubblewrap is not installed"
          const argv = yield* enclose(["/bin/sh", "-c", ":"], root)
          yield* runChild({ argv, cwd: root, env: {}, sandboxed: true, seconds: 10 })
          return undefined
        }).pipe(
          Effect.catchTag("ToolFailure", ({ message }) => Effect.succeed(`bubblewrap does not work here (${message})`)),
          provide
        )

        const missing = (why: string): SandboxState => {
          const state = { sandboxed: false, words: `no: ${why}` }
          if (mode !== "required") return state
          const cure = `Install it, or set "sandbox": { "mode": "auto" } in your user configuration`
          return { ...state, denial: `needs the sandbox that your configuration requires, and ${why}. ${cure}` }
        }

        const state = Effect.gen(function* () {
          if (mode === "off") return missing("it is switched off in your configuration")
          const why = yield* problem
          if (why === undefined) {
            const reach = network ? "with the network" : "no network"
            const words = `yes: ${reach}, writes only in the project, your home folder is hidden`
            return { sandboxed: true, words } satisfies SandboxState
          }
          const text = `Commands run without a sandbox: ${why}.`
          if (mode === "auto") yield* events.publish({ type: "message", level: "warning", text })
          return missing(why)
        })

        return Sandbox.of({ state: yield* Effect.cached(state), enclose })
      })
    )
}
