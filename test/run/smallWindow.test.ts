/**
 * A whole run on this repository with the smallest window that a server gives by default.
 */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readdirSync, readFileSync } from "node:fs"
import { EmbeddedModel } from "../../src/services/providers/embedded/EmbeddedModel.ts"
import { Pipeline } from "../../src/services/pipeline/Pipeline.ts"
import { EventLog } from "../support/EventLog.ts"
import { layerTestRun, planOf } from "../support/TestRun.ts"

const root = new URL("../../", import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), "utf8")
const sources = readdirSync(new URL("src/services/", root)).filter((name) => name.endsWith(".ts"))

const files = {
  "AGENTS.md": `${read("README.md")}\n\n${read("docs/internals/architecture.md")}`,
  ...Object.fromEntries(sources.map((name) => [`src/services/${name}`, read(`src/services/${name}`)]))
}

const prompt = "Where is the context window estimated?"
const plan = planOf([
  [
    { name: "Search 1", skill: "search-code", needed: "Search for `contextWindow`." },
    { name: "Search 2", skill: "search-code", needed: "Search for `estimateTokens`." }
  ],
  [
    {
      name: "Sum 1",
      skill: "summarize",
      references: "[one](#search-1-results) [two](#search-2-results) [project](#project-description)"
    }
  ]
])

it.effect.each([
  { name: "a plan of its own", more: {}, results: 1 },
  { name: "a given plan", more: { plan }, results: 3 }
])("completes $name with a window of 4096 tokens, and tells what it left out", ({ more, results }) =>
  Effect.gen(function* () {
    const pipeline = yield* Pipeline
    const report = yield* pipeline.run({ runId: "run-1", prompt, ...more })
    const events = (yield* EventLog).events()
    expect([report.status, report.failures]).toEqual(["done", []])
    expect(report.results.length).toBe(results)
    expect(events[0]?.type).toBe("run.started")
    expect(events[1]).toMatchObject({
      type: "message",
      level: "warning",
      text: expect.stringMatching(/^Prompts hold only the beginning of AGENTS\.md \(\d+ characters\)/)
    })
    const sizes = events.flatMap((event) => (event.type === "model.started" ? event.estimatedTokens : []))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(3072)
  }).pipe(
    Effect.provide(
      layerTestRun({ files, settings: { contextWindow: 4096, referenceBudget: 8192 } }).pipe(
        Layer.provide(EmbeddedModel.layer)
      )
    )
  )
)
