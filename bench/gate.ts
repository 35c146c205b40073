/**
 * How long the gate takes to decide about a call with a thousand rules: `node bench/gate.ts`. The time covers making
 * the path canonical on the real disk, and `decide`. For files and for URLs.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { canonicalUrl } from "../src/domain/tools/Access.ts"
import { decide } from "../src/domain/permissions/Decision.ts"
import type { Rule, Verdict } from "../src/domain/permissions/Permission.ts"
import type { Target } from "../src/domain/permissions/TargetPattern.ts"
import * as Result from "effect/Result"
import { Workspace } from "../src/services/files/Workspace.ts"

const ruleCount = 1000
const rounds = 2000

/** Realistic patterns: exact paths, folders, endings, hosts. */
const patternOf = (index: number): string => {
  const name = `module-${index}`
  return (
    [
      `src/${name}/**`,
      `**/${name}/*.test.ts`,
      `packages/*/src/${name}.ts`,
      `/home/somebody/projects/${name}/README.md`,
      `*.${name}`,
      `https://${name}.example.com/**`
    ][index % 6] ?? name
  )
}

const verdicts: ReadonlyArray<Verdict> = ["allow", "allow", "deny", "ask"]

/** The worst case: all rules are about the tool of the call. */
const rulesOf = (tool: string): ReadonlyArray<Rule> =>
  Array.from({ length: ruleCount }, (_, index) => ({
    verdict: verdicts[index % verdicts.length] ?? "allow",
    tool,
    pattern: patternOf(index)
  }))

const percentile = (sorted: ReadonlyArray<number>, part: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(3)

/** Processor time, because elapsed time depends on how busy the machine is. */
const report = (name: string, times: ReadonlyArray<number>, processor: number): void => {
  const sorted = times.toSorted((a, b) => a - b)
  console.log(
    `${name.padEnd(12)} p50 ${percentile(sorted, 0.5)} ms   p99 ${percentile(sorted, 0.99)} ms   max ${percentile(sorted, 1)} ms   processor ${processor.toFixed(3)} ms on average`
  )
}

const measure = Effect.fnUntraced(function* (name: string, tool: string, targetOf: Effect.Effect<Target>) {
  const rules = rulesOf(tool)
  const times: Array<number> = []
  const cpu = process.cpuUsage()
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now()
    const target = yield* targetOf
    decide(rules, { tool, risk: "medium", targets: [target] })
    times.push(performance.now() - begun)
  }
  const { system, user } = process.cpuUsage(cpu)
  report(name, times, (system + user) / 1000 / rounds)
})

const bench = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.makeTempDirectoryScoped()
  const file = "packages/web/src/components/deeply/nested/folder/Button.tsx"
  yield* fs.makeDirectory(path.join(root, path.dirname(file)), { recursive: true })
  yield* fs.writeFileString(path.join(root, file), "x\n")
  yield* Effect.gen(function* () {
    const workspace = yield* Workspace
    const readTarget = Effect.map(Effect.orDie(workspace.canonical(file)), (found): Target => ({
      kind: "file",
      canonical: found.path,
      relative: path.relative(workspace.root, found.path)
    }))
    const url = "https://docs.example.com/guide/getting-started?version=4&lang=en#install"
    const fetchTarget = Effect.sync((): Target => ({
      kind: "other",
      canonical: Result.getOrThrow(canonicalUrl(url))
    }))
    console.log(`${ruleCount} rules, ${rounds} decisions each`)
    yield* measure("a file", "read_file", readTarget)
    yield* measure("a URL", "fetch_url", fetchTarget)
  }).pipe(Effect.provide(Workspace.layer(root)))
})

await Effect.runPromise(bench.pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
