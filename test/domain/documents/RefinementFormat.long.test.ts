import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readTaskReport } from "../../../src/domain/documents/RefinementFormat.ts"
import { renderTaskReport, renderTaskPart } from "../../../src/domain/documents/TaskRendering.ts"
import { arbitraryWork, arbitraryText } from "../../support/TaskListArbitrary.ts"

describe("readTaskReport", () => {
  it.effect.prop(
    "reads back what is written for another attempt",
    { list: arbitraryWork, content: arbitraryText },
    ({ content, list }) =>
      Effect.sync(() => {
        for (const task of list.tasks) {
          const written = [{ uid: "a", name: "write_file", arguments: { content } }]
          const text = renderTaskReport({ task, calls: written })
          expect(readTaskReport(text, { task })).toEqual({
            value: Option.some({ task, calls: written }),
            issues: [],
            repairs: []
          })
          expect(readTaskReport(renderTaskPart(task), { task }).value).toEqual(Option.some({ task, calls: [] }))
        }
      }),
    { arbitrary: { runs: 200 } }
  )
})
