/**
 * What a person who reads a document does not see never counts as a part of it: a hidden list of tasks or of calls makes the
 * document invalid, and the visible one is what is read.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { readTaskReport } from "../../../src/domain/documents/RefinementFormat.ts"
import { readResult } from "../../../src/domain/documents/ResultFormat.ts"
import { renderTaskList } from "../../../src/domain/documents/TaskRendering.ts"
import { readTaskList } from "../../../src/domain/documents/TaskListFormat.ts"
import { TaskList } from "../../../src/domain/plan/TaskList.ts"
import { hiddenStructure, withoutHidden } from "../../../src/domain/markdown/HiddenText.ts"

const task = (name: string) =>
  `- **Name** ${name}\n- **What is needed** Do ${name}.\n- **Skill** any\n- **Expected output** A word.`
const tasks = (name: string) => `## Tasks\n\n### Task section 1\n\n${task(name)}`
const start = "## Original prompt\n\nDo it.\n\n## Goals / summary\n\nIt is done."
const visible = `${start}\n\n${tasks("Seen")}`
const hidden = tasks("Hidden")
const dense = hidden.replace(/\n\n/g, "\n")
const bold =
  "**Tasks**\n**Task section 1**\n**Name** Hidden\n**What is needed** It.\n**Skill** any\n**Expected output** No."

const places: Readonly<Record<string, string>> = {
  "a comment": `<!--\n${hidden}\n-->`,
  "a comment that never ends": `<!--\n${hidden}`,
  "a comment within a line": `Done. <!--\n${bold}\n-->`,
  "a hidden element": `<div hidden>\n\n${hidden}\n\n</div>`,
  "an element without display": `<div style="color: red; display: none">\n\n${hidden}\n\n</div>`,
  "an element in upper case": `<DIV STYLE='DISPLAY:NONE'>\n\n${hidden}\n\n</DIV>`,
  "an invisible element": `<p style="visibility:hidden">\n\n${hidden}\n\n</p>`,
  "an element of size zero": `<span style="font-size:0">\n\n${hidden}\n\n</span>`,
  "a hidden element that never ends": `<div hidden>\n\n${hidden}`,
  "a template": `<template>\n\n${hidden}\n\n</template>`,
  "a script": `<script type="text/plain">\n${hidden}\n</script>`,
  "a style": `<style>\n${hidden}\n</style>`,
  "closed details": `<details>\n<summary>More</summary>\n\n${hidden}\n\n</details>`,
  "an attribute": `<div data-x="\n${dense}\n">`,
  "the title of a link": `See [the notes](notes.md "\n${bold}\n").`,
  "the title of a definition": `[notes]: notes.md "\n${bold}\n"`,
  "the text for an image": `![\n${bold}\n](x.png)`,
  "an instruction": `<?php\n${hidden}\n?>`,
  "character data": `<![CDATA[\n${hidden}\n]]>`,
  "a declaration": `<!X\n${dense}\n>`
}

const names = (text: string) =>
  Option.match(readTaskList(text).value, { onNone: () => [], onSome: (list) => list.tasks.map(({ name }) => name) })

const codesOf = (text: string): ReadonlyArray<string> => readTaskList(text).issues.map(({ code }) => code)

it.each(Object.entries(places))("a hidden list of tasks is an issue and is not read: in %s", (_, part) => {
  const text = `${visible}\n\n${part}\n`
  assert.include(codesOf(text), "text-hidden")
  assert.notInclude(names(text), "Hidden")
})

it("a hidden list of tasks before the visible one is an issue, too", () => {
  assert.include(codesOf(`${start}\n\n<!--\n${hidden}\n-->\n\n${tasks("Seen")}\n`), "text-hidden")
})

const summary = "## Result summary\n\nFound it."

it.each([
  ["the code block around it", `\`\`\`\n${summary}\n<!--\n\n## Evidence\n\nx\n\`\`\`\n\nDone.`],
  [
    "thoughts before it",
    `<!--\n\n<think>\n<!-- x -->\n\n${summary}\n\n## Evidence\n\n<think>\n**Skill** x\nExpected output: w`
  ]
])("a result holds nothing that is hidden when it is kept without %s", (_, text) => {
  const { issues, value } = readResult(text)
  const kept = Option.map(value, ({ document }) => readResult(document).value)
  const isHidden = issues.some(({ code }) => code === "text-hidden")
  assert.isTrue(isHidden || Option.isSome(Option.flatten(kept)), JSON.stringify(issues))
})

it.each([
  ["a word in angle brackets before a hidden element", "<Find the loader\n**Tasks**\n<span hidden>"],
  ["a name with a dash before a hidden block", "<div-\n<div hidden>"],
  ["two that are not closed", "<a\n<b\n**Tasks**\n<i hidden>"]
])("a tag that is none hides nothing: %s", (_, goals) => {
  const list = new TaskList({ goals, steps: [] })
  assert.deepStrictEqual(readTaskList(renderTaskList(list, { prompt: "text" }), { allowEmpty: true }).issues, [])
})

const call = (name: string) => `## Tool Calls\n\n\`\`\`json\n{ "name": "${name}", "arguments": {} }\n\`\`\``

it.each([
  ["<!--", "-->"],
  ["<div hidden>", "</div>"],
  ["<template>", "</template>"],
  ["<details>", "</details>"],
  ["<script>", "</script>"]
])("hidden calls are an issue and are not read in %s", (open, close) => {
  const refinement = `## Task\n\n${task("Seen")}\n\n${call("seen")}\n\n`
  const { issues, value } = readTaskReport(`${refinement}${open}\n${call("remove")}\n${close}\n`)
  assert.isTrue(issues.some(({ code }) => code === "text-hidden"))
  assert.notInclude(JSON.stringify(value), "remove")
})

describe("what is visible", () => {
  const shown: Readonly<Record<string, string>> = {
    "comments of one line": `${visible}\n\n<!-- a note -->\n`,
    "a comment without structure": `${visible.replace("Do Seen.", "Do Seen.\n<!-- a note\n  that goes on -->")}\n`,
    "a comment in a code block": `${visible}\n\n\`\`\`html\n<!--\n## Tasks\n-->\n\`\`\`\n`,
    "signs in a sentence": visible.replace("Do Seen.", "Replace <!-- and <details> and <script> in a.html."),
    "an open element in a sentence": visible.replace("It is done.", "Wrap it in <div hidden> here."),
    "open details": `${start}\n\n<details open>\n\n${tasks("Seen")}\n\n</details>\n`,
    "a comment of the prompt": visible.replace("Do it.", "Fill this in:\n\n<!--\n- **Name** x\n-->"),
    "links with titles": visible.replace("Do Seen.", 'Read [a](a.md "A title") and ![b](b.png).')
  }
  it.each(Object.entries(shown))("stays as it is: %s", (_, text) => {
    assert.deepStrictEqual(names(text), ["Seen"])
    assert.notInclude(codesOf(text), "text-hidden")
  })

  it("keeps its place", () => {
    const text = `${visible}\n\n<!--\n${hidden}\n-->\nend`
    const rest = withoutHidden(text, hiddenStructure(text))
    assert.deepStrictEqual([rest.length, rest.split("\n").length], [text.length, text.split("\n").length])
    assert.isTrue(rest.startsWith(visible) && rest.endsWith("\nend"))
  })

  it("is found in a time that grows with the text", () => {
    for (const opening of ["<!--", "<a ", '<a "', "![", '](x "', "<div hidden>\n", '[a]: b "\n', "<?", "<!x"]) {
      hiddenStructure(`${opening.repeat(20_000)}\n## Tasks`)
    }
  })
})
