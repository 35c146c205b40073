import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeRunState } from "../../../src/services/runs/RunState.ts"
import { finished, taskFor } from "../../support/sampleTasks.ts"

const tasks = (...names: ReadonlyArray<string>) => names.map((name) => taskFor("see", "It.", { name }))

it.effect("lists results by round and by their place in the list, whichever task ended first", () =>
  Effect.gen(function* () {
    const state = yield* makeRunState
    const add = (...names: ReadonlyArray<string>) =>
      Effect.forEach(names, (name) => state.add(finished(name, "")), { discard: true })
    const names = Effect.map(state.get, ({ results }) => results.map(({ name }) => name).join(" "))
    yield* state.startRound(tasks("A", "B", "C", "D"))
    yield* add("D", "B")
    expect(yield* names).toBe("B D")
    yield* add("A")
    expect(yield* names).toBe("A B D")
    yield* state.startRound(tasks("Z", "A", "C", "E"))
    yield* add("E", "C", "Z")
    expect(yield* names).toBe("A B D Z C E")
  })
)
