/**
 * The job that is compared with peers: our two programs do it in every case within 25 lines, and so do the examples with own tools.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { doJob, linesOf, prepare } from "../../bench/peers/sameJob/run.ts"

const folder = mkdtempSync(join(tmpdir(), "task-conductor-same-job-test-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const done = '{"status":"done","value":{"file":"limits.md","rounds":5}}'

describe.each(["ours", "oursEffect"])("the program %s", (name) => {
  const peer = prepare(name, folder)

  it("has at most 25 lines", () => {
    assert.isAtMost(linesOf(peer.program), 25)
  })

  it.each([
    ["plain", done, ["grep", "read"]],
    ["malformed", done, ["grep", "read"]],
    ["misfit", done, ["grep", "read"]],
    ["denied", done, ["grep"]],
    ["endless", '{"status":"limit"}', ["grep", "grep", "grep"]]
  ])("does the job in the case %s", async (kind, printed, calls) => {
    const outcome = await doJob({ ...peer, kind })
    assert.deepStrictEqual([outcome.printed, outcome.calls], [printed, calls])
  })

  it("sends a large result in parts", async () => {
    const { largest, printed } = await doJob({ ...peer, kind: "large" })
    assert.strictEqual(printed, done)
    assert.isBelow(largest, 20_000)
  })
})

describe.each(["own-tools", "own-tools-effect"])("the example %s", (name) => {
  const program = fileURLToPath(new URL(`../../examples/${name}.ts`, import.meta.url))

  it("answers within 25 lines", async () => {
    assert.isAtMost(linesOf(program), 25)
    const { packages } = prepare("oursEffect", folder)
    const { printed, requests } = await doJob({ program, packages, kind: "plain" })
    assert.deepStrictEqual([JSON.parse(printed), requests], [{ file: "limits.md", rounds: 5 }, 3])
  })
})
