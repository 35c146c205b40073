import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import type { ToolCalls } from "../../../src/domain/models/Generation.ts"
import {
  betterForm,
  configurationFor,
  formScore,
  type FormScore,
  type ModelScore,
  recommend,
  scoreOf,
  benchLines
} from "../../../src/plugins/model-bench/BenchScore.ts"
import { checkDocument } from "../../../src/domain/documents/CheckReport.ts"
import type { ModelCallId } from "../../../src/domain/runs/ActivityKey.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"

const started = (call: ModelCallId): RunEvent => ({ type: "model.started", call, estimatedTokens: 10 })
const finished = (call: ModelCallId, answerTokens = 100, durationMs = 2000): RunEvent => ({
  type: "model.finished",
  call,
  usage: { answerTokens, durationMs }
})
const issue = (code: string) => ({ code, where: {}, what: "x", how: "x" })
const rejected = (call: ModelCallId, ...codes: ReadonlyArray<string>): RunEvent => ({
  type: "answer.rejected",
  call,
  answer: "x",
  issues: codes.map(issue)
})
const plan = (attempt: number): ModelCallId => ({ stage: "plan", round: 0, attempt })
const turn = (task: string, attempt: number): ModelCallId => ({ stage: "task", round: 1, task, attempt })
type Call = (attempt: number) => ModelCallId
const answered = (call: Call, attempt: number) => [started(call(attempt)), finished(call(attempt))]
const tool = (success: boolean): RunEvent => ({
  type: "tool.finished",
  id: { round: 1, task: "A", uid: "call-1" },
  name: "read_file",
  result: {
    success,
    data: null,
    error_message: null,
    error_type: null,
    metadata: { execution_time_ms: 1, data_size_bytes: 0, timestamp: 0 }
  } as never
})

it("the score of a model counts at which attempt each document was valid, the rules that were broken, and the speed", () => {
  const first = [
    ...answered(plan, 1),
    rejected(plan(1), "goals-missing", "task-name-missing", "goals-missing"),
    started(plan(2)),
    finished(plan(2), 300)
  ]
  const second = answered(plan, 1)
  const third = [...answered(plan, 1), rejected(plan(1), "goals-missing")]
  const [a, b, c] = ["A", "B", "C"].map((task) => (attempt: number) => turn(task, attempt)) as [Call, Call, Call]
  // A task takes several turns; only rejected answers count against it.
  const run = [
    [answered(a, 1), answered(a, 2)],
    [answered(b, 1), rejected(b(1), "tool-unknown"), answered(b, 2), answered(b, 3)],
    [answered(c, 1), rejected(c(1), "tool-unknown"), started(c(2)), tool(true), tool(false)]
  ].flat(2)
  const score = scoreOf("m", [first, second, third], { text: run })
  expect(score.stages).toEqual([
    {
      stage: "plan",
      documents: 3,
      validAt: [1, 1, 0, 0, 0],
      broken: [
        { code: "goals-missing", count: 2 },
        { code: "task-name-missing", count: 1 }
      ],
      tokensPerSecond: 75
    },
    {
      stage: "task",
      documents: 3,
      validAt: [1, 1, 0, 0, 0],
      broken: [{ code: "tool-unknown", count: 2 }],
      tokensPerSecond: 50
    }
  ])
  expect(score.forms).toMatchObject([{ form: "text", calls: { all: 2, succeeded: 1 }, rejected: 2, tokens: 600 }])
  expect(score.seconds).toBe(20)
  expect(benchLines([score], recommend([score])).slice(1, 6)).toEqual([
    "  plans        1 at once, 1 after 1 rejected answer, 1 not at all; 75 tokens/s; broken: goals-missing (2), task-name-missing (1)",
    "  tasks        1 at once, 1 after 1 rejected answer, 1 not at all; 50 tokens/s; broken: tool-unknown (2)",
    "  text         0 of 4 tasks done; 6 model calls; 1 of 2 tool calls succeeded; 2 answers rejected, 0 repaired; 600 tokens; 12 s",
    "  tool calls   text: its server says that it cannot take tools",
    "  time         20 s"
  ])
})

/** A score with these qualities: documents out of ten that are valid at once, and tokens per second. */
const score = (model: string, ...stages: ReadonlyArray<readonly [number, number]>): ModelScore => ({
  model,
  seconds: 1,
  forms: [],
  better: { form: "text", why: "" },
  stages: (["plan", "task"] as const).map((stage, index) => ({
    stage,
    documents: 10,
    validAt: [stages[index]?.[0] ?? 0, 0, 0, 0, 0],
    broken: [],
    tokensPerSecond: stages[index]?.[1] ?? 0
  }))
})

const form = (name: ToolCalls, done: number, rejected: number): FormScore => ({
  ...formScore(name, []),
  done,
  rejected
})

const better = (text: readonly [number, number], native: readonly [number, number]) =>
  betterForm([form("text", ...text), form("native", ...native)])

it("the better form of tool calls is the one that does more, then the one with fewer rejected answers; a tie keeps text", () => {
  expect(better([2, 0], [4, 3])).toEqual({ form: "native", why: "4 of 4 tasks done, with text 2" })
  expect(better([3, 9], [2, 0])).toEqual({ form: "text", why: "3 of 4 tasks done, with native 2" })
  expect(better([4, 3], [4, 1]).form).toBe("native")
  expect(better([4, 1], [4, 3]).form).toBe("text")
  expect(better([4, 1], [4, 1]).form).toBe("text")
  expect(better([0, 3], [0, 1])).toEqual({ form: "text", why: "both forms did 0 of 4 tasks" })
})

describe("the recommendation", () => {
  it("takes the better model, and the faster one of two that are equally good", () => {
    const best = recommend([score("big", [10, 5], [10, 5]), score("small", [5, 50], [10, 50])])
    expect(best).toEqual({ plan: "big", task: "small" })
    expect(configurationFor(best)).toEqual({ model: "small", stages: { plan: { model: "big" } } })
  })

  it("needs no stages for one model, and recommends nothing where no document was valid", () => {
    expect(configurationFor(recommend([score("a", [9, 1], [9, 1])]))).toEqual({ model: "a" })
    expect(recommend([score("a", [0, 9], [1, 9])])).toEqual({ task: "a" })
    expect(configurationFor(recommend([score("a", [0, 9], [0, 9])]))).toBeUndefined()
    expect(benchLines([], {})).toEqual(["No model gave a valid document. Try a larger one."])
  })
})

it("the plan of the comparison is accepted as it stands", () => {
  const { issues, repairs, verdict } = checkDocument("task-list", readFileSync("templates/bench/plan.md", "utf8"))
  expect([verdict, issues, repairs]).toEqual(["accepted", [], []])
})
