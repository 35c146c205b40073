import * as Effect from "effect/Effect"
import { assert, describe } from "@effect/vitest"
import { makeAnswerPrinter } from "../../../src/cli/ask/AnswerPrinter.ts"
import { progressSink } from "../../../src/cli/terminal/EventSink.ts"
import { Output } from "../../../src/cli/terminal/Output.ts"
import type { Draw } from "../../../src/cli/terminal/Screen.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { fakeOutput } from "../../support/FakeOutput.ts"
import {
  answered,
  asked,
  callOf,
  done,
  planned,
  planWith,
  progressOf,
  sent,
  started,
  zero
} from "../../support/LiveEvents.ts"
import { nodeTest } from "../../support/nodeTest.ts"

/** An output on a terminal: what was printed, and what is drawn now. */
const onTerminal = () => {
  const printed: Array<string> = []
  let draw: Draw | undefined
  const add = (text: string) => Effect.sync(() => void printed.push(text))
  const output = fakeOutput({
    result: add,
    print: add,
    answer: add,
    follow: (piece) => void printed.push(`follow ${JSON.stringify(piece)}`),
    printNow: (lines) => void printed.push(lines),
    emit: add,
    isWatched: true,
    resultColumns: () => 60,
    screen: {
      canDraw: true,
      isUnicode: true,
      columns: () => 60,
      show: (next) => void (draw = next),
      hide: () => void (draw = undefined)
    }
  })
  const drawn = (second: number) => draw?.({ columns: 60, rows: 24 }, zero + second * 1000) ?? []
  return { output, printed, drawn }
}

const openSink = Effect.fnUntraced(function* (options: Parameters<typeof progressSink>[1] = {}) {
  const { drawn, output, printed } = onTerminal()
  return { drawn, printed, sink: yield* Effect.provideService(progressSink(false, options), Output, output) }
})

const at = (second: number, event: RunEvent) => ({ at: new Date(zero + second * 1000).toISOString(), event })
const issue = (code: string) => ({ code, where: { task: "A" }, what: `No ${code}.`, how: "Add it." })

const rejected = (attempt: number, ...codes: ReadonlyArray<string>): RunEvent => ({
  type: "answer.rejected",
  call: callOf("plan", undefined, attempt),
  answer: "?",
  issues: codes.map(issue),
  mostAttempts: 3
})

describe("progress on a terminal", () => {
  nodeTest("is drawn, and leaves only lines that stay of use", function* () {
    const { drawn, printed, sink } = yield* openSink()
    const call = callOf("task", "Search 1")
    const events: ReadonlyArray<RunEvent> = [
      started,
      { type: "stage.started", stage: "plan", round: 0 },
      planned(planWith(2, 1)),
      { type: "step.started", round: 1, step: 0, title: "Task section 1" },
      sent(call),
      progressOf(call, "writing", { tokens: 12 }),
      { type: "model.waiting", call, phase: "writing", seconds: 10, endsAtSeconds: 1800, characters: 40 }
    ]
    yield* Effect.forEach(events, (event) => sink.listen(at(1, event)), { discard: true })
    assert.deepStrictEqual(printed, ["run r1 with qwen3:8b in /p", "plan 2 tasks in 2 steps: Search 1, Search 2"])
    assert.include(drawn(4), "  ⠋ Search 1 · working on a task · writing, 12 tokens · 3 s")
    yield* sink.listen(at(5, done("Search 1")))
    yield* sink.listen(at(5, { type: "step.finished", round: 1, step: 0, title: "Task section 1" }))
    assert.deepStrictEqual(printed.slice(2), ["  finished Step 1"])
    assert.deepStrictEqual(drawn(6), [])
  })

  nodeTest("is hidden and kept back until the last of several questions is answered", function* () {
    const { drawn, printed, sink } = yield* openSink()
    const report = (second: number, event: RunEvent) => sink.listen(at(second, event))
    const late: RunEvent = { type: "message", level: "info", text: "later" }
    yield* report(0, started)
    yield* report(0, sent(callOf("plan")))
    assert.isNotEmpty(drawn(0))
    yield* report(1, asked("a"))
    assert.deepStrictEqual(drawn(1), [])
    yield* report(2, asked("b"))
    yield* report(3, late)
    yield* report(4, answered("a"))
    assert.deepStrictEqual([drawn(4), printed.length], [[], 1])
    yield* report(9, answered("b"))
    assert.isNotEmpty(drawn(9))
    assert.deepStrictEqual(printed.slice(1), ["  allowed", "note: later", "  allowed"])
    assert.strictEqual(sink.userMs?.(), 8000)
  })

  nodeTest("draws nothing when only lines are wanted", function* () {
    const { drawn, printed, sink } = yield* openSink({ isPlain: true })
    const call = callOf("plan")
    yield* sink.listen(at(0, started))
    yield* sink.listen(at(0, sent(call)))
    yield* sink.listen(at(9, progressOf(call, "loading", { seconds: 9 })))
    yield* sink.listen(at(10, { type: "model.waiting", call, phase: "first_word", seconds: 10, endsAtSeconds: 300 }))
    assert.deepStrictEqual(drawn(10), [])
    assert.deepStrictEqual(printed.slice(1), ["  planning: loading qwen3:8b for 10 s; is stopped after 5 min"])
  })

  nodeTest("does not repeat what is wrong with one answer after another", function* () {
    const { printed, sink } = yield* openSink()
    const [first, same, more] = [rejected(1, "x"), rejected(2, "x"), rejected(3, "x", "y")]
    for (const event of [first, same, more, rejected(3, "x")]) yield* sink.listen(at(0, event))
    assert.deepStrictEqual(printed, [
      '  The plan was not usable (1 problem); asking again (2 of 3)\n    task "A": No x. [x]',
      '  The plan was not usable (2 problems); that was the last of 3 attempts\n    task "A": No y. [y]',
      "  The plan was not usable (1 problem, the same as before); that was the last of 3 attempts"
    ])
  })
})

