/**
 * A process for tests of remembered permissions: says "ready", waits for a line, then remembers or revokes a rule for each
 * tool, each through policies of its own. `remember|revoke FILE TOOL...`
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { once } from "node:events"
import { Policies } from "../../src/services/permissions/Policies.ts"

const [what, file = "", ...tools] = process.argv.slice(2)

console.log("ready")
await once(process.stdin, "data")
for (const tool of tools) {
  const rule = { verdict: "allow", tool } as const
  const change = Policies.use((policies) =>
    what === "revoke" ? policies.revoke(rule) : Effect.as(policies.remember(rule), true)
  )
  const isDone = await Effect.runPromise(
    Effect.provide(change, Layer.provide(Policies.layer(file), NodeServices.layer))
  )
  if (!isDone) throw new Error(`There was no rule for ${tool}.`)
}
process.stdin.destroy()
