/**
 * Interrupts runs of the real program while a command runs. The command has started a tree of processes that ignore all
 * signals. Measures the time until the last of them has ended. In the sandbox, one of the processes has also left its
 * group and session. Linux only: processes are found in /proc.
 *
 *   node bench/cancel-times.ts [ROUNDS]
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { makeSandbox } from "../test/support/binary.ts"
import { skillOf } from "../test/support/CrashWork.ts"
import { FakeOllama } from "../test/support/FakeOllama.ts"
import { fakeModel } from "../test/support/FakeOllamaPaths.ts"
import { countProcesses } from "../test/support/ProcessTable.ts"
import { planOf, refinementWith } from "../test/support/TestRun.ts"

const rounds = Number(process.argv[2] ?? "50")
const limit = 2000
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Three processes besides the shell. They sleep for a unique number of seconds, by which they are recognised. */
const treeOf = (mark: string, leaves: boolean): string =>
  `trap "" TERM INT HUP; ${leaves ? "setsid " : ""}sleep ${mark} & (trap "" TERM; sleep ${mark}) & sleep ${mark}; wait`

const until = async (isSo: () => boolean): Promise<void> => {
  for (let turn = 0; !isSo(); turn += 1) {
    if (turn > 30_000) throw new Error("waited for five minutes")
    await pause(10)
  }
}

/** How long one process tree lived after the signal, and how long the program took to end. In ms. */
const cancelled = Effect.fnUntraced(function* (mark: string, mode: "auto" | "off", signal: "SIGINT" | "SIGTERM") {
  const argv = ["sh", "-c", treeOf(mark, mode === "auto")]
  const server = yield* FakeOllama.make(({ messages }) =>
    messages[0]?.content.includes("# Stage: creation") === true
      ? planOf([[{ name: "Wait" }]])
      : refinementWith([{ name: "run_command", arguments: { argv } }])
  )
  const sandbox = yield* Effect.acquireRelease(Effect.sync(makeSandbox), ({ remove }) => Effect.sync(remove))
  sandbox.write("config/task-conductor/skills/any/SKILL.md", skillOf("any", "run_command"))
  sandbox.write("config/task-conductor/config.json", JSON.stringify({ sandbox: { mode } }))
  const rule = mode === "auto" ? "run_command" : "run_command:(no sandbox) sh **"
  const words = ["run", "--model", fakeModel, "--yes-this-run", "--allow", rule, "Wait."]
  const { child, ended } = sandbox.start(words, { env: { OLLAMA_HOST: server.url } })
  return yield* Effect.promise(async () => {
    let early: string | undefined
    void ended.then(({ code, stderr }) => (early = `ended with ${code} before the signal: ${stderr}`))
    await until(() => early !== undefined || countProcesses(`sleep\0${mark}`) >= 3)
    if (early !== undefined) throw new Error(early)
    const begun = performance.now()
    child.kill(signal)
    const exit = ended.then(({ code }) => ({ code, took: performance.now() - begun }))
    await until(() => countProcesses(mark) === 0)
    const dead = performance.now() - begun
    const { code, took } = await exit
    return { dead, took, code }
  })
}, Effect.scoped)

const percentile = (values: ReadonlyArray<number>, part: number): string =>
  `${(values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0).toFixed(0)} ms`

const bench = Effect.gen(function* () {
  console.log(`${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}\n`)
  console.log("| commands | signal | rounds | tree dead, median | 95 % | longest | program ended, longest |")
  console.log("|---|---|---:|---:|---:|---:|---:|")
  for (const [mode, signal] of [
    ["auto", "SIGINT"],
    ["auto", "SIGTERM"],
    ["off", "SIGINT"],
    ["off", "SIGTERM"]
  ] as const) {
    const all: Array<Effect.Success<ReturnType<typeof cancelled>>> = []
    for (let round = 0; round < rounds; round += 1)
      all.push(yield* cancelled(`8641${process.pid}.${round}`, mode, signal))
    const dead = all.map((one) => one.dead)
    const took = Math.max(...all.map((one) => one.took))
    const where = mode === "auto" ? "in the sandbox" : "without the sandbox"
    const cells = [where, signal, rounds, percentile(dead, 0.5), percentile(dead, 0.95), percentile(dead, 1)]
    console.log(`| ${cells.join(" | ")} | ${took.toFixed(0)} ms |`)
    const code = signal === "SIGINT" ? 130 : 143
    if (Math.max(...dead) > limit || all.some((one) => one.code !== code)) process.exitCode = 1
  }
})

await Effect.runPromise(bench.pipe(Effect.provide(NodeServices.layer)))
