import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type BriefingParts, requestDocument } from "../../../src/domain/models/Briefing.ts"
import { builtIns } from "../../../src/app/builtIns.ts"
import { Activities } from "../../../src/services/journal/Activities.ts"
import { Gate } from "../../../src/services/permissions/Gate.ts"
import { PlanChecker, type PlanWorld } from "../../../src/services/pipeline/PlanChecker.ts"
import { References } from "../../../src/services/references/References.ts"
import { RunEvents } from "../../../src/services/runs/RunEvents.ts"
import { Prompts } from "../../../src/services/models/Prompts.ts"
import { TokenCalibration } from "../../../src/services/models/TokenCalibration.ts"
import { RunSettings } from "../../../src/services/runs/RunSettings.ts"
import { Commands } from "../../../src/services/commands/Commands.ts"
import { Skills } from "../../../src/services/skills/Skills.ts"
import { ToolRegistry } from "../../../src/services/tools/ToolRegistry.ts"
import { layerPublicWeb } from "../../../src/services/web/PublicWeb.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { makeFolder, makeProject } from "../../support/Project.ts"
import { planOf } from "../../support/TestRun.ts"

const parts: BriefingParts = { prompt: "Do it.", environment: "", projectDescription: "# Shop", openFiles: [] }
const world: PlanWorld = {
  briefing: { ...parts, requestDocument: requestDocument(parts) },
  finished: [],
  mayBeEmpty: false
}

const gate = Layer.succeed(Gate)(
  Gate.of({
    authorize: () => Effect.die("not a tool call"),
    authorizeReference: () => Effect.die("a check asks nobody"),
    authorizeStart: () => Effect.die("nothing starts"),
    resolveInDoubt: () => Effect.die("nothing is in doubt"),
    approveStep: () => Effect.die("not a step"),
    denials: Effect.succeed([]),
    wishes: Effect.succeed([]),
    foresee: () => Effect.undefined,
    asksNobody: () => Effect.succeed(true),
    mayRead: () => Effect.succeed(true),
    sessionGrants: Effect.succeed([]),
    addRule: () => Effect.void,
    addedRules: Effect.succeed([]),
    snapshot: Effect.die("not shared"),
    restore: () => Effect.die("not shared")
  })
)

const checkerOf = (project: string) =>
  Layer.unwrap(
    Effect.map(makeFolder, (home) =>
      PlanChecker.layer.pipe(
        Layer.provide(References.layer),
        Layer.provide([Activities.layerUnsaved, RunEvents.layerSilent, TokenCalibration.layer, Prompts.layer]),
        Layer.provide([
          gate,
          ToolRegistry.layer(builtIns()),
          Skills.layer({ project, home, config: home }),
          RunSettings.layer({ referenceBudget: 1000 })
        ]),
        Layer.provide([Workspace.layer(project), layerPublicWeb({ allowed: [] }), Commands.layerNone])
      )
    )
  )

const plan = planOf([
  [
    {
      name: "Read 1",
      skill: "read-code",
      references: "[one](src/a.ts) [two](src/a.ts#L1-L2) [Shop](#project-description)"
    },
    {
      name: "Read 2",
      skill: "read-code",
      references: "[mended](/src/a.ts) [missing](src/nowhere.ts) [large](large.txt)"
    }
  ],
  [
    {
      name: "Sum 1",
      skill: "summarize",
      references: "[again](src/a.ts) [first](#read-1-results) [self](#sum-1-results)"
    }
  ]
])

const files = { "src/a.ts": "one\ntwo\nthree\n", "large.txt": "x".repeat(2000) }

layer(NodeServices.layer)("a plan that was read while it was written", (it) => {
  it.effect("is checked with the same outcome, however much of it was seen", () =>
    Effect.gen(function* () {
      const project = yield* makeProject(files)
      yield* Effect.gen(function* () {
        const checker = yield* PlanChecker
        const expected = yield* checker.check(plan, world)
        expect(expected.issues.length).toBeGreaterThan(2)
        expect(expected.repairs.length).toBeGreaterThan(0)
        for (const length of [0, 40, plan.length / 2, plan.length]) {
          const ahead = yield* checker.streamingReader
          const listen = ahead.listen()
          for (const word of plan.slice(0, length).split(/(?<= )/)) listen(word)
          expect(yield* checker.check(plan, { ...world, ahead })).toEqual(expected)
        }
      }).pipe(Effect.provide(checkerOf(project)))
    })
  )
})
