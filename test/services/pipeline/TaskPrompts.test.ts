import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { Prompts } from "../../../src/services/models/Prompts.ts"
import { TokenCalibration } from "../../../src/services/models/TokenCalibration.ts"
import { makeTaskPrompts } from "../../../src/services/pipeline/TaskPrompts.ts"
import { RunSettings } from "../../../src/services/runs/RunSettings.ts"
import { Skills } from "../../../src/services/skills/Skills.ts"
import { ToolRegistry } from "../../../src/services/tools/ToolRegistry.ts"
import { briefing } from "../../support/OpenStages.ts"
import { openTools } from "../../support/OpenTools.ts"
import { leavesMachine } from "../../../src/services/providers/providers.ts"

const layerRegistry = Layer.effect(
  ToolRegistry,
  Effect.map(openTools(), ({ registry }) => registry)
)

const layerWorld = Layer.mergeAll(
  Prompts.layer,
  TokenCalibration.layer,
  RunSettings.layer({ contextWindow: 4096 }),
  Skills.layer({ home: "/nowhere", project: "/nowhere" }, leavesMachine),
  layerRegistry
).pipe(Layer.provideMerge(NodeServices.layer))

/** A task whose text takes so many characters more, with lines that rendering changes. */
const taskOf = (skill: string, characters: number) =>
  plainTask("Research 1", skill, `## Tasks\n${"x ".repeat(characters / 2)}.`, "A list.")

const [file, heading] = [
  { kind: "file", title: "a", href: "a.md", target: "a.md" },
  { kind: "anchor", title: "b", href: "#project-map", target: "project-map" }
] as const

layer(layerWorld)("makeTaskPrompts", (it) => {
  it.effect("says of a task the same, whichever tasks it was asked about before", () =>
    Effect.gen(function* () {
      const { overflow } = yield* makeTaskPrompts
      const mapped = { ...briefing, projectMap: "- src\n".repeat(20) }
      const told = new Set<boolean>()
      for (const skill of ["search-code", "edit-code", "no-such-skill"]) {
        for (let characters = 0; characters <= 9000; characters += 200) {
          for (const references of [[], [file], [file, heading]]) {
            for (const known of [briefing, mapped]) {
              const task = plainTask("Research 1", skill, taskOf(skill, characters).whatIsNeeded, "A list.", {
                references
              })
              const alone = (yield* makeTaskPrompts).overflow(task, known)
              expect(overflow(task, known)).toBe(alone)
              told.add(alone === undefined)
            }
          }
        }
      }
      expect(told).toEqual(new Set([true, false]))
    })
  )

  it.effect("gives the outputs of a task the budget that its own prompt leaves", () =>
    Effect.gen(function* () {
      const { outputLines } = yield* makeTaskPrompts
      const budgets = [0, 0, 4000, 8000].map((characters) =>
        Number(outputLines(taskOf("search-code", characters), briefing, 0))
      )
      expect(budgets[0]).toBe(budgets[1])
      expect(budgets[0]).toBeGreaterThan(budgets[2] ?? 0)
      expect(budgets[2]).toBeGreaterThan(budgets[3] ?? 0)
    })
  )
})
