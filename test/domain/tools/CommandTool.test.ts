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
    [
      "puts a value in as one word, whatever it holds",
      ["a", "{x}"],
      { x: "b; rm -r $(id) 'c'" },
      ["a", "b; rm -r $(id) 'c'"]
    ],
    [
      "puts every element of a list in as a word",
      ["a", "{x}", "z"],
      { x: ["b", 1, true] },
      ["a", "b", "1", "true", "z"]
    ],
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

describe("a declared command", () => {
  it.each([
    ["may have placeholders for all of its parameters", tool(["a", "{x}", "--y={y}"], { x: list, y: text }), undefined],
    [
      "names parameters that there are",
      tool(["a", "{y}", "{x}"], { x: text }),
      "command.1: {y} is not a parameter. There are: x."
    ],
    [
      "uses every parameter",
      tool(["a"], { x: text }),
      "parameters.properties.x: no placeholder {x} uses this parameter."
    ],
    [
      "has a fixed program",
      tool(["{x}"], { x: text }),
      "command.0: the program must be fixed: it cannot hold a placeholder."
    ],
    [
      "puts no list into a word",
      tool(["a", "--x={x}"], { x: list }),
      'command.1: the parameter "x" must be a string, a number or a boolean to stand inside a word.'
    ],
    [
      "takes no objects",
      tool(["a", "{x}"], { x: { type: "object" } }),
      'command.1: the parameter "x" must be a string, a number, a boolean, or an array of these.'
    ],
    ["puts nothing into a script", tool(["sh", "-c", "npm test -- {x}"], { x: text }), script]
  ])("%s", (_, declared, problem) => {
    assert.deepStrictEqual(
      templateProblems(declared).map(({ path, what }) => `${path.join(".")}: ${what}`),
      problem === undefined ? [] : [problem]
    )
  })
})
