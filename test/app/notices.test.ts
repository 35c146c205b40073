import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { noticing } from "../../src/app/notices.ts"
import type { RunEvent } from "../../src/domain/runs/RunEvent.ts"
import { nodeTest } from "../support/nodeTest.ts"

const events = [
  { type: "approval.requested", title: "Raise; the \u001b[31mtimeout" },
  { type: "ask.finished", report: { status: "done" } },
  { type: "run.finished", report: { status: "failed" } }
] as unknown as ReadonlyArray<RunEvent>

const sentWith = (notice: "off" | "bell" | "osc9" | "osc777", isConversation: boolean) =>
  Effect.gen(function* () {
    const sent: Array<string> = []
    let heard = 0
    const listen = noticing(
      { notice },
      {
        listen: () => Effect.sync(() => void heard++),
        terminal: { notify: (text) => Effect.sync(() => void sent.push(text)) }
      },
      isConversation
    )
    yield* Effect.forEach(events, (event) => listen({ at: "2026-11-23T16:42:51.000Z", event }))
    assert.strictEqual(heard, events.length)
    return sent.filter((text) => text !== "")
  })

nodeTest("gives notice of questions and ends as the setting says", function* () {
  assert.deepStrictEqual(yield* sentWith("off", false), [])
  /* The question has its own bell. */
  assert.deepStrictEqual(yield* sentWith("bell", true), ["\u0007"])
  assert.deepStrictEqual(yield* sentWith("osc9", true), [
    "\u001b]9;A question waits: Raise, the \\u{1b}[31mtimeout\u0007",
    "\u001b]9;Answered: done\u0007"
  ])
  assert.deepStrictEqual(
    (yield* sentWith("osc777", false)).at(-1),
    "\u001b]777;notify;task-conductor;The run ended: failed\u0007"
  )
})
