/**
 * What was denied in one run, and what a person wants instead of it.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { Wish } from "../../domain/permissions/ApprovalItem.ts"
import { PermissionDenied } from "./PermissionDenied.ts"

/** As plain data, for another process that runs tasks of the same run. */
export const refusalFields = {
  denials: Schema.Array(PermissionDenied),
  wishes: Schema.optionalKey(Schema.Array(Wish))
}

const RefusalSnapshot = Schema.Struct(refusalFields)

const isSameWish = (a: Wish, b: Wish): boolean => a.declined === b.declined && a.instead === b.instead

/** There are none at first. */
export const makeRefusals = Effect.gen(function* () {
  const denials = yield* Ref.make<ReadonlyArray<PermissionDenied>>([])
  const wishes = yield* Ref.make<ReadonlyArray<Wish>>([])
  return {
    denials: Ref.get(denials),
    wishes: Ref.get(wishes),
    addDenial: (denied: PermissionDenied) => Ref.update(denials, (all) => [...all, denied]),
    addWish: (wish: Wish) => Ref.update(wishes, (all) => [...all, wish]),
    snapshot: Effect.gen(function* () {
      const told = yield* Ref.get(wishes)
      const snapshot: typeof RefusalSnapshot.Type = {
        denials: yield* Ref.get(denials),
        ...(told.length === 0 ? {} : { wishes: told })
      }
      return snapshot
    }),
    restore: (snapshot: typeof RefusalSnapshot.Type) =>
      Effect.andThen(
        Ref.update(denials, (own) => Arr.union(own, snapshot.denials)),
        Ref.update(wishes, (own) => Arr.unionWith(own, snapshot.wishes ?? [], isSameWish))
      )
  }
})
