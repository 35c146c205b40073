/** Says that a package with a part of the program is missing, or that it has the wrong version. */
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

/** Loads a package. If the package cannot be used, fails with the reason. */
export const loadOrFail = <A>(load: () => Promise<A>): Effect.Effect<A, PackageUnusable> =>
  Effect.flatten(
    Effect.promise(() =>
      load().then(Effect.succeed, (error: unknown) =>
        error instanceof PackageUnusable ? Effect.fail(error) : Effect.die(error)
      )
    )
  )
