/**
 * What a person allowed permanently: rules in policies.json of the user's configuration folder. A file that is damaged or
 * writable by others is neither used nor changed.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { isSameRule, type RememberedRule } from "../../domain/permissions/PolicyFormat.ts"
import { changeAlone, type PolicyFileError, readPolicyFile, writePolicyFile } from "./PolicyFile.ts"

type Rules = ReadonlyArray<RememberedRule>

const without = (rules: Rules, rule: RememberedRule): Rules => rules.filter((one) => !isSameRule(one, rule))

/** Where rules are stored: what it holds now, and how it is replaced. */
interface PolicyStore {
  readonly file: string | undefined
  readonly read: Effect.Effect<Rules, PolicyFileError>
  readonly write: (rules: Rules) => Effect.Effect<void, PolicyFileError>
  /** Makes a change, which reads and writes, while nobody else changes the store. */
  readonly alone: <A>(change: Effect.Effect<A, PolicyFileError>) => Effect.Effect<A, PolicyFileError>
}

/** Policies that begin with what the store holds. A rule is added with the present time. */
const makePolicies = Effect.fnUntraced(function* ({ alone, file, read, write }: PolicyStore) {
  const atStart = yield* Effect.result(read)
  const rules = yield* Ref.make(Result.getOrElse(atStart, (): Rules => []))
  const withMutex = yield* Semaphore.make(1)
  /** Changes the present content of the store, to keep rules that another process added. True when it held `rule`. */
  const change = (rule: RememberedRule, next: (rules: Rules) => Rules) =>
    Effect.gen(function* () {
      const present = yield* read
      const changed = next(present)
      const isSame = changed.length === present.length && changed.every((one, index) => one === present[index])
      if (!isSame) yield* write(changed)
      yield* Ref.update(rules, next)
      return present.some((one) => isSameRule(one, rule))
    }).pipe(Effect.uninterruptible, alone, withMutex.withPermits(1))
  return Policies.of({
    file,
    rules: Ref.get(rules),
    rejection: Result.isFailure(atStart) ? atStart.failure : undefined,
    remember: Effect.fn("Policies.remember")(function* (rule) {
      const entry: RememberedRule = { ...rule, rememberedAt: DateTime.formatIso(yield* DateTime.now) }
      yield* change(rule, (present) => [...without(present, rule), entry])
    }),
    revoke: Effect.fn("Policies.revoke")((rule) => change(rule, (present) => without(present, rule)))
  })
})

export class Policies extends Context.Service<
  Policies,
  {
    /** The path of the file; absent when nothing is stored beyond the run. */
    readonly file: string | undefined
    /** The rules in force: those of the file as it was at the start, and what was remembered or revoked since. */
    readonly rules: Effect.Effect<Rules>
    /** Why the file is not used; absent when it is valid or missing. */
    readonly rejection: PolicyFileError | undefined
    /**
     * Adds a rule with the present time, which replaces one for the same tool and pattern. Fails when the file cannot be
     * used or written; then nothing is remembered.
     */
    remember(rule: RememberedRule): Effect.Effect<void, PolicyFileError>
    /** Removes a rule from the file; false when the file does not hold it. */
    revoke(rule: RememberedRule): Effect.Effect<boolean, PolicyFileError>
  }
>()("task-conductor/services/permissions/Policies") {
  /** Stores the rules in this file. `owner` is the id of the user that the file must belong to, where the system has one. */
  static readonly layer = (file: string, owner?: number) =>
    Layer.effect(
      Policies,
      Effect.gen(function* () {
        const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem | Path.Path>())
        const read = provide(readPolicyFile(file, owner))
        return yield* makePolicies({
          file,
          read,
          write: (rules) => provide(writePolicyFile(file, rules)),
          alone: (change) => provide(changeAlone(file, change))
        })
      })
    )

  /** Remembers for the run only, starting with these rules. */
  static readonly layerMemory = (initial: Rules = []) =>
    Layer.effect(
      Policies,
      Effect.gen(function* () {
        const stored = yield* Ref.make(initial)
        const write = (rules: Rules) => Ref.set(stored, rules)
        return yield* makePolicies({ file: undefined, read: Ref.get(stored), write, alone: (change) => change })
      })
    )
}
