/**
 * The folders of the person who runs the program, by the XDG rules. The composition root asks once.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"

/** Absolute paths; `own` is where task-conductor keeps its files. */
export interface UserFolders {
  readonly home: string
  readonly config: string
  readonly own: string
}

/** An environment variable; absent when it is empty. */
export const environmentVariable = (name: string): Effect.Effect<string | undefined> =>
  Config.option(Config.String(name)).pipe(
    Effect.map((value) => Option.getOrUndefined(Option.filter(value, (text) => text !== ""))),
    Effect.orElseSucceed(() => undefined)
  )

/** `$XDG_CONFIG_HOME` counts when it is absolute, else `~/.config`. */
export const userFolders: Effect.Effect<UserFolders, never, Path.Path> = Effect.gen(function* () {
  const path = yield* Path.Path
  const given = (yield* environmentVariable("HOME")) ?? (yield* environmentVariable("USERPROFILE"))
  const home = path.resolve(given ?? ".")
  const xdg = yield* environmentVariable("XDG_CONFIG_HOME")
  const config = xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(home, ".config")
  return { home, config, own: path.join(config, "task-conductor") }
})
