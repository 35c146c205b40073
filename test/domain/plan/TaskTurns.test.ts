import { describe, expect, it } from "@effect/vitest"
import { type TurnTask, turnsOf } from "../../../src/domain/plan/TaskTurns.ts"

const reads = (slug: string, ...producers: ReadonlyArray<string>): TurnTask => ({ slug, producers, isBarrier: false })
const writes = (slug: string, ...producers: ReadonlyArray<string>): TurnTask => ({ slug, producers, isBarrier: true })

describe("the turn of a task", () => {
  it.each<[string, ReadonlyArray<ReadonlyArray<TurnTask>>, Readonly<Record<string, number>>]>([
    ["none for an empty list", [], {}],
    ["the first for all that nothing waits for", [[reads("a")], [reads("b")], [reads("c")]], { a: 0, b: 0, c: 0 }],
    [
      "earlier for longer chains",
      [[reads("a"), reads("b")], [reads("c", "a")], [reads("d", "c")]],
      { a: 0, b: 2, c: 1, d: 2 }
    ],
    ["counted over sections", [[reads("a")], [reads("b")], [reads("c", "a", "b")]], { a: 0, b: 0, c: 1 }],
    [
      "that of the section when all change something",
      [[writes("a"), writes("b")], [writes("c")], [writes("d")]],
      { a: 0, b: 0, c: 1, d: 2 }
    ],
    ["before what changes something later", [[reads("a")], [writes("b")], [reads("c")]], { a: 0, b: 1, c: 2 }],
    ["the same beside what changes something", [[writes("a"), reads("b")], [reads("c")]], { a: 0, b: 1, c: 1 }]
  ])("is %s", (_, steps, turns) => {
    expect(Object.fromEntries(turnsOf(steps))).toEqual(turns)
  })
})
