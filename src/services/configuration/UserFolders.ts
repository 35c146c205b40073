/**
 * The folders of the user who runs the program, by the XDG rules.
 */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"

/** Absolute paths; only task-conductor uses the last three. */
export interface UserFolders {
  readonly home: string
  readonly config: string
  /** Its configuration and what the person allowed for good. */
  readonly own: string
  /** Its runs. */
  readonly state: string
  /**
   * Where locks on projects leave a file, on systems that need one: one place for all runs, wherever they are saved.
   */
  readonly locks: string
}

/** An environment variable; absent when it is empty. */
export const environmentVariable = (name: string): Effect.Effect<string | undefined> =>
  Config.option(Config.String(name)).pipe(
    Effect.map((value) => Option.getOrUndefined(Option.filter(value, (text) => text !== ""))),
    Effect.orElseSucceed(() => undefined)
  )

/**
 * The folder in which a script saves runs; the folder by the XDG rules when it is empty. It is a reference, like other
 * values of the environment, so that the store of runs and the list of protected paths always read the same value.
 */
export const StateFolder = Context.Reference<string>("task-conductor/services/configuration/UserFolders/StateFolder", {
  defaultValue: () => ""
})

/** `$XDG_CONFIG_HOME` and `$XDG_STATE_HOME` count when they are absolute, else `~/.config` and `~/.local/state`. */
export const userFolders: Effect.Effect<UserFolders, never, Path.Path> = Effect.gen(function* () {
  const path = yield* Path.Path
  const named = (yield* environmentVariable("HOME")) ?? (yield* environmentVariable("USERPROFILE"))
  const home = path.resolve(named ?? ".")
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
