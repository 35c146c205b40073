import { assert, describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import {
  AnswerWatch,
  issuesOfPart,
  longestPreamble,
  taskListShape,
  type Unrecoverable,
  wholePartOf
} from "../../../src/domain/documents/AnswerWatch.ts"
import { readTaskReport } from "../../../src/domain/documents/RefinementFormat.ts"
import { scaleOfText } from "../../../src/domain/models/PromptSize.ts"
import { readTaskList } from "../../../src/domain/documents/TaskListFormat.ts"
import { planOf } from "../../support/TestRun.ts"
import { fixturesOf } from "../../support/randomDocuments.ts"
import { watchAnswer as watch } from "../../support/watchAnswer.ts"

const think = (text: string): Unrecoverable | undefined => new AnswerWatch().thinking(text)

const many = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n")

const words =
  "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda my ny xi omikron pi rho sigma tau ypsilon".split(" ")
/** A sentence that no other number gives. */
const sentence = (index: number): string =>
  `The ${words[index % 20]} reader calls the ${words[(index * 7 + Math.floor(index / 20)) % 20]} module in line ${index}.`

const plannedTask = (number: number) => ({
  name: `Research ${number}`,
  needed: "Find the place where the configuration is read and say what it does.",
  references: "[Project description](#project-description)",
  gated: true
})

const healthy: Readonly<Record<string, string>> = {
  "a plan of 200 tasks that share their fields": planOf(
    Array.from({ length: 20 }, (_, step) => Array.from({ length: 10 }, (_, task) => plannedTask(step * 10 + task)))
  ),
  "a table": many(300, (row) => `| file${row}.ts | yes | no | yes, as before | no change is needed here |`),
  "a numbered list of distinct steps": many(150, (index) => `${index + 1}. ${sentence(index)}`),
  "a checklist whose counters grow": many(200, (index) => `- [ ] Step ${index}: read it and write down what it does`),
  "an array literal in code": `\`\`\`ts\nconst board = [\n${many(64, () => '  { kind: "empty", owner: "nobody", moves: 0 },')}\n]\n\`\`\``,
  "closing brackets of a file": `\`\`\`json\n${"},\n".repeat(20)}\`\`\``,
  "equal lines of a file": `data.csv\n<<<<<<< OLD\n=======\n${"open and not read\n".repeat(20)}>>>>>>> NEW\n`,
  "equal lines of a file in a call": `<tool_call>\n<function=write_file>\n<parameter=content>\n${"not read yet\n".repeat(20)}</parameter>\n</tool_call>`,
  "rows of an empty table": `| name | age |\n| --- | --- |\n${"| | |\n".repeat(30)}`,
  "rules of a table": "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n".repeat(12),
  "a JSON array of words": `[\n${'  "open",\n'.repeat(40)}  "closed"\n]`,
  "a JSON array of nulls": `[${"null, ".repeat(200)}null]`,
  "rows of CSV": `name,state\n${"none,open\n".repeat(40)}`,
  "art of signs": many(20, () => `${"*".repeat(60)}\n${"#".repeat(60)}`),
  "a refrain": `${many(3, sentence)}\n\nNothing else is left to do.\n\n`.repeat(2),
  "seven equal lines": "Nothing is to be done here.\n".repeat(7),
  zeros: `[${many(400, () => "0, 0, 0, 0, 0, 0, 0, 0,")}]`.slice(0, 4000),
  "a table of tests": many(80, (index) => `  ["reads the value of ${words[index % 20]} ${index}", ${index}, true],`),
  base64: Buffer.from(Array.from({ length: 9000 }, (_, index) => (index * index * 7919) >> 7)).toString("base64"),
  "eleven equal sentences": `${"The tests pass and nothing else is left to do here. ".repeat(11)}\n${many(40, sentence)}`,
  "one word again and again": `${"very ".repeat(8)}${many(40, sentence)}`
}

const loops: Readonly<Record<string, string>> = {
  "a line": "I will read the file main.ts again.\n".repeat(60),
  "a line with blank lines that differ": many(60, (index) => `I will read main.ts again.${"\n".repeat(index % 3)}`),
  "a sentence without line ends": `Let us begin. ${"One detail: the parser is strict. Let's run. ".repeat(60)}`,
  "a paragraph": `${many(3, sentence)}\n\n`.repeat(30),
  "a task with all its fields": `## Tasks\n\n${"- **Name** Research 1\n- **What is needed** Find it in the code.\n- **Skill** search-code\n\n".repeat(30)}`,
  "a sentence in Chinese": "我需要再次检查这个文件的内容。".repeat(80),
  "two words": "and then ".repeat(600),
  "a sign": "!".repeat(6000),
  "a row inside a code block": `\`\`\`json\n${'  { "name": "read_file", "arguments": { "path": "src/main.ts" } },\n'.repeat(100)}`,
  "one word over and over": "very ".repeat(300),
  "one word in a field": `- **Name** The ${"limit ".repeat(40)}\n`.repeat(5),
  "a field of a task inside a fence": `\`\`\`\n${"- **Requires user approval**\n".repeat(149)}`,
  "a field of a task": "- **Requires user approval**\n".repeat(149),
  "a numbered item": many(60, (index) => `${index + 1}. Read the file and decide what is next.`),
  "lines of three kinds": "- read it\n- change it\n- check it again\n".repeat(60),
  "a sentence inside a code block": `\`\`\`ts\n${"// The rest of the code stays as it is.\n".repeat(60)}`,
  "a sentence inside a change": `src/a.ts\n<<<<<<< OLD\n=======\n${"// The rest of the code stays as it is.\n".repeat(60)}`,
  "blank lines": "\n".repeat(400),
  blanks: " ".repeat(6000),
  "rows of data": "| - | x | - | x | - |\n".repeat(400)
}

const tokens = (text: string): number => text.length / scaleOfText(text).charactersPerToken

/** Watches the arguments of a call. */
const call = (text: string) => new AnswerWatch().callArguments(`{"path":"a.txt","content":"${text}`)

const numberedList = (text: string) => watch(many(30, (index) => `${index + 1}. ${text}`))

describe("AnswerWatch", () => {
  for (const [name, text] of Object.entries(healthy)) {
    it(`lets ${name} pass`, () => {
      expect(watch(text)).toBeUndefined()
      expect(think(text.slice(0, 4000))).toBeUndefined()
    })
  }

  for (const [name, text] of Object.entries(loops)) {
    it(`stops ${name} that is repeated, after healthy text too`, () => {
      expect(watch(text)).toMatchObject({ kind: "loop" })
      expect(watch(`${many(100, sentence)}\n\n${text}`)).toMatchObject({ kind: "loop" })
    })
  }

  it("says what is repeated and how often, also in what the model thinks", () => {
    expect(watch("One detail: the parser is strict. Let's run. ".repeat(60))).toEqual({
      kind: "loop",
      unit: "Let's run. One detail: the parser is strict.",
      times: 17
    })
    expect(think("Wait, maybe I should look at it again. ".repeat(60))).toMatchObject({ kind: "loop" })
  })

  it("stops at the eighth equal line of words", () => {
    const line = "- **Requires user approval**\n"
    expect(watch(line.repeat(7), undefined, 1)).toBeUndefined()
    expect(watch(line.repeat(8), undefined, 1)).toEqual({ kind: "loop", unit: line.trim(), times: 8 })
    expect(think(line.repeat(8))).toMatchObject({ kind: "loop", times: 8 })
  })

  const units = [
    "I will read the file main.ts again and then decide. ",
    "and then ",
    "First this, then that.\nThen all of it once more.\n\n",
    "我需要再次检查这个文件的内容。",
    `${many(2, sentence)}\n\n`
  ]
  for (const unit of units) {
    it(`stops a loop of ${JSON.stringify(unit.slice(0, 30))} when it has 200 tokens, and not at the half of them`, () => {
      const lengths = Array.from({ length: 400 }, (_, times) => unit.repeat(times + 1))
      const first = lengths.find((text) => watch(text, undefined, 1) !== undefined) ?? ""
      expect(tokens(first) - tokens(unit)).toBeLessThan(201)
      expect(tokens(first)).toBeGreaterThan(100)
    })
  }

  it("stops a text of any length only when it came three times", () => {
    const page = many(12, sentence)
    expect(watch(`${page}\n\n${page}\n\n${many(20, sentence)}`)).toBeUndefined()
    expect(watch(`${page}\n\n`.repeat(4))).toMatchObject({ kind: "loop", times: 3 })
  })

  it("counts lines of a list with other numbers as equal only when they say something", () => {
    expect(numberedList("keep")).toBeUndefined()
    expect(numberedList("keep it because nothing else fits here")).toMatchObject({ times: 8 })
  })

  it("stops a sentence in the arguments of a call, and lets data pass", () => {
    expect(call("The file is read again and again.\\n".repeat(40))).toMatchObject({ kind: "loop" })
    expect(call("0, 0, 0, 0,\\n".repeat(100))).toBeUndefined()
    expect(call("0, 0, 0, 0,\\n".repeat(1000))).toMatchObject({ kind: "loop" })
  })

  it.prop(
    "judges the same however the answer is cut",
    {
      size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3000 })),
      name: Schema.Literals([...Object.keys(loops), ...Object.keys(healthy)])
    },
    ({ name, size }) => {
      const text = loops[name] ?? healthy[name] ?? ""
      expect(watch(text, undefined, size)).toEqual(watch(text, undefined, text.length))
      const isStopped = (pieces: number) => watch(text, taskListShape, pieces) !== undefined
      expect(isStopped(size)).toBe(isStopped(text.length))
    }
  )
})

