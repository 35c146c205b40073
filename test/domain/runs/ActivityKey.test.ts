import { assert, it } from "@effect/vitest"
import {
  activityName,
  keyOfActivity,
  modelCallKey,
  type ParsedKey,
  parseKey,
  seenKey,
  stageKey,
  toolCallKey
} from "../../../src/domain/runs/ActivityKey.ts"

const input = "0123456789abcdef0123456789abcdef"

const cases: ReadonlyArray<readonly [key: string, parsed: ParsedKey | undefined]> = [
  [stageKey.briefing, { kind: "briefing", round: 0 }],
  [stageKey.plan, { kind: "plan", round: 0 }],
  [stageKey.round(12), { kind: "round", round: 12 }],
  [stageKey.worked(1, "Research 2"), { kind: "refined", round: 1, task: "research-2" }],
  [stageKey.task(2, "Plan"), { kind: "task", round: 2, task: "plan" }],
  [modelCallKey({ stage: "plan", round: 0, attempt: 3 }), { kind: "plan", round: 0 }],
  [modelCallKey({ stage: "task", round: 1, task: "Turn 2", attempt: 3 }), { kind: "turn", round: 1, task: "turn-2" }],
  [toolCallKey({ round: 1, task: "Look 1", uid: "turn-1/call-1" }), { kind: "tool", round: 1, task: "look-1" }],
  [modelCallKey({ stage: "iterate", round: 2, attempt: 1 }), { kind: "iterate", round: 2 }],
  [toolCallKey({ round: 1, task: "Look", uid: "a/b#c" }), { kind: "tool", round: 1, task: "look" }],
  [seenKey.inputs("Look 1"), undefined],
  [seenKey.reference("Look 1", "notes.md#plan"), undefined],
  ["", undefined],
  ["round-1/refined/", undefined]
]

it("is read back, with and without what it was done with", () => {
  for (const [key, parsed] of cases) {
    assert.deepStrictEqual(parseKey(key), parsed, key)
    assert.strictEqual(keyOfActivity(key), key)
    assert.strictEqual(keyOfActivity(activityName({ key, input })), key)
    assert.deepStrictEqual(parseKey(activityName({ key, input })), parsed, key)
  }
})

it("names the turns of a task, of which those of another task have no other key", () => {
  const key = modelCallKey({ stage: "task", round: 1, task: "Look 1", attempt: 2 })
  assert.strictEqual(key, "round-1/turn/look-1/attempt-2")
  assert.strictEqual(stageKey.task(1, "Look 1"), "round-1/task/look-1")
})
