import { describe, expect, it } from "@effect/vitest"
import { splitTurns, type TurnTask, turnsOf } from "../../../src/domain/plan/TaskTurns.ts"

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

/** The parts in their order, each with the tasks of it. */
const partsOf = (tasks: ReadonlyArray<readonly [slug: string, turn: number]>, most: number) => {
  const turns = splitTurns(
    tasks.map(([slug, turn]) => ({ slug, turn })),
    most
  )
  const parts = Map.groupBy(turns, ({ turn }) => turn)
  return [...parts].toSorted(([one], [other]) => one - other).map(([, part]) => part.map(({ slug }) => slug).join(""))
}

describe("a turn of many tasks", () => {
  it("is split in the order of the list", () => {
    expect(partsOf([], 2)).toEqual([])
    const independent = [..."abcde"].map((slug) => [slug, 0] as const)
    expect(partsOf(independent, 2)).toEqual(["ab", "cd", "e"])
    expect(partsOf(independent, 5)).toEqual(["abcde"])
  })

  it("stays before the next turn, whatever stands between its tasks", () => {
    expect(
      partsOf(
        [
          ["a", 1],
          ["b", 0],
          ["c", 1],
          ["d", 0],
          ["e", 0],
          ["f", 2],
          ["g", 1]
        ],
        2
      )
    ).toEqual(["bd", "e", "ac", "g", "f"])
  })
})
