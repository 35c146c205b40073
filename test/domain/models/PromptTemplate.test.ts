import { assert, expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { userPartMarker, parseTemplate } from "../../../src/domain/models/PromptTemplate.ts"

const complete = `System {user_prompt}
${userPartMarker}
{goals}

{completed_tasks}

{failed_tasks}
`

const slot = (placeholder: string, block = true) => ({ _tag: "Slot", placeholder, block })

it("splits a template at the marker line, whatever its line ends are", () => {
  const system = [{ _tag: "Text", text: "System " }, slot("user_prompt", false)]
  const user = ["goals", "completed_tasks", "failed_tasks"].map((name) => slot(name))
  const value = Option.some({ name: "conclusion", system, user })
  expect(parseTemplate("conclusion", complete)).toEqual({ value, issues: [], repairs: [] })
  expect(parseTemplate("conclusion", complete.replaceAll("\n", "\r\n")).value).toEqual(value)
})

it("counts the lines of many issues in linear time", () => {
  const { issues } = parseTemplate("conclusion", `${"{x}\n".repeat(50_000)}${complete}`)
  expect(issues.slice(49_998).map(({ where }) => where.line)).toEqual([49_999, 50_000])
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
  const { issues } = parseTemplate("conclusion", `{user_prompt}\n${userPartMarker}\n{goals}`)
  const found = issues.map(({ code, where }) => `${code} ${where.field}`)
  assert.deepStrictEqual(found, ["placeholder-missing completed_tasks", "placeholder-missing failed_tasks"])
})

it("refuses a template without the marker line or with a second one", () => {
  const without = parseTemplate("conclusion", "{user_prompt}")
  assert.isTrue(Option.isNone(without.value))
  assert.deepStrictEqual(without.issues, [
    {
      code: "marker-missing",
      where: { line: 1 },
      what: "The template contains the marker line 0 times.",
      how: `Put the line ${userPartMarker} between the system part and the user part, exactly once.`
    }
  ])
  const [doubled] = parseTemplate("conclusion", `${complete}${userPartMarker}\n`).issues
  assert.deepStrictEqual([doubled?.code, doubled?.where], ["marker-doubled", { line: 8 }])
  const inside = complete.replace("System", `The line ${userPartMarker} divides`)
  assert.deepStrictEqual(parseTemplate("conclusion", inside).issues, [])
})

it.each([
  ["{#goals}text", "The optional part {#goals} has no end."],
  ["text{/goals}", "{/goals} occurs where no optional part is open."],
  ["{#goals}{#user_prompt}text{/goals}", "{#user_prompt} occurs where the optional part {#goals} is open."]
])("refuses the optional part %s", (text, what) => {
  const { issues } = parseTemplate("conclusion", `${text}\n${complete}`)
  assert.deepStrictEqual(issues.map((issue) => issue.what).join(), what)
})
