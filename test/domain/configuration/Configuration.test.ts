import { assert, it } from "@effect/vitest"
import * as Result from "effect/Result"
import {
  type Configuration,
  mergeConfigurations,
  readConfiguration
} from "../../../src/domain/configuration/Configuration.ts"

const problems = (text: string, scope: "user" | "project" = "user") =>
  Result.match(readConfiguration(text, scope), {
    onSuccess: () => [],
    onFailure: (found) => found.map(({ column, line, what }) => `${line}:${column}: ${what}`)
  })

it("reports all problems in the order of the text, with nearest keys", () => {
  const text = `{
  "modle": "qwen3",
  "parallel": 0,
  "limits": { "attempt": 3, "rounds": "x" },
  "deny": ["Bash run"],
  "think": 4
}`
  assert.deepStrictEqual(problems(text), [
    '2:3: unknown key "modle". Nearest: model.',
    '3:3: "parallel": Expected a value between 1 and 64.',
    '4:15: unknown key "limits.attempt". Nearest: attempts.',
    '4:29: "limits.rounds": Expected number.',
    '5:12: "deny[0]": "Bash run" is not a tool name. Name one tool, as "task-conductor tools list" shows it.',
    '6:3: "think": Expected boolean | "low" | "medium" | "high".'
  ])
})

it("says what is wrong with sampling and stages, and what a limit may be", () => {
  const text = `{
  "sampling": { "temprature": 0.2, "topP": 2 },
  "stages": { "plann": {}, "plan": { "thnk": true }, "task": { "sampling": { "sead": 1 } }, "ask": { "think": 1 } },
  "limits": { "serverWaitSeconds": 0, "thinkingTokens": 0 }
}`
  assert.deepStrictEqual(problems(text), [
    '2:17: unknown key "sampling.temprature". Nearest: temperature.',
    '2:36: "sampling.topP": Expected a value between 0 and 1.',
    '3:15: unknown key "stages.plann". Nearest: plan.',
    '3:38: unknown key "stages.plan.thnk". Nearest: think.',
    '3:78: unknown key "stages.task.sampling.sead". Nearest: seed.',
    '3:102: "stages.ask.think": Expected boolean | "low" | "medium" | "high".',
    '4:39: "limits.thinkingTokens": Expected a value between 1 and 1000000000.'
  ])
})

it.each([
  ["host", '"http://example.org"', " or set OLLAMA_HOST"],
  ["allow", '["run_command"]', " or use --allow"],
  ["fetchAllow", '["localhost:1"]', ""],
  ["sampling", "{}", ""],
  ["stages", "{}", ""],
  ["mcpServers", '{"a":{"command":"npx"}}', " or, for servers of the project, into .mcp.json"]
])("does not let a project redirect the model or widen what is allowed: %s", (key, value, elsewhere) => {
  const what = `"${key}" has no effect in a project's file, because only you decide it.`
  assert.deepStrictEqual(problems(`{"${key}":${value}}`, "project"), [
    `1:2: ${what} Put it into your user configuration${elsewhere}.`
  ])
  assert.deepStrictEqual(problems('{"deny":["run_command"],"model":"qwen3"}', "project"), [])
})

it("reads the servers of a person, and names what is wrong with them", () => {
  const server = { command: "npx", startTimeout: 60, risk: "high", tools: { a: { risk: "safe", effect: "pure" } } }
  assert.deepStrictEqual(problems(JSON.stringify({ mcpServers: { a: server } })), [])
  const wrong = '{"a":{"command":"x","startTimout":1},"b":{"command":"x","tools":{"t":{"rsk":"safe"}}}}'
  assert.deepStrictEqual(problems(`{"mcpServers":${wrong}}`), [
    '1:35: unknown key "mcpServers.a.startTimout". Nearest: startTimeout.',
    '1:85: unknown key "mcpServers.b.tools.t.rsk". Nearest: risk.'
  ])
})

it.each([
  ["{", "1:2: close brace expected."],
  ["", "1:1: value expected."],
  ['{"a":}', "1:6: value expected."],
  ['{\n  "a": 1\n  "b": 2\n}', "3:3: comma expected."],
  ['{"model": "x",}', "1:15: property name expected."],
  ["{} {}", "1:4: end of file expected."],
  ['{"model":"a","model":"b"}', '1:14: the key "model" stands here a second time.'],
  [`{"model":${"[".repeat(100_000)}`, "1:1: the text is nested too deeply."],
  ["[]", "1:1: the file: Expected object."]
])("says where %j breaks", (text, expected) => {
  assert.deepStrictEqual(problems(text), [expected])
})

it("mergeConfigurations lets later values win, merges limits by key and adds rules up", () => {
  const first: Configuration = { model: "a", parallel: 1, limits: { rounds: 1, attempts: 2 }, deny: ["write_file"] }
  const later: Configuration = { model: "b", limits: { rounds: 3 }, deny: ["run_command"], allow: ["read_file"] }
  assert.deepStrictEqual(mergeConfigurations(first, later), {
    model: "b",
    parallel: 1,
    limits: { rounds: 3, attempts: 2 },
    allow: ["read_file"],
    deny: ["write_file", "run_command"],
    fetchAllow: [],
    plugins: []
  })
})
