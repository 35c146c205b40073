import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { fillTemplate, type PromptTemplate, userPartMarker } from "../../../src/domain/models/PromptTemplate.ts"
import { parseTemplate } from "../../../src/domain/models/TemplateFormat.ts"

const template = (text: string): PromptTemplate<"conclusion"> =>
  Option.getOrThrow(parseTemplate("conclusion", text).value)

const simple = template(`You answer.

{#goals}
## Goals

{goals}

{/goals}
End.
${userPartMarker}
{user_prompt}

{completed_tasks}

{failed_tasks}
`)

const values = { user_prompt: "P", goals: "G", completed_tasks: "C", failed_tasks: "F" }

describe("fillTemplate", () => {
  it("puts each value in its place", () => {
    assert.deepStrictEqual(fillTemplate(simple, values), {
      system: "You answer.\n\n## Goals\n\nG\n\nEnd.",
      user: "P\n\nC\n\nF",
      parts: [
        { name: "instructions", characters: 27 },
        { name: "goals", characters: 3 },
        { name: "user_prompt", characters: 3 },
        { name: "completed_tasks", characters: 3 },
        { name: "failed_tasks", characters: 3 }
      ]
    })
  })

  it("leaves nothing of an empty block or of an optional part without a value", () => {
    const { system, user } = fillTemplate(simple, { ...values, goals: " \n", completed_tasks: "" })
    assert.deepStrictEqual({ system, user }, { system: "You answer.\n\nEnd.", user: "P\n\nF" })
  })

  it("keeps content that looks like a placeholder as it is", () => {
    const user_prompt = "{goals} {#goals}x{/goals} {unknown} $& $1"
    assert.strictEqual(fillTemplate(simple, { ...values, user_prompt }).user, `${user_prompt}\n\nC\n\nF`)
  })

  it("keeps a value that holds the marker line in its part", () => {
    assert.strictEqual(
      fillTemplate(simple, { ...values, goals: userPartMarker }).system,
      `You answer.\n\n## Goals\n\n${userPartMarker}\n\nEnd.`
    )
  })

  it("separates blocks by one blank line, whatever line ends they bring", () => {
    assert.strictEqual(
      fillTemplate(simple, { ...values, user_prompt: "\n\nP\n\n", completed_tasks: "C\n" }).user,
      "P\n\nC\n\nF"
    )
  })

  it.effect.prop("brings every line of every value through unchanged", { text: Schema.String }, ({ text }) =>
    Effect.sync(() => {
      const filled = fillTemplate(simple, { ...values, user_prompt: `[${text}]` })
      assert.strictEqual(filled.user, `[${text}]\n\nC\n\nF`)
    })
  )
})
