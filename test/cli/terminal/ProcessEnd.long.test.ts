/** The end of a process in which threads go on. */
import { spawn } from "node:child_process"
import { assert, it } from "@effect/vitest"

const module = new URL("../../../src/cli/terminal/ProcessEnd.ts", import.meta.url).href

const query = "with recursive t(n) as (select 1 union all select n + 1 from t) select count(*) from t where n < 0"

const threads: ReadonlyArray<readonly [name: string, code: string]> = [
  ["waits", "setInterval(() => undefined, 1000)"],
  ["is in JavaScript that never ends", "for (;;);"],
  [
    "is in native code that never ends",
    `const { DatabaseSync } = require("node:sqlite"); new DatabaseSync(":memory:").prepare(${JSON.stringify(query)}).get()`
  ]
]

/** Starts the threads, and ends with this exit code. */
const program = (codes: ReadonlyArray<string>) => `
  import { Worker } from "node:worker_threads"
  const { watchThreads } = await import(${JSON.stringify(module)})
  const end = watchThreads()
  process.on("exit", (code) => console.log("exit", code))
  for (const code of ${JSON.stringify(codes)}) {
    const worker = new Worker('require("node:worker_threads").parentPort.postMessage("begun");' + code, { eval: true, execArgv: [] })
    await new Promise((begun) => worker.once("message", begun))
  }
  await new Promise((later) => setTimeout(later, 100))
  end(7)`

const exitOf = (codes: ReadonlyArray<string>): Promise<readonly [code: number | null, out: string]> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", program(codes)])
    let out = ""
    child.stdout.on("data", (text: Buffer) => (out += text.toString()))
    const late = setTimeout(() => child.kill("SIGKILL"), 300_000)
    child.on("close", (code) => {
      clearTimeout(late)
      resolve([code, out])
    })
  })

it.each(threads)("has the exit code of the work while a thread %s", async (_, code) =>
  assert.deepStrictEqual(await exitOf([code]), [7, "exit 7\n"])
)

it("has it without threads, and with several", async () => {
  assert.deepStrictEqual(await exitOf([]), [7, "exit 7\n"])
  assert.deepStrictEqual(await exitOf(threads.map(([, code]) => code)), [7, "exit 7\n"])
})
