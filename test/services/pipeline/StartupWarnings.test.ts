import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RememberedRule } from "../../../src/domain/permissions/PolicyFormat.ts"
import type { SourcedRule } from "../../../src/services/permissions/Policy.ts"
import { Policies } from "../../../src/services/permissions/Policies.ts"
import { readStartupWarnings } from "../../../src/services/pipeline/StartupWarnings.ts"
import { Skills } from "../../../src/services/skills/Skills.ts"
import { ToolRegistry } from "../../../src/services/tools/ToolRegistry.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const tools = ["read_file", "write_file", "search_files"].map((name) => ({ name }))
const own = "/home/ada/.config/task-conductor/config.json"
const ofProject = "/work/shop/task-conductor.json"
const policyFile = "/home/ada/.local/state/task-conductor/policies.json"

interface Given {
  readonly rules?: ReadonlyArray<SourcedRule>
  readonly remembered?: ReadonlyArray<RememberedRule>
  readonly problems?: ReadonlyArray<{ readonly message: string }>
}

const warningsOf = ({ problems = [], remembered = [], rules = [] }: Given) =>
  Effect.result(readStartupWarnings(rules, {}, "/work/shop")).pipe(
    Effect.provide(
      Layer.mergeAll(
        Layer.succeed(ToolRegistry)({ problems, tools } as never),
        Layer.succeed(Skills)({ notes: [] } as never),
        Layer.succeed(Policies)({ file: policyFile, rejection: undefined, rules: Effect.succeed(remembered) } as never)
      )
    ),
    Effect.map((result) =>
      result._tag === "Success" ? result.success : "source" in result.failure ? result.failure.source : "no source"
    )
  )

const deny = (tool: string, source: string): SourcedRule => ({ verdict: "deny", tool, source })

describe("rules of files that name no tool", () => {
  const refused: ReadonlyArray<readonly [name: string, given: Given, source: string]> = [
    ["denied by the project", { rules: [deny("reed_file", ofProject)] }, ofProject],
    ["denied by the project, like no other", { rules: [deny("launch", ofProject)] }, ofProject],
    ["denied by the user, misspelt", { rules: [deny("wrte_file", own)] }, own],
    ["denied with a pattern", { rules: [{ ...deny("serch_files", own), pattern: "src/**" }] }, own],
    ["remembered, misspelt", { remembered: [{ verdict: "deny", tool: "read_files" }] }, policyFile],
    [
      "remembered for this project",
      { remembered: [{ verdict: "deny", tool: "reads_file", project: "/work/shop" }] },
      policyFile
    ]
  ]
  for (const [name, given, source] of refused) {
    nodeTest(`are refused when ${name}`, function* () {
      expect(yield* warningsOf(given)).toBe(source)
    })
  }

  const warned: ReadonlyArray<readonly [name: string, given: Given, warnings: number]> = [
    ["denied by the user, of another project", { rules: [deny("github__remove", own)] }, 1],
    ["allowed", { rules: [{ verdict: "allow", tool: "reed_file", source: own }] }, 1],
    [
      "denied while a plugin is left out",
      { rules: [deny("reed_file", ofProject)], problems: [{ message: "Gone." }] },
      2
    ],
    ["remembered for another project", { remembered: [{ verdict: "deny", tool: "reed_file", project: "/else" }] }, 0],
    [
      "remembered of a plugin",
      { remembered: [{ verdict: "allow", tool: "reed_file", pin: { origin: "x", definition: "y" } }] },
      0
    ]
  ]
  for (const [name, given, count] of warned) {
    nodeTest(`go on with a warning, or none, when ${name}`, function* () {
      expect(yield* warningsOf(given)).toHaveLength(count)
    })
  }
})
