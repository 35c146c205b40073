/**
 * Builds the model servers that the conformance table is of, starts one after another and prints the table, with versions:
 * `npm run conformance:servers -- --llama-cpp SOURCE --ollama SOURCE --gguf FILE [--gguf FILE]`. See docs/internals/conformance.md.
 *
 * `SOURCE` is a checkout; what it lacks is built in it (cmake and a compiler; Go for Ollama, which runs the llama-server of the other
 * checkout). `--litellm` is the program of a litellm proxy, put before the Ollama; `--llama-cpp-python` a Python that has this
 * package and runs its server. The models should have real tokenizers and templates; their weights may be random. `--threads 1` on a machine that does other work: llama.cpp waits for threads by turning.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import { type Row, runCheck, type Target } from "./conformance/Check.ts"
import { checks } from "./conformance/checks.ts"

const { values } = parseArgs({
  options: {
    "llama-cpp": { type: "string" },
    ollama: { type: "string" },
    litellm: { type: "string" },
    "llama-cpp-python": { type: "string" },
    gguf: { type: "string", multiple: true },
    window: { type: "string", default: "4096" },
    port: { type: "string", default: "18400" },
    threads: { type: "string", default: "" },
    seconds: { type: "string", default: "600" },
    server: { type: "string", multiple: true, default: [] },
    only: { type: "string", multiple: true, default: [""] }
  }
})
const [window, port, seconds] = [Number(values.window), Number(values.port), Number(values.seconds)]
const { gguf: models = [], litellm, "llama-cpp-python": python, ollama } = values
const threads = values.threads === "" ? [] : ["-t", values.threads]
const llamaCpp = values["llama-cpp"]
if (models.length === 0 || llamaCpp === undefined) {
  console.error("Name a model with --gguf, and the sources of llama.cpp with --llama-cpp.")
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), "conformance-servers-"))
const build = (command: string, args: ReadonlyArray<string>, cwd: string): void => {
  console.error(`building: ${command} ${args.join(" ")}`)
  execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] })
}

/** The folder of llama.cpp's programs; builds them if missing. */
const binOfLlama = (source: string): string => {
  const bin = resolve(source, "build", "bin")
  const missing = ["llama-server", "llama-quantize"].filter((name) => !existsSync(join(bin, name)))
  if (missing.length === 0) return bin
  build("cmake", ["-B", "build", "-DCMAKE_BUILD_TYPE=Release", "-DLLAMA_CURL=OFF"], source)
  build("cmake", ["--build", "build", "-j", "2", "--target", ...missing], source)
  return bin
}

/** Ollama's program, built if missing. It looks for llama-server in its own folder. */
const programOfOllama = (source: string, bin: string): string => {
  const program = resolve(source, "ollama")
  const version = execFileSync("git", ["describe", "--tags"], { cwd: source, encoding: "utf8" })
    .trim()
    .replace(/^v/, "")
  const flag = `-X github.com/ollama/ollama/version.Version=${version}`
  if (!existsSync(program)) build("go", ["build", "-ldflags", flag, "-o", program, "."], source)
  const library = resolve(source, "build", "lib", "ollama")
  if (!existsSync(join(library, "llama-server"))) {
    mkdirSync(library, { recursive: true })
    for (const name of readdirSync(bin)) copyFileSync(join(bin, name), join(library, name))
  }
  return program
}

type Spawn = () => ChildProcess

const children = new Map<Spawn, ChildProcess>()

const start = (command: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>): void => {
  const begin: Spawn = () => spawn(command, args, { env: { ...process.env, ...env }, stdio: "ignore" })
  children.set(begin, begin())
}

/** Stops a server; one that is busy answering is killed after a while. */
const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, "exit")
  child.kill()
  const late = setTimeout(() => child.kill("SIGKILL"), 5000)
  await exit
  clearTimeout(late)
}

const endAll = (): Promise<ReadonlyArray<void>> => Promise.all([...children.values()].map(ended))

const endByHand = async (): Promise<void> => {
  await endAll()
  rmSync(folder, { recursive: true, force: true })
  process.exit(1)
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void endByHand())

/** Restarts all servers. Meanwhile clients find none, or one that loads its model. */
const restart = Effect.promise(async () => {
  await endAll()
  for (const begin of children.keys()) children.set(begin, begin())
})

/** Restart the server after a failed row that took longer than this, in milliseconds. */
const longRow = 100_000

let readyAt = ""

/** Waits until an address answers with 200. */
const untilReady = async (url: string): Promise<void> => {
  readyAt = url
  for (let tries = 0; tries < 240; tries += 1) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false
    )
    if (isReady) return
    await delay(500)
  }
  throw new Error(`nothing answers at ${url}`)
}

const model = "conformance"
const patience = seconds * 250
const targetOf = (api: Target["api"], host: string, name: string): Target => ({
  api,
  host,
  model: name,
  window,
  runWindow: window,
  patience,
  restart
})

/** Explicit slots divide the server's window among them. */
const startLlama = async (more: ReadonlyArray<string>, slots = 1): Promise<Target> => {
  const bin = binOfLlama(llamaCpp)
  const args = [...more, "--jinja", "--port", String(port), "-c", String(slots * window), ...threads]
  start(join(bin, "llama-server"), args, { LD_LIBRARY_PATH: bin })
  await untilReady(`http://127.0.0.1:${port}/health`)
  return targetOf("openai", `http://127.0.0.1:${port}/v1`, model)
}

type Start = (gguf: string) => Promise<Target>

