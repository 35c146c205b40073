/** Tools that are async functions: what they are given, what they end with, and how they are stopped. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { Access } from "../../../src/domain/tools/Access.ts"
import { ToolFailure } from "../../../src/domain/tools/ToolCall.ts"
import type { CallContext } from "../../../src/services/tools/CallContext.ts"
import { definePlugin, tool } from "../../../src/services/tools/Plugin.ts"
import { openTools } from "../../support/OpenTools.ts"
import { acting } from "../../support/actingPlugin.ts"
import { liveTest } from "../../support/liveTest.ts"

type Act = (params: { readonly text: string }, call: CallContext) => Promise<Schema.Json> | Effect.Effect<never>

const run = Effect.fnUntraced(function* (act: Act, access: ReadonlyArray<Access> = []) {
  const parameters = Schema.Struct({ text: Schema.String })
  const plugin = acting(act, { access, effect: "once", parameters })
  const { run: call } = yield* openTools({ files: { "a.txt": "one two" }, plugins: [plugin] })
  return yield* call("act", { text: "three" })
})

const within = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.timeout(work, "5 minutes")

describe("a tool that is an async function", () => {
  liveTest("uses what it was granted through the host", function* () {
    const { data, error_message } = yield* run(
      async ({ text }, { granted: [file], host }) => {
        const before = await host.readText("a.txt")
        await host.write(file)
        return [before, await host.readText("b.txt"), text]
      },
      [{ _tag: "WriteFile", path: "b.txt", content: "four" }]
    )
    expect([data, error_message]).toStrictEqual([["one two", "four", "three"], null])
  })

  liveTest("runs a command that it was granted", function* () {
    const { data } = yield* run(
      async (_, { granted: [command], host }) => host.runCommand(command),
      [{ _tag: "RunCommand", argv: ["node", "-e", "console.log('ran')"] }]
    )
    expect(data).toMatchObject({ exit_code: 0 })
  })

  liveTest("cannot do with the host what it did not declare", function* () {
    const { error_message, error_type } = yield* run(async (_, { host }) => host.readText("/etc/hostname"))
    expect(error_type).toBe("permission_denied")
    expect(error_message).toContain("the tool did not declare that it reads /etc/hostname")
    const page = yield* run(async (_, { host }) => (await host.fetchPage("http://127.0.0.1:9/")).text)
    expect(page.error_type).toBe("permission_denied")
  })

  liveTest("says with a ToolFailure of which type its failure is, whether it is thrown at once or later", function* () {
    const failure = new ToolFailure({ type: "not_found", message: "There is no such city." })
    const later = yield* run(async () => Promise.reject(failure))
    const atOnce = yield* run(() => {
      throw failure
    })
    for (const { error_message, error_type } of [later, atOnce]) {
      expect([error_type, error_message]).toStrictEqual(["not_found", "There is no such city."])
    }
  })
})

describe("an async function that is stopped", () => {
  liveTest("has its signal aborted at its limit, and ends in peace", function* () {
    let ended = ""
    const plugin = acting(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () =>
            setTimeout(() => {
              ended = "cleaned up"
              reject(new Error("aborted"))
            }, 100)
          )
        })
    )
    const tools = yield* openTools({ plugins: [plugin], limits: { toolSeconds: 1 } })
    const { error_message, error_type } = yield* within(tools.run("act"))
    expect(error_type).toBe("timeout")
    expect(error_message).not.toContain("does not end")
    expect(ended).toBe("cleaned up")
  })

  liveTest("has it aborted also when the tool is an effect", function* () {
    let isAborted = false
    const plugin = acting((_, { signal }) => {
      signal.addEventListener("abort", () => (isAborted = true))
      return Effect.never
    })
    const tools = yield* openTools({ plugins: [plugin], limits: { toolSeconds: 1 } })
    expect((yield* within(tools.run("act"))).error_type).toBe("timeout")
    expect(isAborted).toBe(true)
  })

  liveTest("is left behind when it does not look at its signal", function* () {
    let calls = 0
    const act: Act = () => (++calls === 1 ? new Promise(() => undefined) : Promise.resolve("second"))
    const tools = yield* openTools({ plugins: [acting(act)], limits: { toolSeconds: 1 } })
    const { error_message, error_type } = yield* within(tools.run("act"))
    expect(error_type).toBe("timeout")
    expect(error_message).toContain("It does not end: what it waits for goes on in the background.")
    expect((yield* within(tools.run("act"))).data).toBe("second")
  })

  liveTest("has its signal aborted when the run is interrupted", function* () {
    let isAborted = false
    const act: Act = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          isAborted = true
          reject(signal.reason)
        })
      })
    const { log, run: start } = yield* openTools({ plugins: [acting(act)] })
    const fiber = yield* Effect.forkChild(start("act"))
    while (!log.events().some(({ type }) => type === "tool.started")) yield* Effect.sleep("20 millis")
    yield* within(Fiber.interrupt(fiber))
    expect(isAborted).toBe(true)
  })
})

describe("a plugin that opens its tools in a function", () => {
  const ping = tool({
    description: "Answers.",
    parameters: { type: "object", properties: {} },
    risk: "safe",
    effect: "pure",
    execute: async () => "pong"
  })

  liveTest("has what it opened closed at the end of the run, the last first", function* () {
    const closed: Array<string> = []
    const plugin = definePlugin({
      name: "opening",
      tools: async ({ onEnd }) => {
        await Promise.resolve()
        onEnd(() => closed.push("first"))
        onEnd(async () => {
          await Promise.resolve()
          closed.push("second")
        })
        return { ping }
      }
    })
    const scope = yield* Scope.make()
    const { run: call } = yield* Scope.provide(openTools({ plugins: [plugin] }), scope)
    expect([(yield* call("ping")).data, closed]).toStrictEqual(["pong", []])
    yield* Scope.close(scope, Exit.void)
    expect(closed).toStrictEqual(["second", "first"])
  })

  liveTest("is left out when the function fails", function* () {
    const broken = definePlugin({ name: "broken", tools: async () => Promise.reject(new Error("no database")) })
    const throwing = definePlugin({
      name: "throwing",
      tools: () => {
        throw new Error("no key")
      }
    })
    const { registry } = yield* openTools({ plugins: [broken, throwing] })
    expect(registry.problems.map(({ message }) => message)).toStrictEqual([
      'The plugin "broken" is not used: it failed while loading: no database',
      'The plugin "throwing" is not used: it failed while loading: no key'
    ])
  })
})
