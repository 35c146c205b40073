import { assert, describe, it } from "@effect/vitest"
import { fillCalls } from "../../../../src/services/providers/embedded/StageAnswer.ts"
import { readRequest } from "../../../../src/services/providers/embedded/Clues.ts"

/** The arguments that a tool with these parameters, all required, is called with. */
type Parameters = Readonly<Record<string, { type?: string; enum?: Array<string> }>>

const filledBy = (needed: string, parameters: Parameters) => {
  const schema = { properties: parameters, required: Object.keys(parameters) }
  const tool = { name: "tool", description: "", parameters: schema }
  return fillCalls([tool], readRequest(needed)).map((filled) => filled.arguments)
}

describe("fillCalls", () => {
  it.each<{ name: string; needed: string; parameters: Parameters; filled: ReadonlyArray<unknown> }>([
    {
      name: "edits nothing: no words of a task tell what to replace",
      needed: 'Change "old" in src/a.ts to "new".',
      parameters: { path: { type: "string" }, old_text: { type: "string" }, new_text: { type: "string" } },
      filled: []
    },
    {
      name: "gives the files of a command with it",
      needed: "Run the command `node a.js`.",
      parameters: { argv: { type: "array" } },
      filled: [{ argv: ["node", "a.js"] }]
    },
    {
      name: "gives a command as words or as one text",
      needed: "Run the command `npm test`.",
      parameters: { argv: { type: "array" }, command: { type: "string" } },
      filled: [{ argv: ["npm", "test"], command: "npm test" }]
    },
    {
      name: "gives a URL, a number and a word of an enumeration",
      needed: "Fetch https://example.org/a in text form, at most 3 times",
      parameters: { url: { type: "string" }, retries: { type: "integer" }, form: { enum: ["html", "text"] } },
      filled: [{ url: "https://example.org/a", retries: 3, form: "text" }]
    },
    {
      name: "gives quoted texts in their order to parameters whose name says nothing",
      needed: 'Replace "old" by "new" in src/a.ts',
      parameters: { path: { type: "string" }, before: { type: "string" }, after: { type: "string" } },
      filled: [{ path: "src/a.ts", before: "old", after: "new" }]
    },
    {
      name: "makes no call when a required parameter finds nothing",
      needed: "Count the words.",
      parameters: { path: { type: "string" } },
      filled: []
    }
  ])("$name", ({ filled, needed, parameters }) => {
    assert.deepStrictEqual<ReadonlyArray<unknown>>(filledBy(needed, parameters), filled)
  })
})
