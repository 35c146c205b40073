/** The error for a package that is missing or has the wrong version. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** `what` says why a package cannot be used, and `remedy` says what to install. Both are sentences. */
export class PackageUnusable extends Schema.TaggedError<PackageUnusable>()("PackageUnusable", {
  what: Schema.String,
  remedy: Schema.String
}) {
  override get message(): string {
    return `${this.what} ${this.remedy}`
  }
}

/** Loads a package. Fails with the reason if it is unusable. */
export const loadOrFail = <A>(load: () => Promise<A>): Effect.Effect<A, PackageUnusable> =>
  Effect.flatten(
    Effect.promise(() =>
      load().then(Effect.succeed, (error: unknown) =>
        error instanceof PackageUnusable ? Effect.fail(error) : Effect.die(error)
      )
    )
  )
