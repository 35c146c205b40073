import * as Cause from "effect/Cause"
import { describe, expect, it } from "vitest"
import { causeText } from "../../../src/services/tools/ForeignCode.ts"

const trap = (): never => {
  throw new Error("the trap")
}

const withGetter = (name: string, get: () => unknown): Error => Object.defineProperty(new Error("x"), name, { get })

const revoked = (): unknown => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

describe("what code of a plugin throws", () => {
  const unread = "an error that cannot be read was thrown"
  const noError = "a value that is not an error was thrown"
  it.each<[string, unknown, string]>([
    ["an error", new Error("no rain"), "no rain"],
    ["an error with a cause", new TypeError("fetch failed", { cause: new Error("refused") }), "fetch failed: refused"],
    ["an object with a message", { message: "too late" }, "too late"],
    ["an object with a tag", { _tag: "NoCity", code: 4 }, "NoCity"],
    ["another object", { code: 4 }, noError],
    ["a text", "no such city", "no such city"],
    ["null", null, "null"],
    ["several lines", new Error("one\ntwo"), "one"],
    ["no message", new TypeError(""), "TypeError"],
    ["a message that throws", withGetter("message", trap), unread],
    ["a name that throws", Object.defineProperty(new Error(""), "name", { get: trap }), unread],
    ["a message that is a number", withGetter("message", () => 5), "5"],
    ["a message that is a symbol", withGetter("message", () => Symbol("s")), unread],
    ["a message whose toString throws", withGetter("message", () => ({ toString: trap })), unread],
    ["a message that is null", withGetter("message", () => null), "null"],
    ["a proxy whose prototype throws", new Proxy({}, { getPrototypeOf: trap }), unread],
    ["a proxy that traps every read", new Proxy(new Error("x"), { get: trap }), unread],
    ["a revoked proxy", revoked(), unread],
    ["an object whose toString throws", { toString: trap }, noError],
    ["a function whose toString throws", Object.assign(() => {}, { toString: trap }), noError],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["nothing", undefined, "undefined"]
  ])("is told in one line for %s", (_, thrown, text) => {
    expect(causeText(Cause.die(thrown))).toBe(text)
    expect(causeText(Cause.fail(thrown))).toBe(text)
  })
})
