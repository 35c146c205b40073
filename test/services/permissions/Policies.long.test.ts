/** Several processes that change the remembered permissions at the same time. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { renderPolicies } from "../../../src/domain/permissions/PolicyFormat.ts"
import { Policies } from "../../../src/services/permissions/Policies.ts"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { liveTest } from "../../support/liveTest.ts"
import { makeFolder } from "../../support/Project.ts"

const script = fileURLToPath(new URL("../../support/policyProcess.ts", import.meta.url))

const start = async (args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "inherit"] })
  await once(child.stdout, "data")
  return child
}

const toolsOf = (process: number): ReadonlyArray<string> =>
  ["a", "b", "c", "d"].map((name) => `tool_${process}_${name}`)
const processes = [1, 2, 3]

const ruleOf = (tool: string) => ({ verdict: "allow", tool }) as const

/** A file that remembers these tools. */
const makeFile = (tools: ReadonlyArray<string>) =>
  Effect.map(makeFolder, (folder) => {
    mkdirSync(`${folder}/config`, { mode: 0o700 })
    const file = `${folder}/config/policies.json`
    writeFileSync(file, renderPolicies(tools.map(ruleOf)), { mode: 0o600 })
    return file
  })

const remembered = (file: string) =>
  Policies.use(({ rules }) => Effect.map(rules, (all) => all.map(({ tool }) => tool).toSorted())).pipe(
    Effect.provide(Policies.layer(file))
  )

/** Lets all processes change the file at once; returns their exit codes. */
const changeAtOnce = (what: "remember" | "revoke", file: string) =>
  Effect.promise(async () => {
    const children = await Promise.all(processes.map((one) => start([what, file, ...toolsOf(one)])))
    const ends = children.map(async (child) => (await once(child, "exit"))[0] as unknown)
    for (const child of children) child.stdin.write("go\n")
    return Promise.all(ends)
  })

describe("the file of remembered permissions", () => {
  liveTest("loses no rule that processes remember at the same time", function* () {
    const file = yield* makeFile(["read_file"])
    expect(yield* changeAtOnce("remember", file)).toEqual(processes.map(() => 0))
    expect(yield* remembered(file)).toEqual(["read_file", ...processes.flatMap(toolsOf)].toSorted())
  })

  liveTest("holds none that processes revoke at the same time", function* () {
    const file = yield* makeFile(["read_file", ...processes.flatMap(toolsOf)])
    expect(yield* changeAtOnce("revoke", file)).toEqual(processes.map(() => 0))
    expect(yield* remembered(file)).toEqual(["read_file"])
  })
})
