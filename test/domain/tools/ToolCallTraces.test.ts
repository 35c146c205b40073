import { describe, expect, it } from "@effect/vitest"
import { holdsCall, mentionsCall } from "../../../src/domain/tools/ToolCallTraces.ts"

describe("traces of calls", () => {
  it("are found in a call that breaks off, when its signs stand in the order of a call", () => {
    expect(holdsCall('{"name": "read_file", "arguments": {"path": "a')).toBe(true)
    expect(holdsCall('"arguments": {"name": "a')).toBe(false)
    expect(mentionsCall("so I use {name: read_file}")).toBe(true)
    expect(mentionsCall("the name: a {b}")).toBe(false)
  })

  /* With the cube or the square of the length they take minutes. */
  it("are looked for in linear time", () => {
    expect(holdsCall('{"name": "read_file"\n```json\n'.repeat(4000))).toBe(false)
    expect(mentionsCall("{ <\n".repeat(100_000))).toBe(false)
  })
})
