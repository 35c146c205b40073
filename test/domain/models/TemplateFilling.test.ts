import * as Option from "effect/Option"
import { assert, describe, it } from "@effect/vitest"
import {
  parseTemplate,
  type PromptTemplate,
  userPartMarker,
  fillTemplate
} from "../../../src/domain/models/PromptTemplate.ts"

const template = (text: string): PromptTemplate => Option.getOrThrow(parseTemplate("conclusion", text).value)

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
    const { parts, system, user } = fillTemplate(simple, values)
    assert.deepStrictEqual([system, user], ["You answer.\n\n## Goals\n\nG\n\nEnd.", "P\n\nC\n\nF"])
    assert.deepStrictEqual(parts, [
      { name: "instructions", characters: 27 },
      { name: "goals", characters: 3 },
      { name: "user_prompt", characters: 3 },
      { name: "completed_tasks", characters: 3 },
      { name: "failed_tasks", characters: 3 }
    ])
  })

  it("leaves nothing of an empty block or of an optional part without a value", () => {
    const { system, user } = fillTemplate(simple, { ...values, goals: " \n", completed_tasks: "" })
    assert.deepStrictEqual({ system, user }, { system: "You answer.\n\nEnd.", user: "P\n\nF" })
  })

  it("keeps content that looks like a placeholder or the marker line as it is", () => {
    const user_prompt = "{goals} {#goals}x{/goals} {unknown} $& $1"
    assert.strictEqual(fillTemplate(simple, { ...values, user_prompt }).user, `${user_prompt}\n\nC\n\nF`)
    const { system } = fillTemplate(simple, { ...values, goals: userPartMarker })
    assert.strictEqual(system, `You answer.\n\n## Goals\n\n${userPartMarker}\n\nEnd.`)
  })

  it("separates blocks by one blank line, whatever line ends they bring", () => {
    assert.strictEqual(
      fillTemplate(simple, { ...values, user_prompt: "\n\nP\n\n", completed_tasks: "C\n" }).user,
      "P\n\nC\n\nF"
    )
  })
})

describe("the lighter form", () => {
  const names = "skill_catalog user_prompt environment project_description current_file open_files previous_proposal"
    .concat(" previous_proposal_issues")
    .split(" ")
  const blanks = Object.fromEntries(names.map((name) => [name, ""]))
  const slots = names.map((name) => `{${name}}`).join("")
  const creation = Option.getOrThrow(
    parseTemplate("creation", `System.\n\n{project_map}\n\nEnd.\n${userPartMarker}\n${slots}`).value
  )

  it("leaves out the map of the project", () => {
    const filled = fillTemplate(creation, { ...blanks, user_prompt: "P", project_map: "MAP" })
    assert.deepStrictEqual([filled.system, filled.user], ["System.\n\nMAP\n\nEnd.", "P"])
    assert.deepStrictEqual([filled.lighter?.system, filled.lighter?.user], ["System.\n\nEnd.", "P"])
  })

  it("does not exist for a prompt without a map", () => {
    assert.isUndefined(fillTemplate(creation, { ...blanks, user_prompt: "P", project_map: "\n" }).lighter)
  })
})
