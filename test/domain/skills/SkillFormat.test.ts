import { assert, expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { Skill } from "../../../src/domain/skills/Skill.ts"
import { readSkill } from "../../../src/domain/skills/SkillFormat.ts"

const read = (text: string, folder = "count-words") => readSkill(new TextEncoder().encode(text), folder)

const complete = `---
name: count-words
description: Counts words. Use it when the prompt asks how long a text is.
license: MIT
compatibility: any
allowed-tools: read_file word_count
metadata:
  task-conductor.requires-approval: "true"
  task-conductor.model: qwen3
  task-conductor.turns: "3"
  author: somebody
---

An introduction.

## Input requirements

A path.

## Refinement

### First

Call it.

\`\`\`md
## Execution
\`\`\`

## Notes

Not ours.

## Execution

Report.
`

const codesOf = ({ repairs }: ReturnType<typeof read>) => repairs.map(({ code }) => code)

const plain = (more: string, body = "Do it.") =>
  `---\nname: count-words\ndescription: Counts words.\n${more}---\n${body}\n`

const front = (yaml: string) => `---\n${yaml}\n---\n`
const begin = "Begin the file with a line ---, then name and description, then a line ---."
const noYaml = "The front matter cannot be read as YAML:"

const turnsOf = (value: string) => {
  const reading = read(plain(`metadata:\n  task-conductor.turns: ${value}\n`))
  return [Option.getOrUndefined(reading.value)?.turns, codesOf(reading)]
}

const skillWith = (more: { readonly refinement: string; readonly execution: string }) =>
  Option.some(
    new Skill({
      name: "count-words",
      description: "Counts words.",
      requiresApproval: false,
      inputRequirements: "",
      inputs: [],
      ...more
    })
  )

const bodyWith = (heading: string) => read(plain("", `## ${heading}\n\nDo it.\n`))

it("reads all that a skill can say", () => {
  expect(read(complete)).toEqual({
    value: Option.some(
      new Skill({
        name: "count-words",
        description: "Counts words. Use it when the prompt asks how long a text is.",
        allowedTools: ["read_file", "word_count"],
        requiresApproval: true,
        model: "qwen3",
        turns: 3,
        inputRequirements: "A path.",
        inputs: [],
        refinement: "### First\n\nCall it.\n\n```md\n## Execution\n```",
        execution: "Report."
      })
    ),
    issues: [],
    repairs: []
  })
})

it.each(["refinement", "execution"] as const)("reads the earlier heading of %s as the one of now", (part) => {
  const [now, earlier] = { refinement: ["How to work", "Refinement"], execution: ["How to report", "Execution"] }[part]
  expect(bodyWith(now ?? "")).toEqual(bodyWith(earlier ?? ""))
  const { repairs, value } = bodyWith(now ?? "")
  expect([Option.getOrUndefined(value)?.[part], repairs]).toEqual(["Do it.", []])
})

it("uses no number of turns but one from 1 to 100", () => {
  for (const value of ["0", "101", "-1", "2.5", "many", "1e0"]) {
    expect(turnsOf(`"${value}"`)).toEqual([undefined, ["skill-turns-value"]])
  }
  for (const value of ["1", "12", "100"]) {
    expect(turnsOf(`"${value}"`)).toEqual([Number(value), []])
    expect(turnsOf(value)[0]).toBe(Number(value))
  }
})

it("takes the whole body once, as what to do, when it has none of our headings", () => {
  const { value } = read(plain("", "# How\n\nCount."))
  expect(value).toEqual(skillWith({ refinement: "# How\n\nCount.", execution: "" }))
})

it("reads a file with Windows line ends and a byte order mark", () => {
  assert.deepStrictEqual(read(`\uFEFF${complete.replaceAll("\n", "\r\n")}`).issues, [])
})

it.each<[form: string, line: string, tools: Array<string>, repairs: Array<string>]>([
  ["blanks", '"a  b a"', ["a", "b"], []],
  ["nothing", '""', [], []],
  ["commas", "a, b", ["a", "b"], ["skill-tools-form"]],
  ["a list", "[a, b]", ["a", "b"], ["skill-tools-form"]]
])("reads tools separated by %s", (_, line, tools, repairs) => {
  const reading = read(plain(`allowed-tools: ${line}\n`))
  assert.deepStrictEqual([Option.getOrThrow(reading.value).allowedTools, codesOf(reading)], [tools, repairs])
})

it("mends headings of another level or case and says so", () => {
  const reading = read(plain("", "# execution:\n\nDo.\n\n### REFINEMENT\n\nAsk."))
  expect(reading.value).toEqual(skillWith({ refinement: "Ask.", execution: "Do." }))
  assert.deepStrictEqual(
    reading.repairs.map(({ code, message, where }) => `${code} ${where.section} ${where.line}: ${message}`),
    [
      'skill-heading-form execution: 5: Read the heading "execution:" as "## How to report".',
      'skill-heading-form REFINEMENT 9: Read the heading "REFINEMENT" as "## How to work".'
    ]
  )
})

const setting = "metadata:\n  task-conductor.requires-approval: true\n"
it.each([
  ["a setting that is no string", plain(setting), "skill-metadata-form", ["Counts words.", true]],
  ["a long text", plain("").replace("Counts words.", "x".repeat(1025)), "skill-description-long", ["x".repeat(1025), false]],
  ["a colon", plain("").replace("Counts words.", "Use: now."), "front-matter-unquoted", ["Use: now.", false]]
] as const)("understands %s and notes it as a repair", (_, text, repair, expected) => {
  const reading = read(text)
  const { description, requiresApproval } = Option.getOrThrow(reading.value)
  assert.deepStrictEqual([description, requiresApproval, codesOf(reading)], [...expected, [repair]])
})

it("notes a name that the rules do not allow when the folder has it too", () => {
  const reading = read(plain("").replace("count-words", "Count_Words"), "Count_Words")
  assert.deepStrictEqual(
    reading.repairs.map(({ code, where }) => [code, where]),
    [["skill-name-form", { field: "name", line: 2 }]]
  )
})

/* In the words of the parser where it is not YAML, of which the beginning is enough. */
it.each([
  ["# Skill", `front-matter-broken 1: The file has no front matter. ${begin}`],
  ["---\nname: count-words\n", `front-matter-broken 1: The file has no front matter. ${begin}`],
  [front("a: 1\nb: {c: d"), `front-matter-broken 3: ${noYaml} Flow map`],
  [front("a: 1\na: 2"), `front-matter-broken 3: ${noYaml} Map keys must be unique. Write lines \`key: value\`, and`],
  [front("a: 'x"), `front-matter-broken 2: ${noYaml} Missing closing 'quote. `],
  [front("- a"), "front-matter-broken 2: The front matter is not a list of keys with values. Write it as lines"],
  [front("a: &x 1\nb: *x"), "front-matter-broken 2: The front matter uses YAML aliases. Write every value out."],
  [front(`a: ${"[".repeat(65)}`), "front-matter-broken 2: The front matter is nested too deeply. "],
  [front("description: Counts."), 'skill-name-missing name 1: The skill has no name. Add the line "name: count-words".'],
  [
    plain("").replace("count-words", "count"),
    'skill-name-not-folder name 2: The name "count" is not the name of the folder "count-words". Rename one of them.'
  ],
  [
    front("name: count-words\ndescription: 7"),
    "skill-description-missing description 3: The skill has no description. Say in one or two sentences"
  ]
])("refuses %j", (text, expected) => {
  const { issues, value } = read(text)
  const said = issues.map(({ code, how, what, where: { field, line } }) =>
    `${[code, field, line].filter((part) => part !== undefined).join(" ")}: ${what} ${how}`.slice(0, expected.length)
  )
  expect([said, value]).toEqual([[expected], Option.none()])
})

it("refuses a file that is not UTF-8", () => {
  const { issues, value } = readSkill(new Uint8Array([0x2d, 0x2d, 0x2d, 0x0a, 0xe9, 0x0a]), "count-words")
  const what =
    "The file cannot be read as text: it is not UTF-8 and looks like Latin-1 or Windows-1252; convert it to UTF-8."
  expect([issues, value]).toEqual([
    [{ code: "skill-not-text", where: { line: 1 }, what, how: "Save it as UTF-8." }],
    Option.none()
  ])
})
