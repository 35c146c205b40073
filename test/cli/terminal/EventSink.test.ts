import * as Effect from "effect/Effect"
import { assert, describe } from "@effect/vitest"
import { type EventSink, jsonSink, progressSink } from "../../../src/cli/terminal/EventSink.ts"
import { Output } from "../../../src/cli/terminal/Output.ts"
import { Signals } from "../../../src/cli/terminal/Signals.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { fakeOutput } from "../../support/FakeOutput.ts"
import { answered, asked } from "../../support/LiveEvents.ts"
import { reportWith } from "../../support/sampleReport.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const started: RunEvent = { type: "run.started", version: 1, runId: "r1", project: "/p", model: "m", prompt: "x" }

const report = reportWith({ status: "interrupted", message: "The run was interrupted." })

/** What a JSON sink prints while it is used. */
const printed = Effect.fnUntraced(function* (
  use: (sink: EventSink) => Effect.Effect<void>,
  received?: "SIGINT" | "SIGTERM"
) {
  const lines: Array<string> = []
  const output = fakeOutput({ result: (text) => Effect.sync(() => void lines.push(text)) })
  const sink = yield* jsonSink.pipe(
    Effect.provideService(Output, output),
    Effect.provideService(Signals, { received: () => received, onInterrupt: () => Effect.void })
  )
  yield* use(sink)
  return lines
})

const at = "2026-11-20T12:00:00.000Z"

const step = (title: string): RunEvent => ({ type: "step.started", round: 1, step: 0, title })

/** An output that takes only lines of progress. */
const outputTo = (lines: Array<string>) => fakeOutput({ emit: (text) => Effect.sync(() => void lines.push(text)) })

nodeTest("keeps other lines back while a question waits for its answer", function* () {
  const lines: Array<string> = []
  const output = outputTo(lines)
  const sink = yield* Effect.provideService(progressSink(false), Output, output)
  const finished: RunEvent = { type: "run.finished", exitCode: 130, report }
  for (const event of [step("1"), asked("h"), step("2"), step("3")]) yield* sink.listen({ at, event })
  assert.deepStrictEqual(lines, ["1"])
  yield* sink.listen({ at, event: answered("h") })
  assert.deepStrictEqual(lines.slice(1), ["  allowed", "2", "3"])
  for (const event of [asked("h"), step("4"), finished]) yield* sink.listen({ at, event })
  assert.deepStrictEqual(lines.slice(4), ["4", "interrupted: 0 results, 0 model calls, 0 tool calls, 0.0 s"])
})

const atSecond = (second: number) => new Date(Date.parse(at) + second * 1000).toISOString()
const line = (time: string) => `  planning: loading the model or reading for ${time}; is stopped after 5 min`

describe("heartbeats", () => {
  const call = { stage: "plan", round: 0, attempt: 1 } as const
  const waiting = { type: "model.waiting", call, phase: "first_word", endsAtSeconds: 300 } as const
  const sign = (seconds: number): RunEvent => ({ ...waiting, seconds })

  nodeTest("are shown where there would be silence, and not while a question waits for its answer", function* () {
    const lines: Array<string> = []
    const output = outputTo(lines)
    const sink = yield* Effect.provideService(progressSink(false), Output, output)
    const report = (second: number, event: RunEvent) => sink.listen({ at: atSecond(second), event })
    yield* report(0, step("1"))
    yield* report(3, sign(3))
    yield* report(10, sign(10))
    yield* report(12, sign(12))
    yield* report(20, sign(20))
    assert.deepStrictEqual(lines, ["1", line("10 s"), line("20 s")])
    yield* report(21, asked("h"))
    yield* report(60, sign(60))
    yield* report(70, answered("h"))
    yield* report(72, sign(72))
    yield* report(80, sign(80))
    assert.deepStrictEqual(lines.slice(3), ["  allowed", line("1 min 20 s")])
  })
})

describe("jsonSink", () => {
  nodeTest("prints type, then time, then the fields", function* () {
    assert.deepStrictEqual(yield* printed((sink) => sink.listen({ at, event: started })), [
      `{"type":"run.started","at":"${at}","version":1,"run_id":"r1","project":"/p","model":"m","prompt":"x"}`
    ])
  })

  nodeTest("ends a stream that broke off, once, and prints nothing for one that never began", function* () {
    const lines = yield* printed(({ abort, listen }) =>
      Effect.all([listen({ at, event: started }), abort("The run broke off."), abort("Again.")], { discard: true })
    )
    const last = JSON.parse(lines.at(-1) ?? "")
    assert.deepStrictEqual(
      [lines.length, last.type, last.exit_code, last.report.run_id, last.report.status, last.report.message],
      [2, "run.finished", 1, "r1", "failed", "The run broke off."]
    )
    assert.deepStrictEqual(yield* printed((sink) => sink.abort("The run broke off.")), [])
  })

  nodeTest("gives an interrupted run the exit code of its signal", function* () {
    const finished = { at, event: { type: "run.finished", exitCode: 130, report } as const }
    const [line] = yield* printed((sink) => sink.listen(finished), "SIGTERM")
    assert.strictEqual(JSON.parse(line ?? "").exit_code, 143)
  })
})
