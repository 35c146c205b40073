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

type Damage = readonly [string, (text: string) => string]

const everyLine = (change: (line: string) => string) => (text: string) => text.split("\n").map(change).join("\n")

const outsideOfCode = (change: (line: string) => string) => (text: string) => {
  const [before = "", code = "", after = ""] = text.split(/(\n```ts\n[^]*\n```\n)/)
  return everyLine(change)(before) + code + after
}

const field = /^- \*\*([^*]+)\*\* ?(.*)$/

const harmless: ReadonlyArray<Damage> = [
  ["nothing", (text) => text],
  ["carriage returns", (text) => text.replaceAll("\n", "\r\n")],
  ["byte order mark", (text) => `\ufeff${text}`],
  ["blank lines around", (text) => `\n\n\n${text}\n\n`],
  ["blanks at line ends", everyLine((line) => (line.startsWith("#") || field.test(line) ? `${line}  ` : line))],
  ["talk before", (text) => `Sure! Here is the plan:\n\n${text}`],
  ["talk after", (text) => `${text}\nLet me know if you want changes.\n`],
  ["rules between", (text) => text.replaceAll("\n## ", "\n---\n\n## ").replaceAll("\n### ", "\n***\n\n### ")],
  ["fence around", (text) => `\`\`\`markdown\n${text}\`\`\`\n`],
  ["longer fence around", (text) => `\`\`\`\`md\n${text}\`\`\`\`\n`],
  ["fence around, not closed", (text) => `\`\`\`markdown\n${text}`],
  ["thoughts", (text) => `<think>\nLet me plan.\n## Tasks\n</think>\n${text}`],
  ["thoughts with an open fence", (text) => `<think>\n\`\`\`ts\n</think>\n\n${text}`],
  ["thoughts that are not closed", (text) => `<think>\nLet me plan.\n\n${text}`],
  ["thoughts without the first tag", (text) => `Let me plan.\n</think>\n\n${text}`],
  ["stars as bullets", everyLine((line) => line.replace(/^- /, "* "))],
  ["plus as bullets", everyLine((line) => line.replace(/^- /, "+ "))],
  ["dots as bullets", everyLine((line) => line.replace(/^- /, "• "))],
  ["numbers as bullets", everyLine((line) => line.replace(/^- /, "1. ").replace(/^ {2}Look/, "   Look"))],
  ["numbers with brackets", everyLine((line) => line.replace(/^- /, "2) ").replace(/^ {2}Look/, "   Look"))],
  ["wide bullets", everyLine((line) => line.replace(/^- /, "-   ").replace(/^ {2}Look/, "    Look"))],
  ["tabs after bullets", everyLine((line) => line.replace(/^- /, "-\t").replace(/^ {2}Look/, "    Look"))],
  ["task boxes", everyLine((line) => line.replace(/^- /, "- [ ] "))],
  ["no bullets", outsideOfCode((line) => line.replace(/^- /, "").replace(/^ {2}Look/, "Look"))],
  [
    "no bullets, blank lines between",
    outsideOfCode((line) => line.replace(/^- (.*)/, "$1\n").replace(/^ {2}Look/, "Look"))
  ],
  ["blank lines between fields", everyLine((line) => line.replace(/^- (.*)/, "$&\n"))],
  ["no blank lines between tasks", (text) => text.replaceAll("\n\n- **Name**", "\n- **Name**")],
  ["nested fields", everyLine((line) => line.replace(/^- (?!\*\*Name)/, "  - ").replace(/^ {2}Look/, "    Look"))],
  [
    "nested with four blanks",
    everyLine((line) => line.replace(/^- (?!\*\*Name)/, "    - ").replace(/^ {2}Look/, "      Look"))
  ],
  ["nested with tabs", everyLine((line) => line.replace(/^- (?!\*\*Name)/, "\t- ").replace(/^ {2}Look/, "\t  Look"))],
  [
    "items per task",
    everyLine((line) =>
      line
        .replace(/^- \*\*Name/, "- Task:\n  - **Name")
        .replace(/^- \*\*(?!Name)/, "  - **")
        .replace(/^ {2}Look/, "    Look")
    )
  ],
  ["headings per task", everyLine((line) => line.replace(/^- \*\*Name/, "#### Task\n\n$&"))],
  ["colon after the label", everyLine((line) => line.replace(field, "- **$1**: $2"))],
  ["colon in the label", everyLine((line) => line.replace(field, "- **$1:** $2"))],
  ["blank before the colon", everyLine((line) => line.replace(field, "- **$1** : $2"))],
  ["wide colon", everyLine((line) => line.replace(field, "- **$1**：$2"))],
  ["underscores for bold", everyLine((line) => line.replace(field, "- __$1__ $2"))],
  ["three stars", everyLine((line) => line.replace(field, "- ***$1*** $2"))],
  ["one star", everyLine((line) => line.replace(field, "- *$1* $2"))],
  ["no bold, with a colon", everyLine((line) => line.replace(field, "- $1: $2"))],
  ["plain lines with a colon", outsideOfCode((line) => line.replace(field, "$1: $2").replace(/^ {2}Look/, "Look"))],
  [
    "labels in lower case",
    everyLine((line) =>
      line.replace(field, (_, label: string, value: string) => `- **${label.toLowerCase()}** ${value}`)
    )
  ],
  [
    "labels in upper case",
    everyLine((line) =>
      line.replace(field, (_, label: string, value: string) => `- **${label.toUpperCase()}** ${value}`)
    )
  ],
  [
    "words of labels in capitals",
    everyLine((line) =>
      line.replace(
        field,
        (_, label: string, value: string) => `- **${label.replace(/\b\w/g, (c) => c.toUpperCase())}** ${value}`
      )
    )
  ],
  [
    "double blanks in labels",
    everyLine((line) =>
      line.replace(field, (_, label: string, value: string) => `- **${label.replaceAll(" ", "  ")}** ${value}`)
    )
  ],
  ["label never closed", everyLine((line) => line.replace(/^- \*\*(Skill|Expected output)\*\*/, "- **$1"))],
  [
    "labels cut short",
    (text) => text.replaceAll("**What is needed**", "**What is**").replaceAll("**Expected output**", "**Expected**")
  ],
  [
    "labels with a typing error",
    (text) => text.replaceAll("**Expected output**", "**Expected ouput**").replaceAll("**References**", "**Refrences**")
  ],
  [
    "singular and plural",
    (text) => text.replaceAll("**References**", "**Reference**").replaceAll("**Skill**", "**Skills**")
  ],
  ["optional fields marked", (text) => text.replaceAll("**References**", "**References (optional)**")],
  ["approval with yes", (text) => text.replace("**Requires user approval**", "**Requires user approval** yes")],
  [
    "approval with a reason",
    (text) => text.replace("**Requires user approval**", "**Requires user approval** Yes, it writes files.")
  ],
  ["approval on its own", (text) => text.replace("- **Requires user approval**", "\n**Requires user approval**")],
  [
    "approval denied where it was not asked",
    (text) => text.replaceAll("Names of tests.", "Names of tests.\n- **Requires user approval** no")
  ],
  ["references with none", (text) => text.replaceAll("Names of tests.", "Names of tests.\n- **References** None")],
  [
    "fields in another order",
    (text) => text.replace(/(- \*\*Skill\*\* edit-files)\n(- \*\*References.*)\n(- \*\*Expected.*)/, "$3\n$2\n$1")
  ],
  [
    "names last",
    (text) =>
      text
        .replace("- **Name** Change 1\n", "")
        .replace("- **Requires user approval**", "- **Requires user approval**\n- **Name** Change 1")
  ],
  ["code marks around skills", (text) => text.replace(/\*\*Skill\*\* (\S+)/g, "**Skill** `$1`")],
  ["quotes around names", (text) => text.replace(/\*\*Name\*\* (.+)/g, '**Name** "$1"')],
  ["bold names", (text) => text.replace(/\*\*Name\*\* (.+)/g, "**Name** **$1**")],
  ["headings one level up", everyLine((line) => line.replace(/^##(#*) /, "#$1 "))],
  ["headings one level down", everyLine((line) => line.replace(/^##/, "###"))],
  ["all headings on one level", everyLine((line) => line.replace(/^###? /, "## "))],
  ["closing hashes", everyLine((line) => line.replace(/^(#+) (.*)$/, "$1 $2 $1"))],
  ["bold headings", everyLine((line) => line.replace(/^(#+) (.*)$/, "$1 **$2**"))],
  ["headings with a colon", everyLine((line) => line.replace(/^(#+ (?:Orig|Goals|Tasks).*)$/, "$1:"))],
  ["numbered headings", everyLine((line) => line.replace(/^## (.*)$/, "## 1. $1"))],
  ["headings with a sign", everyLine((line) => line.replace(/^## (.*)$/, "## 🎯 $1"))],
  [
    "headings in upper case",
    everyLine((line) => line.replace(/^## (.*)$/, (_, title: string) => `## ${title.toUpperCase()}`))
  ],
  ["bold lines for headings", everyLine((line) => line.replace(/^## (.*)$/, "**$1**"))],
  ["goals and summary", (text) => text.replace("Goals / summary", "Goals and summary")],
  ["goals only", (text) => text.replace("## Goals / summary", "## Goals")],
  ["goals without blanks", (text) => text.replace("Goals / summary", "Goals/Summary")],
  ["another wording of the prompt", (text) => text.replace("## Original prompt", "## User prompt")],
  ["issues first", (text) => `## Issues with the tasks (rectified)\n\n- None.\n\n${text}`],
  ["notes at the end", (text) => `${text}\n## Notes\n\nThe plan is short.\n`],
  [
    "talk between tasks",
    (text) => text.replace("\n- **Name** Research 2", "\nThis one is independent:\n\n- **Name** Research 2")
  ],
  [
    "talk before the tasks",
    (text) => text.replace("### Task section 1\n", "### Task section 1\n\nThese run side by side.\n")
  ],
  ["prompt with its own headings", (text) => text.replace("Where is", "## Tasks\n\n### Task section 1\n\nWhere is")],
  [
    "prompt with an open fence",
    (text) => text.replace("Where is", "```ts\nWhere is").replace(/```ts\nconst a = 1\n```/, "~~~ts\nconst a = 1\n~~~")
  ],
  ["the same answer before the new one", (text) => `${text}\n${text}`],
  [
    "output anchors of the first form",
    (text) =>
      text.replace("#research-1-results", "output:Research 1").replace("#research-2-results", "output:research_2")
  ],
  [
    "output anchors of the second form",
    (text) =>
      text.replace("#research-1-results", "task://research-1.md").replace("#research-2-results", "task://Research 2.md")
  ],
  [
    "raw names in anchors",
    (text) =>
      text.replace("#research-1-results", "#Research 1-results").replace("#research-2-results", "#Research_2_results")
  ],
  ["anchors with doubled hyphens", (text) => text.replace("#research-1-results", "#research--1--results")],
  ["anchors with capitals", (text) => text.replace("#research-1-results", "#RESEARCH-1-RESULTS")],
  ["commas between links", (text) => text.replaceAll(") [", "), [")],
  ["and between links", (text) => text.replaceAll(") [", ") and [")],
  ["links as a list", (text) => text.replace(/\*\*References\*\* (\[.*?\)) (\[.*)/g, "**References**\n  - $1\n  - $2")],
  [
    "links as a list without indentation",
    (text) => text.replace(/\*\*References\*\* (\[.*?\)) (\[.*)/g, "**References**\n- $1\n- $2")
  ],
  ["bold links", (text) => text.replace(/(\[[^\]]*\]\([^)]*\))/g, "**$1**")],
  ["bold labels", (text) => text.replace(/(\[[^\]]*\])\(/g, "**$1**(")],
  ["blank before the target", (text) => text.replaceAll("](", "] (")],
  ["links in code marks", (text) => text.replace(/(\[[^\]]*\]\([^)]*\))/g, "`$1`")],
  ["targets in angle brackets", (text) => text.replace(/\]\(([^)]*)\)/g, "](<$1>)")],
  ["link titles", (text) => text.replace(/\]\(([^)]*)\)/g, ']($1 "see")')],
  ["words around links", (text) => text.replaceAll("**References** [", "**References** See [")],
  ["other line anchors", (text) => text.replace("#L10-L20", "#L10-20")],
  [
    "section numbers in words",
    (text) => text.replace("### Task section 1", "### Section 1").replace("### Task section 2", "### Step 2")
  ]
]

describe("readTaskList on harmless damage", () => {
  it("knows the undamaged plan", () => {
    expect({ issues: original.issues, repairs: original.repairs }).toEqual({ issues: [], repairs: [] })
    expect(Option.map(original.value, (list) => list.tasks.map((task) => task.name))).toEqual(
      Option.some(["Research 1", "Research 2", "Change 1"])
    )
  })

  it.each(harmless)("reads the same value: %s", (_, damage) => {
    const { issues, value } = readTaskList(damage(plan))
    expect(issues).toEqual([])
    expect(value).toEqual(original.value)
  })
})

const meaningful: ReadonlyArray<readonly [string, (text: string) => string, ReadonlyArray<string>]> = [
  ["a section heading is lost", (text) => text.replace("## Tasks\n", ""), ["section-missing"]],
  ["the goals are lost", (text) => text.replace("Find the loader and explain it.", ""), ["section-empty"]],
  ["a skill is lost", (text) => text.replace("- **Skill** edit-files\n", ""), ["field-missing"]],
  ["the value of a skill is lost", (text) => text.replace("edit-files", ""), ["field-empty"]],
  ["a field is renamed", (text) => text.replace("**References**", "**Sources**"), ["field-unknown"]],
  [
    "a field is called like what every object has",
    (text) => text.replace("**References**", "**constructor**"),
    ["field-unknown"]
  ],
  [
    "a field stands there twice",
    (text) => text.replace("- **Skill** edit-files", "$&\n- **Skill** read-code"),
    ["field-duplicate"]
  ],
  [
    "a new task has an output",
    (text) => text.replace("Names of tests.", "Names of tests.\n- **Output** none yet"),
    ["output-in-new-task"]
  ],
  ["sections are joined", (text) => text.replace("### Task section 2\n", ""), ["reference-order", "reference-order"]],
  ["sections are swapped", (text) => text.replace("section 1", "section 3"), ["section-order"]],
  [
    "a section has no task",
    (text) => text.replace("### Task section 2", "### Task section 2\n\n### Task section 3"),
    ["step-empty"]
  ],
  [
    "a section heading is replaced",
    (text) => text.replace("### Task section 2", "### Afterwards"),
    ["section-unknown"]
  ],
  ["tasks stand outside of a section", (text) => text.replace("### Task section 1\n", ""), ["task-outside-section"]],
  [
    "tasks stand in another section",
    (text) => text.replace("### Task section 2", "## Later"),
    ["task-outside-section"]
  ],
  [
    "a link loses its brackets",
    (text) => text.replace("[tests](#research-2-results)", "the tests in test/loader.test.ts"),
    ["references-prose"]
  ],
  [
    "all links become prose",
    (text) => text.replace(/\*\*References\*\* \[loader.*/, "**References** see the loader"),
    ["references-prose"]
  ],
  ["a target becomes a pattern", (text) => text.replace("src/main.ts#L10-L20", "src/*.ts"), ["reference-glob"]],
  ["a target becomes a folder", (text) => text.replace("src/main.ts#L10-L20", "src/"), ["reference-folder"]],
  ["a target loses its path", (text) => text.replace("src/main.ts#L10-L20", ""), ["reference-empty"]],
  ["a target is of an unknown kind", (text) => text.replace("src/main.ts#L10-L20", "ftp://a/b"), ["reference-kind"]],
  ["a task refers to itself", (text) => text.replace("#research-2-results", "#change-1-results"), ["reference-self"]],
  [
    "names are equal",
    (text) => text.replace("**Name** Research 2", "**Name** research 1"),
    ["name-duplicate", "reference-task-unknown"]
  ],
  [
    "a result of no task",
    (text) => text.replace("#research-2-results", "output:research-3"),
    ["reference-task-unknown"]
  ],
  ["code never ends", (text) => text.replace("Find the loader.", "Find it:\n  ```ts\n  x"), ["fence-unclosed"]],
  ["the text breaks off", (text) => text.slice(0, text.indexOf("- **Expected output** The")), ["field-missing"]]
]

describe("readTaskList on damage that changes the meaning", () => {
  it.each(meaningful)("reports it: %s", (_, damage, codes) => {
    const issues = readTaskList(damage(plan), { headings: ["project-description"] }).issues
    expect(issues.map((issue) => issue.code)).toEqual(codes)
  })
})
