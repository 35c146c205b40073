/**
 * A list of conversations shows the title of each one, also on a narrow terminal.
 */
import { assert, it } from "@effect/vitest"
import { sessionLines } from "../../../src/cli/ask/slashCommands.ts"

const one = {
  id: "a",
  title: "Where is the timeout?",
  model: "m",
  savedAt: "2026-11-20T18:30:00Z",
  messages: 3,
  end: ""
}

it("has a line for each conversation, and a second one for the title where there is little room", () => {
  const now = new Date("2026-11-20T18:31:00Z")
  const [line = "", ...others] = sessionLines([one], now, 80).split("\n")
  assert.deepStrictEqual(others, [])
  assert.match(line, /^ 1 {2}.+ {2}3 messages {2}Where is the timeout\?$/)
  const narrow = sessionLines([one, { ...one, title: "x".repeat(60) }], now, 40).split("\n")
  assert.lengthOf(narrow, 4)
  assert.strictEqual(narrow[1], "    Where is the timeout?")
  assert.isTrue(
    narrow.every((each) => each.length <= 40),
    narrow.join("\n")
  )
})
