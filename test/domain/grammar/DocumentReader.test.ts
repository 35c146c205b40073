import { expect, it } from "@effect/vitest"
import { checkDocument } from "../../../src/domain/documents/CheckReport.ts"

const task = (name: string): string =>
  `- **Name** ${name}\n- **What is needed** Look.\n- **Skill** read-code\n- **Expected output** A note.\n`
const list = (name: string, heading = "## Tasks"): string => `${heading}\n\n### Task section 1\n\n${task(name)}\n`
const call = (path: string): string =>
  `\`\`\`json\n{ "name": "read_file", "arguments": { "path": "${path}" } }\n\`\`\`\n`
const calls = (path: string, heading = "## Tool Calls"): string => `${heading}\n\n${call(path)}\n`

const opening = "## Original prompt\n\nLook.\n\n## Goals / summary\n\nLook.\n\n"
const refined = `## Task\n\n${task("A")}\n`

/** Calls in another form before those that are asked for. */
const unusual = (text: string): string => `${refined}## Tool Calls\n\n${text}\n\n${calls("b")}`

/** Documents with two lists that differ. */
const refused: ReadonlyArray<readonly [what: string, kind: "task-list" | "refinement", text: string]> = [
  ["two lists of tasks", "task-list", opening + list("A") + list("B")],
  ["a list under a loose heading before", "task-list", opening + list("A", "## Task list") + list("B")],
  ["a list of a higher level", "task-list", opening + list("A", "# Tasks") + list("B")],
  ["a list in bold", "task-list", opening + list("A", "**Tasks**") + list("B")],
  ["a whole second document", "task-list", opening + list("A") + opening + list("B")],
  ["a second document with one task more", "task-list", opening + list("A") + task("B") + opening + list("A")],
  ["a list with only a name", "task-list", `${opening}## Tasks\n\n### Task section 1\n\n- **Name** A\n\n${list("B")}`],
  ["two sections of calls", "refinement", refined + calls("a") + calls("b")],
  ["calls and an empty section", "refinement", `${refined}${calls("a")}## Tool Calls\n\nNone.\n`],
  ["calls under a loose heading", "refinement", refined + calls("a", "# Tool calls:") + calls("b")],
  ["calls between tags", "refinement", unusual("<function=read_file><parameter=path>a</parameter></function>")],
  ["calls that are not fenced", "refinement", unusual('{ "name": "read_file", "arguments": { "path": "a" } }')],
  ...["tool_name", "toolName", "function_name", "tool", "function"].map((key) => {
    const text = unusual(`\`\`\`json\n{ "${key}": "write_file", "path": "x" }\n\`\`\``)
    return [`calls whose arguments stand beside the ${key}`, "refinement", text] as const
  }),
  ["one call more", "refinement", `${refined}${calls("a")}${call("c")}\n${calls("a")}`],
  ["two sections to look first", "refinement", refined + calls("a", "## Look first") + calls("b", "## Look first")]
]

/** Documents with one list that are read as before. */
const taken: ReadonlyArray<readonly [what: string, kind: "task-list" | "refinement", text: string]> = [
  ["the same list twice", "task-list", opening + list("A") + list("A")],
  ["the same document twice", "task-list", `${opening}${list("A")}Again:\n\n${opening}${list("A")}`],
  ["an empty list before", "task-list", `${opening}## Tasks\n\nTo be written.\n\n${list("A")}`],
  ["a list that the prompt quotes", "task-list", opening.replace("Look.\n", `Do this:\n\n${list("Z")}`) + list("A")],
  ["the same calls twice", "refinement", refined + calls("a") + calls("a")],
  ["no calls before", "refinement", `${refined}## Tool Calls\n\nNone yet.\n\n${calls("a")}`]
]

it.each(refused)("a document with two lists is refused: %s", (_, kind, text) => {
  const { issues, verdict } = checkDocument(kind, text)
  expect([verdict, issues.map(({ code }) => code)]).toEqual(["rejected", expect.arrayContaining(["section-several"])])
})

it.each(taken)("a document with two lists is read when only one can be meant: %s", (_, kind, text) => {
  const { issues, verdict } = checkDocument(kind, text)
  expect([issues.map(({ code }) => code), verdict]).toEqual([[], "repaired"])
})

const seen = "## Result summary\n\nThe loader is in src/a.ts.\n"
const other = "## Result summary\n\nEverything was removed."

/* test/domain/markdown/HiddenText.test.ts has all that may hide a part. */
it.each([
  ["a comment", `${seen}\n<!--\n${other}\n-->\n`],
  ["a comment and nothing else", "## Result summary\n\n<!-- Everything was removed. -->\n"],
  ["a comment without a heading", "<!-- Everything was removed in the end. -->\n"]
])("a result with a part that nobody sees is refused: %s", (_, text) => {
  const { issues, verdict } = checkDocument("result", text)
  expect([text, verdict, issues.length > 0]).toEqual([text, "rejected", true])
})

it.each([
  ["a short comment", `${seen}\n<!-- done -->\n`],
  ["code that shows one", `${seen}\n\`\`\`html\n<!--\n${other}\n-->\n\`\`\`\n`],
  ["a word in brackets", "## Result summary\n\nThe type is Array<string> there.\n"]
])("a result with a part that nobody sees is taken when it replaces nothing: %s", (_, text) => {
  expect(checkDocument("result", text).issues).toEqual([])
})
