/**
 * Repeats runs, conversations, checks and cancelled runs in one process. This is what an editor or a service does for
 * days. Watches what must not grow: memory after a garbage collection, open descriptors, handles of Node, child
 * processes, and files that nobody needs any more. Linux only: descriptors and processes are read from /proc.
 *
 *   node bench/long-loop.ts [--minutes 120] [--samples 24]
 *
 * The model server is a separate process. It keeps all requests, so each sample starts a new one.
 */
import * as Effect from "effect/Effect"
import { fork } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { ask, check, run, runs } from "../src/index.ts"
import { makeSandbox } from "../test/support/binary.ts"

import { answer, skillOf } from "../test/support/CrashWork.ts"
import { stageNameOf } from "../test/support/stageName.ts"
import { FakeOllama } from "../test/support/FakeOllama.ts"
import { fakeModel } from "../test/support/FakeOllamaPaths.ts"
import { refinementWith } from "../test/support/TestRun.ts"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "120" },
    samples: { type: "string", default: "24" },
    server: { type: "boolean", default: false }
  }
})

/** A command uses the sandbox. If the program leaks processes, one would remain after the command. */
const command = refinementWith([
  { name: "run_command", arguments: { argv: ["sh", "-c", "sleep 0 & echo done"] } },
  { name: "get_current_time", arguments: {} }
])

/** In the process of the server: prints its address, and answers until it is ended. */
const serve = Effect.gen(function* () {
  const server = yield* FakeOllama.make((body) => {
    const user = body.messages[1]?.content ?? ""
    if (user.includes("Never answer.")) return { text: "never", hold: "never" }
    const isClock = stageNameOf(body.messages) === "refinement" && user.includes("Tell the time")
    return isClock ? command : answer(body)
  })
  process.send?.(server.url)
  return yield* Effect.never
}).pipe(Effect.scoped)

const startServer = async () => {
  const child = fork(import.meta.filename, ["--server"], { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  const url = await new Promise<string>((resolve) => child.once("message", (text) => resolve(String(text))))
  child.disconnect()
  const end = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once("exit", resolve))
    child.kill()
    await ended
  }
  return { url, end }
}

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

const childrenOf = (): number =>
  readdirSync("/proc/self/task").reduce(
    (sum, task) => sum + readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").length - 1,
    0
  )

const filesBelow = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => !one.isDirectory()).length

const megabytes = (bytes: number): number => bytes / 1024 / 1024

const loop = async (minutes: number, samples: number): Promise<void> => {
  const sandbox = makeSandbox()
  const [project, state, temporary] = ["project", "state", "tmp"].map((name) => join(sandbox.root, name)) as [
    string,
    string,
    string
  ]
  mkdirSync(temporary)
  Object.assign(process.env, {
    HOME: join(sandbox.root, "home"),
    XDG_CONFIG_HOME: join(sandbox.root, "config"),
    XDG_STATE_HOME: join(sandbox.root, "home/state"),
    TMPDIR: temporary
  })
  const tools = "get_current_time write_file edit_file read_file run_command"
  sandbox.write("config/task-conductor/skills/any/SKILL.md", skillOf("any", tools))
  sandbox.write("config/task-conductor/skills/talk/SKILL.md", skillOf("talk", ""))
  const allow = ["write_file", "edit_file", "read_file", "run_command", "run_command:(no sandbox) sh **"]
  const document = readFileSync(new URL("../test/fixtures/README.md", import.meta.url), "utf8")
  let server = await startServer()
  const common = () => ({ project, stateFolder: state, host: server.url, model: fakeModel, allow })
  const counts = { runs: 0, calls: 0, conversations: 0, cancelled: 0, wrong: 0 }

  const round = async (): Promise<void> => {
    rmSync(project, { recursive: true })
    mkdirSync(project)
    writeFileSync(join(project, "notes.md"), "# Notes\n")
    writeFileSync(join(project, "other.md"), "# Other\n")
    const report = await run({ ...common(), prompt: "Do the twelve tasks." }).report
    counts.runs += 1
    counts.calls += report.results.reduce((sum, { calls }) => sum + calls.length, 0)
    const failed = report.results.flatMap(({ calls }) => calls).filter(({ result }) => !result.success).length
    const told = await ask({ ...common(), messages: ["Say something.", "And once more."] }).answers
    counts.conversations += 1
    check(document)
    if (report.status !== "done" || failed > 0 || told.at(-1)?.answer !== "All is done.") {
      counts.wrong += 1
      console.error(report.status, report.message, failed, told.at(-1)?.answer)
    }
    const cancelled = run({ ...common(), prompt: "Never answer." })
    for await (const { type } of cancelled.events) {
      if (type === "model.started") break
    }
    await cancelled.interrupt()
    counts.cancelled += 1
    await runs({ stateFolder: state })
    rmSync(join(state, "runs"), { recursive: true, force: true })
  }

  const sample = async (since: number) => {
    const before = server
    server = await startServer()
    await before.end()
    /** Connections to the old server close in a later turn of the event loop. */
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      collect()
    }
    const { heapUsed, rss } = process.memoryUsage()
    return {
      minutes: (performance.now() - since) / 60_000,
      rss: megabytes(rss),
      heap: megabytes(heapUsed),
      descriptors: readdirSync("/proc/self/fd").length,
      resources: process.getActiveResourcesInfo().length,
      children: childrenOf(),
      temporary: filesBelow(temporary),
      kept: filesBelow(state) + filesBelow(join(sandbox.root, "home"))
    }
  }

  console.log(`${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${minutes} minutes`)
  console.log(
    "| minutes | runs | calls of tools | conversations | cancelled | wrong | memory | heap | descriptors | handles | processes | temporary files | files of the user |"
  )
  console.log("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
  const begun = performance.now()
  const seen: Array<Awaited<ReturnType<typeof sample>>> = []
  for (let index = 1; index <= samples; index += 1) {
    do await round()
    while (performance.now() - begun < (index / samples) * minutes * 60_000)
    const now = await sample(begun)
    seen.push(now)
    const cells = [
      now.minutes.toFixed(1),
      ...Object.values(counts),
      `${now.rss.toFixed(0)} MB`,
      `${now.heap.toFixed(1)} MB`
    ]
    console.log(`| ${[...cells, now.descriptors, now.resources, now.children, now.temporary, now.kept].join(" | ")} |`)
  }
  await server.end()
  sandbox.remove()

  /** In the first quarter, caches fill and code is compiled. After that, the figures must not grow. */
  const [first, last] = [seen[Math.floor(samples / 4)], seen.at(-1)]
  if (first === undefined || last === undefined) return
  const hours = (last.minutes - first.minutes) / 60
  const grown = (key: "heap" | "rss"): string => ((last[key] - first[key]) / hours).toFixed(1)
  console.log(`after the first quarter: heap ${grown("heap")} MB an hour, memory ${grown("rss")} MB an hour`)
  const isFlat =
    last.heap < first.heap * 1.1 &&
    last.descriptors <= first.descriptors &&
    last.resources <= first.resources &&
    last.children <= first.children &&
    last.temporary === 0 &&
    last.kept <= first.kept
  if (!isFlat || counts.wrong > 0) process.exitCode = 1
}

if (values.server) await Effect.runPromise(serve)
else await loop(Number(values.minutes), Number(values.samples))
