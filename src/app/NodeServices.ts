/**
 * The services of Node that the program is given: files, paths, processes, streams and the terminal. Written out here, because
 * published declarations import no package but `effect`.
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
