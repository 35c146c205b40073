/**
 * A server that obeys the limit of an answer: a plan that the window has room for is written to its end.
 */
import { expect, it } from "@effect/vitest"
import { join } from "node:path"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { uniformPlan, planText } from "../../bench/PlanShapes.ts"
import { startSlotServer } from "../../bench/SlotServer.ts"
import { run } from "../../src/index.ts"
import { stageName } from "../support/stageName.ts"

const answers: Readonly<Record<string, string>> = {
  creation: planText(uniformPlan(100, 5, 0)).replaceAll("Say the time.", "Say what time it is, in hours and minutes."),
  refinement: '## Tool Calls\n\n```json\n{"uid":"call-1","name":"get_file_tree","arguments":{}}\n```\n',
  execution: "## Result summary\n\nIt is done.\n",
  iteration: "## Original prompt\n\nx\n\n## Goals / summary\n\nx\n\n## Tasks\n",
  conclusion: "It is done."
}

it("a plan of 100 tasks in a window of 32768 tokens is written and done", async () => {
  expect(answers["creation"]?.split(/\s+/).length).toBeGreaterThan(2048)
  const server = await startSlotServer({
    slots: 8,
    latency: 0,
    answer: (system, user) => answers[stageName({ system, user })] ?? ""
  })
  const project = mkdtempSync(join(tmpdir(), "long-answers-"))
  try {
    const given = { project, model: "bench", host: server.url, parallel: 8, contextWindow: 32_768, keep: false }
    const { message, results, status } = await run({ prompt: "Tell the time.", ...given }).report
    expect([status, message, results.length]).toEqual(["done", "", 100])
  } finally {
    await server.close()
    rmSync(project, { recursive: true })
  }
})
