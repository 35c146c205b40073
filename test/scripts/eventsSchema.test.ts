/**
 * The schema of events says of the lines of `--json` what they are: those of runs and of conversations.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { RunEvent } from "../../src/domain/runs/RunEvent.ts"
import { makeSandbox } from "../support/binary.ts"
import { inProcess } from "../support/inProcess.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const schema = JSON.parse(readFileSync(join(root, "schema/events.schema.json"), "utf8"))
const line = z.fromJSONSchema(schema)

const sandbox = inProcess(makeSandbox())
afterAll(() => sandbox.remove())
sandbox.write("project/notes.md", "# Notes\n\nThe port is 8042.\n")

interface Line {
  readonly type: string
}

const linesOf = (stdout: string): ReadonlyArray<Line> =>
  stdout
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text) as Line)

const problemsOf = (lines: ReadonlyArray<Line>): ReadonlyArray<string> =>
  lines.flatMap((value) => {
    const { error } = line.safeParse(value)
    return error === undefined ? [] : [`${value.type}: ${error.message}`]
  })

describe("the schema of events", () => {
  it("fits every line of a run and of a conversation", async () => {
    const model = ["--model", "embedded", "--allow", "read_file", "--json"]
    const ran = linesOf((await sandbox.run(["run", ...model, "Where is the port?"])).stdout)
    const asked = linesOf((await sandbox.run(["ask", ...model, "Where is the port?"])).stdout)
    const types = new Set([...ran, ...asked].map(({ type }) => type))
    for (const type of [
      "run.started",
      "tool.finished",
      "task.worked",
      "task.refined",
      "ask.finished",
      "run.finished"
    ]) {
      assert.isTrue(types.has(type), type)
    }
    assert.deepStrictEqual(problemsOf([...ran, ...asked]), [])
  })

  it("refuses a line that is none", () => {
    const ended = { type: "round.finished", at: "2026-01-01T00:00:00.000Z" }
    assert.lengthOf(problemsOf([ended, { type: "run.exploded" }]), 2)
  })

  it("names every type of event, and is exported", () => {
    const types = (
      schema.anyOf as ReadonlyArray<{ readonly properties: Record<string, { readonly enum: Array<string> }> }>
    )
      .map(({ properties }) => properties["type"]?.enum[0])
      .filter((type) => type !== "task.refined")
    assert.deepStrictEqual(
      types,
      RunEvent.members.map(({ fields }) => fields.type.schema.literal)
    )
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    assert.strictEqual(manifest.exports["./events.schema.json"], "./schema/events.schema.json")
    assert.isTrue(readdirSync(join(root, "schema")).includes("events.schema.json"))
  })
})
