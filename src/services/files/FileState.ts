/**
 * The state of a file as a hash, so that a change by somebody else shows.
 */
import * as Effect from "effect/Effect"
import { textHash } from "./Hash.ts"
import type { Workspace } from "./Workspace.ts"

/** Larger files are not compared. */
const maxBytes = 64 * 1024 * 1024

/** The hash of the text at a canonical path; `null` when there is none that can be read. */
export const fileState = (workspace: Workspace["Service"], path: string): Effect.Effect<string | null> =>
  Effect.match(workspace.readText(path, maxBytes), { onFailure: () => null, onSuccess: textHash })
