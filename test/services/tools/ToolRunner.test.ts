import { expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { type ToolResult, ToolFailure } from "../../../src/domain/tools/ToolCall.ts"
import { PageFetch } from "../../../src/services/tools/HostServices.ts"
import { definePlugin, tool } from "../../../src/services/tools/Plugin.ts"
import { Activities } from "../../../src/services/journal/Activities.ts"
import { WebFetch } from "../../../src/services/tools/WebFetch.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import type { EventLog } from "../../support/EventLog.ts"
import { passTime } from "../../support/passTime.ts"
import { acting } from "../../support/actingPlugin.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { callOf, openTools } from "../../support/OpenTools.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"

const metadata = { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0 }
const failed = (error_type: ToolResult["error_type"], error_message: string): ToolResult => ({
  success: false,
  data: null,
  error_message,
  error_type,
  metadata
})

/** Gives what foreign code may return although its type forbids it. */
const giving = (value: unknown) => () => Effect.succeed(value as Schema.Json)

const typesOf = (log: EventLog["Service"]) => log.events().map(({ type }) => type)

const nested = (depth: number): Schema.Json => {
  let value: Schema.Json = []
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

const notJson = (fault: string) => `The tool act returned what is not JSON: ${fault}. This is a fault of the tool.`

const crashed = (why: string) => `The tool act of acting crashed: ${why}`

nodeTest("puts the data into the envelope with its size and the time it took", function* () {
  const started = yield* Deferred.make<void>()
  const act = () =>
    Deferred.succeed(started, undefined).pipe(Effect.andThen(Effect.sleep("250 millis")), Effect.as({ text: "ä" }))
  const { log, run } = yield* openTools({ plugins: [acting(act)] })
  yield* TestClock.adjust("1 minute")
  const running = yield* Effect.forkChild(run("act"))
  yield* Deferred.await(started)
  yield* TestClock.adjust("250 millis")
  const result: ToolResult = {
    success: true,
    data: { text: "ä" },
    error_message: null,
    error_type: "none",
    metadata: { execution_time_ms: 250, data_size_bytes: 18, timestamp: 60_250 }
  }
  expect(yield* Fiber.join(running)).toStrictEqual(result)
  const id = { round: 1, task: "T", uid: "call-1" }
  expect(log.events()).toStrictEqual([
    { type: "tool.started", id, call: callOf("act"), risk: "safe", targets: [] },
    { type: "tool.finished", id, name: "act", result }
  ])
})

const cyclic: Record<string, unknown> = {}
cyclic["self"] = cyclic
const throwing = {
  get value(): never {
    throw new Error("no value")
  }
}
type Act = () => Effect.Effect<Schema.Json, ToolFailure>
const failures: ReadonlyArray<[name: string, act: Act, message: string, type?: ToolResult["error_type"]]> = [
  [
    "what the tool says went wrong",
    () => Effect.fail(new ToolFailure({ type: "parse_error", message: "Not text." })),
    "Not text.",
    "parse_error"
  ],
  [
    "a crash, without its stack",
    () => Effect.die(new TypeError("x is undefined\n    at act.js:1")),
    crashed("x is undefined")
  ],
  [
    "a throw before the effect begins",
    () => {
      throw new Error("early")
    },
    crashed("early")
  ],
  ["a tool that interrupts itself", () => Effect.interrupt, crashed("it interrupted itself")],
  ["a cyclic value", giving(cyclic), notJson('"self" refers to an object that holds it')],
  ["a BigInt", giving({ rows: [{ total: 1n }] }), notJson('"rows[0].total" is a BigInt')],
  ["undefined", giving(undefined), notJson("it is undefined")],
  ["a key without a value", giving({ id: 1, name: undefined }), notJson('"name" is undefined')],
  ["a function", giving({ act: () => 1 }), notJson('"act" is a function')],
  ["a number that JSON has not", giving(Number.NaN), notJson("it is NaN")],
  [
    "a value that is nested too deep",
    giving(nested(100_000)),
    "The output of act is nested more than 64 levels deep; all of it was left out.",
    "output_limit"
  ],
  ["a value that throws when it is looked at", giving(throwing), crashed("no value")],
  ["a date", giving(new Date(0)), notJson("it is an object of the class Date")]
]
nodeTest.each(failures)("makes a result of %s", function* ([, act, message, type = "internal_error"]) {
  const { log, run } = yield* openTools({ plugins: [acting(act)] })
  expect(yield* run("act")).toStrictEqual(failed(type, message))
  expect(typesOf(log)).toStrictEqual(["tool.started", "tool.finished"])
})

nodeTest("makes a result of a tool that throws while saying what it touches", function* () {
  const broken = definePlugin({
    name: "broken",
    tools: Effect.succeed({
      act: tool({
        description: "Acts.",
        parameters: Schema.Struct({ how: Schema.Literals(["throw", "lie"]) }),
        risk: "safe",
        effect: "pure",
        access: ({ how }) => {
          if (how === "throw") throw new Error("no idea")
          return [JSON.parse('{ "_tag": "ReadFile" }')]
        },
        execute: () => Effect.succeed("done")
      })
    })
  })
  const { run } = yield* openTools({ plugins: [broken] })
  expect(yield* run("act", { how: "throw" })).toStrictEqual(
    failed("internal_error", "The tool act of broken crashed: no idea")
  )
  expect(yield* run("act", { how: "lie" })).toStrictEqual(
    failed("internal_error", "The tool act declares what it accesses in an invalid form. This is a fault of the tool.")
  )
})

nodeTest("makes a result of an unknown tool and of wrong arguments, without a start", function* () {
  const parameters = Schema.Struct({ times: Schema.optionalKey(Schema.Int) })
  const { log, run } = yield* openTools({ plugins: [acting(() => Effect.succeed(1), { parameters })] })
  expect((yield* run("act_now")).error_type).toBe("not_found")
  expect(yield* run("act", { times: "many" })).toStrictEqual(
    failed("validation_failed", "The arguments of act do not fit: times must be a number, but is a string.")
  )
  expect(typesOf(log)).toStrictEqual(["tool.finished", "tool.finished"])
})

nodeTest("makes a result of a denial, and the tool does not run", function* () {
  let ran = false
  const act = () =>
    Effect.sync(() => {
      ran = true
      return null
    })
  const { log, run } = yield* openTools({ plugins: [acting(act, { risk: "medium" })], approver: Approver.layerDenyAll })
  expect(yield* run("act")).toStrictEqual(
    failed("permission_denied", "Permission denied: the settings of the user do not allow act. Go on without it.")
  )
  expect(ran).toBe(false)
  expect(typesOf(log)).toStrictEqual(["approval.requested", "approval.answered", "tool.finished"])
})

nodeTest("keeps the result of a call with an effect that a denial stopped, however the tool tells it", function* () {
  const page = "https://a.example/"
  const visit = () =>
    Effect.mapError(
      Effect.flatMap(PageFetch, ({ get }) => Effect.as(get(page), null)),
      ({ type }) => new ToolFailure({ type, message: "The page is out of reach." })
    )
  const web = Layer.succeed(WebFetch)({
    get: (_url, authorizeHop = () => Effect.void) =>
      Effect.andThen(authorizeHop("https://b.example/"), Effect.die("the redirect was followed"))
  })
  const outcomes: Array<string> = []
  const activities = Layer.succeed(Activities)({
    ...(yield* Effect.provide(Activities, Activities.layerUnsaved)),
    run: ({ execute }) => Effect.onExit(execute, ({ _tag }) => Effect.sync(() => outcomes.push(_tag)))
  })
  const { run } = yield* openTools({
    plugins: [acting(visit, { effect: "once", access: [{ _tag: "FetchUrl", url: page }] })],
    approver: Approver.layerDenyAll,
    rules: [{ verdict: "allow", tool: "act" }],
    activities,
    web
  })
  expect([(yield* run("act")).error_type, outcomes]).toStrictEqual(["permission_denied", ["Success"]])
})

nodeTest("stops a tool that takes too long; waiting for an answer does not count", function* () {
  const answered = yield* Deferred.make<void>()
  const stopped = yield* Deferred.make<string>()
  const act = () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, "stopped"))
  const { run } = yield* openTools({
    plugins: [acting(act, { risk: "medium" })],
    approver: scriptedApprover({ calls: ["once"] }, Deferred.await(answered)).layer,
    limits: { toolSeconds: 2 }
  })
  const running = yield* Effect.forkChild(run("act"))
  yield* TestClock.adjust("1 hour")
  yield* Deferred.succeed(answered, undefined)
  yield* TestClock.adjust("2 seconds")
  expect(yield* Fiber.join(running)).toStrictEqual({
    ...failed("timeout", "The tool act was stopped after 2 s (limits.toolSeconds). Ask for less work in one call."),
    metadata: { execution_time_ms: 2000, data_size_bytes: 0, timestamp: 3_602_000 }
  })
  expect(yield* Deferred.await(stopped)).toBe("stopped")
})

