/** Checks that several parts of a change wait for, and one that takes too long. */
import { assert, describe } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { passes } from "../../../src/domain/checks/CheckOutcome.ts"
import { liveTest } from "../../support/liveTest.ts"
import { openChecks } from "../../support/OpenChecks.ts"
import { makeFolder } from "../../support/Project.ts"

const node = process.execPath

describe("Checks", () => {
  /** Runs the checks of three parts at the same time. The first check ends when all parts have come. */
  const threeParts = Effect.fnUntraced(function* (texts: ReadonlyArray<string>, isPart = true) {
    const folder = yield* makeFolder
    const [seen, haveCome] = [`${folder}/seen.txt`, `${folder}/haveCome.txt`]
    const script = `import { appendFileSync, existsSync, readFileSync } from "node:fs"
const text = readFileSync("a.txt", "utf8")
appendFileSync(${JSON.stringify(seen)}, text.replaceAll("\\n", "") + "\\n")
if (text.includes("bad")) process.exit(1)
const wait = () => existsSync(${JSON.stringify(haveCome)}) || setTimeout(wait, 20)
wait()
`
    const { run } = yield* openChecks({
      files: { "a.txt": "1\n-\n2\n-\n3\n", "check.mjs": script },
      checks: [[node, "check.mjs"]]
    })
    // The other parts begin while the first command starts. They get several times as long as it took to start.
    const come = Effect.gen(function* () {
      const [toStart] = yield* Effect.timed(Effect.repeat(Effect.sleep("50 millis"), { until: () => existsSync(seen) }))
      yield* Effect.sleep(
        Duration.clamp(Duration.times(toStart, 3), { minimum: Duration.seconds(2), maximum: Duration.seconds(20) })
      )
      writeFileSync(haveCome, "")
    })
    yield* Effect.forkScoped(come)
    const ends = yield* Effect.forEach(
      texts,
      (text, index) => Effect.delay(run({ "a.txt": text }, 1, `T${index}`, isPart), `${index * 100} millis`),
      { concurrency: 3 }
    )
    const status = ends.map(([end]) => end !== undefined && passes(end))
    return { status, seen: readFileSync(seen, "utf8").trim().split("\n") }
  })
  const parts = ["one\n-\n2\n-\n3\n", "1\n-\ntwo\n-\n3\n", "1\n-\n2\n-\nthree\n"]

  liveTest("runs a command once for parts of a change that wait for it", function* () {
    const { seen, status } = yield* threeParts(parts)
    assert.deepStrictEqual(status, [true, true, true])
    assert.deepStrictEqual(seen, ["one-2-3", "1-two-three"])
    const apart = yield* threeParts(parts, false)
    assert.deepStrictEqual(apart.seen, ["one-2-3", "1-two-3", "1-2-three"])
  })

  liveTest("runs a command for each part of a change when it fails for several together", function* () {
    const { seen, status } = yield* threeParts([...parts.slice(0, 2), "1\n-\n2\n-\nbad\n"])
    assert.deepStrictEqual(status, [true, true, false])
    assert.deepStrictEqual(seen.slice(0, 4), ["one-2-3", "1-two-bad", "1-two-3", "1-2-bad"])
  })

  liveTest("runs a command for each part whose changes clash", function* () {
    const { seen, status } = yield* threeParts([...parts.slice(0, 2), "1\n-\nzwei\n-\n3\n"])
    assert.deepStrictEqual(status, [true, true, true])
    assert.deepStrictEqual(seen, ["one-2-3", "1-two-3", "1-zwei-3"])
  })

  liveTest("stops a check after its time, which counts as failed", function* () {
    const { run } = yield* openChecks({
      files: { "a.mjs": "setTimeout(() => {}, 60_000)\n" },
      checks: [`${node} a.mjs`],
      checkSeconds: 1
    })
    const [outcome] = yield* run({ "a.mjs": "setTimeout(() => {}, 70_000)\n" })
    assert.strictEqual(outcome?.exitCode, null)
    assert.include(outcome?.text, "limits.checkSeconds")
    assert.isFalse(outcome !== undefined && passes(outcome))
  })
})
