/** Each kind of damage by itself; test/mutations measures how many of all documents survive it, and in pairs. */
import { describe, expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { readTaskList } from "../../../src/domain/documents/TaskListFormat.ts"

const plan = `## Original prompt

Where is the configuration loaded?

## Goals / summary

Find the loader and explain it.

## Tasks

### Task section 1

- **Name** Research 1
- **What is needed** Find the loader.

  Look at \`src\` first.
- **Skill** search-code
- **References** [Project description](#project-description) [main.ts](src/main.ts#L10-L20)
- **Expected output** File and line.

- **Name** Research 2
- **What is needed** Find the tests of the loader.
- **Skill** search-code
- **Expected output** Names of tests.

### Task section 2

- **Name** Change 1
- **What is needed** Add a test.
- **Skill** edit-files
- **References** [loader](#research-1-results) [tests](#research-2-results)
- **Expected output** The changed file.
- **Requires user approval**

\`\`\`ts
const a = 1
\`\`\`
`

const original = readTaskList(plan)

/** What is replaced everywhere, and by what; or how the text changes. */
type Damage = [name: string, from: RegExp | string | ((text: string) => string), to?: string]

const field = /^- \*\*([^*]+)\*\* ?(.*)$/gm
const look = /^ {2}Look/m
const link = /(\[[^\]]*\]\([^)]*\))/g

/** Changes of bullets after which the text below the field stands as deep as its field. */
const bullets = (from: RegExp, to: string, blanks: string) => (text: string) =>
  text.replace(from, to).replace(look, `${blanks}Look`)

const labels = (change: (label: string) => string) => (text: string) =>
  text.replace(field, (_, label: string, value: string) => `- **${change(label)}** ${value}`)

const results = (first: string, second: string) => (text: string) =>
  text.replace("#research-1-results", first).replace("#research-2-results", second)

