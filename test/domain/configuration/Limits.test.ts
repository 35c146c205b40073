import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { mergeConfigurations, readConfiguration } from "../../../src/domain/configuration/Configuration.ts"
import { defaultLimits, limitsOf, mergeLimits } from "../../../src/domain/configuration/Limits.ts"

const read = (limits: unknown) => readConfiguration(JSON.stringify({ limits }), "project")
const problemOf = (limits: unknown) =>
  Result.match(read(limits), { onSuccess: () => "", onFailure: ([one]) => one?.what })

describe("limits", () => {
  it("of stages and tools are read, and hold before those of the run", () => {
    const given = { attempts: 2, stages: { plan: { attempts: 7 } }, tools: { search_files: { seconds: 300 } } }
    assert.isTrue(Result.isSuccess(read(given)))
    const limits = { ...defaultLimits, ...given }
    assert.strictEqual(limitsOf(limits, "plan").attempts, 7)
    assert.strictEqual(limitsOf(limits, "plan").callSeconds, defaultLimits.callSeconds)
    assert.strictEqual(limitsOf(limits, "task").attempts, 2)
  })

  it("are merged key by key, down to a stage and a tool", () => {
    const base = { rounds: 2, stages: { plan: { attempts: 1, callSeconds: 9 } }, tools: { a: { seconds: 1 } } }
    const own = { stages: { plan: { attempts: 3 }, ask: { callSeconds: 5 } }, tools: { a: { outputBytes: 2 } } }
    assert.deepStrictEqual(mergeLimits(base, own), {
      rounds: 2,
      stages: { plan: { attempts: 3, callSeconds: 9 }, ask: { callSeconds: 5 } },
      tools: { a: { seconds: 1, outputBytes: 2 } }
    })
    assert.deepStrictEqual(mergeConfigurations({ limits: base }, {}).limits, base)
    assert.deepStrictEqual(mergeConfigurations({}, { limits: own }).limits, own)
  })

  it.each([
    [{ firstWordSecond: 1 }, 'unknown key "limits.firstWordSecond". Nearest: firstWordSeconds.'],
    [{ stages: { plann: {} } }, 'unknown key "limits.stages.plann". Nearest: plan.'],
    [{ stages: { plan: { atempts: 1 } } }, 'unknown key "limits.stages.plan.atempts". Nearest: attempts.'],
    [{ stages: { plan: { rounds: 1 } } }, 'unknown key "limits.stages.plan.rounds".'],
    [{ tools: { a: { second: 1 } } }, 'unknown key "limits.tools.a.second". Nearest: seconds.'],
    [{ firstWordSeconds: 0 }, '"limits.firstWordSeconds": Expected'],
    [{ callSeconds: 3_000_000 }, '"limits.callSeconds": Expected'],
    [{ commandSeconds: 1801 }, '"limits.commandSeconds": Expected'],
    [{ busyRetries: -1 }, '"limits.busyRetries": Expected'],
    [{ tools: { a: { seconds: 0 } } }, '"limits.tools.a.seconds": Expected']
  ])("that are wrong are named: %j", (limits, what) => {
    assert.include(problemOf(limits), what)
  })

  it("of retries may be 0", () => {
    assert.isTrue(Result.isSuccess(read({ busyRetries: 0, brokenRetries: 0, unreachableRetries: 0 })))
  })
})
