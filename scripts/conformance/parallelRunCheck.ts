/**
 * A run of many independent tasks with long prompts. The server is real; a proxy replaces its text with the answers
 * of a good model, so that every task can be done.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { type FlatEvent, run } from "../../src/index.ts"
import { type Check, require, type Target } from "./Check.ts"
import { many, parallel, promptOf } from "./longPrompts.ts"
import { orderFor } from "./runCheck.ts"

/** The share of the window for the prompt's own text; the rules and tools of a task take about as much. */
const part = 0.16

const taskOf = (number: number, tokens: number): string =>
  [
    `- **Name** Part ${number}`,
    `- **What is needed** ${promptOf(number, tokens)}`,
    "- **Skill** search-code",
    "- **Expected output** One sentence."
  ].join("\n")

const planWith = (tasks: string): string =>
  `## Original prompt\n\nTell.\n\n## Goals / summary\n\nAll is told.\n\n## Tasks\n\n${tasks}`

const planFor = ({ window }: Target): string => {
  const tasks = Array.from({ length: many }, (_, index) => taskOf(index + 1, window * part))
  return planWith(`### Task section 1: tell\n\n${tasks.join("\n\n")}\n`)
}

const answers = {
  task: ["## Result summary\n\nThe loader reads each file once and keeps what it found.\n"],
  iteration: [planWith("")],
  conclusion: ["The loader reads each file once."]
}

/** The address of the proxy. */
const proxyOf = (server: string, file: string) =>
  Effect.gen(function* () {
    const script = fileURLToPath(new URL("../../bench/textProxy.ts", import.meta.url))
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [script, "--server", server, "--answers", file], {
          stdio: ["ignore", "pipe", "inherit"]
        })
      ),
      (started) => Effect.sync(() => void started.kill())
    )
    const [address] = yield* Effect.promise(() => once(child.stdout, "data") as Promise<[Buffer]>)
    return address.toString().trim()
  })

const allOf = (events: AsyncIterable<FlatEvent>) =>
  Effect.promise(async () => {
    const all: Array<FlatEvent> = []
    for await (const event of events) all.push(event)
    return all
  })

export const parallelRunChecks: ReadonlyArray<Check> = [
  {
    name: `a run of ${many} tasks, ${parallel} at a time, each with half the window`,
    check: (target) =>
      Effect.gen(function* () {
        const { openaiBaseUrl, ...order } = yield* orderFor(target, "Tell what the loader does.")
        const file = join(dirname(order.project ?? ""), "answers.json")
        writeFileSync(file, JSON.stringify(answers))
        const { origin, pathname } = new URL(target.host)
        const proxy = yield* proxyOf(origin, file)
        const server =
          openaiBaseUrl === undefined ? { host: proxy } : { openaiBaseUrl: `${proxy}${pathname.replace(/\/$/, "")}` }
        const began = performance.now()
        const handle = run({ ...order, ...server, plan: planFor(target), parallel, keep: false })
        const events = yield* allOf(handle.events)
        const { message, status } = yield* Effect.promise(() => handle.report)
        yield* require(status === "done", () => `${status}: ${message}`)
        const failed = events.flatMap((event) => (event.type === "model.failed" ? [event.message] : []))
        yield* require(failed.length === 0, () => `${failed.length} calls failed: ${failed[0]}`)
        const anew = events.flatMap((event) =>
          event.type === "message" && event.text.includes(" anew,") ? [event.text] : []
        )
        yield* require(anew.length === 0, () => anew[0] ?? "")
        const read = events.flatMap((event) =>
          event.type === "model.finished" && event.call.stage === "task" ? [event.usage.promptTokens ?? 0] : []
        )
        const mean = Math.round(read.reduce((total, tokens) => total + tokens, 0) / read.length)
        const seconds = Math.round((performance.now() - began) / 1000)
        return `all ${many} done with ${read.length} calls, ${mean} of ${target.window} tokens in a prompt, none refused, nothing loaded anew, ${seconds} s`
      }).pipe(Effect.scoped)
  }
]
