import { expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { readConclusion } from "../../../src/domain/documents/AnswerFormat.ts"

const codes = (answer: string) => readConclusion(answer).issues.map(({ code }) => code)

it("takes any text with what surrounds it taken off", () => {
  const answers = [
    "It is in [a.ts](src/a.ts#L3).",
    "Done.\n\n## Tasks\n\n- one\n\n## Original prompt\n\nx",
    "## Tasks\n\nThree are left.",
    "## Task\n\nIt was to find the loader.",
    "```ts\nconst limit = 3\n```",
    "The heading is `## Tool Calls`:\n\n## Tool Calls\n\nOne block for each call."
  ]
  for (const answer of answers) {
    expect(readConclusion(answer), answer).toMatchObject({ value: Option.some(answer), issues: [] })
  }
  expect(readConclusion("<think>x</think>\nIt is there.").value).toEqual(Option.some("It is there."))
})

it("rejects an answer without text", () => {
  for (const answer of ["```\n```", "```markdown\n\n```\n", "<think>It is there.</think>"]) {
    expect(codes(answer), answer).toEqual(["answer-empty"])
  }
})

it("rejects the document of another stage", () => {
  const list = "## Original prompt\n\nDo it.\n\n## Goals / summary\n\nIt is done.\n\n## Tasks\n"
  const calls = '## Tool Calls\n\n```json\n{"uid":"a","name":"read_file","arguments":{"path":"a.ts"}}\n```\n'
  for (const answer of [list, calls, `## Task\n\n- **Name** Search\n\n${calls}`, `\n\n${list}`]) {
    expect(codes(answer), answer).toEqual(["answer-shape"])
  }
})

it.each([
  ["I'm sorry, but I cannot read or change files on your machine.", ["answer-unfinished"]],
  ["I can't access the file system.", ["answer-unfinished"]],
  ["As an AI language model, I have no access to your project.", ["answer-unfinished"]],
  ["Unfortunately I do not have access to the repository, so I am unable to help.", ["answer-unfinished"]],
  ["I cannot say which one is meant, but the limit is in [a.ts](src/a.ts#L3).", []],
  [`The gate asks. ${"It asks each time. ".repeat(30)}I cannot say more.`, []]
])("rejects the words of a model that claims to be able to do nothing, when there are results: %s", (answer, found) => {
  expect(readConclusion(answer, { hasResults: true }).issues.map(({ code }) => code)).toEqual(found)
  expect(codes(answer)).toEqual([])
})
