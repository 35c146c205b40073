/**
 * The Node services that the program needs. They are listed here because published declarations may import only
 * `effect`.
 */
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"

export type NodeServices =
  | ChildProcessSpawner.ChildProcessSpawner
  | FileSystem.FileSystem
  | Path.Path
  | Stdio.Stdio
  | Terminal.Terminal
