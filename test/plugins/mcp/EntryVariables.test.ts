import { assert, describe, it } from "@effect/vitest"
import { expandEntry, variablesOf } from "../../../src/plugins/mcp/EntryVariables.ts"

const values = new Map([
  ["HOST", "example.com"],
  ["NESTED", "${HOST}"],
  ["EMPTY", ""]
])

describe("the variables of an entry", () => {
  it("are put into every text of a program and of an address", () => {
    assert.deepStrictEqual(
      expandEntry(
        { command: "${HOST}/x", args: ["-a", "${HOST}:${HOST}"], env: { A: "${HOST}" }, cwd: "./${HOST}" },
        values
      ),
      {
        entry: {
          command: "example.com/x",
          args: ["-a", "example.com:example.com"],
          env: { A: "example.com" },
          cwd: "./example.com"
        },
        missing: []
      }
    )
    assert.deepStrictEqual(
      expandEntry({ url: "https://${HOST}/mcp", headers: { "X-Key": "k ${HOST}" } }, values).entry,
      { url: "https://example.com/mcp", headers: { "X-Key": "k example.com" } }
    )
  })

  it("are expanded once: what a value holds stays as it is", () => {
    assert.strictEqual(expandEntry({ command: "${NESTED}" }, values).entry.command, "${HOST}")
  })

  it("have the default when they are not set or empty, and are missing without one", () => {
    const { entry, missing } = expandEntry(
      { command: "c", args: ["${NONE:-one}", "${EMPTY:-two}", "${NONE:-}", "${NONE}${EMPTY}${NONE}", "${HOST:-no}"] },
      values
    )
    assert.deepStrictEqual(
      [entry.args, missing],
      [
        ["one", "two", "", "", "example.com"],
        ["NONE", "EMPTY"]
      ]
    )
  })

  it("are only what has the form of one", () => {
    assert.strictEqual(
      expandEntry({ command: "$HOST ${} ${1A} ${A-B} $${HOST}" }, values).entry.command,
      "$HOST ${} ${1A} ${A-B} $example.com"
    )
  })

  it("are named each once", () => {
    assert.deepStrictEqual(variablesOf({ command: "${A}${B:-x}", args: ["${A}"], env: { C: "${D}" } }), ["A", "B", "D"])
  })
})
