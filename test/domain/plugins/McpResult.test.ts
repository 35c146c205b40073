import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { mcpData, type McpPart, type McpResult } from "../../../src/domain/plugins/McpTool.ts"
import { ToolFailure } from "../../../src/domain/tools/ToolCall.ts"

const text = (said: string): McpPart => ({ _tag: "Text", text: said })

const dataOf = (given: Partial<McpResult>) =>
  mcpData("say", { parts: [], structured: undefined, isError: false, ...given })

const failure = (message: string) => Result.fail(new ToolFailure({ type: "internal_error", message }))

describe("the data of a server's result", () => {
  it("is its text, with what a model cannot read named by type and size", () => {
    const parts: ReadonlyArray<McpPart> = [
      text("One."),
      { _tag: "Binary", kind: "image", type: "image/png", size: 12 },
      { _tag: "Link", uri: "file:///a", name: "a" },
      { _tag: "Resource", uri: "file:///b", text: "the text of b" },
      { _tag: "Blob", uri: "file:///c", type: "application/zip", size: 9 }
    ]
    assert.deepStrictEqual(
      dataOf({ parts }),
      Result.succeed(
        [
          "One.",
          "[image image/png, 12 bytes, not shown]",
          "[link a: file:///a]",
          "[resource file:///b]\nthe text of b",
          "[resource file:///c, application/zip, 9 bytes, not shown]"
        ].join("\n")
      )
    )
  })

  it("is its structured content when the text says the same or nothing", () => {
    const structured = { a: 1, b: [true] }
    assert.deepStrictEqual(dataOf({ structured }), Result.succeed(structured))
    assert.deepStrictEqual(dataOf({ structured, parts: [text('{ "b": [true], "a": 1 }')] }), Result.succeed(structured))
  })

  it("is both when they differ", () => {
    const structured = { a: 1 }
    assert.deepStrictEqual(
      dataOf({ structured, parts: [text("It is one.")] }),
      Result.succeed({ text: "It is one.", structured })
    )
  })

  it("is a failure with the server's words, bounded, when the server says so", () => {
    assert.deepStrictEqual(
      dataOf({ isError: true, parts: [text(" No such city. ")] }),
      failure("The tool say failed: No such city.")
    )
    assert.deepStrictEqual(dataOf({ isError: true }), failure("The tool say failed: it gave no reason."))
    assert.deepStrictEqual(
      dataOf({ isError: true, parts: [text("x".repeat(3000))] }),
      failure(`The tool say failed: ${"x".repeat(2000)}`)
    )
  })
})