const talk = many(200, sentence)

describe("AnswerWatch with a shape", () => {
  it("lets all fixtures of task lists pass", () => {
    expect(fixturesOf("task-list").filter((text) => watch(text, taskListShape) !== undefined)).toEqual([])
  })

  it("stops talk that does not come to the document, and says how it begins", () => {
    expect(talk.length).toBeGreaterThan(longestPreamble)
    expect(watch(talk, taskListShape)).toEqual({ kind: "shape", begins: "## Original prompt" })
    expect(watch(talk)).toBeUndefined()
    expect(watch(talk.replaceAll("\n", " "), taskListShape)).toMatchObject({ kind: "shape" })
  })

  it.each(["# Plan", "**Goals / summary**", "- **What is needed** Find it.", "```markdown"])(
    "waits once %s has come",
    (begin) => expect(watch(`${talk.slice(0, 3000)}\n${begin}\n${talk}`, taskListShape)).toBeUndefined()
  )

  it("does not count what stands in thinking tags, also when only the closing one came", () => {
    expect(watch(`<think>\n${talk}\n</think>\n${talk.slice(0, 3000)}`, taskListShape)).toBeUndefined()
    expect(watch(`${talk.slice(0, 5000)}\n</think>\n${talk.slice(0, 5000)}`, taskListShape)).toBeUndefined()
    expect(watch(`<think>\n${talk}\n</think>\n${talk}`, taskListShape)).toMatchObject({ kind: "shape" })
  })
})

