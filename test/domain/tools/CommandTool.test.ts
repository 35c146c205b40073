import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { CommandLine } from "../../../src/domain/commands/CommandText.ts"
import { type CommandTool, fillCommand, templateProblems } from "../../../src/domain/tools/CommandTool.ts"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"

const text = { type: "string" }
const tool = (command: CommandLine, properties: Record<string, Record<string, unknown>> = {}): CommandTool => ({
  description: "Does it.",
  command,
  parameters: JSON.parse(JSON.stringify({ type: "object", properties }))
})
const filled = (command: CommandLine, given: Arguments) => Result.merge(fillCommand(tool(command), given))

const problem = (word: string) =>
  `The argument "x" becomes "${word}", which a program may take for an option. Write "./${word}" if it is the name of a file.`

describe("filling a declared command", () => {
  const cases: ReadonlyArray<[name: string, command: CommandLine, given: Arguments, argv: ReadonlyArray<string>]> = [
    ["puts a value in as one word", ["a", "{x}"], { x: "b; rm -r $(id) 'c'" }, ["a", "b; rm -r $(id) 'c'"]],
    ["puts each of a list in as a word", ["a", "{x}", "z"], { x: ["b", 1, true] }, ["a", "b", "1", "true", "z"]],
    ["leaves a word out whose value is missing", ["a", "{x}", "--y={y}", "z"], {}, ["a", "z"]],
    ["leaves out the words of an empty list", ["a", "{x}"], { x: [] }, ["a"]],
    ["puts a value into a word", ["a", "--x={x}", "{y}.txt"], { x: "-1", y: "b" }, ["a", "--x=-1", "b.txt"]],
    ["takes braces in a value as they are", ["a", "{x}", "{y}"], { x: "{y}", y: "$&" }, ["a", "{y}", "$&"]],
    ["takes other braces as they are", ["a", "{}", "{0}", "${x}"], { x: "b" }, ["a", "{}", "{0}", "$b"]],
    ["keeps an empty value", ["a", "{x}"], { x: "" }, ["a", ""]]
  ]
  for (const [name, command, given, argv] of cases) {
    it(name, () => assert.deepStrictEqual(filled(command, given), argv as CommandLine))
  }

  it("never lets a value become an option, not even after two hyphens", () => {
    assert.strictEqual(filled(["a", "{x}"], { x: "-rf" }), problem("-rf"))
    assert.strictEqual(filled(["a", "--", "{x}"], { x: "--pre=sh" }), problem("--pre=sh"))
    assert.strictEqual(filled(["a", "{x}.ts"], { x: "-b" }), problem("-b.ts"))
    assert.strictEqual(filled(["a", "{x}"], { x: ["b", "-c"] }), problem("-c"))
    assert.strictEqual(filled(["a", "{x}"], { x: -5 }), problem("-5"))
    assert.deepStrictEqual(filled(["a", "{x}"], { x: "./-rf" }), ["a", "./-rf"])
  })
})

const list = { type: "array", items: text }
const script =
  'command.2: a placeholder in "npm test -- {x}" would become part of a text that a program interprets. Make it a word of its own.'
const single = 'command.1: the parameter "x" must be a string, a number or a boolean to stand inside a word.'
const plain = 'command.1: the parameter "x" must be a string, a number, a boolean, or an array of these.'
const fixed = "command.0: the program must be fixed: it cannot hold a placeholder."
const unused = "parameters.properties.x: no placeholder {x} uses this parameter."
const unknown = "command.1: {y} is not a parameter. There are: x."

it.each<[string, CommandLine, Record<string, Record<string, unknown>>, problem?: string]>([
  ["may have placeholders for all of its parameters", ["a", "{x}", "--y={y}"], { x: list, y: text }],
  ["names parameters that there are", ["a", "{y}", "{x}"], { x: text }, unknown],
  ["uses every parameter", ["a"], { x: text }, unused],
  ["has a fixed program", ["{x}"], { x: text }, fixed],
  ["puts no list into a word", ["a", "--x={x}"], { x: list }, single],
  ["takes no objects", ["a", "{x}"], { x: { type: "object" } }, plain],
  ["puts nothing into a script", ["sh", "-c", "npm test -- {x}"], { x: text }, script]
])("a declared command %s", (_, command, properties, problem) => {
  const problems = templateProblems(tool(command, properties)).map(({ path, what }) => `${path.join(".")}: ${what}`)
  assert.deepStrictEqual(problems, problem === undefined ? [] : [problem])
})
