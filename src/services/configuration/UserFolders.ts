/**
 * The folders of the person who runs the program, by the XDG rules. The composition root asks once.
 */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"

/** Absolute paths; the last three belong to task-conductor alone. */
export interface UserFolders {
  readonly home: string
  readonly config: string
  /** Its configuration and what the person allowed for good. */
  readonly own: string
  /** Its runs. */
  readonly state: string
  /** Where locks on projects leave a file, on systems that need one: one place for all, wherever runs are kept. */
  readonly locks: string
}

/** An environment variable; absent when it is empty. */
export const environmentVariable = (name: string): Effect.Effect<string | undefined> =>
  Config.option(Config.String(name)).pipe(
    Effect.map((value) => Option.getOrUndefined(Option.filter(value, (text) => text !== ""))),
    Effect.orElseSucceed(() => undefined)
  )

/**
 * Where runs are saved when a script says so; the place by the XDG rules when it is empty. A reference, as for other things
 * that the environment says: whatever reads it, the store of runs and the paths that no tool may write to, reads the same,
 * so that forgetting it leaves runs in the usual place.
 */
export const StateFolder = Context.Reference<string>("task-conductor/services/configuration/UserFolders/StateFolder", {
  defaultValue: () => ""
})

/** `$XDG_CONFIG_HOME` and `$XDG_STATE_HOME` count when they are absolute, else `~/.config` and `~/.local/state`. */
export const userFolders: Effect.Effect<UserFolders, never, Path.Path> = Effect.gen(function* () {
  const path = yield* Path.Path
  const given = (yield* environmentVariable("HOME")) ?? (yield* environmentVariable("USERPROFILE"))
  const home = path.resolve(given ?? ".")
  const folderOf = (name: string, fallback: string) =>
    Effect.map(environmentVariable(name), (xdg) =>
      xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(home, fallback)
    )
  const config = yield* folderOf("XDG_CONFIG_HOME", ".config")
  const own = path.join(yield* folderOf("XDG_STATE_HOME", ".local/state"), "task-conductor")
  const chosen = yield* StateFolder
  return {
    home,
    config,
    own: path.join(config, "task-conductor"),
    state: chosen === "" ? own : path.resolve(chosen),
    locks: path.join(own, "locks")
  }
})