const task = (name: string, skill = "- **Skill** x\n") =>
  `- **Name** ${name}\n- **What is needed** Read.\n${skill}- **Expected output** A word.\n\n`

const list = (tasks: string) =>
  `## Original prompt\n\nP.\n\n## Goals / summary\n\nG.\n\n## Tasks\n\n### Task section 1\n\n${tasks}`

const callBlock = '```json\n{ "uid": "call-1", "name": "read_file", "arguments": { "path": "a" } }\n```\n'
const calls = `## Task\n\n${task("A")}## Tool Calls\n\n${callBlock}`

const readList = (part: string) => readTaskList(part).issues
const codes = (answer: string, read = readList) =>
  issuesOfPart(wholePartOf(answer), read).map(({ code, where }) => [code, where.line])

/** The codes that are found wherever a text is cut. */
const codesOfCuts = (text: string, read = readList) =>
  Array.from({ length: text.length }, (_, end) => codes(text.slice(0, end), read)).flat()

describe("the whole part of an answer that was cut off", () => {
  const unnamed = "- **Name** B\n- **What is"
  const withCode = `${task("A")}${unnamed} needed** This:\n\n\`\`\`\n# a\n\`\`\`\n`
  it.each([
    ["ends before the last task", list(task("A") + unnamed), list(task("A")), "- **Name** B"],
    ["leaves out lone headings", list(`${task("A")}### Task section 2\n\n${unnamed}`), list(task("A")), "- **Name** B"],
    ["ends before a section that has begun", `${calls}\n## No`, calls, "## No"],
    ["ends before a call that was cut", `${calls}\n\`\`\`json\n{ "uid": "ca`, calls, "```json"],
    ["holds a call that is closed", calls, calls, ""],
    ["does not end with a code block inside of a task", list(withCode), list(task("A")), "- **Name** B"],
    ["does not look into code blocks", `${calls}\n\`\`\`md\n## A\n- **Name** C`, calls, "```md"],
    ["is empty when the first part was cut", "## Original prompt\n\nWhat is", "", "## Original prompt"],
    ["is empty for a text without parts", "What is", "", "What is"]
  ])("%s", (_, answer, text, cut) => {
    assert.deepStrictEqual(wholePartOf(answer), { text: text.trimEnd(), cut })
  })

  it("has the issues of its fields, and none about what may still come", () => {
    const wrong = list(`${task("A", "")}${task("A")}- **Name** C\n- **What`)
    assert.deepStrictEqual(codes(wrong).join(" "), "field-missing,13 name-duplicate,17")
    assert.deepStrictEqual(codesOfCuts(list(`${task("A")}${task("B")}`)), [])
    const report = `${calls}\n${callBlock.replace("call-1", "call-2").replace('"a"', '"b"')}`
    expect(codesOfCuts(report, (part) => readTaskReport(part).issues)).toStrictEqual([])
  })
})
