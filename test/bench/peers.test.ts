/**
 * What the comparison with peers stands on: its lower bound, the server that takes its time and remembers prompts, and figures that
 * become the right ratios.
 */
import { assert, describe, it } from "@effect/vitest"
import { evenPlan, lowerBound } from "../../bench/lowerBound.ts"
import type { Measurement } from "../../bench/peers/measure.ts"
import { answersFor } from "../../bench/peers/answers.ts"
import { fetchAnswer } from "../../bench/peers/clients/fetchAnswer.ts"
import { median, ratio, tableOf } from "../../bench/peers/table.ts"
import {
  model,
  planPrompt,
  planText,
  readCall,
  readPlan,
  readResult,
  refinePrompt
} from "../../bench/peers/Workload.ts"
import { commonBeginning } from "../../bench/Slots.ts"
import { startSlotServer } from "../../bench/SlotServer.ts"

describe("the lower bound", () => {
  it("is the number of calls with one slot, and that of the longest path without limit", () => {
    const plan = evenPlan(20, 5, 10, { plan: 1, end: 1 })
    assert.strictEqual(lowerBound(plan, 1), (2 * 20 + 2) * 10)
    assert.strictEqual(lowerBound(plan, Infinity), (5 + 3) * 10)
    /* Two slots: an even share of all calls; and what cannot begin before the slowest task of the first step has ended. */
    assert.strictEqual(lowerBound(evenPlan(4, 1, 10, { plan: 0, end: 0 }), 2), 40)
    const fast = { refine: 1, tools: 1, execute: 1 }
    const slow = { ...fast, tools: 50 }
    assert.strictEqual(lowerBound({ plan: 0, end: 0, steps: [[fast, slow], [fast]] }, Infinity), 54)
    assert.deepStrictEqual(
      evenPlan(7, 3, 1, { plan: 0, end: 0 }).steps.map(({ length }) => length),
      [2, 2, 3]
    )
  })
})

const serve = (slots: number) => startSlotServer({ slots, latency: 0, pieces: 8, answer: answersFor(2, 2) })
const say = (url: string, body: object, path = "/api/chat") =>
  fetch(`${url}${path}`, { method: "POST", body: JSON.stringify({ model, stream: false, ...body }) })
const ask = (content: string) => ({ messages: [{ role: "user" as const, content }] })
const task = { name: "Item 1", text: "Look at item 1." }

describe("the server of the comparison", () => {
  it("writes the plan, the calls and the results that the peers read", async () => {
    const { close, stats, url } = await serve(1)
    const told = (content: string) => fetchAnswer(url, ask(content).messages)
    const short = await say(url, { ...ask(planPrompt()), options: { num_predict: 3 } })
    assert.notInclude(await short.text(), "Item 2")
    assert.deepStrictEqual(await told(planPrompt()), planText(2, 2))
    assert.deepStrictEqual(
      readPlan(planText(5, 2)).map((step) => step.map(({ name }) => name)),
      [
        ["Item 1", "Item 2"],
        ["Item 3", "Item 4", "Item 5"]
      ]
    )
    assert.strictEqual(readCall(await told(refinePrompt(task))).name, "bench_read")
    assert.include(readResult(await told("# Stage: execution")), "is done")
    assert.strictEqual(stats.calls, 4)
    await close()
  })

  it("knows what a slot has read before, and keeps the slot for it", async () => {
    const { close, stats, url } = await serve(2)
    const [one, other] = ["a".repeat(400), "b".repeat(400)].map((text) => `${text}\n# Stage: execution\n`)
    for (const text of [one, other, `${one}more`, `${other}more`]) await say(url, ask(text ?? ""))
    // The third and the fourth prompt begin as the first and the second one.
    assert.closeTo(stats.cachedTokens, 210, 5)
    assert.isAbove(stats.promptTokens, 400)
    await close()
    assert.strictEqual(commonBeginning("abcd", "abxd"), 2)
    assert.strictEqual(commonBeginning("", "abxd"), 0)
    assert.strictEqual(commonBeginning("abc", "abc"), 3)
  })

  it("calls a tool for clients that offer one, and refuses what it cannot do", async () => {
    const { close, url } = await serve(Infinity)
    const tools = [{ type: "function", function: { name: "bench_read" } }]
    const completion = await say(url, { ...ask(refinePrompt(task)), tools }, "/v1/chat/completions")
    const { choices } = (await completion.json()) as { readonly choices: ReadonlyArray<Record<string, unknown>> }
    assert.strictEqual(choices[0]?.["finish_reason"], "tool_calls")
    const messages = [...ask(refinePrompt(task)).messages, { role: "tool", content: "lines" }]
    const answered = await say(url, { messages, tools }, "/v1/chat/completions")
    assert.include(await answered.text(), "is done")
    const refused = [
      await say(url, { ...ask("x"), stream: true }, "/v1/chat/completions"),
      await say(url, { ...ask("x"), model: "other" }),
      await say(url, {}, "/v1/embeddings"),
      await say(url, ask("# Stage: other"))
    ]
    assert.deepStrictEqual(
      refused.map(({ status }) => status),
      [400, 404, 404, 500]
    )
    await close()
  })
})

const run = (wallMs: number, cpuMs: number, promptTokens = 100): Measurement => ({
  wallMs,
  cpuMs,
  peakMegabytes: 100,
  stats: { calls: 4, inFlight: 0, mostInFlight: 2, first: 0, last: 0, promptTokens, cachedTokens: 50 }
})

describe("the table of the comparison", () => {
  it("has medians of ratios within one repetition, and names what failed", () => {
    assert.strictEqual(median([5, 1, 3]), 3)
    assert.strictEqual(median([4, 1, 3, 2]), 2.5)
    const plain = [run(10, 1), run(100, 10), run(20, 2)]
    assert.strictEqual(
      ratio([run(20, 3), run(100, 40), "failed"], plain, ({ cpuMs }) => cpuMs),
      3.5
    )
    const rows = new Map([
      ["plain", plain],
      ["Mastra", [run(20, 3), run(100, 40), "no such model"]],
      ["LangGraph", ["gone", "gone", "gone"]],
      ["ReAct loop", [run(1, 1, 400), run(1, 1, 400), run(1, 1, 400)]]
    ])
    const lines = tableOf(rows, { tasks: 2, boundOf: () => 10, remembers: true }).split("\n")
    assert.deepStrictEqual(lines.slice(2), [
      "| plain | 2.000 | 1.00 | 1.00 | 1.00 | 1.00 | 100 | 4 | 2 | 50 | 0.25 | 50 |",
      "| Mastra (1 of 3 failed) | 6.000 | 1.50 | 3.50 | 10.75 | 1.00 | 100 | 4 | 2 | 50 | 0.25 | 50 |",
      "| LangGraph | failed: gone |",
      "| ReAct loop | - | - | - | - | - | - | 4 | 2 | 200 | 1.00 | 13 |"
    ])
  })
})
