/** Tools that run commands in the sandbox and without one. */
import type * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Arguments } from "../../src/domain/tools/ToolCall.ts"
import { liveTest } from "./liveTest.ts"
import { needs } from "./needs.ts"
import { openTools, type OpenTools } from "./OpenTools.ts"

export const open = (given: OpenTools = {}) =>
  Effect.map(openTools(given), (opened) => ({
    ...opened,
    command: (argv: ReadonlyArray<string>, more: Arguments = {}) =>
      opened.run("run_command", { argv: [...argv], ...more })
  }))

export const inSandbox: OpenTools = {}
export const outside: OpenTools = { commands: { sandbox: { mode: "off" } } }

/** Where commands run, how the tools are opened for it, and what the tests of it need. */
export const places = [
  ["in the sandbox", inSandbox, needs("bwrap")],
  ["without a sandbox", outside, {}]
] as const

/** A test that runs its commands in the sandbox, and one without it. */
export const testInPlaces = <A, E>(
  name: string,
  body: (given: OpenTools) => Effect.Effect<A, E, NodeServices.NodeServices | Scope.Scope>
): void => {
  for (const [where, given, needed] of places) liveTest(`${name}, ${where}`, () => body(given), needed)
}

/** An argument that no other process of this machine has. */
export const canary = (name: string): string => `canary-${name}-${process.pid}`

/** A shell script that starts a process with this argument in the background and goes on. */
export const background = (mark: string, more: string): ReadonlyArray<string> => [
  "sh",
  "-c",
  `sleep 987 ${mark}x 2>/dev/null & sh -c 'while :; do sleep 0.2; done' ${mark} & ${more}`
]
