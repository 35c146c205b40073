/** Which calls and changes of an answer can be made, what is wrong with the others, and which are made. */
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { nothingAsked, readTurn, type TurnContent } from "../../../src/domain/documents/TurnFormat.ts"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import type { ToolCall } from "../../../src/domain/tools/ToolCall.ts"
import { callsToMake, makeCallChecker } from "../../../src/services/agent/CheckCalls.ts"
import type { Assignment } from "../../../src/services/agent/Session.ts"
import { Skills } from "../../../src/services/skills/Skills.ts"
import { assignmentOf, turnOf, workOf } from "../../support/AgentWork.ts"
import { openStages, type OpenStages } from "../../support/OpenStages.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const call = { uid: "call-1", name: "read_file", arguments: { path: "a.ts" } }

const callsIn = (left: number, { kind = "task", report }: { kind?: Assignment["kind"]; report?: string } = {}) => {
  const content = { calls: [call], ...(report === undefined ? {} : { report }) }
  return callsToMake(turnOf({ content, left, work: workOf({ kind }) }), [call])
}

it("makes no call of the last answer, but beside a report, which the calls may complete", () => {
  assert.deepStrictEqual(callsIn(1), [call])
  assert.deepStrictEqual(callsIn(0), [])
  assert.deepStrictEqual(callsIn(0, { report: "Done." }), [call])
})

it("makes no call of work that only plans its calls", () => {
  assert.deepStrictEqual(callsIn(4, { kind: "calls" }), [])
})

const lines = Array.from({ length: 40 }, (_, index) => `export const name${index} = ${index}`)
const files = {
  "src/limit.ts": "export const limit = 5\n",
  "src/use.ts": "print(limit)\n",
  "src/long.ts": `${lines.join("\n")}\n`,
  ".task-conductor/skills/narrow/SKILL.md":
    "---\nname: narrow\ndescription: Changes docs. Use it in tests.\nallowed-tools: read_file edit_file(docs/**)\n---\n\n## How to work\n\nEdit.\n\n## How to report\n\nSay it.\n"
}
const tools = ["read_file", "edit_file", "write_file"]
const read = (path: string, uid = path): ToolCall => ({ uid, name: "read_file", arguments: { path } })
const edit: ToolCall = {
  uid: "call-1",
  name: "edit_file",
  arguments: { path: "src/limit.ts", old_text: "limit = 5", new_text: "limit = 6" }
}

/** What an answer of this text asks for, where the work may change files. */
const contentOf = (text: string): TurnContent => {
  const task = plainTask("Look", "any", "Look.", "A word.")
  return readTurn(text, { task, inputs: [], kept: [], mayChange: true })
}

const check = Effect.fnUntraced(function* (
  content: Partial<TurnContent>,
  {
    settings = {},
    skill,
    ...assignment
  }: Partial<Omit<Assignment, "skill">> & {
    readonly settings?: NonNullable<OpenStages["settings"]>
    readonly skill?: string
  } = {}
) {
  const { within } = yield* openStages({ files, settings })
  const checkCalls = yield* within(makeCallChecker)
  const skills = yield* within(Skills)
  const named = skill === undefined ? {} : { skill: skills.find(skill) }
  const checked = yield* checkCalls(assignmentOf({ tools, ...assignment, ...named }), { ...nothingAsked, ...content })
  return {
    ...checked,
    names: checked.calls.map(({ call: { name } }) => name),
    codes: checked.calls.map(({ issues }) => issues.map(({ code }) => code)),
    unmadeCodes: checked.unmade.map(({ issue }) => issue.code)
  }
})

const change = (before: string, after: string): string =>
  `src/long.ts\n<<<<<<< OLD\n${before}\n=======\n${after}\n>>>>>>> NEW\n`

const textOf = (content: string): ToolCall => ({
  uid: "call-1",
  name: "write_file",
  arguments: { path: "src/new.ts", content }
})