describe("an answer that arrives", () => {
  const text = "# Found\n\nIn [a](a.ts#L3),\nsays **it**.\n\n- one\n- two\n\nThe end"

  nodeTest("is printed block by block, and its open end is drawn", function* () {
    const { drawn, output, printed } = onTerminal()
    const { listen, sink } = yield* Effect.provideService(makeAnswerPrinter(false), Output, output)
    const call = { stage: "ask", round: 1, attempt: 1 } as const
    yield* sink.listen(at(0, started))
    yield* sink.listen(at(0, { type: "ask.started", message: 1, text: "?" }))
    yield* sink.listen(at(0, sent(call)))
    for (const piece of text.match(/[^]{1,3}/g) ?? []) listen(piece)
    assert.deepStrictEqual(printed.slice(1), ["Found\n", "\n", "In a (a.ts:3), says it.\n\n", "• one\n", "• two\n\n"])
    assert.deepStrictEqual(drawn(1).slice(0, 2), ["  The end", "⠋ answering · waiting for the model · 1 s"])
    yield* sink.listen(at(2, { type: "message", level: "warning", text: "odd" }))
    yield* sink.listen(at(2, { type: "model.finished", call, usage: { durationMs: 1 } }))
    assert.deepStrictEqual(printed.slice(6), ["The end\n", "warning: odd"])
  })

  nodeTest("is printed as it comes when only lines are wanted", function* () {
    const { output, printed } = onTerminal()
    const { listen, sink } = yield* Effect.provideService(makeAnswerPrinter(true), Output, output)
    const call = { stage: "ask", round: 1, attempt: 1 } as const
    const report = (text: string) => sink.listen(at(0, { type: "message", level: "info", text }))
    listen("**a")
    yield* report("b")
    listen("c**")
    yield* report("d")
    assert.deepStrictEqual(printed, ['follow "**a"', 'follow "c**"'])
    yield* sink.listen(at(0, { type: "model.finished", call, usage: { durationMs: 1 } }))
    assert.deepStrictEqual(printed.slice(2), ['follow "\\n"', "note: b\nnote: d"])
    yield* report("e")
    assert.deepStrictEqual(printed.slice(4), ["note: e"])
    listen("f\n")
    yield* sink.listen(at(10, { type: "model.waiting", call, phase: "next_word", seconds: 10, endsAtSeconds: 300 }))
    assert.match(printed.at(-1) ?? "", /waiting for the next word/)
  })
})
