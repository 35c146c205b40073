/** Where a plugin has its tools from: it names them, or opens what they need for a run and then gives them. */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { ToolFailure } from "../../domain/tools/ToolCall.ts"
import type { HostServices } from "./HostServices.ts"
import { CurrentSettings } from "./PluginSettings.ts"
import type { Tools } from "./Tool.ts"

/** What a plugin is given when a run opens its tools. */
export interface PluginSetup<Config = unknown> {
  /** What a configuration sets for the plugin, decoded; undefined for a plugin that takes nothing. */
  readonly config: Config
  /** The value of a secret that the plugin declares. Throws when the user has not given it: then the plugin is left out. */
  readonly secret: (name: string) => string
  /** Has something closed at the end of the run: a connection, a process. The last that was opened is closed first. */
  readonly onEnd: (close: () => unknown) => void
}

type OpenedTools = Tools | PromiseLike<Tools> | Effect.Effect<Tools, ToolFailure, HostServices | Scope.Scope>

/** The tools themselves, an effect that yields them, or a function that opens them; it may be async. */
export type ToolSource<Config = unknown> = OpenedTools | ((setup: PluginSetup<Config>) => OpenedTools)

/** The tools for one run; what was opened for them is closed with the scope. */
export const openTools = <Config>(
  source: ToolSource<Config>
): Effect.Effect<Tools, ToolFailure, HostServices | Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const context = yield* Effect.context<never>()
    const settings = (yield* CurrentSettings) as PluginSetup<Config>
    const onEnd = (close: () => unknown): void =>
      Effect.runSyncWith(context)(
        Scope.addFinalizer(
          scope,
          Effect.promise(async () => close())
        )
      )
    const opened = typeof source === "function" ? source({ ...settings, onEnd }) : source
    if (Effect.isEffect(opened)) return yield* opened
    return yield* Effect.tryPromise({
      try: () => Promise.resolve(opened),
      catch: (thrown) => thrown as ToolFailure
    })
  })
