/**
 * Scripts of commands that changed after a rule came into force: the rule was given to what they said then, so that the
 * command is asked about. The time of the last change is the one that the system keeps, which no program can set.
 */
import * as Effect from "effect/Effect"
import { stat } from "node:fs/promises"
import type { CanonicalAccess } from "../../domain/tools/Access.ts"

/** The times when the rules of a run came into force, and the files that were written since. */
export const makeScriptChanges = (since: number) => {
  const written = new Set<string>()
  const changedAt = (path: string): Effect.Effect<number> =>
    written.has(path)
      ? Effect.succeed(Number.POSITIVE_INFINITY)
      : Effect.orElseSucceed(
          Effect.map(
            Effect.tryPromise(() => stat(path)),
            ({ ctimeMs }) => ctimeMs
          ),
          () => 0
        )
  return {
    /** Notes what a tool may write from now on. */
    note: (accesses: ReadonlyArray<CanonicalAccess>): void => {
      for (const access of accesses) if (access._tag === "WriteFile") written.add(access.path)
    },
    /** The scripts with the time of their last change, for scripts that changed since the run began or `before`. */
    changes: (accesses: ReadonlyArray<CanonicalAccess>) => {
      const scripts = accesses.flatMap((access) => (access._tag === "RunCommand" ? (access.scripts ?? []) : []))
      return Effect.forEach(scripts, ({ path }) => Effect.map(changedAt(path), (at) => ({ path, at })))
    },
    /** When a rule came into force: with the run, or when it was remembered. */
    inForceSince: ({ rememberedAt }: { readonly rememberedAt?: string }): number =>
      rememberedAt === undefined ? since : Math.min(since, Date.parse(rememberedAt))
  }
}
