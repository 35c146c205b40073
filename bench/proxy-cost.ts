/** What the proxy for listed hosts costs a sandboxed command that does nothing: `node bench/proxy-cost.ts [TIMES]`. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { openTools } from "../test/support/OpenTools.ts"

const times = Number(process.argv[2] ?? 20)

const median = Effect.fnUntraced(function* (network: false | ReadonlyArray<string>) {
  const { run } = yield* openTools({ commands: { sandbox: { mode: "required", network } } })
  const all: Array<number> = []
  for (let at = 0; at <= times; at++) {
    const started = performance.now()
    yield* run("run_command", { argv: ["true"] })
    /** The first command is slower, because it also tests the sandbox. */
    if (at > 0) all.push(performance.now() - started)
  }
  return Math.round(all.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? 0)
}, Effect.scoped)

const measured = Effect.gen(function* () {
  const [off, listed] = [yield* median(false), yield* median(["registry.example"])]
  return `${off} ms without a network, ${listed} ms with a list of hosts (medians of ${times})`
})
console.log(await Effect.runPromise(Effect.provide(measured, NodeServices.layer)))
