/** Secrets in what is printed for programs and of errors: both end up in logs. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect } from "@effect/vitest"
import { it as plain } from "vitest"
import { jsonSink, progressSink } from "../../../src/cli/terminal/EventSink.ts"
import { printAnswer } from "../../../src/cli/terminal/outcome.ts"
import { Output } from "../../../src/cli/terminal/Output.ts"
import { Signals } from "../../../src/cli/terminal/Signals.ts"
import { redacted } from "../../../src/domain/text/Redaction.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { makeSandbox } from "../../support/binary.ts"
import { inProcess } from "../../support/inProcess.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { secrets } from "../../support/SecretForms.ts"
import { textCollector } from "../../support/textCollector.ts"

/** What both sinks print for an event. */
const printed = Effect.fnUntraced(function* (event: RunEvent) {
  const [stdout, stderr] = [textCollector(), textCollector()]
  const output = Output.layerOf({ env: {}, stdin: {}, stdout: stdout.stream, stderr: stderr.stream })
  const signals = Layer.succeed(Signals)({ received: () => undefined, onInterrupt: () => Effect.void })
  yield* Effect.gen(function* () {
    for (const sink of [yield* jsonSink, yield* progressSink(false)]) yield* sink.listen({ at: "now", event })
  }).pipe(Effect.provide(Layer.merge(output, signals)))
  return { json: stdout.text(), progress: stderr.text() }
})

const id = { round: 1, task: "T", uid: "call-1" }

describe("an event with a secret", () => {
  for (const [name, secret] of Object.entries(secrets)) {
    nodeTest(`is printed without it: ${name}`, function* () {
      const text = `TOKEN=${secret}\n\tafter`
      const message = yield* printed({ type: "message", level: "warning", text })
      const call = { uid: "call-1", name: "run_command", arguments: { command: text } }
      const started = yield* printed({ type: "tool.started", id, call, risk: "high", targets: [text] })
      for (const said of [message.json, message.progress, started.json, started.progress]) {
        for (const line of secret.split(/\s+/).filter((part) => part.length > 16)) expect(said).not.toContain(line)
      }
      expect([message.json, message.progress, started.json].every((said) => said.includes(redacted))).toBe(true)
      expect(JSON.parse(message.json)).toMatchObject({ text: `TOKEN=${redacted}\n\tafter` })
    })
  }
})

for (const isTTY of [true, false]) {
  nodeTest(`an answer with a secret is printed without it ${isTTY ? "on a terminal" : "to a file"}`, function* () {
    const secret = Object.values(secrets).find((one) => !/\s/.test(one)) ?? ""
    const [stdout, stderr] = [textCollector(), textCollector()]
    Object.assign(stdout.stream, { isTTY })
    const output = Output.layerOf({ env: {}, stdin: {}, stdout: stdout.stream, stderr: stderr.stream })
    yield* Effect.provide(printAnswer(`The key is ${secret}.`, false), output)
    expect(stdout.text()).not.toContain(secret)
    expect(stdout.text()).toContain(redacted)
  })
}

plain("an error that quotes a secret is printed without it", async () => {
  const sandbox = inProcess(makeSandbox())
  for (const secret of Object.values(secrets).filter((one) => !/\s/.test(one))) {
    const wrong = await sandbox.run(["show", secret])
    expect([wrong.code === 0, wrong.stderr.includes(secret)]).toEqual([false, false])
    expect(wrong.stderr).toContain(redacted)
  }
  sandbox.remove()
})
