import { describe, expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readTaskList } from "../../src/domain/documents/TaskListFormat.ts"
import { renderTaskList } from "../../src/domain/documents/TaskRendering.ts"
import { arbitraryTaskList, arbitraryText } from "./TaskListArbitrary.ts"

/** What holds for every task list, tried on so many of them. */
export const testTaskListProperties = (runs: number): void => {
  describe("readTaskList", () => {
    it.effect.prop(
      "reads what renderTaskList writes as the same value",
      { list: arbitraryTaskList, prompt: arbitraryText },
      ({ list, prompt }) =>
        Effect.sync(() => {
          const reading = readTaskList(renderTaskList(list, { prompt }), { allowEmpty: true })
          expect(reading).toEqual({ value: Option.some(list), issues: [], repairs: [] })
        }),
      { arbitrary: { runs } }
    )

    const withNoise = Arbitrary.all({ list: arbitraryTaskList, noise: arbitraryText }).pipe(
      Arbitrary.map(({ list, noise }) => renderTaskList(list).replace("\n- **Skill**", `\n${noise}\n- **Skill**`)),
      Arbitrary.filter((text) => readTaskList(text, { allowEmpty: true }).issues.length === 0)
    )
    it.effect.prop(
      "repairs once and for all, whatever stands among the tasks",
      { text: withNoise },
      ({ text }) =>
        Effect.sync(() => {
          const { value } = readTaskList(text, { allowEmpty: true })
          const again = readTaskList(renderTaskList(Option.getOrThrow(value)), { allowEmpty: true })
          expect(again).toEqual({ value, issues: [], repairs: [] })
        }),
      { arbitrary: { runs } }
    )
  })
}
