import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe } from "@effect/vitest"
import { builtIns } from "../../../src/app/layers.ts"
import { layerNoCommands } from "../../support/NoCommands.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { ToolRegistry } from "../../../src/services/tools/ToolRegistry.ts"
import { layerPublicWeb } from "../../../src/plugins/web/PublicWeb.ts"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import { ToolLimits } from "../../../src/services/tools/ToolLimits.ts"
import { TestClock } from "effect/testing"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools } from "../../support/OpenTools.ts"

describe("the built-in tools", () => {
  nodeTest("say the limits that the user set", () =>
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      assert.include(registry.find("fetch_url")?.errors?.["timeout"], "within 7 seconds")
      assert.include(JSON.stringify(registry.find("run_command")?.parameters), "How long it may run. Default: 9.")
    }).pipe(
      Effect.provide(
        ToolRegistry.layer([builtIns]).pipe(
          Layer.provide(Layer.succeed(ToolLimits)({ ...defaultLimits, fetchSeconds: 7, commandSeconds: 9 })),
          Layer.provide(Layer.mergeAll(Workspace.layer(import.meta.dirname), layerPublicWeb(), layerNoCommands))
        )
      )
    )
  )

  nodeTest("return the time as ISO 8601", function* () {
    const { run } = yield* openTools()
    yield* TestClock.setTime(Date.UTC(2026, 10, 21, 8, 30))
    assert.strictEqual((yield* run("get_current_time")).data, "2026-11-21T08:30:00.000Z")
  })
})