const openFence = (text: string) => text.replace("Where is", "```ts\nWhere is").replaceAll(/^```(?!ts\nW)/gm, "~~~")

const harmless: ReadonlyArray<Damage> = [
  ["carriage returns", "\n", "\r\n"],
  ["byte order mark", /^/g, "\ufeff"],
  ["blank lines around", (text) => `\n\n\n${text}\n\n`],
  ["blanks at line ends", /^(?:#|- \*\*).*$/gm, "$&  "],
  ["talk before", /^/g, "Sure! Here is the plan:\n\n"],
  ["talk after", (text) => `${text}\nLet me know if you want changes.\n`],
  ["fence around", (text) => `\`\`\`markdown\n${text}\`\`\`\n`],
  ["fence around, not closed", /^/g, "```markdown\n"],
  ["thoughts", /^/g, "<think>\nLet me plan.\n## Tasks\n</think>\n"],
  ["thoughts with an open fence", /^/g, "<think>\n```ts\n</think>\n\n"],
  ["thoughts that are not closed", /^/g, "<think>\nLet me plan.\n\n"],
  ["dots as bullets", /^- /gm, "• "],
  ["numbers as bullets", bullets(/^- /gm, "1. ", "   ")],
  ["wide bullets", bullets(/^- /gm, "-   ", "    ")],
  ["tabs after bullets", bullets(/^- /gm, "-\t", "    ")],
  ["task boxes", /^- /gm, "- [ ] "],
  ["no bullets", bullets(/^- /gm, "", "")],
  ["blank lines between fields", /^- .*/gm, "$&\n"],
  ["no blank lines between tasks", "\n\n- **Name**", "\n- **Name**"],
  ["nested fields", bullets(/^- (?!\*\*Name)/gm, "  - ", "    ")],
  ["items per task", (text) => bullets(/^- /gm, "  - ", "    ")(text).replaceAll("  - **Name", "- Task:\n  - **Name")],
  ["headings per task", "- **Name", "#### Task\n\n- **Name"],
  ["colon after the label", field, "- **$1**: $2"],
  ["colon in the label", field, "- **$1:** $2"],
  ["wide colon", field, "- **$1**：$2"],
  ["underscores for bold", field, "- __$1__ $2"],
  ["one star", field, "- *$1* $2"],
  ["no bold, with a colon", field, "- $1: $2"],
  ["plain lines with a colon", bullets(field, "$1: $2", "")],
  ["labels in lower case", labels((label) => label.toLowerCase())],
  ["label never closed", /^- \*\*(Skill|Expected output)\*\*/gm, "- **$1"],
  ["labels cut short", labels((label) => label.replace(/ needed| output/, ""))],
  ["labels with a typing error", labels((label) => label.replace("output", "ouput").replace("Ref", "Refr"))],
  ["optional fields marked", "**References**", "**References (optional)**"],
  ["approval with a reason", "**Requires user approval**", "**Requires user approval** Yes, it writes files."],
  ["approval on its own", "- **Requires user approval**", "\n**Requires user approval**"],
  ["approval denied", "Names of tests.", "Names of tests.\n- **Requires user approval** no"],
  ["references with none", "Names of tests.", "Names of tests.\n- **References** None"],
  ["another order", /(- \*\*Skill\*\* edit.*)\n(- \*\*Ref.*)\n(- \*\*Exp.*)/g, "$3\n$2\n$1"],
  ["names last", /(- \*\*Name\*\* Change 1\n)([^]*approval\*\*\n)/g, "$2$1"],
  ["code marks around skills", /\*\*Skill\*\* (\S+)/g, "**Skill** `$1`"],
  ["bold names", /\*\*Name\*\* (.+)/g, "**Name** **$1**"],
  ["headings one level down", /^##/gm, "###"],
  ["all headings on one level", /^###? /gm, "## "],
  ["headings with a colon", /^(#+ (?:Orig|Goals|Tasks).*)$/gm, "$1:"],
  ["numbered headings", /^## (.*)$/gm, "## 1. $1"],
  ["headings with a sign", /^## (.*)$/gm, "## 🎯 $1"],
  ["bold lines for headings", /^## (.*)$/gm, "**$1**"],
  ["goals and summary", "Goals / summary", "Goals and summary"],
  ["goals only", "## Goals / summary", "## Goals"],
  ["another wording of the prompt", "## Original prompt", "## User prompt"],
  ["issues first", /^/g, "## Issues with the tasks (rectified)\n\n- None.\n\n"],
  ["notes at the end", (text) => `${text}\n## Notes\n\nThe plan is short.\n`],
  ["talk between tasks", "\n- **Name** Research 2", "\nThis one is independent:\n\n- **Name** Research 2"],
  ["prompt with its own headings", "Where is", "## Tasks\n\n### Task section 1\n\nWhere is"],
  ["prompt with an open fence", openFence],
  ["the same answer before the new one", (text) => `${text}\n${text}`],
  ["output anchors of the first form", results("output:Research 1", "output:research_2")],
  ["output anchors of the second form", results("task://research-1.md", "task://Research 2.md")],
  ["raw names in anchors", results("#Research 1-results", "#Research_2_results")],
  ["anchors with doubled hyphens", "#research-1-results", "#research--1--results"],
  ["and between links", ") [", ") and ["],
  ["links as a list", /\*\*References\*\* (\[.*?\)) (\[.*)/g, "**References**\n  - $1\n  - $2"],
  ["bold links", link, "**$1**"],
  ["blank before the target", "](", "] ("],
  ["links in code marks", link, "`$1`"],
  ["targets in angle brackets", /\]\(([^)]*)\)/g, "](<$1>)"],
  ["other line anchors", "#L10-L20", "#L10-20"],
  ["section numbers in words", "Task section", "Section"],
  ["steps for sections", "Task section", "Step"]
]

it("readTaskList on harmless damage knows the undamaged plan", () => {
  expect({ issues: original.issues, repairs: original.repairs }).toEqual({ issues: [], repairs: [] })
  expect(Option.map(original.value, (list) => list.tasks.map((task) => task.name))).toEqual(
    Option.some(["Research 1", "Research 2", "Change 1"])
  )
})

it.each(harmless)("readTaskList on harmless damage reads the same value: %s", (_, from, to = "") => {
  const text = typeof from === "function" ? from(plan) : plan.replaceAll(from, to)
  expect(text).not.toBe(plan)
  const { issues, value } = readTaskList(text)
  expect(issues).toEqual([])
  expect(value).toEqual(original.value)
})

describe("readTaskList on damage that changes the meaning", () => {
  it.each([
    ["a field has a name that objects have", "**References** [loader", "**constructor** [loader", ["field-unknown"]],
    ["sections are joined", "### Task section 2\n", "", ["reference-order", "reference-order"]],
    ["sections are swapped", "section 1", "section 3", ["section-order"]],
    ["tasks stand in another section", "### Task section 2", "## Later", ["task-outside-section"]],
    ["a link loses its brackets", "[tests](#research-2-results)", "the tests in test/a.test.ts", ["references-prose"]],
    ["names are equal", "Research 2", "research 1", ["name-duplicate", "reference-task-unknown"]],
    ["code never ends", "Find the loader.\n", "Find it:\n  ```ts\n  x\n", ["fence-unclosed"]]
  ])("reports it: %s", (_, from, to, codes) => {
    const { issues } = readTaskList(plan.replace(from, to), { headings: ["project-description"] })
    expect(issues.map((issue) => issue.code)).toEqual(codes)
  })
})
