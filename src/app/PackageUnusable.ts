/**
 * A part of the program that is a package of its own, and cannot be used: it is missing, or does not fit.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** `what` says why it cannot be used, and `remedy` what to install, both as sentences. */
export class PackageUnusable extends Schema.TaggedError<PackageUnusable>()("PackageUnusable", {
  what: Schema.String,
  remedy: Schema.String
}) {
  override get message(): string {
    return `${this.what} ${this.remedy}`
  }
}

/** Waits for what is loaded; fails with the reason when its package cannot be used. */
export const loadOrFail = <A>(load: () => Promise<A>): Effect.Effect<A, PackageUnusable> =>
  Effect.flatten(
    Effect.promise(() =>
      load().then(Effect.succeed, (error: unknown) =>
        error instanceof PackageUnusable ? Effect.fail(error) : Effect.die(error)
      )
    )
  )
