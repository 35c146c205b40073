/**
 * The error for a part of the program that ships as its own package. The package is missing or has the wrong version.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Says why a package cannot be used (`what`), and what to install (`remedy`). Both are sentences. */
export class PackageUnusable extends Schema.TaggedError<PackageUnusable>()("PackageUnusable", {
  what: Schema.String,
  remedy: Schema.String
}) {
  override get message(): string {
    return `${this.what} ${this.remedy}`
  }
}

/** Loads a package. Fails with the reason if it cannot be used. */
export const loadOrFail = <A>(load: () => Promise<A>): Effect.Effect<A, PackageUnusable> =>
  Effect.flatten(
    Effect.promise(() =>
      load().then(Effect.succeed, (error: unknown) =>
        error instanceof PackageUnusable ? Effect.fail(error) : Effect.die(error)
      )
    )
  )
