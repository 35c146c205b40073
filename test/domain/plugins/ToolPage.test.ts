import { assert, it } from "@effect/vitest"
import { toolPage } from "../../../src/domain/plugins/ToolPage.ts"

const info = {
  name: "draw",
  origin: "art@1.0.0",
  description: "Draws.",
  risk: "high",
  effect: "once",
  example: { colour: "red|blue" },
  definition: ""
} as const

it("shows parameters with their types, and errors, in tables", () => {
  const parameters = {
    type: "object",
    required: ["colour"],
    properties: {
      colour: { type: "string", description: "One | two\nlines." },
      size: { type: "integer", minimum: 1, maximum: 5 },
      width: { type: "number", minimum: 0 },
      kind: { enum: ["a", "b"] },
      points: { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
      any: {}
    }
  }
  assert.strictEqual(
    toolPage({ ...info, parameters, errors: { not_found: "There is no colour." } }),
    `## draw

Draws.

- Origin: art@1.0.0
- Risk: high, asks with a warning
- Effect: once, done twice is two effects

| parameter | type | required | meaning |
|---|---|---|---|
| \`colour\` | string | yes | One \\| two lines. |
| \`size\` | integer, 1 to 5 | no |  |
| \`width\` | number, from 0 | no |  |
| \`kind\` | one of "a", "b" | no |  |
| \`points\` | array of string or number | no |  |
| \`any\` | any | no |  |

\`\`\`json
{"name":"draw","arguments":{"colour":"red|blue"}}
\`\`\`

| error | when |
|---|---|
| \`not_found\` | There is no colour. |`
  )
})

it("says that there are no parameters, and leaves out errors that nobody described", () => {
  const page = toolPage({ ...info, parameters: { type: "object", properties: {} } })
  assert.include(page, "\n\nIt takes no parameters.\n\n")
  assert.match(page, /```$/)
})
