import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { Prompts } from "../../../src/services/models/Prompts.ts"
import { TokenCalibration } from "../../../src/services/models/TokenCalibration.ts"
import { makeTaskPrompts } from "../../../src/services/pipeline/TaskPrompts.ts"
import { defaultSettings, RunSettings } from "../../../src/services/runs/RunSettings.ts"
import { Skills } from "../../../src/services/skills/Skills.ts"
import { ToolRegistry } from "../../../src/services/tools/ToolRegistry.ts"
import { briefing } from "../../support/OpenStages.ts"
import { layerTest } from "../../support/layerTest.ts"
import { openTools } from "../../support/OpenTools.ts"
import { leavesMachine } from "../../../src/app/providers.ts"

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
)

/** A task whose text takes so many characters more, with lines that rendering changes. */
const taskOf = (skill: string, characters: number) =>
  plainTask("Research 1", skill, `## Tasks\n${"x ".repeat(characters / 2)}.`, "A list.")

const [file, heading] = [
  { kind: "file", title: "a", href: "a.md", target: "a.md" },
  { kind: "anchor", title: "b", href: "#project-map", target: "project-map" }
] as const

describe("makeTaskPrompts", () => {
  layerTest(layerWorld, "says of a task the same, whichever tasks it was asked about before", function* () {
    const { overflow } = yield* makeTaskPrompts
    const described = { ...briefing, projectDescription: "- src\n".repeat(20) }
    const told = new Set<boolean>()
    for (const skill of ["search-code", "edit-code", "no-such-skill"]) {
      for (let characters = 0; characters <= 9000; characters += 200) {
        for (const references of [[], [file], [file, heading]]) {
          for (const known of [briefing, described]) {
            const { whatIsNeeded } = taskOf(skill, characters)
            const task = plainTask("Research 1", skill, whatIsNeeded, "A list.", { references })
            const alone = (yield* makeTaskPrompts).overflow(task, known)
            expect(overflow(task, known)).toBe(alone)
            told.add(alone === undefined)
          }
        }
      }
    }
    expect(told).toEqual(new Set([true, false]))
  })

  layerTest(
    layerWorld,
    "cuts the parts of places by nothing that was learned of the tokens of the model",
    function* () {
      const { budgetBeside, placeBudget } = yield* makeTaskPrompts
      const calibration = yield* TokenCalibration
      const task = taskOf("edit-files", 0)
      const before = { places: placeBudget(task, briefing), turns: budgetBeside(task, 1000) }
      const counted = { counted: 2000, prompt: "x".repeat(4000), isWhole: true, window: 4096 }
      yield* calibration.record(defaultSettings.model, counted)
      expect(budgetBeside(task, 1000)).toBeLessThan(before.turns)
      expect(placeBudget(task, briefing)).toEqual(before.places)
    }
  )

  layerTest(
    layerWorld,
    "leaves references more room when a task changes nothing, and most without tools",
    function* () {
      const { budgetBeside, first, referenceBudget } = yield* makeTaskPrompts
      const shareOf = (skill: string): number => {
        const task = taskOf(skill, 0)
        const { system, user } = first(task, briefing)
        return referenceBudget(task, briefing).parts / budgetBeside(task, system.length + user.length)
      }
      expect(["edit-files", "read-code", "summarize"].map((skill) => Math.round(shareOf(skill) * 100))).toEqual([
        33, 50, 75
      ])
    }
  )

  layerTest(layerWorld, "offers a task only the answers that its skill allows", function* () {
    const { first } = yield* makeTaskPrompts
    const asked = (skill: string) => {
      const { system, user } = first(taskOf(skill, 0), briefing, { goals: "All is known." })
      return {
        answers: /Answer with (.*)\.$/.exec(user)?.[1],
        tools: /^## Tools$/m.test(system),
        blocks: system.includes("<<<<<<< OLD"),
        goals: user.includes("## Goals / summary\n\nAll is known.")
      }
    }
    const shown = { tools: true, blocks: false, goals: true }
    const editing = "tool calls, changes of files, both or the report, alone or below changes"
    expect(asked("edit-files")).toEqual({ ...shown, blocks: true, answers: editing })
    expect(asked("search-code")).toEqual({ ...shown, answers: "tool calls or the report" })
    expect(asked("summarize")).toEqual({ ...shown, tools: false, answers: "the report" })
  })
})
