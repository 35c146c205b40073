import { assert, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
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

const plain = (more: string, body = "Do it.") =>
  `---\nname: count-words\ndescription: Counts words.\n${more}---\n${body}\n`

const turnsOf = (value: string) => {
  const { repairs, value: skill } = read(plain(`metadata:\n  task-conductor.turns: ${value}\n`))
  return [Option.getOrUndefined(Option.map(skill, ({ turns }) => turns)), repairs.map(({ code }) => code)]
}

const bodyWith = (heading: string) => read(plain("", `## ${heading}\n\nDo it.\n`))

describe("readSkill", () => {
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
    expect(read(plain("", "# How\n\nCount.")).value).toEqual(
      Option.some(
        new Skill({
          name: "count-words",
          description: "Counts words.",
          requiresApproval: false,
          inputRequirements: "",
          inputs: [],
          refinement: "# How\n\nCount.",
          execution: ""
        })
      )
    )
  })

  it("reads a file with Windows line ends and a byte order mark", () => {
    assert.deepStrictEqual(read(`\uFEFF${complete.replaceAll("\n", "\r\n")}`).issues, [])
  })

  it.each([
    { form: "blanks", line: 'allowed-tools: "a  b a"\n', tools: ["a", "b"] },
    { form: "nothing", line: 'allowed-tools: ""\n', tools: [] },
    { form: "commas", line: "allowed-tools: a, b\n", tools: ["a", "b"], repair: "skill-tools-form" },
    { form: "a list", line: "allowed-tools: [a, b]\n", tools: ["a", "b"], repair: "skill-tools-form" }
  ])("reads tools separated by $form", ({ line, repair, tools }) => {
    const reading = read(plain(line))
    assert.deepStrictEqual(Option.getOrThrow(reading.value).allowedTools, tools)
    assert.deepStrictEqual(
      reading.repairs.map(({ code }) => code),
      repair === undefined ? [] : [repair]
    )
  })

  it("mends headings of another level or case and says so", () => {
    const reading = read(plain("", "# execution:\n\nDo.\n\n### REFINEMENT\n\nAsk."))
    expect(reading.value).toEqual(
      Option.some(
        new Skill({
          name: "count-words",
          description: "Counts words.",
          requiresApproval: false,
          inputRequirements: "",
          inputs: [],
          refinement: "Ask.",
          execution: "Do."
        })
      )
    )
    assert.deepStrictEqual(reading.repairs, [
      {
        code: "skill-heading-form",
        where: { section: "execution:", line: 5 },
        message: 'Read the heading "execution:" as "## How to report".'
      },
      {
        code: "skill-heading-form",
        where: { section: "REFINEMENT", line: 9 },
        message: 'Read the heading "REFINEMENT" as "## How to work".'
      }
    ])
  })

  it.each([
    {
      name: "a setting that is no string",
      text: plain("metadata:\n  task-conductor.requires-approval: true\n"),
      repair: "skill-metadata-form"
    },
    {
      name: "a long description",
      text: plain("").replace("Counts", "x".repeat(1025)),
      repair: "skill-description-long"
    },
    {
      name: "a colon in a value that is not quoted",
      text: plain("").replace("Counts words.", "Use this: always."),
      repair: "front-matter-unquoted"
    }
  ])("notes $name as a repair", ({ repair, text }) => {
    const reading = read(text)
    assert.isTrue(Option.isSome(reading.value))
    assert.deepStrictEqual(
      reading.repairs.map(({ code }) => code),
      [repair]
    )
  })

  it("understands a setting that is no string and a value that was not quoted", () => {
    const text = plain("metadata:\n  task-conductor.requires-approval: true\n").replace("Counts words.", "Use: now.")
    const skill = Option.getOrThrow(read(text).value)
    assert.deepStrictEqual([skill.description, skill.requiresApproval], ["Use: now.", true])
  })

  it("notes a name that the rules do not allow when the folder has it too", () => {
    const reading = read(plain("").replace("count-words", "Count_Words"), "Count_Words")
    assert.deepStrictEqual(
      reading.repairs.map(({ code, where }) => [code, where]),
      [["skill-name-form", { field: "name", line: 2 }]]
    )
  })

  it.each([
    {
      name: "no front matter",
      text: "# Skill",
      issue: {
        code: "front-matter-broken",
        where: { line: 1 },
        what: "The file has no front matter.",
        how: "Begin the file with a line ---, then name and description, then a line ---."
      }
    },
    {
      name: "front matter without an end",
      text: "---\nname: count-words\n",
      issue: {
        code: "front-matter-broken",
        where: { line: 1 },
        what: "The file has no front matter.",
        how: "Begin the file with a line ---, then name and description, then a line ---."
      }
    },
    {
      name: "broken YAML",
      text: "---\nname: count-words\ndescription: [a\n---\n",
      issue: {
        code: "front-matter-broken",
        where: { line: 3 },
        what: "The front matter cannot be read as YAML: Flow sequence in block collection must be sufficiently indented and end with a ].",
        how: "Write lines `key: value`, and put a value that has a meaning in YAML into quotes."
      }
    },
    {
      name: "front matter that is a list",
      text: "---\n- a\n---\n",
      issue: {
        code: "front-matter-broken",
        where: { line: 2 },
        what: "The front matter is not a list of keys with values.",
        how: "Write it as lines `key: value`."
      }
    },
    {
      name: "aliases",
      text: "---\nname: &a count-words\ndescription: *a\n---\n",
      issue: {
        code: "front-matter-broken",
        where: { line: 2 },
        what: "The front matter uses YAML aliases.",
        how: "Write every value out."
      }
    },
    {
      name: "no name",
      text: "---\ndescription: Counts.\n---\n",
      issue: {
        code: "skill-name-missing",
        where: { field: "name", line: 1 },
        what: "The skill has no name.",
        how: 'Add the line "name: count-words".'
      }
    },
    {
      name: "a name that is not the folder's",
      text: plain("").replace("count-words", "count"),
      issue: {
        code: "skill-name-not-folder",
        where: { field: "name", line: 2 },
        what: 'The name "count" is not the name of the folder "count-words".',
        how: "Rename one of them."
      }
    },
    {
      name: "no description",
      text: "---\nname: count-words\ndescription: 7\n---\n",
      issue: {
        code: "skill-description-missing",
        where: { field: "description", line: 3 },
        what: "The skill has no description.",
        how: "Say in one or two sentences what it does and when to use it."
      }
    }
  ])("refuses a file with $name", ({ issue, text }) => {
    expect(read(text)).toMatchObject({ value: Option.none(), issues: [issue] })
  })

  it.each([
    ["a: 1\nb: {c: d", "3: The front matter cannot be read as YAML: Flow map"],
    ["a: 1\na: 2", "3: The front matter cannot be read as YAML: Map keys must be unique. "],
    ["a: 'x", "2: The front matter cannot be read as YAML: Missing closing 'quote. "],
    ["- a", "2: The front matter is not a list of keys with values. "],
    ["a: &x 1\nb: *x", "2: The front matter uses YAML aliases. "],
    [`a: ${"[".repeat(65)}`, "2: The front matter is nested too deeply. "]
  ])("says on which line the front matter is not YAML, in the words of the parser: %j", (yaml, expected) => {
    const [issue] = read(`---\n${yaml}\n---\n`).issues
    expect(`${issue?.where.line}: ${issue?.what} ${issue?.how}`.slice(0, expected.length)).toBe(expected)
  })

  it("refuses a file that is not UTF-8", () => {
    expect(readSkill(new Uint8Array([0x2d, 0x2d, 0x2d, 0x0a, 0xe9, 0x0a]), "count-words")).toEqual({
      value: Option.none(),
      issues: [
        {
          code: "skill-not-text",
          where: { line: 1 },
          what: "The file cannot be read as text: it is not UTF-8 and looks like Latin-1 or Windows-1252; convert it to UTF-8.",
          how: "Save it as UTF-8."
        }
      ],
      repairs: []
    })
  })

  it.effect.prop("never throws and gives a skill exactly when there is no issue", { text: Schema.String }, ({ text }) =>
    Effect.sync(() => {
      for (const candidate of [text, `---\n${text}\n---\n`, `---\nname: a\n${text}\n---\n${text}`]) {
        const reading = read(candidate, "a")
        assert.strictEqual(Option.isSome(reading.value), reading.issues.length === 0)
      }
    })
  )
})