nodeTest("says every ten seconds that a tool still runs, and has limits for single tools", function* () {
  const limits = { toolSeconds: 5, tools: { act: { seconds: 25, outputBytes: 3 } } }
  const { log, run } = yield* openTools({ plugins: [acting(() => Effect.never)], limits })
  const { error_message } = yield* passTime(run("act"), "1 second")
  expect(error_message).toContain("was stopped after 25 s (limits.tools.act.seconds).")
  const signs = log.events().flatMap((event) => (event.type === "tool.running" ? [event] : []))
  expect(signs.map(({ endsAtSeconds, name, seconds }) => [name, seconds, endsAtSeconds])).toStrictEqual([
    ["act", 10, 25],
    ["act", 20, 25]
  ])
  const large = yield* openTools({ plugins: [acting(() => Effect.succeed("four"))], limits })
  expect((yield* large.run("act")).error_message).toContain("3 are allowed (limits.tools.act.outputBytes)")
})

nodeTest("leaves out an output that is too large and says how large it is", function* () {
  const { run } = yield* openTools({
    plugins: [acting(() => Effect.succeed("ä".repeat(6)))],
    limits: { toolOutputBytes: 11 }
  })
  expect(yield* run("act")).toStrictEqual(
    failed(
      "output_limit",
      "The output of act has 12 bytes, 11 are allowed (limits.toolOutputBytes); all of it was left out. Ask for less: a narrower path, range or pattern."
    )
  )
})

