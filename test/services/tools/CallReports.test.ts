/** What tools report while their calls go on. */
import { assert, describe } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { resultText } from "../../../src/domain/models/OutputText.ts"
import type { CallContext } from "../../../src/services/tools/CallContext.ts"
import { openTools } from "../../support/OpenTools.ts"
import { acting } from "../../support/actingPlugin.ts"
import { liveTest } from "../../support/liveTest.ts"

const reporting = (act: (call: CallContext) => Promise<Schema.Json>) =>
  Effect.gen(function* () {
    const { log, run } = yield* openTools({ plugins: [acting((_, call) => act(call))] })
    const result = yield* run("act")
    const progress = log.events().flatMap((event) => (event.type === "tool.progress" ? [event] : []))
    return { result, progress: progress.map(({ id: _id, name: _name, type: _type, ...far }) => far) }
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

describe("progress of a call", () => {
  liveTest("is an event at once, and the latest again after a second", function* () {
    const { progress, result } = yield* reporting(async (call) => {
      call.progress("opening\u001b[2J it")
      await pause(50)
      for (let done = 0; done < 1000; done += 1) call.progress({ done, total: 1000, text: "pages" })
      await pause(1500)
      return "read"
    })
    assert.strictEqual(result.data, "read")
    assert.deepStrictEqual(progress.slice(1), [{ done: 999, total: 1000, text: "pages" }])
    assert.match(progress[0]?.text ?? "", /^opening.* it$/)
    assert.notInclude(progress[0]?.text, "\u001b")
  })

  liveTest("may be anything that JavaScript passes, and harms nothing", function* () {
    const { progress, result } = yield* reporting(async (call) => {
      const say = call.progress as (given: unknown) => void
      for (const given of [undefined, null, 3, {}, [], { done: Number.NaN, total: 3 }, { text: 4 }]) say(given)
      await pause(50)
      return null
    })
    assert.deepStrictEqual([result.success, progress], [true, []])
  })
})

describe("notes of a call", () => {
  liveTest("are kept with its result, whether it succeeds or fails, and no model is shown them", function* () {
    const well = yield* reporting(async ({ log }) => {
      log("opened the file")
      log("12 rows")
      return "done"
    })
    assert.deepStrictEqual(well.result.log, ["opened the file", "12 rows"])
    assert.strictEqual(resultText(well.result), "done")
    const badly = yield* reporting(async ({ log }) => {
      log("no rows")
      throw new Error("empty")
    })
    assert.deepStrictEqual([badly.result.success, badly.result.log], [false, ["no rows"]])
    assert.notInclude(resultText(badly.result), "no rows")
  })

  liveTest("end where there is no room for more", function* () {
    const { result } = yield* reporting(async ({ log }) => {
      for (let count = 0; count < 30; count += 1) log("x".repeat(10_000))
      return null
    })
    assert.lengthOf(result.log ?? [], 11)
    assert.strictEqual(result.log?.at(-1), "The tool noted more, which was left out.")
  })
})
