/** The error of a missing package, or one of the wrong version. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Why a package cannot be used (`what`), and what to install (`remedy`), both as sentences. */
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
