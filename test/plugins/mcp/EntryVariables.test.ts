import { assert, describe, it } from "@effect/vitest"
import { expandEntry, variablesOf } from "../../../src/plugins/mcp/EntryVariables.ts"

const values = new Map([
  ["HOST", "example.com"],
  ["NESTED", "${HOST}"],
  ["EMPTY", ""]
])

const program = (host: string) => ({ command: `${host}/x`, args: ["-a", host], env: { A: host }, cwd: `./${host}` })
const address = (host: string) => ({ url: `https://${host}/mcp`, headers: { "X-Key": `k ${host}` } })

describe("the variables of an entry", () => {
  it("are put into every text of a program and of an address", () => {
    for (const entry of [program, address])
      assert.deepStrictEqual(expandEntry(entry("${HOST}"), values), { entry: entry("example.com"), missing: [] })
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
