/**
 * The store of remembered permissions, which is also that of the trust in plugins, when its process ends or its disk fails at
 * any step of a change: it holds the old rules or the new ones, and can be changed again.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { systemError } from "effect/PlatformError"
import { existsSync, readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { ruleText } from "../../../src/domain/permissions/Permission.ts"
import { readPolicies } from "../../../src/domain/permissions/PolicyFormat.ts"
import { Policies } from "../../../src/services/permissions/Policies.ts"
import { makeFolder } from "../../support/Project.ts"
import * as Result from "effect/Result"
import { nodeTest } from "../../support/nodeTest.ts"

/** `killed`: no step happens from then on. `failing`: the step fails, what follows works. */
type Fault = "killed" | "torn" | "failing"

/** The file system of a process that ends, or whose disk fails, at the step with this number from 1. */
const faulty = (fault: Fault, at: number) => {
  let steps = 0
  let isOver = false
  const full = systemError({ module: "FileSystem", method: "write", _tag: "Unknown", description: "ENOSPC" })
  const step = <A, E, R>(effect: Effect.Effect<A, E, R>, part: Effect.Effect<unknown, E, R> = Effect.void) =>
    Effect.suspend((): Effect.Effect<A, E, R> => {
      steps += 1
      if (isOver) return Effect.die("the process has ended")
      if (steps !== at) return effect
      if (fault === "failing") return Effect.fail(full as E)
      isOver = true
      return Effect.andThen(fault === "torn" ? Effect.ignore(part) : Effect.void, Effect.die("the process has ended"))
    })
  const made = Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (fs) =>
      FileSystem.FileSystem.of({
        ...fs,
        lstat: (path) => step(fs.lstat(path)),
        readFileString: (path, encoding) => step(fs.readFileString(path, encoding)),
        makeDirectory: (path, options) => step(fs.makeDirectory(path, options)),
        readDirectory: (path, options) => step(fs.readDirectory(path, options)),
        remove: (path, options) => step(fs.remove(path, options)),
        rename: (from, to) => step(fs.rename(from, to)),
        realPath: (path) => step(fs.realPath(path)),
        open: (path, options) =>
          Effect.map(step(fs.open(path, options)), (file) => ({
            ...file,
            stat: file.stat,
            sync: step(file.sync),
            writeAll: (bytes: Uint8Array) => step(file.writeAll(bytes), file.writeAll(bytes.subarray(0, 20)))
          }))
      })
    )
  )
  return { layer: made, steps: () => steps }
}

const old = { verdict: "allow", tool: "old_tool" } as const
const trust = { verdict: "allow", tool: "load_plugin", pattern: "words 0123" } as const

const rulesIn = (file: string): ReadonlyArray<string> =>
  existsSync(file) ? Result.getOrThrow(readPolicies(readFileSync(file, "utf8"))).map(ruleText) : []

const changes = {
  "remembers the first rule": { before: [], change: (policies: Policies["Service"]) => policies.remember(trust) },
  "remembers a rule": { before: [old], change: (policies: Policies["Service"]) => policies.remember(trust) },
  "revokes a rule": { before: [old], change: (policies: Policies["Service"]) => Effect.asVoid(policies.revoke(old)) }
} as const

const mostSteps = 40

describe("a change of remembered permissions", () => {
  describe.each(Object.entries(changes))("that %s", (_, { before, change }) => {
    for (const fault of ["killed", "torn", "failing"] as const) {
      nodeTest(`leaves the old rules or the new ones, whichever step is ${fault}`, function* () {
        const folder = yield* makeFolder
        const prepare = (name: string) =>
          Effect.gen(function* () {
            const file = join(folder, name, "policies.json")
            const policies = yield* Policies
            for (const rule of before) yield* policies.remember(rule)
            return file
          }).pipe(Effect.provide(Policies.layer(join(folder, name, "policies.json"))))
        const whole = yield* prepare("whole")
        const earlier = rulesIn(whole)
        yield* Policies.use(change).pipe(Effect.provide(Policies.layer(whole)))
        const later = rulesIn(whole)
        expect(later).not.toEqual(earlier)

        let at = 1
        for (; at < mostSteps; at += 1) {
          const file = yield* prepare(`${at}`)
          const disk = faulty(fault, at)
          yield* Effect.exit(
            Policies.use(change).pipe(Effect.provide(Policies.layer(file).pipe(Layer.provide(disk.layer))))
          )
          expect([earlier, later]).toContainEqual(rulesIn(file))
          yield* Policies.use((policies) => policies.remember(trust)).pipe(Effect.provide(Policies.layer(file)))
          expect(rulesIn(file)).toContain(ruleText(trust))
          expect(readdirSync(join(folder, `${at}`))).toEqual(["policies.json"])
          if (disk.steps() < at) break
        }
        expect(at).toBeGreaterThan(5)
        expect(at).toBeLessThan(mostSteps)
      })
    }
  })
})