nodeTest("lets interruption reach the tool and waits for it to end", function* () {
  const started = yield* Deferred.make<void>()
  const ended: Array<string> = []
  const act = () =>
    Deferred.succeed(started, undefined).pipe(
      Effect.andThen(Effect.never),
      Effect.onInterrupt(() => Effect.sync(() => ended.push("interrupted")))
    )
  const { log, run } = yield* openTools({ plugins: [acting(act)] })
  const running = yield* Effect.forkChild(run("act"))
  yield* Deferred.await(started)
  yield* Fiber.interrupt(running)
  expect(ended).toStrictEqual(["interrupted"])
  expect(typesOf(log)).toStrictEqual(["tool.started"])
})

nodeTest("performs each call as one activity with a stable key, and takes a recorded outcome instead", function* () {
  const keys: Array<string> = []
  const recorded: ToolResult = { success: true, data: "recorded", error_message: null, error_type: "none", metadata }
  const activities = Layer.succeed(Activities)(
    Activities.of({
      run: ({ key, success }) =>
        Effect.suspend(() => {
          keys.push(key)
          return Effect.orDie(Schema.decodeEffect(success)(recorded))
        }),
      stageResult: () => Effect.succeedNone,
      runStage: (_stage, execute) => execute,
      record: (_what, look) => look
    })
  )
  const { log, run } = yield* openTools({ activities })
  expect(yield* run("get_current_time")).toStrictEqual(recorded)
  expect(keys).toStrictEqual(["round-1/tool/t/call-1"])
  expect(log.events()).toStrictEqual([])
})
