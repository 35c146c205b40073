import { assert, describe, it } from "@effect/vitest"
import { makeShownAnswer } from "../../../src/domain/conversation/ShownAnswer.ts"

/** What is shown of a text that comes in pieces of this size. */
const shownOf = (text: string, size: number) => {
  const pieces: Array<string> = []
  const shown = makeShownAnswer((piece) => void pieces.push(piece))
  const say = (said: string) => {
    const take = shown.begin()
    for (let at = 0; at < said.length; at += size) take(said.slice(at, at + size))
  }
  say(text)
  return { shown, say, pieces, text: () => pieces.join("") }
}

const call = '```json\n{ "uid": "call-1", "name": "read_file", "arguments": { "path": "a" } }\n```'

describe.each([1, 3, 1000])("an answer in pieces of %i characters", (size) => {
  it("is shown as it comes, and whole at its end", () => {
    const answer = "# Found\n\nIt is here:\n\n```ts\nconst a = 1\n```\n\n- [a](a.ts#L1)\n- **b**\n\nDone."
    const { shown, text } = shownOf(answer, size)
    shown.end(answer)
    assert.strictEqual(text(), answer)
  })

  it.each([
    ["calls", `## Tool Calls\n\n${call}`],
    ["a fence", call],
    ["a block", "src/a.ts\n<<<<<<< OLD\na\n=======\nb\n>>>>>>> NEW"],
    ["a fenced block", "src/a.ts\n\n```ts\n<<<<<<< OLD\na\n=======\nb\n>>>>>>> NEW\n```"],
    ["a replacement", '{"replace": "a", "with": "b"}'],
    ["tags", '<tool_call>\n{"name": "read_file", "arguments": {}}\n</tool_call>']
  ])("shows the words before %s, and not those", (_, acting) => {
    const { say, shown, text } = shownOf(`I look at it.\n\n${acting}\n`, size)
    assert.match(text(), /^I look at it\.\n\n(?:src\/a\.ts\n\n)?$/)
    shown.acted()
    say("Here it is.")
    shown.end("Here it is.")
    assert.match(text(), /^I look at it\.\n\n(?:src\/a\.ts\n\n)?Here it is\.$/)
  })

  it("is shown once when it is sent back: only the corrected lines follow", () => {
    const wrong = "The limit is 5.\n\nSee [a](b.ts#L1).\n\nIt is read once.\n"
    const { say, shown, text } = shownOf(wrong, size)
    const right = wrong.replace("b.ts", "a.ts")
    say(right)
    shown.end(right)
    assert.strictEqual(text(), `${wrong}\n\nCorrected:\n\nSee [a](a.ts#L1).`)
  })
})

it("shows a line as soon as it can only be words", () => {
  const { pieces } = shownOf("I begin with it", 2)
  assert.deepStrictEqual(pieces.slice(0, 3), ["I ", "be", "gi"])
})