const llama =
  (slots?: number): Start =>
  (gguf) =>
    startLlama(["-m", gguf, "--alias", model, ...(slots === undefined ? [] : ["-np", String(slots)])], slots)

/** A router that loads models of a folder on demand, each in its own process. */
const startRouter: Start = (gguf) => {
  const shown = join(folder, "router")
  mkdirSync(shown, { recursive: true })
  copyFileSync(gguf, join(shown, `${model}.gguf`))
  return startLlama(["--models-dir", shown])
}

const startPython: Start = async (gguf) => {
  const bin = binOfLlama(llamaCpp)
  const named = ["--model", gguf, "--model_alias", model, "--n_ctx", String(window), "--port", String(port)]
  const slow = values.threads === "" ? [] : ["--n_threads", values.threads]
  start(python ?? "", ["-m", "llama_cpp.server", ...named, ...slow], { LD_LIBRARY_PATH: bin, LLAMA_CPP_LIB_PATH: bin })
  await untilReady(`http://127.0.0.1:${port}/v1/models`)
  return targetOf("openai", `http://127.0.0.1:${port}/v1`, model)
}

const startOllama = async (gguf: string, slots: number): Promise<void> => {
  const program = programOfOllama(ollama ?? "", binOfLlama(llamaCpp))
  const env = {
    OLLAMA_HOST: `127.0.0.1:${port}`,
    OLLAMA_MODELS: join(folder, "models"),
    OLLAMA_NUM_PARALLEL: String(slots),
    OLLAMA_CONTEXT_LENGTH: String(window),
    HOME: folder
  }
  start(program, ["serve"], env)
  await untilReady(`http://127.0.0.1:${port}/api/version`)
  const file = join(folder, "Modelfile")
  writeFileSync(file, `FROM ${resolve(gguf)}\n`)
  execFileSync(program, ["create", model, "-f", file], { env: { ...process.env, ...env }, stdio: "ignore" })
}

const startLitellm: Start = async (gguf) => {
  await startOllama(gguf, 1)
  const file = join(folder, "litellm.yaml")
  const params = { model: `ollama_chat/${model}`, api_base: `http://127.0.0.1:${port}` }
  writeFileSync(file, JSON.stringify({ model_list: [{ model_name: model, litellm_params: params }] }))
  start(litellm ?? "", ["--config", file, "--port", String(port + 1), "--host", "127.0.0.1"], {
    HOME: folder,
    LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY: "true"
  })
  const target = targetOf("openai", `http://127.0.0.1:${port + 1}/v1`, model)
  await untilReady(`http://127.0.0.1:${port + 1}/v1/models`)
  return target
}

const native =
  (slots: number): Start =>
  async (gguf) => {
    await startOllama(gguf, slots)
    return targetOf("ollama", `http://127.0.0.1:${port}`, model)
  }

const servers: Readonly<Record<string, Start>> = {
  "llama-server": llama(),
  "llama-server -np 1": llama(1),
  "llama-server -np 4": llama(4),
  "llama-server as router": startRouter,
  ...(python === undefined ? {} : { "llama-cpp-python": startPython }),
  ...(ollama === undefined
    ? {}
    : {
        "Ollama, 1 slot": native(1),
        "Ollama, 4 slots": native(4),
        "Ollama /v1": async (gguf) => {
          await startOllama(gguf, 1)
          return targetOf("openai", `http://127.0.0.1:${port}/v1`, model)
        },
        ...(litellm === undefined ? {} : { litellm: startLitellm })
      })
}

const unknown = values.server.filter((name) => !(name in servers))
if (unknown.length > 0) {
  console.error(`--server ${unknown[0]} is none of: ${Object.keys(servers).join("; ")}.`)
  process.exit(2)
}
const chosen = Object.entries(servers).filter(([name]) => values.server.length === 0 || values.server.includes(name))

const table = new Map<string, ReadonlyArray<Row>>()
try {
  for (const gguf of models) {
    for (const [server, begin] of chosen) {
      const name = models.length === 1 ? server : `${server}, ${basename(gguf, ".gguf")}`
      console.error(`== ${name}`)
      const target = await begin(gguf)
      const rows: Array<Row> = []
      for (const check of checks.filter(({ name: row }) => values.only.some((text) => row.includes(text)))) {
        const began = performance.now()
        const row = await Effect.runPromise(runCheck(check, target, seconds))
        console.error(`${row.outcome}: ${row.name}: ${row.detail}`)
        rows.push(row)
        /* A server that does not become free would delay the next rows. */
        if (performance.now() - began > longRow && row.outcome !== "passed") {
          await Effect.runPromise(restart)
          await untilReady(readyAt)
        }
      }
      table.set(name, rows)
      await endAll()
      children.clear()
    }
  }
} finally {
  await endAll()
  rmSync(folder, { recursive: true, force: true })
}

const cell = (value: string): string => value.replaceAll("|", "\\|")
const names = [...table.keys()]
console.log(`| check | ${names.join(" | ")} |`)
console.log(`|---|${names.map(() => "---|").join("")}`)
for (const [index, { name }] of ([...table.values()][0] ?? []).entries()) {
  const outcomes = names.map((one) => {
    const row = table.get(one)?.[index]
    return row === undefined ? "" : row.outcome === "passed" ? "passed" : cell(`${row.outcome}: ${row.detail}`)
  })
  console.log(`| ${cell(name)} | ${outcomes.join(" | ")} |`)
}
process.exit([...table.values()].flat().some(({ outcome }) => outcome === "failed") ? 1 : 0)
