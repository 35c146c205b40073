import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readRefinement } from "../../../../src/domain/documents/RefinementFormat.ts"
import type { Task } from "../../../../src/domain/plan/Task.ts"
import { fillCalls } from "../../../../src/services/providers/embedded/CallFilling.ts"
import { readRequest } from "../../../../src/services/providers/embedded/Request.ts"
import { stageAnswer } from "../../../../src/services/providers/embedded/StageAnswer.ts"
import { taskFor } from "../../../support/sampleTasks.ts"
import { referenceText, StagePrompts } from "../../../support/StagePrompts.ts"

/** The calls of an answer; the task must come back as it was. */
const callsIn = (answer: string, task: Task) => {
  const { issues, repairs, value } = readRefinement(answer, { task })
  assert.deepStrictEqual([issues, repairs], [[], []])
  const refinement = Option.getOrThrow(value)
  assert.deepStrictEqual(refinement.task, task)
  return refinement.calls.map(({ arguments: given, name, uid }) => [uid, name, given])
}

const found = referenceText(
  "Search 1",
  "#search-1-results",
  "Found 2 lines in 2 files:\n\n- [src/a.ts](src/a.ts#L30) `one`\n- [src/b c.ts](<src/b c.ts#L5>) `two`"
)

layer(StagePrompts.layer)("refinementAnswer", (it) => {
  it.effect("gives the task back and the calls that its words can fill", () =>
    Effect.gen(function* () {
      const { refinement } = yield* StagePrompts
      const task = taskFor("search-code", 'Find the lines of the project that hold "loadUser".')
      assert.strictEqual(
        stageAnswer(refinement(task)),
        `## Task

- **Name** Task 1
- **What is needed** Find the lines of the project that hold "loadUser".
- **Skill** search-code
- **Expected output** A result.

## Tool Calls

\`\`\`json
{
  "uid": "call-1",
  "name": "search_files",
  "arguments": {
    "pattern": "loadUser"
  }
}
\`\`\``
      )
    })
  )

  it.effect.each([
    {
      name: "searches once for each key word of a task that somebody else wrote",
      task: taskFor("search-code", "Find out how sessions expire and who renews them."),
      calls: [
        ["call-1", "search_files", { pattern: "session" }],
        ["call-2", "search_files", { pattern: "expire" }],
        ["call-3", "search_files", { pattern: "renew" }]
      ]
    },
    {
      name: "lists the files when there is no word to search for",
      task: taskFor("search-code", "List the files of the project."),
      calls: [["call-1", "get_file_tree", {}]]
    },
    {
      name: "reads the files that the task names, around the line if there is one",
      task: taskFor("read-code", "Read src/a.ts:100 and docs/b.md to see what happens."),
      calls: [
        ["call-1", "read_file", { path: "src/a.ts", start_line: 80, end_line: 120 }],
        ["call-2", "read_file", { path: "docs/b.md" }]
      ]
    },
    {
      name: "reads the files that results point to",
      task: taskFor("read-code", "Read what was found."),
      references: found,
      calls: [
        ["call-1", "read_file", { path: "src/a.ts", start_line: 10, end_line: 50 }],
        ["call-2", "read_file", { path: "src/b c.ts", start_line: 1, end_line: 25 }]
      ]
    },
    {
      name: "writes the text of the code block",
      task: taskFor("edit-files", "Write the file a.md with the text of the code block.", {
        requiresApproval: true,
        codeBlocks: [{ language: "text", text: "one\n\n```\ntwo" }]
      }),
      calls: [["call-1", "write_file", { path: "a.md", content: "one\n\n```\ntwo\n" }]]
    },
    {
      name: "writes the results that the task refers to",
      task: taskFor("edit-files", "Write the file docs/a.md with the results."),
      references: referenceText("Search 1", "#search-1-results", "## Result summary\n\nFound it."),
      calls: [["call-1", "write_file", { path: "docs/a.md", content: "Found it.\n" }]]
    },
    {
      name: "writes nothing that the task does not order",
      task: taskFor("edit-files", "Which text does docs/a.md hold?"),
      references: found,
      calls: [["call-1", "read_file", { path: "docs/a.md" }]]
    },
    {
      name: "makes no call when the task holds nothing to fill one with",
      task: taskFor("edit-files", "Make it better."),
      calls: []
    }
  ])("$name", ({ calls, references, task }) =>
    Effect.gen(function* () {
      const { refinement } = yield* StagePrompts
      assert.deepStrictEqual(callsIn(stageAnswer(refinement(task, references)), task), calls)
    })
  )

  it.effect.prop(
    "answers with a document that can be read, whatever the task says",
    { text: Schema.String },
    ({ text }) =>
      Effect.gen(function* () {
        const { refinement } = yield* StagePrompts
        const task = taskFor("search-code", `Find "a" and ${text.replace(/\s+/g, " ").trim()}.`)
        assert.isAbove(callsIn(stageAnswer(refinement(task)), task).length, 0)
      })
  )
})

/** The arguments that a tool with these parameters, all required, is called with. */
const filledBy = (needed: string, parameters: Record<string, { type?: string; enum?: Array<string> }>) => {
  const schema = { properties: parameters, required: Object.keys(parameters) }
  const tool = { name: "tool", description: "", parameters: schema }
  return fillCalls([tool], readRequest(needed)).map((filled) => filled.arguments)
}

describe("fillCalls", () => {
  it.each([
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
