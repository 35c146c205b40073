/**
 * Gives thirty prompts to a model that is far too small for them, and shows how each ended. The user must learn soon
 * that it failed, and nothing wrong may end as done. The files show whether a result is wrong. An answer must also
 * contain certain names.
 *
 *   npm run build
 *   node bench/real-weights.ts --server PROGRAM --weights FILE [--port 18080] [--threads 1] [--window 4096] [--only run,plan,ask]
 *     [--number N] [--seed 1] [--keep FOLDER]
 *
 * `--server` is a llama-server. `--weights` is a GGUF file of SmolLM2-135M-Instruct. The environment variables
 * LLAMA_SERVER and LLAMA_WEIGHTS can name them, too. `--keep` saves what each prompt printed. The exit code is 1 if
 * something wrong ended as done.
 */
import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Ended, makeSandbox } from "../test/support/binary.ts"
import { prompts, projectFiles, type WeightsPrompt } from "./realWeightsPrompts.ts"

const { values } = parseArgs({
  options: {
    server: { type: "string", default: process.env["LLAMA_SERVER"] ?? "" },
    weights: { type: "string", default: process.env["LLAMA_WEIGHTS"] ?? "" },
    port: { type: "string", default: "18080" },
    threads: { type: "string", default: "1" },
    window: { type: "string", default: "4096" },
    only: { type: "string", default: "run,plan,ask" },
    number: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
    keep: { type: "string" }
  }
})
if (values.server === "" || values.weights === "") {
  console.error("Name the program with --server and the weights with --weights.")
  process.exit(2)
}

/** A prompt is given up after this many seconds. That counts as a fault of the program. */
const patience = 900

const address = `http://127.0.0.1:${values.port}`

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Waits until the server has loaded the weights. */
const untilReady = async (hasEnded: () => boolean): Promise<void> => {
  for (let second = 0; second < 120; second += 1) {
    if (hasEnded()) throw new Error("The server has ended; start it by hand to see why.")
    const isReady = await fetch(`${address}/health`).then(
      ({ ok }) => ok,
      () => false
    )
    if (isReady) return
    await pause(1000)
  }
  throw new Error("The server did not become ready within two minutes.")
}

const startServer = async () => {
  const { port, server, threads, weights, window } = values
  const flags = ["--jinja", "-c", window, "-np", "1", "-t", threads, "--host", "127.0.0.1", "--port", port]
  const child = spawn(server, ["-m", weights, ...flags], { stdio: "ignore" })
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      child.kill()
      process.exit(130)
    })
  }
  await untilReady(() => child.exitCode !== null || child.signalCode !== null)
  return child
}

/** How one prompt ended. */
interface WeightsOutcome {
  readonly prompt: WeightsPrompt
  readonly status: string
  readonly code: number | string
  readonly seconds: number
  /** Why the end as done is wrong. Empty if it is right. */
  readonly wrong: string
  readonly message: string
}

interface ReportLine {
  readonly type?: string
  readonly report?: { readonly status: string; readonly answer: string; readonly message: string }
}

/** The report in the last line of `--json`. */
const reportOf = (stdout: string) => {
  const lines = stdout.trim().split("\n").toReversed()
  for (const line of lines) {
    if (!line.includes('"run.finished"')) continue
    return (JSON.parse(line) as ReportLine).report
  }
  return undefined
}

/** All prompts use one folder, so that the server remembers the common beginning of their text. */
const sandbox = makeSandbox()

const freshProject = (): void => {
  for (const folder of ["project", "home"]) {
    rmSync(join(sandbox.root, folder), { recursive: true, force: true })
    mkdirSync(join(sandbox.root, folder))
  }
  for (const [path, text] of Object.entries(projectFiles)) sandbox.write(`project/${path}`, text)
  const limits = { firstWordSeconds: 180, nextWordSeconds: 60, callSeconds: 300 }
  const settings = {
    contextWindow: Number(values.window),
    parallel: 1,
    sampling: { seed: Number(values.seed) },
    limits
  }
  sandbox.write("config/task-conductor/config.json", JSON.stringify(settings))
}

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(join(sandbox.root, "project", path), "utf8")
  } catch {
    return undefined
  }
}

const endOf = async (prompt: WeightsPrompt): Promise<WeightsOutcome> => {
  freshProject()
  const flags = prompt.command === "plan" ? [] : ["--json", "--yes"]
  const began = performance.now()
  const running = sandbox.start([prompt.command, ...flags, prompt.text], {
    env: { OPENAI_BASE_URL: `${address}/v1`, TASK_CONDUCTOR_MODEL: "openai:smollm2-135m-instruct" }
  })
  const timer = setTimeout(() => running.child.kill("SIGKILL"), patience * 1000)
  const ended: Ended = await running.ended
  clearTimeout(timer)
  const seconds = Math.round((performance.now() - began) / 1000)
  const report = prompt.command === "plan" ? undefined : reportOf(ended.stdout)
  const text = report?.answer ?? ended.stdout
  const status = report?.status ?? (ended.code === 0 ? "done" : "not done")
  const wrong = ended.code === 0 ? prompt.faultOf(text, textOf) : ""
  const message = report?.message ?? ended.stderr.trim().split("\n").at(-1) ?? ""
  if (values.keep !== undefined) {
    mkdirSync(values.keep, { recursive: true })
    writeFileSync(join(values.keep, `${prompt.command}-${prompt.number}.txt`), `${ended.stdout}\n---\n${ended.stderr}`)
  }
  return { prompt, status, code: ended.code, seconds, wrong, message: message.split("\n")[0] ?? "" }
}

const row = (cells: ReadonlyArray<string | number>): string => `| ${cells.join(" | ")} |`

const server = await startServer()
const outcomes: Array<WeightsOutcome> = []
try {
  console.log(row(["command", "prompt", "status", "exit code", "seconds", "wrong"]))
  console.log(row(Array.from({ length: 6 }, () => "---")))
  const wanted = values.only.split(",")
  for (const prompt of prompts) {
    if (!wanted.includes(prompt.command) || prompt.number > Number(values.number)) continue
    const outcome = await endOf(prompt)
    outcomes.push(outcome)
    const { code, message, seconds, status, wrong } = outcome
    console.log(row([prompt.command, prompt.text, status, code, seconds, wrong]))
    console.error(`  ${message}`)
  }
} finally {
  server.kill()
  sandbox.remove()
}

const times = outcomes.map(({ seconds }) => seconds).toSorted((one, other) => one - other)
const wrong = outcomes.filter((outcome) => outcome.wrong !== "").length
console.log(
  `\n${outcomes.length} prompts, ${times.reduce((sum, one) => sum + one, 0)} s in all, median ${times[Math.floor(times.length / 2)] ?? 0} s, longest ${times.at(-1) ?? 0} s; ${wrong} ended as done with something wrong.`
)
process.exitCode = wrong === 0 ? 0 : 1