describe("the calls of an answer", () => {
  nodeTest("are checked one by one, and those that the work may not make have issues", function* () {
    const other = { uid: "call-2", name: "get_current_time", arguments: {} }
    const { calls, codes, issues, repairs, tooMany, unmade } = yield* check({ calls: [read("src/limit.ts"), other] })
    assert.deepStrictEqual([codes[0], codes[1]?.length], [[], 1])
    assert.deepStrictEqual(calls[0]?.wanted, read("src/limit.ts"))
    assert.deepStrictEqual([issues, repairs, tooMany, unmade], [[], [], [], []])
  })

  nodeTest("beyond the limit of a turn are not done; a change among them stays open", function* () {
    const settings = { limits: { ...defaultLimits, toolCallsPerIteration: 2 } }
    const two = [read("a.ts"), read("b.ts")]
    const within = yield* check({ calls: two }, { settings })
    assert.deepStrictEqual([within.names.length, within.tooMany], [2, []])
    const three = yield* check({ calls: [...two, edit] }, { settings })
    assert.deepStrictEqual([three.names.length, three.tooMany.length], [2, 1])
    assert.deepStrictEqual(three.unmadeCodes, ["tool-calls-many"])
    const looking = yield* check({ calls: [...two, edit] }, { settings, tools: ["read_file"] })
    assert.deepStrictEqual(looking.unmadeCodes, [])
  })

  nodeTest("with issues that would change a file stay open where the work may change files", function* () {
    const wrong = { ...edit, arguments: { path: "src/limit.ts" } }
    const open = yield* check({ calls: [wrong, read("a.ts")] })
    assert.deepStrictEqual([open.unmadeCodes.length, open.codes[0]?.length], [1, 1])
    const closed = yield* check({ calls: [wrong] }, { tools: ["read_file"] })
    assert.deepStrictEqual(closed.unmade, [])
  })

  nodeTest("are held to the limits of the skill", function* () {
    const { codes } = yield* check({ calls: [edit, read("src/limit.ts")] }, { skill: "narrow" })
    assert.deepStrictEqual(codes, [["tool-call-limited"], []])
  })

  nodeTest("are those of its changes too; asked about first, one call for all places of a file", function* () {
    const content = contentOf(
      `${change("export const name1 = 1", "export const first = 1")}\n${change("export const name9 = 9", "export const last = 9")}`
    )
    const proposed = yield* check(content)
    assert.deepStrictEqual([proposed.names, proposed.unmade], [["edit_file", "edit_file"], []])
    const asked = yield* check(content, { settings: { askFirst: true } })
    assert.deepStrictEqual(asked.names, ["edit_file"])
  })

  nodeTest("do not count towards the limit as changes by text, and count as one in a replacement", function* () {
    const content = contentOf(change("export const name1 = 1", "export const first = 1"))
    const settings = { limits: { ...defaultLimits, toolCallsPerIteration: 1 } }
    const within = yield* check({ ...content, calls: [read("a.ts")] }, { settings })
    assert.deepStrictEqual([within.names, within.tooMany], [["edit_file", "read_file"], []])
    const beyond = yield* check({ ...content, calls: [read("a.ts"), read("b.ts")] }, { settings })
    assert.deepStrictEqual([beyond.names.length, beyond.tooMany.length], [2, 1])
    const { names, replaced, tooMany } = yield* check(contentOf('{"replace": "limit", "with": "most"}'), { settings })
    assert.deepStrictEqual([names.length, replaced.length, tooMany], [2, 1, []])
  })

  nodeTest("that would lose most of a file are not made, unless the answer says that it goes", function* () {
    const shorter: ToolCall = {
      uid: "call-1",
      name: "write_file",
      arguments: { path: "src/long.ts", content: "export const name0 = 0\n" }
    }
    const { calls, issues, unmadeCodes } = yield* check({ calls: [shorter] })
    assert.deepStrictEqual([calls, issues.map(({ code }) => code), unmadeCodes], [[], ["change-open"], ["change-open"]])
    const said = yield* check({ calls: [shorter], saysRemoval: true })
    assert.deepStrictEqual([said.codes, said.issues, said.unmade], [[[]], [], []])
    const broken = { ...shorter, name: "edit_file", arguments: { path: "src/long.ts", content: "export {}\n" } }
    assert.strictEqual((yield* check({ calls: [broken] })).calls.length, 1)
  })

  nodeTest("are tidied of what is not meant for the file, and have an issue for a mark of a change", function* () {
    const marked = yield* check({ calls: [textOf("export {}\n<<<<<<< OLD\nexport {}\n")] })
    assert.deepStrictEqual(marked.codes, [["change-marks"]])
    const fenced = yield* check({ calls: [textOf("```ts\nexport {}\n```\n")] })
    assert.deepStrictEqual(
      fenced.calls.map(({ call: { arguments: written }, repairs }) => [
        written["content"],
        repairs.map(({ code }) => code)
      ]),
      [["export {}\n", ["change-tidied"]]]
    )
  })
})
