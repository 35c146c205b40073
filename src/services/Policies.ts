/**
 * What a person allowed for good: rules in policies.json of the user's configuration folder. The gate reads and adds
 * them, the command `permissions` lists and revokes them. A file that is damaged or open to others is not used and not
 * touched.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { Rule } from "../domain/Permission.ts"
import { type PolicyFileError, readPolicyFile, writePolicyFile } from "./PolicyFile.ts"

const isSame = (a: Rule) => (b: Rule) => a.verdict === b.verdict && a.tool === b.tool && a.pattern === b.pattern

const withRule = (rules: ReadonlyArray<Rule>, rule: Rule): ReadonlyArray<Rule> =>
  rules.some(isSame(rule)) ? rules : [...rules, rule]

export class Policies extends Context.Service<
  Policies,
  {
    /** The rules in force: those of the file as it was at the start, and what was remembered or revoked since. */
    readonly rules: Effect.Effect<ReadonlyArray<Rule>>
    /** Why the file is not used; absent when it is fine or not there. */
    readonly rejection: PolicyFileError | undefined
    /** Adds a rule to the file. Fails when the file cannot be used or written; then nothing is remembered. */
    remember(rule: Rule): Effect.Effect<void, PolicyFileError>
    /** Removes a rule from the file; false when it was not there. */
    revoke(rule: Rule): Effect.Effect<boolean, PolicyFileError>
  }
>()("task-conductor/services/Policies") {
  /** Keeps the rules in this file. `owner` is the id of the user that the file must belong to, where the system has one. */
  static readonly layer = (
    file: string,
    owner?: number
  ): Layer.Layer<Policies, never, FileSystem.FileSystem | Path.Path> =>
    Layer.effect(
      Policies,
      Effect.gen(function* () {
        const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem | Path.Path>())
        const read = provide(readPolicyFile(file, owner))
        const atStart = yield* Effect.result(read)
        const rules = yield* Ref.make(Result.getOrElse(atStart, (): ReadonlyArray<Rule> => []))
        const oneWriter = yield* Semaphore.make(1)
        /** Changes what the file holds now, so that rules added by another process stay. */
        const change = (rule: Rule, next: (rules: ReadonlyArray<Rule>) => ReadonlyArray<Rule>) =>
          Effect.gen(function* () {
            const present = yield* read
            const changed = next(present)
            if (changed.length !== present.length) yield* provide(writePolicyFile(file, changed))
            yield* Ref.update(rules, next)
            return present.some(isSame(rule))
          }).pipe(oneWriter.withPermits(1), Effect.uninterruptible)
        return Policies.of({
          rules: Ref.get(rules),
          rejection: Result.isFailure(atStart) ? atStart.failure : undefined,
          remember: Effect.fn("Policies.remember")((rule) =>
            Effect.asVoid(change(rule, (present) => withRule(present, rule)))
          ),
          revoke: Effect.fn("Policies.revoke")((rule) =>
            change(rule, (present) => present.filter((one) => !isSame(rule)(one)))
          )
        })
      })
    )

  /** Remembers for the run only, beginning with these rules. */
  static readonly layerMemory = (initial: ReadonlyArray<Rule> = []): Layer.Layer<Policies> =>
    Layer.effect(
      Policies,
      Effect.gen(function* () {
        const rules = yield* Ref.make(initial)
        return Policies.of({
          rules: Ref.get(rules),
          rejection: undefined,
          remember: (rule) => Ref.update(rules, (present) => withRule(present, rule)),
          revoke: (rule) =>
            Ref.modify(rules, (present) => [present.some(isSame(rule)), present.filter((one) => !isSame(rule)(one))])
        })
      })
    )
}
