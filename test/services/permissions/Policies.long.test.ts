/** Several processes that change the remembered permissions at the same time, and processes that die at it. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { renderPolicies } from "../../../src/domain/permissions/PolicyFormat.ts"
import { Policies } from "../../../src/services/permissions/Policies.ts"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { makeFolder } from "../../support/Project.ts"

const script = fileURLToPath(new URL("../../support/policyProcess.ts", import.meta.url))
const lockScript = fileURLToPath(new URL("../../support/lockProcess.ts", import.meta.url))

const start = async (path: string, args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [path, ...args], { stdio: ["pipe", "pipe", "inherit"] })
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
    const children = await Promise.all(processes.map((one) => start(script, [what, file, ...toolsOf(one)])))
    const ends = children.map(async (child) => (await once(child, "exit"))[0] as unknown)
    for (const child of children) child.stdin.write("go\n")
    return Promise.all(ends)
  })

layer(NodeServices.layer, { excludeTestServices: true })("the file of remembered permissions", (it) => {
  it.effect("loses no rule that processes remember at the same time", () =>
    Effect.gen(function* () {
      const file = yield* makeFile(["read_file"])
      expect(yield* changeAtOnce("remember", file)).toEqual(processes.map(() => 0))
      expect(yield* remembered(file)).toEqual(["read_file", ...processes.flatMap(toolsOf)].toSorted())
    })
  )

  it.effect("holds none that processes revoke at the same time", () =>
    Effect.gen(function* () {
      const file = yield* makeFile(["read_file", ...processes.flatMap(toolsOf)])
      expect(yield* changeAtOnce("revoke", file)).toEqual(processes.map(() => 0))
      expect(yield* remembered(file)).toEqual(["read_file"])
    })
  )

  it.effect("can be changed again when a process died that held it, and keeps nothing that it left", () =>
    Effect.gen(function* () {
      const file = yield* makeFile(["read_file"])
      const folder = file.slice(0, file.lastIndexOf("/"))
      const holder = yield* Effect.promise(() => start(lockScript, ["hold", `policies ${file}`, folder]))
      writeFileSync(`${file}.abc.tmp`, "half")
      const ended = once(holder, "exit")
      holder.kill("SIGKILL")
      yield* Effect.promise(() => ended)
      const change = Policies.use((policies) => policies.revoke(ruleOf("read_file")))
      expect(yield* Effect.provide(change, Policies.layer(file))).toBe(true)
      expect(readdirSync(folder)).toEqual(["policies.json"])
    })
  )
})
