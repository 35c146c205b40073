import * as Schema from "effect/Schema"
import * as Result from "effect/Result"
import { assert, describe, expect, it } from "@effect/vitest"
import { checkDocument } from "../../../src/domain/documents/CheckReport.ts"
import { readSkillTest } from "../../../src/plugins/check-tools/SkillTest.ts"
import { readConfiguration } from "../../../src/domain/configuration/Configuration.ts"
import { readMessageTurn } from "../../../src/domain/conversation/MessageTurn.ts"
import { readAskedCall } from "../../../src/domain/documents/TurnFormat.ts"
import { readConclusion } from "../../../src/domain/documents/AnswerFormat.ts"
import { scriptsChange } from "../../../src/domain/files/ChangePreview.ts"
import { readPolicies } from "../../../src/domain/permissions/PolicyFormat.ts"
import { readMcpFile } from "../../../src/plugins/mcp/McpServers.ts"
import { mcpData } from "../../../src/plugins/mcp/McpTool.ts"
import { flattenEvent, RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { readSkill } from "../../../src/domain/skills/SkillFormat.ts"
import {
  canonicalJson,
  isNestedTooDeep,
  maxNesting,
  outputJson,
  textNestedTooDeep,
  withoutDeeper
} from "../../../src/domain/text/Json.ts"
import { markedParts } from "../../../src/domain/tools/MarkedCalls.ts"
import {
  readBadStatus,
  readErrorValue,
  readObject,
  ServerError
} from "../../../src/services/providers/ServerFailure.ts"
import { firstSum, decodeLine } from "../../../src/services/journal/JournalLine.ts"
import { settled } from "../../support/Journals.ts"
import { deepTexts, deepValues } from "../../support/deepJson.ts"
import { encodeLine } from "../../support/encodeLine.ts"

/** A line that is none is an error of the server, and nothing else. */
const readServerLine = (text: string): void => {
  try {
    readObject(text)
  } catch (cause) {
    if (!(cause instanceof ServerError)) throw cause
  }
}
it("canonicalJson sorts the keys at every depth and leaves arrays in order", () => {
  assert.strictEqual(canonicalJson({ b: [2, { d: null, c: "\n" }], a: 1 }), '{"a":1,"b":[2,{"c":"\\n","d":null}]}')
})

it.prop("canonicalJson writes JSON that reads back as the same value", [Schema.Json], ([value]) => {
  assert.deepStrictEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
})

const listOf = (levels: number): Schema.Json => {
  let value: Schema.Json = 1
  for (let level = 0; level < levels; level += 1) value = [value]
  return value
}

const nested = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`

describe("the depth of JSON", () => {
  it("is told for values and texts alike, also where nothing could descend", () => {
    const depths = [0, maxNesting, maxNesting + 1, 200_000]
    expect(depths.map((levels) => isNestedTooDeep(listOf(levels)))).toEqual([false, false, true, true])
    expect(depths.map((levels) => textNestedTooDeep(nested(levels)))).toEqual([false, false, true, true])
  })

  it("does not count what stands side by side, or in a string", () => {
    expect(isNestedTooDeep(Array.from({ length: 10_000 }, () => [{}]))).toBe(false)
    expect(textNestedTooDeep(`[${"[{}],".repeat(10_000)}1]`)).toBe(false)
    expect(textNestedTooDeep(JSON.stringify({ a: "[".repeat(10_000), b: '"\\"[[[' }))).toBe(false)
  })

  it("has an end in a value that holds itself, and in one that doubles with every level", () => {
    const self: Record<string, unknown> = {}
    self["self"] = self
    let doubled: ReadonlyArray<unknown> = []
    for (let level = 0; level < 60; level += 1) doubled = [doubled, doubled]
    expect([isNestedTooDeep(self), isNestedTooDeep(doubled)]).toEqual([true, true])
  })

  it("is cut with a word about it", () => {
    expect(withoutDeeper({ a: [[1], 2], b: { c: {} } }, 2)).toEqual({
      a: ["(nested too deeply)", 2],
      b: { c: "(nested too deeply)" }
    })
    expect(isNestedTooDeep(withoutDeeper(listOf(200_000), maxNesting))).toBe(false)
  })
})

const fenced = (text: string): string => `\`\`\`json\n${text}\n\`\`\``
const refinement = (calls: string): string => `## Task\n\n- **Name** a\n\n## Tool Calls\n\n${calls}\n`
const journalLine = (json: string) => {
  const place = { seq: 1, at: "2026-11-20T18:30:00.000Z", before: firstSum }
  const { text } = encodeLine(settled("a", [1]), place, {
    write: (record) => JSON.stringify(record).replace('"value":[1]', `"value":${json}`)
  })
  return decodeLine(text, { seq: 1, before: firstSum })
}
const frontMatter = (value: string) =>
  readSkill(new TextEncoder().encode(`---\nname: a\ndescription: ${value}\n---\n`), "a")

/** Everything that reads what others wrote. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  "a call in a conversation": (text) =>
    readMessageTurn(fenced(text), { tools: new Set(["read_file"]), mayChange: true }),
  "a call in tags": (text) => markedParts(`<tool_call>\n${text}\n</tool_call>`),
  "parameters in tags": (text) =>
    readMessageTurn(`<function=read_file>${text}</function>`, { tools: new Set(["read_file"]), mayChange: true }),
  "arguments that are a text": (text) => readAskedCall({ id: "1", name: "read_file", arguments: text }, "u"),
  "a refinement": (text) => checkDocument("refinement", refinement(fenced(text))),
  "a refinement without fences": (text) => checkDocument("refinement", refinement(text)),
  "a task list": (text) => checkDocument("task-list", `## Tasks\n\n### Task section 1\n\n- **Name** a\n${text}\n`),
  "a result": (text) => checkDocument("result", `## Result summary\n\n${text}\n`),
  "a conclusion": (text) => readConclusion(text),
  "remembered permissions": readPolicies,
  configuration: (text) => readConfiguration(text, "user"),
  "MCP servers": readMcpFile,
  "the test of a skill": (text) => readSkillTest(`# Title\n\n## Refinements\n\n${fenced(text)}\n`, "a"),
  "the front matter of a skill": frontMatter,
  "the front matter of a skill in lines": (text) => frontMatter(`x\n${text}`),
  "the scripts of a package": (text) => scriptsChange(undefined, `{"scripts":${text}}`),
  "the result of a server": (text) => mcpData("a", { isError: false, text, structured: { a: 1 } }),
  "a line of the model server": readServerLine,
  "an error of the model server": (text) => readBadStatus({ status: 500, statusText: "", body: text }),
  "an error line": (text) => readServerLine(`{"error":${text}}`),
  "a line of a journal": journalLine
}

describe("what others wrote", () => {
  describe.each(Object.entries(readers))("as %s", (_, read) => {
    it.each(Object.entries(deepTexts))("ends no program: %s", (_form, text) => {
      expect(() => read(text)).not.toThrow()
    })
  })

  it.each(deepValues)("is an issue of a call, no result that a run takes, and damage of a journal: %s", (_, text) => {
    const structured = JSON.parse(text) as Schema.Json
    const call = `{"uid":"a","name":"read_file","arguments":${text}}`
    const asked = { id: "1", name: "read_file", arguments: withoutDeeper(structured, maxNesting + 1) }
    for (const { issues } of [checkDocument("refinement", refinement(fenced(call))), readAskedCall(asked, "u")])
      expect(issues.map(({ code }) => code)).toContain("tool-call-too-deep")
    const read = mcpData("a", { isError: false, text: "", structured })
    expect(Result.isFailure(read) && [read.failure.type, read.failure.message]).toEqual([
      "output_limit",
      "The tool a gave a result that is nested more than 64 levels deep; all of it was left out."
    ])
    expect(journalLine(text)).toBe("shape")
  })

  it("is an error of the server in words when the error is deep", () => {
    let nested: unknown = "full"
    for (let level = 0; level < 100_000; level += 1) nested = { error: nested }
    expect(readErrorValue(nested).detail.length).toBeLessThan(501)
    expect(readErrorValue({ error: { message: "no room" } }).detail).toBe("no room")
  })
})

const namesIn = (text: string): ReadonlyArray<string> => {
  const names: Array<string> = []
  JSON.parse(text, (name, value) => {
    if (name !== "" && !/^\d+$/.test(name)) names.push(name)
    return value as unknown
  })
  return names
}

const read = (value: unknown): unknown => JSON.parse(outputJson(value))

describe("names in the JSON that commands print", () => {
  it.prop("every event has names in snake_case", [RunEvent], ([event]) => {
    const own: unknown = JSON.parse(JSON.stringify(flattenEvent({ at: "", event })), (name, value) =>
      ["arguments", "data", "stageModels"].includes(name) ? null : (value as unknown)
    )
    const wrong = namesIn(outputJson(own)).filter((name) => !/^_?[a-z0-9]+(_[a-z0-9]+)*$/.test(name))
    assert.deepStrictEqual(wrong, [])
  })

  it("writes the words of a name apart, and nothing else", () => {
    assert.deepStrictEqual(read({ endsAtSeconds: 1, modelMs: 2, _tag: "Denied", list: [{ runId: "a" }] }), {
      ends_at_seconds: 1,
      model_ms: 2,
      _tag: "Denied",
      list: [{ run_id: "a" }]
    })
  })

  it("leaves what belongs to a tool or a schema as it is, and every other value", () => {
    const foreign = { arguments: { maxLines: 3 }, data: [{ fileName: "a" }], parameters: { oneOf: [{ minLength: 1 }] } }
    for (const value of [{ call: foreign }, { what_is_needed: "x", sha256: "y" }, [null, "aB", 3, true]])
      assert.deepStrictEqual(read(value), value)
  })
})
