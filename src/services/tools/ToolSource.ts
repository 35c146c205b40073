/** How a plugin provides its tools: directly, or after opening resources in a run. */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { ToolFailure } from "../../domain/tools/ToolCall.ts"
import type { HostServices } from "./HostServices.ts"
import { CurrentSettings } from "./PluginSettings.ts"
import type { Tools } from "./Tool.ts"

/** What a plugin receives when a run opens its tools. */
export interface PluginSetup<Config = unknown> {
  /** The decoded configuration of the plugin; undefined for a plugin without one. */
  readonly config: Config
  /** Returns the value of a declared secret. If it is missing, this throws, and the plugin is skipped. */
  readonly secret: (name: string) => string
  /** Registers a function that closes a resource when the run ends. The last function runs first. */
  readonly onEnd: (close: () => unknown) => void
}

type OpenedTools = Tools | PromiseLike<Tools> | Effect.Effect<Tools, ToolFailure, HostServices | Scope.Scope>

/** A plugin's tools, an effect that returns them, or a function, perhaps async, that opens them. */
export type ToolSource<Config = unknown> = OpenedTools | ((setup: PluginSetup<Config>) => OpenedTools)

/** Opens the tools for one run. Their resources close with the scope. */
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
