/**
 * Lets each peer do the same job, once for each case. Prints how many lines its program has, and how the job ended.
 *
 *   node bench/peers/sameJob/run.ts [--peers ours,aiSdk] [--cases plain,denied] [--packages FOLDER]
 *
 * npm installs the packages of each peer into a subfolder of FOLDER, unless they are there. Needs `npm run build`.
 */
import { execFileSync, spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { startJobServer } from "./server.ts"

interface Peer {
  /** The program of the peer, in this folder. */
  readonly program: string
  /** What npm installs for the peer. Empty for task-conductor, which is linked. */
  readonly packages: ReadonlyArray<string>
}

const framework = (name: string, packages: ReadonlyArray<string>): Peer => ({
  program: `frameworks/${name}.ts`,
  packages
})

const peers: Readonly<Record<string, Peer>> = {
  ours: { program: "ours.ts", packages: [] },
  oursEffect: { program: "oursEffect.ts", packages: [] },
  aiSdk: framework("aiSdk", ["ai@7.0.173", "@ai-sdk/openai-compatible@3.0.92", "zod@4.6.7"]),
  langGraph: framework("langGraph", [
    "langchain@1.5.14",
    "@langchain/langgraph@1.7.3",
    "@langchain/openai@1.6.0",
    "zod@4.6.7"
  ]),
  mastra: framework("mastra", ["@mastra/core@1.71.0", "zod@4.6.7"]),
  effectAi: framework("effectAi", ["@effect/ai-openai-compat@4.0.0-beta.98", "effect@4.0.0-beta.98"])
}
const cases = ["plain", "malformed", "misfit", "large", "endless", "denied", "killed"]

const here = fileURLToPath(new URL(".", import.meta.url))
const repository = fileURLToPath(new URL("../../..", import.meta.url))

const peerOf = (name: string): Peer => {
  const peer = peers[name]
  if (peer === undefined) throw new Error(`There is no peer ${name}; there are ${Object.keys(peers).join(", ")}.`)
  return peer
}

/** The lines of a program, without blank lines and one-line comments. */
export const linesOf = (file: string): number =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^(?:\/\*\*.*\*\/$|\/\/)/.test(line)).length

/** Installs the packages of a peer in this folder, unless they are there. */
const install = (name: string, folder: string): void => {
  const { packages } = peerOf(name)
  if (existsSync(join(folder, "node_modules"))) return
  mkdirSync(join(folder, "node_modules"), { recursive: true })
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }')
  if (packages.length > 0) {
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages], { cwd: folder })
    return
  }
  symlinkSync(repository, join(folder, "node_modules/task-conductor"))
  for (const own of ["effect", "zod"])
    symlinkSync(join(repository, "node_modules", own), join(folder, "node_modules", own))
}

/** How one job ended. */
interface Outcome {
  /** What the program printed, or its error. */
  readonly printed: string
  /** The tool calls that were carried out. */
  readonly calls: ReadonlyArray<string>
  readonly requests: number
  /** The length of the largest request, in characters. */
  readonly largest: number
}

/** Starts a program in its folder. */
const start = (program: string, { folder, kind, url }: { folder: string; kind: string; url: string }) => {
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    OPENAI_BASE_URL: url,
    OPENAI_API_KEY: "none",
    TASK_CONDUCTOR_MODEL: "openai:bench",
    JOB_CALLS: join(folder, "calls")
  }
  const child = spawn(process.execPath, [program, kind], { cwd: folder, env, timeout: 240_000, killSignal: "SIGKILL" })
  let [stdout, stderr] = ["", ""]
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = new Promise<string>((resolve) => {
    child.on("close", (code) => {
      const error = /\b\w*Error\b.*/.exec(stderr)?.[0] ?? stderr.trim().split("\n").at(-1) ?? ""
      resolve(code === 0 ? stdout.trim() : `fails: ${error.slice(0, 120)}`)
    })
  })
  return { child, ended }
}

interface Job {
  readonly program: string
  readonly kind: string
  /** The folder with the packages that the program imports. */
  readonly packages: string
}

/** Runs a program against the server. In the case `killed`, it is killed before the last answer and started again. */
export const doJob = async ({ kind, packages, program }: Job): Promise<Outcome> => {
  const folder = mkdtempSync(join(tmpdir(), "task-conductor-same-job-"))
  const copy = join(folder, program.startsWith(here) ? program.slice(here.length) : "program.ts")
  mkdirSync(dirname(copy), { recursive: true })
  cpSync(program, copy)
  cpSync(join(here, "job.ts"), join(folder, "job.ts"))
  for (const [name, text] of [
    ["package.json", '{ "type": "module" }'],
    ["limits.md", "A run may take 5 rounds.\n"],
    ["calls", ""]
  ] as const) {
    writeFileSync(join(folder, name), text)
  }
  symlinkSync(join(packages, "node_modules"), join(folder, "node_modules"))
  let server = await startJobServer(kind)
  try {
    let started = start(copy, { folder, kind, url: server.url })
    if (kind === "killed") {
      await Promise.race([server.held, started.ended])
      started.child.kill("SIGKILL")
      await started.ended
      server.close()
      server = await startJobServer("plain")
      started = start(copy, { folder, kind, url: server.url })
    }
    const printed = await started.ended
    const calls = readFileSync(join(folder, "calls"), "utf8").split("\n").slice(0, -1)
    return { printed, calls, ...server.seen }
  } finally {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The program of a peer, and the folder with its packages. They are installed below `folder`. */
export const prepare = (name: string, folder: string) => {
  const packages = join(folder, name)
  install(name, packages)
  return { name, program: join(here, peerOf(name).program), packages }
}

/** For example `grep ×2, read`. */
const countedCalls = (calls: ReadonlyArray<string>): string =>
  [...Map.groupBy(calls, (call) => call)]
    .map(([call, all]) => (all.length === 1 ? call : `${call} ×${all.length}`))
    .join(", ")

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      peers: { type: "string", default: Object.keys(peers).join() },
      cases: { type: "string", default: cases.join() },
      packages: { type: "string", default: join(tmpdir(), "task-conductor-same-job-packages") }
    }
  })
  const chosen = values.peers.split(",").map((name) => prepare(name, values.packages))
  for (const { name, program } of chosen) console.log(`${name}: ${linesOf(program)} lines`)
  for (const kind of values.cases.split(",")) {
    for (const { name, packages, program } of chosen) {
      const { calls, largest, printed, requests } = await doJob({ program, kind, packages })
      const seen = `${requests} requests, the largest of ${largest} characters`
      console.log(`${kind} · ${name} · ${printed} · tools: ${countedCalls(calls)} · ${seen}`)
    }
  }
}
