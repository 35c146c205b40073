import { expect, it } from "@effect/vitest"
import { splitLoneClosing, ThinkingSplit } from "../../../src/domain/models/ThinkingSplit.ts"

/** What comes of an answer that arrives in these deltas. */
const split = (...deltas: ReadonlyArray<string>) => {
  const splitter = new ThinkingSplit()
  const pieces = deltas.flatMap((delta) => splitter.add(delta))
  const { answer, pieces: last } = splitter.end()
  const join = (kind: string) =>
    [...pieces, ...last]
      .filter((piece) => piece.kind === kind)
      .map(({ text }) => text)
      .join("")
  const thinking = join("thinking")
  return { thinking: thinking.slice(0, thinking.length - answer.length), text: join("text") + answer }
}

/** An answer, what of it is thought, and what is the answer. */
const answers: ReadonlyArray<readonly [name: string, answer: string, thinking: string, text: string]> = [
  ["no tags", "## Task\n\nDo it.", "", "## Task\n\nDo it."],
  ["nothing", "", "", ""],
  ["only white space", " \n ", "", " \n "],
  ["a block before the answer", "<think>\nHm.\n</think>\n\n## Task", "\nHm.\n", "## Task"],
  ["an empty block", "<think>\n\n</think>\n\nYes.", "\n\n", "Yes."],
  ["white space before the tag", "\n  <think>Hm.</think>Yes.", "Hm.", "Yes."],
  ["other names", "<thinking>a</thinking><REASONING>b</REASONING>Yes.", "ab", "Yes."],
  ["a comparison in thoughts", "<think>a < b and c <d></think>Yes.", "a < b and c <d>", "Yes."],
  ["a block that is never closed", "<think>Let me see. I", "Let me see. I", ""],
  ["half a closing tag", "<think>Let me see.</thi", "Let me see.</thi", ""],
  ["an unclosed block, then a document", "<think>Hm.\n\n## Task\n\nDo it.", "Hm.\n\n", "## Task\n\nDo it."],
  ["half an opening tag", "<thi", "", "<thi"],
  ["another tag", "<b>Yes.</b>", "", "<b>Yes.</b>"],
  ["a tag inside of the answer", "Write `<think>` first.", "", "Write `<think>` first."]
]

it.each(answers)("reads %s", (_name, answer, thinking, text) => {
  expect([split(answer), split(...answer)]).toEqual([
    { thinking, text },
    { thinking, text }
  ])
})

it("reads any number of blocks in one delta", () => {
  expect(split("<think>a</think>".repeat(50_000) + "Yes.")).toEqual({ thinking: "a".repeat(50_000), text: "Yes." })
})

it.each([
  ["no tag", "Yes.", "", "Yes."],
  ["thoughts without their first tag", "I look.\nSo it is yes.\n</think>\n\nYes.", "I look.\nSo it is yes.", "Yes."],
  ["an answer on the line of the tag", "I look.\n</think> Yes.", "I look.", "Yes."],
  ["a tag in a code block", "See:\n```\n</think>\n```\nYes.", "", "See:\n```\n</think>\n```\nYes."],
  ["a tag in a sentence", "The tag </think> ends it.", "", "The tag </think> ends it."],
  ["a document before the tag", "## Task\n\nDo it.\n</think>\n", "", "## Task\n\nDo it.\n</think>\n"]
])("splitLoneClosing reads %s", (_name, answer, thinking, text) => {
  expect(splitLoneClosing(answer)).toEqual({ thinking, text })
})
