import { assert, describe, expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { userPartMarker, parseTemplate } from "../../../src/domain/models/PromptTemplate.ts"

const complete = `System {user_prompt}
${userPartMarker}
{goals}

{completed_tasks}

{failed_tasks}
`

describe("parseTemplate", () => {
  it("splits a template at the marker line", () => {
    expect(parseTemplate("conclusion", complete)).toEqual({
      value: Option.some({
        name: "conclusion",
        system: [
          { _tag: "Text", text: "System " },
          { _tag: "Slot", placeholder: "user_prompt", block: false }
        ],
        user: [
          { _tag: "Slot", placeholder: "goals", block: true },
          { _tag: "Slot", placeholder: "completed_tasks", block: true },
          { _tag: "Slot", placeholder: "failed_tasks", block: true }
        ]
      }),
      issues: [],
      repairs: []
    })
  })

  it("counts the lines of many issues in linear time", () => {
    const { issues } = parseTemplate("conclusion", `${"{x}\n".repeat(50_000)}${complete}`)
    expect(issues.slice(49_998).map(({ where }) => where.line)).toEqual([49_999, 50_000])
  })

  it("reads a template with Windows line ends like any other", () => {
    assert.deepStrictEqual(
      parseTemplate("conclusion", complete.replaceAll("\n", "\r\n")),
      parseTemplate("conclusion", complete)
    )
  })

  it("marks what belongs to an optional part", () => {
    const text = complete.replace("{goals}\n", "{#goals}\n# Goals\n{goals}\n{/goals}\n")
    assert.deepStrictEqual(Option.getOrThrow(parseTemplate("conclusion", text).value).user.slice(0, 3), [
      { _tag: "Text", text: "# Goals\n", within: "goals" },
      { _tag: "Slot", placeholder: "goals", block: true, within: "goals" },
      { _tag: "Text", text: "\n" }
    ])
  })

  it("does not take the braces of JSON for placeholders", () => {
    const json = '{ "uid": "1", "arguments": {"a":{}} } {}'
    const reading = parseTemplate("conclusion", complete.replace("System ", `${json} `))
    assert.deepStrictEqual(reading.issues, [])
    assert.deepStrictEqual(Option.getOrThrow(reading.value).system[0], { _tag: "Text", text: `${json} ` })
  })

  it("names an unknown placeholder with its line and the known ones", () => {
    assert.deepStrictEqual(parseTemplate("conclusion", complete.replace("{goals}", "{goals}\n{goal}")).issues, [
      {
        code: "placeholder-unknown",
        where: { field: "goal", line: 4 },
        what: "There is no placeholder {goal}.",
        how: "Use one of: {user_prompt}, {goals}, {completed_tasks}, {failed_tasks}."
      }
    ])
  })

  it("names every missing placeholder", () => {
    const issues = parseTemplate("conclusion", `{user_prompt}\n${userPartMarker}\n{goals}`).issues
    assert.deepStrictEqual(
      issues.map((issue) => [issue.code, issue.where.field]),
      [
        ["placeholder-missing", "completed_tasks"],
        ["placeholder-missing", "failed_tasks"]
      ]
    )
  })

  it("gives each of many unknown placeholders its own line", () => {
    const lines = Array.from({ length: 100 }, (_, index) => `${"x\n".repeat(index % 3)}{nobody} {nothing}`).join("\n")
    const { issues } = parseTemplate("conclusion", `${complete}${lines}`)
    const expected = `${complete}${lines}`
      .split("\n")
      .flatMap((text, index) => (text.includes("{nobody}") ? [index + 1, index + 1] : []))
    assert.deepStrictEqual(
      issues.map(({ where }) => where.line),
      expected
    )
  })

  it("refuses a template without the marker line or with a second one", () => {
    assert.deepStrictEqual(parseTemplate("conclusion", "{user_prompt}"), {
      value: Option.none(),
      issues: [
        {
          code: "marker-missing",
          where: { line: 1 },
          what: "The template contains the marker line 0 times.",
          how: `Put the line ${userPartMarker} between the system part and the user part, exactly once.`
        }
      ],
      repairs: []
    })
    assert.deepStrictEqual(
      parseTemplate("conclusion", `${complete}${userPartMarker}\n`).issues.map(({ code, where }) => [code, where]),
      [["marker-doubled", { line: 8 }]]
    )
  })

  it("takes the marker inside of a line for text", () => {
    const text = complete.replace("System", `The line ${userPartMarker} divides`)
    assert.deepStrictEqual(parseTemplate("conclusion", text).issues, [])
  })

  it.each([
    { name: "is not closed", text: "{#goals}text", found: "The optional part {#goals} has no end." },
    {
      name: "is closed without being open",
      text: "text{/goals}",
      found: "{/goals} occurs where no optional part is open."
    },
    {
      name: "begins inside another",
      text: "{#goals}{#user_prompt}text{/goals}",
      found: "{#user_prompt} occurs where the optional part {#goals} is open."
    }
  ])("refuses an optional part that $name", ({ text, found }) => {
    const issues = parseTemplate("conclusion", `${text}\n${complete}`).issues
    assert.deepStrictEqual(
      issues.map((issue) => issue.what),
      [found]
    )
  })
})
