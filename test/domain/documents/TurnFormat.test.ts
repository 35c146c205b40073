import { expect, it } from "@effect/vitest"
import { readTurn } from "../../../src/domain/documents/TurnFormat.ts"
import { taskFor } from "../../support/sampleTasks.ts"

const read = (answer: string) =>
  readTurn(answer, { task: taskFor("edit-files", "Change it."), inputs: [], kept: [], mayChange: true })

const block = (old: string, now: string): string => `<<<<<<< OLD\n${old}\n=======\n${now}\n>>>>>>> NEW`

/* Lines of code that look like headings of markdown. */
const comments = [
  "    # A key that fits another schema is no error",
  "    # Tasks",
  "    ## Result summary",
  "        # Tool Calls",
  "    #define LIMIT 3",
  "\t# indented with a tab",
  "    ## 1. Second part",
  "    > # quoted in a docstring"
]
it.each(comments)("keeps the indentation of new text behind the line %j", (comment) => {
  const now = `def check():\n    key = 1\n\n${comment}\n    value = 2\n    assert key\n\n    return value\n\n\ndef last():`
  for (const answer of [
    `src/a.py\n${block("def last():", now)}`,
    `I will change it.\n\nsrc/a.py\n${block("def last():", now)}\n`,
    `src/a.py\n${block("    # Old", "    # New")}\n${block("def last():", now)}`
  ]) {
    const { changes } = read(answer)
    const edit = changes.at(-1)
    expect(edit?._tag === "Edit" ? edit.newText : edit).toBe(`${now}\n`)
  }
})

it("removes the indentation of an answer that is indented as a whole", () => {
  const answer = `src/a.py\n${block("a = 1", "a = 2")}`.replaceAll(/^/gm, "    ")
  expect(read(answer).changes).toMatchObject([{ _tag: "Edit", oldText: "a = 1\n", newText: "a = 2\n" }])
})
