import { newSession } from "../../../../src/services/agent/Session.ts"
import { expect, it } from "@effect/vitest"
import { repeats } from "../../../../src/services/agent/hooks/Repeats.ts"
import type { CallOutcome } from "../../../../src/domain/tools/ToolCall.ts"
import { gave } from "../../../support/sampleTasks.ts"

const endAfter = (...outcomes: ReadonlyArray<CallOutcome>) => repeats(3).endOf?.({ ...newSession([]), outcomes })
const read = (path: string, text: string) => gave("read_file", { path }, text)

it("ends work in which a call gives the same output so many times, however many calls stand between", () => {
  const same = read("a.ts", "one")
  expect(endAfter(same, read("b.ts", "one"), same, same)).toStrictEqual({ _tag: "Repeated", call: same.call })
  expect(endAfter(same, same)).toBeUndefined()
})

const inTurn = (turn: number) => gave("read_file", { path: "a.ts" }, "one", `turn-${turn}/call-1`)

const turns = (count: number) => Array.from({ length: count }, (_, index) => inTurn(index + 1))

const endOf = (count: number, shownFrom: number) =>
  repeats(3).endOf?.({ ...newSession([]), outcomes: turns(count), shownFrom })

it("goes on when a compaction has dropped the output, at most twice as often", () => {
  expect([0, 1, 2].map((shownFrom) => endOf(3, shownFrom)?._tag)).toStrictEqual(["Repeated", "Repeated", undefined])
  expect([5, 6].map((count) => endOf(count, count)?._tag)).toStrictEqual([undefined, "Repeated"])
})

it("goes on while the output or the arguments of a call change", () => {
  expect(endAfter(read("a.ts", "one"), read("a.ts", "two"), read("a.ts", "three"))).toBeUndefined()
  expect(endAfter(read("a.ts", "one"), read("b.ts", "one"), read("c.ts", "one"))).toBeUndefined()
})
