/**
 * Builds the model servers that the conformance table is of, starts one after another and prints the table, with versions:
 * `npm run conformance:servers -- --llama-cpp SOURCE --ollama SOURCE --gguf FILE`. See docs/internals/conformance.md.
 *
 * `SOURCE` is a checkout; what it lacks is built in it (cmake and a compiler; Go for Ollama, which runs the llama-server of the other
 * checkout). `--litellm` is the program of a litellm proxy, put before the Ollama. The model should have a real tokenizer and
 * template; its weights may be random. `--threads 1` on a machine that does other work: llama.cpp waits for threads by turning.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
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
    gguf: { type: "string" },
    window: { type: "string", default: "4096" },
    port: { type: "string", default: "18400" },
    threads: { type: "string", default: "" },
    seconds: { type: "string", default: "600" },
    servers: { type: "string", default: "" },
    only: { type: "string", default: "" }
  }
})
const [window, port, seconds] = [Number(values.window), Number(values.port), Number(values.seconds)]
const { gguf, litellm, ollama } = values
const threads = values.threads === "" ? [] : ["-t", values.threads]
const llamaCpp = values["llama-cpp"]
if (gguf === undefined || (llamaCpp === undefined && ollama === undefined)) {
  console.error("Name a model with --gguf, and the sources of servers with --llama-cpp and --ollama.")
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), "conformance-servers-"))
const build = (command: string, args: ReadonlyArray<string>, cwd: string): void => {
  console.error(`building: ${command} ${args.join(" ")}`)
  execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] })
}

/** Where the programs of llama.cpp are, built when they are not. */
const binOfLlama = (source: string): string => {
  const bin = resolve(source, "build", "bin")
  const missing = ["llama-server", "llama-quantize"].filter((name) => !existsSync(join(bin, name)))
  if (missing.length === 0) return bin
  build("cmake", ["-B", "build", "-DCMAKE_BUILD_TYPE=Release", "-DLLAMA_CURL=OFF"], source)
  build("cmake", ["--build", "build", "-j", "2", "--target", ...missing], source)
  return bin
}

/** The program of Ollama, built when it is not; it looks for llama-server in its own folder. */
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

const children: Array<ChildProcess> = []

const start = (command: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>): void =>
  void children.push(spawn(command, args, { env: { ...process.env, ...env }, stdio: "ignore" }))

/** Waits for an address that answers with 200. */
const untilReady = async (url: string): Promise<void> => {
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
  patience
})

/** Slots that are named divide the window of the server among them. */
const startLlama =
  (more: ReadonlyArray<string>, slots = 1) =>
  async (): Promise<Target> => {
    const bin = binOfLlama(llamaCpp ?? "")
    const args = [...more, "--jinja", "--port", String(port), "-c", String(slots * window), ...threads]
    start(join(bin, "llama-server"), args, { LD_LIBRARY_PATH: bin })
    await untilReady(`http://127.0.0.1:${port}/health`)
    return targetOf("openai", `http://127.0.0.1:${port}/v1`, model)
  }

const one = (slots?: number) =>
  startLlama(["-m", gguf, "--alias", model, ...(slots === undefined ? [] : ["-np", String(slots)])], slots)

/** Loads the models of a folder when they are asked for, each in a process of its own. */
const startRouter = async (): Promise<Target> => {
  const models = join(folder, "router")
  mkdirSync(models, { recursive: true })
  copyFileSync(gguf, join(models, `${model}.gguf`))
  return startLlama(["--models-dir", models])()
}

const startOllama = async (slots: number): Promise<void> => {
  const program = programOfOllama(ollama ?? "", binOfLlama(llamaCpp ?? ""))
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

const startLitellm = async (): Promise<Target> => {
  await startOllama(1)
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

const native = (slots: number) => async (): Promise<Target> => {
  await startOllama(slots)
  return targetOf("ollama", `http://127.0.0.1:${port}`, model)
}

const servers: Readonly<Record<string, () => Promise<Target>>> = {
  ...(llamaCpp === undefined
    ? {}
    : {
        "llama-server": one(),
        "llama-server -np 1": one(1),
        "llama-server -np 4": one(4),
        "llama-server as router": startRouter
      }),
  ...(ollama === undefined
    ? {}
    : {
        "Ollama, 1 slot": native(1),
        "Ollama, 4 slots": native(4),
        "Ollama /v1": async () => {
          await startOllama(1)
          return targetOf("openai", `http://127.0.0.1:${port}/v1`, model)
        },
        ...(litellm === undefined ? {} : { litellm: startLitellm })
      })
}

/** A server that is asked to end while it answers may take long: then it is ended. */
const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, "exit")
  child.kill()
  const late = setTimeout(() => child.kill("SIGKILL"), 5000)
  await exit
  clearTimeout(late)
}

const table = new Map<string, ReadonlyArray<Row>>()
try {
  for (const [name, begin] of Object.entries(servers).filter(([one]) => one.includes(values.servers))) {
    console.error(`== ${name}`)
    const target = await begin()
    const rows: Array<Row> = []
    for (const check of checks.filter((one) => one.name.includes(values.only))) {
      const row = await Effect.runPromise(runCheck(check, target, seconds))
      console.error(`${row.outcome}: ${row.name}: ${row.detail}`)
      rows.push(row)
    }
    table.set(name, rows)
    await Promise.all(children.splice(0).map(ended))
  }
} finally {
  await Promise.all(children.map(ended))
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
