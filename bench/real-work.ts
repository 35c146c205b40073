/**
 * Real work from public repositories. The built program does the work, and the project's own tests judge it. Needs git,
 * Python with pytest, Maven, and `npm run build`. `realWorkPieces.ts` has the pieces.
 *
 *   node bench/real-work.ts list
 *   node bench/real-work.ts prepare PIECE DIR [--mirror PATH]
 *   node bench/real-work.ts run PIECE DIR --host URL --model NAME [--context-window 8192] [--command run|ask]
 *   node bench/real-work.ts play PIECE DIR --host URL --model NAME [--record DIR]
 *   node bench/real-work.ts judge PIECE DIR [--record DIR]
 *   node bench/real-work.ts checks
 *
 * `prepare` makes the folder at the commit before the work, from the public repository or a bare copy of it. Only this
 * part uses the network. What the judge needs goes into `DIR.judge`, where the run cannot see it: the upstream commit,
 * and the names of the tests that fail before this commit and pass with it. A piece without such tests is refused.
 * `run` writes the events to `DIR.events.jsonl` and the state of the program to `DIR.state`.
 * `play` runs a piece on a real server. A proxy (`textProxy.ts`) replaces the text of the answers by the right steps,
 * which come from the upstream commit. So any model works, even one that writes noise. Only for pieces that tests
 * judge.
 * `checks` runs small projects whose check cannot work (`brokenChecks.ts`). Needs no model and no network.
 * `judge` works on a copy and prints one row. `--record` is a folder with what the model server saw: `req-NNN.txt` is a
 * prompt, `ans-NNN.txt` its answer. Tokens are characters / 4. Prefill is what a server with one slot must read if it
 * keeps its last prompt.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { playBrokenChecks } from "./brokenChecks.ts"
import { pieces, type ByPlaces, type Piece, type TestRunner } from "./realWorkPieces.ts"

const product = fileURLToPath(new URL("../bin/task-conductor.cjs", import.meta.url))

const fail = (message: string): never => {
  console.error(message)
  process.exit(2)
}

/** The output of a command that must succeed. */
const output = (command: string, args: ReadonlyArray<string>, cwd?: string): string => {
  const { status, stderr, stdout, error } = spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: 1e8 })
  if (status !== 0) fail(`${command} ${args.join(" ")}: ${error?.message ?? stderr}`)
  return stdout
}

/** The folders of a prepared piece. They lie beside each other. */
const foldersOf = (directory: string) => {
  const work = resolve(directory)
  return {
    work,
    upstream: `${work}.judge/upstream.git`,
    provingTests: `${work}.judge/tests.json`,
    state: `${work}.state`,
    events: `${work}.events.jsonl`
  }
}

type Folders = ReturnType<typeof foldersOf>

const withCopy = <A>(folder: string, use: (copy: string) => A): A => {
  const parent = mkdtempSync(join(tmpdir(), "real-work-"))
  try {
    const copy = join(parent, "copy")
    cpSync(folder, copy, { recursive: true, verbatimSymlinks: true })
    return use(copy)
  } finally {
    rmSync(parent, { recursive: true, force: true })
  }
}

// Tests

/** Where Maven writes its reports. */
const mavenReports = "target/surefire-reports"

/**
 * The command that runs the tests. Maven has its own folder for reports. The other runners write them to a given
 * folder.
 */
const runners: Record<TestRunner, (reports: string, piece: Piece) => readonly [string, ReadonlyArray<string>]> = {
  vitest: (reports) => ["node_modules/.bin/vitest", ["run", "--reporter=junit", `--outputFile=${reports}/junit.xml`]],
  pytest: (reports, { python }) => [
    python === undefined ? "python3" : ".venv/bin/python",
    [
      "-m",
      "pytest",
      "-q",
      "-p",
      "no:cacheprovider",
      "--continue-on-collection-errors",
      `--junitxml=${reports}/junit.xml`
    ]
  ],
  maven: () => ["mvn", ["-q", "-B", "test"]]
}

/** The tests in a JUnit report, and whether they passed. Skipped tests are left out. */
const testsOf = (xml: string): ReadonlyMap<string, boolean> =>
  new Map(
    Array.from(
      xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g),
      ([, attributes = "", body = ""]) => {
        const valueOf = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? ""
        return { name: `${valueOf("classname")} > ${valueOf("name")}`, body }
      }
    )
      .filter(({ body }) => !body.includes("<skipped"))
      .map(({ body, name }) => [name, !/<(failure|error)\b/.test(body)])
  )

const runTests = (runner: TestRunner, piece: Piece, folder: string): ReadonlyMap<string, boolean> => {
  const reports = runner === "maven" ? join(folder, mavenReports) : join(dirname(folder), "reports")
  rmSync(reports, { recursive: true, force: true })
  mkdirSync(reports, { recursive: true })
  const [command, args] = runners[runner](reports, piece)
  spawnSync(command, [...args, ...(piece.testArguments ?? [])], { cwd: folder, encoding: "utf8", timeout: 600_000 })
  return testsOf(
    readdirSync(reports)
      .filter((file) => file.endsWith(".xml"))
      .map((file) => readFileSync(join(reports, file), "utf8"))
      .join("\n")
  )
}

/**
 * Copies the tests that judge a piece into a folder. For a rename, these are the tests before the work with the new
 * name. Otherwise they come from the upstream commit.
 */
const bringTests = ({ base, judgement }: Piece, { upstream }: Folders, folder: string): void => {
  if (judgement.kind === "answer" || judgement.kind === "places") return
  const commit = judgement.kind === "tests" ? judgement.upstream : base
  for (const file of judgement.testFiles) {
    const text = output("git", ["--git-dir", upstream, "show", `${commit}:${file}`])
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(
      join(folder, file),
      judgement.kind === "rename" ? text.replaceAll(judgement.from, judgement.to) : text
    )
  }
}

const testsWithUpstream = (piece: Piece, folders: Folders, folder: string): ReadonlyMap<string, boolean> => {
  if (piece.runner === undefined) return new Map()
  bringTests(piece, folders, folder)
  return runTests(piece.runner, piece, folder)
}

/** How many lines of tracked and new files still have the old name, although it must be gone there. */
const linesWith = (folder: string, name: string, keptIn: ReadonlyArray<string>): number =>
  spawnSync("git", ["grep", "--untracked", "-nw", name, "--", ".", ...keptIn.map((file) => `:!${file}`)], {
    cwd: folder,
    encoding: "utf8"
  }).stdout.split("\n").length - 1

/** The lines that a diff without context removes or changes, by file. */
const changedLines = (diff: string): ReadonlyMap<string, ReadonlySet<number>> => {
  const files = new Map<string, Set<number>>()
  let lines = new Set<number>()
  for (const line of diff.split("\n")) {
    const file = /^--- a\/(.*)$/.exec(line)?.[1]
    if (file !== undefined) files.set(file, (lines = new Set()))
    const [, first, count = "1"] = /^@@ -(\d+)(?:,(\d+))? /.exec(line) ?? []
    if (first !== undefined) for (let at = 0; at < Number(count); at++) lines.add(Number(first) + at)
  }
  return files
}

/** The last line of a statement, where all its brackets are closed. */
const statementEnd = (lines: ReadonlyArray<string>, start: number): number => {
  let open = 0
  for (let at = start; at <= lines.length; at++) {
    const code = (lines[at - 1] ?? "").replaceAll(/(["'])(?:\\.|(?!\1).)*\1/g, "")
    open += (code.match(/[([{]/g) ?? []).length - (code.match(/[)\]}]/g) ?? []).length
    if (open <= 0) return at
  }
  return lines.length
}

/**
 * How many of the places to change were changed, and how many of the places to keep were kept. The upstream commit
 * shows which places these are.
 */
const placesOutcome = ({ base }: Piece, { folder, pattern, upstream: commit }: ByPlaces, folders: Folders): string => {
  const { upstream, work } = folders
  const git = (...args: ReadonlyArray<string>) => output("git", ["--git-dir", upstream, ...args])
  const wanted = changedLines(git("diff", "--no-renames", "-U0", base, commit, "--", folder))
  const made = changedLines(output("git", ["diff", "--no-renames", "-U0", base, "--", folder], work))
  const places = git("grep", "-nE", pattern, base, "--", folder).trim().split("\n")
  const counts = { changed: 0, toChange: 0, kept: 0, toKeep: 0 }
  for (const place of places) {
    const [, file = "", line = ""] = place.split(":", 3)
    const start = Number(line)
    const end = statementEnd(git("show", `${base}:${file}`).split("\n"), start)
    const isIn = (lines: ReadonlySet<number> | undefined) => [...(lines ?? [])].some((at) => at >= start && at <= end)
    const isMade = isIn(made.get(file))
    if (isIn(wanted.get(file))) {
      counts.toChange++
      if (isMade) counts.changed++
    } else {
      counts.toKeep++
      if (!isMade) counts.kept++
    }
  }
  return `${counts.changed} of ${counts.toChange} changed, ${counts.kept} of ${counts.toKeep} kept`
}

// The parts of the bench

/** Does the work in the right way: with the upstream commit, or by replacing the old name everywhere. */
const finish = ({ judgement }: Piece, { upstream }: Folders, folder: string): void => {
  if (judgement.kind === "tests")
    output("git", ["--git-dir", upstream, "--work-tree", folder, "checkout", "-f", judgement.upstream, "--", "."])
  if (judgement.kind === "rename") {
    for (const file of output("git", ["grep", "-lw", judgement.from], folder).trim().split("\n")) {
      if (judgement.keptIn.includes(file)) continue
      const text = readFileSync(join(folder, file), "utf8")
      writeFileSync(join(folder, file), text.replaceAll(judgement.from, judgement.to))
    }
  }
}

const installPackages = ({ packages, python }: Piece, work: string): void => {
  if (python !== undefined) {
    output(python, ["-m", "venv", ".venv"], work)
    output(join(work, ".venv/bin/python"), ["-m", "pip", "install", "-q", ...packages], work)
    return
  }
  const scratch = mkdtempSync(join(tmpdir(), "real-work-packages-"))
  writeFileSync(join(scratch, "package.json"), "{}")
  output("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...packages], scratch)
  cpSync(join(scratch, "node_modules"), join(work, "node_modules"), { recursive: true, verbatimSymlinks: true })
  rmSync(scratch, { recursive: true, force: true })
}

const prepare = (piece: Piece, folders: Folders, mirror: string | undefined): void => {
  const { provingTests, upstream, work } = folders
  if (existsSync(work) || existsSync(dirname(upstream))) fail(`${work} or its .judge folder is already there.`)
  const source = mirror === undefined ? piece.repository : `file://${resolve(mirror)}`
  const commits = "upstream" in piece.judgement ? [piece.base, piece.judgement.upstream] : [piece.base]
  mkdirSync(upstream, { recursive: true })
  output("git", ["init", "-q", "--bare", upstream])
  output("git", ["fetch", "-q", "--depth", "1", source, ...commits], upstream)
  mkdirSync(work, { recursive: true })
  output("git", ["init", "-q"], work)
  output("git", ["fetch", "-q", "--depth", "1", source, piece.base], work)
  output("git", ["checkout", "-q", "FETCH_HEAD"], work)
  if (piece.packages.length > 0) installPackages(piece, work)
  const before = withCopy(work, (copy) => testsWithUpstream(piece, folders, copy))
  const after = withCopy(work, (copy) => {
    finish(piece, folders, copy)
    return testsWithUpstream(piece, folders, copy)
  })
  const proving = [...after].filter(([name, passed]) => passed && before.get(name) !== true).map(([name]) => name)
  if (piece.runner !== undefined && proving.length === 0)
    fail("No test fails before the upstream commit and passes with it.")
  writeFileSync(
    provingTests,
    JSON.stringify({ proving, passing: [...after].filter(([, passed]) => passed).map(([name]) => name) })
  )
  console.log(`${work} is ready: ${proving.length} of ${after.size} tests prove the work`)
}

interface RunOptions {
  readonly host: string
  readonly model: string
  readonly contextWindow: string
  readonly command: string
}

/** Without a terminal, everything inside the project is approved. `--yes-this-run` alone would deny reads. */
const run = (piece: Piece, { events, state, work }: Folders, options: RunOptions): void => {
  const flags = [
    "--project",
    work,
    "--model",
    options.model,
    "--context-window",
    options.contextWindow,
    "--json",
    "--yes"
  ]
  const checks = piece.check === undefined || options.command === "ask" ? [] : ["--check", piece.check]
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [product, options.command, ...flags, ...checks, piece.prompt],
    {
      cwd: work,
      encoding: "utf8",
      maxBuffer: 1e9,
      env: {
        ...process.env,
        OLLAMA_HOST: options.host,
        OPENAI_BASE_URL: `${options.host}/v1`,
        XDG_STATE_HOME: state,
        XDG_CONFIG_HOME: `${state}/config`
      },
      stdio: ["ignore", "pipe", "pipe"]
    }
  )
  writeFileSync(events, stdout)
  if (stderr !== "") console.error(stderr.trimEnd())
  console.log(`${piece.name}: exit code ${status}`)
}

/** The answers of a model that reads the files of the upstream commit and makes the same changes. */
const goodPath = ({ base, judgement, prompt }: Piece, { upstream }: Folders) => {
  if (judgement.kind !== "tests") return fail("Only a piece that tests judge has a path that can be played.")
  const git = (...args: ReadonlyArray<string>) => output("git", ["--git-dir", upstream, ...args]).trim()
  const range = [base, judgement.upstream]
  const files = git("diff", "--name-only", "--diff-filter=M", ...range, "--", "*.ts", "*.py", "*.go").split("\n")
  const diff = git("diff", ...range, "--", ...files)
  const reads = files.map(
    (path, index) =>
      `\`\`\`json\n${JSON.stringify({ uid: `read-${index + 1}`, name: "read_file", arguments: { path } })}\n\`\`\``
  )
  const report = `## Result summary\n\nThe change is in ${files.map((path) => `[${path}](${path})`).join(" and ")}.\n`
  const plan = `## Original prompt\n\n${prompt}\n\n## Goals / summary\n\nThe change is made and tested.\n\n## Tasks\n\n### Task section 1: change\n\n- **Name** Make the change\n- **What is needed** ${prompt}\n- **Skill** edit-files\n- **Expected output** The changed files.\n- **Requires user approval**\n`
  return {
    creation: [plan],
    task: [`## Tool Calls\n\n${reads.join("\n\n")}\n`, `\`\`\`diff\n${diff}\n\`\`\`\n\n${report}`, report],
    conclusion: ["The change is made.\n"]
  }
}

/** Runs a piece on a real server. The proxy in front of the server replaces the text of answers. */
const play = async (piece: Piece, folders: Folders, options: RunOptions, record: string | undefined) => {
  const answers = `${folders.work}.answers.json`
  writeFileSync(answers, JSON.stringify(goodPath(piece, folders)))
  const script = fileURLToPath(new URL("textProxy.ts", import.meta.url))
  const args = ["--server", options.host, "--answers", answers, ...(record === undefined ? [] : ["--record", record])]
  const proxy = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] })
  try {
    const [address] = (await once(proxy.stdout, "data")) as [Buffer]
    run(piece, folders, { ...options, host: address.toString().trim() })
  } finally {
    proxy.kill()
  }
}

interface Costs {
  readonly calls: number
  readonly read: number
  readonly largest: number
  readonly prefill: number
  readonly written: number
}

/** The prompt without the definitions of tools. No server puts these at the end of a prompt. */
const messagesOf = (prompt: string): string => prompt.split("\n\n===== TOOLS =====", 1)[0] ?? ""

const commonLength = (a: string, b: string): number => {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}

const sum = (lengths: ReadonlyArray<number>): number => lengths.reduce((total, length) => total + length, 0)

const tokens = (characters: number): number => Math.round(characters / 4)

const costsOf = (record: string): Costs => {
  const calls = readdirSync(record)
    .filter((file) => /^req-\d+\.txt$/.test(file) && existsSync(join(record, `ans-${file.slice(4)}`)))
    .toSorted()
    .map((file) => ({
      prompt: readFileSync(join(record, file), "utf8"),
      answer: readFileSync(join(record, `ans-${file.slice(4)}`), "utf8")
    }))
  const newIn = ({ prompt }: { prompt: string }, index: number): number => {
    const before = calls[index - 1]
    if (before === undefined) return prompt.length
    const messages = messagesOf(prompt)
    return messages.length - commonLength(messages, messagesOf(before.prompt))
  }
  return {
    calls: calls.length,
    read: tokens(sum(calls.map(({ prompt }) => prompt.length))),
    largest: tokens(Math.max(0, ...calls.map(({ prompt }) => prompt.length))),
    prefill: tokens(sum(calls.map(newIn))),
    written: tokens(sum(calls.map(({ answer }) => answer.length)))
  }
}

interface RunEvent {
  readonly type: string
  readonly exit_code?: number
  readonly report?: { readonly status?: string; readonly answer?: string }
  readonly status?: string
  readonly answer?: string
}

const eventsOf = (file: string): ReadonlyArray<RunEvent> =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line))
    : []

/** The result in one column: tests that prove the work, and tests that must still pass. */
const outcomeOf = (piece: Piece, folders: Folders, answer: string): string => {
  const { judgement } = piece
  if (judgement.kind === "answer") {
    const named = judgement.names.filter((name) => answer.toLowerCase().includes(name.toLowerCase()))
    return `${named.length} of ${judgement.names.length} named`
  }
  if (judgement.kind === "places") return placesOutcome(piece, judgement, folders)
  return withCopy(folders.work, (copy) => {
    const left = judgement.kind === "rename" ? linesWith(copy, judgement.from, judgement.keptIn) : 0
    const tests = testsWithUpstream(piece, folders, copy)
    const { passing, proving } = JSON.parse(readFileSync(folders.provingTests, "utf8"))
    const count = (names: ReadonlyArray<string>) =>
      `${names.filter((name) => tests.get(name) === true).length} of ${names.length}`
    return `${count(proving)} (${count(passing)} in all)${judgement.kind === "rename" ? `, ${left} lines left` : ""}`
  })
}

const judge = (piece: Piece, folders: Folders, record: string | undefined): void => {
  const events = eventsOf(folders.events)
  const last = events.findLast(({ type }) => type === "run.finished" || type === "ask.finished")
  const report = last?.report ?? last
  const costs = record === undefined ? undefined : costsOf(record)
  const row: ReadonlyArray<readonly [string, unknown]> = [
    ["piece", piece.name],
    ["calls", costs?.calls],
    ["read", costs?.read],
    ["largest", costs?.largest],
    ["prefill", costs?.prefill],
    ["written", costs?.written],
    ["questions", events.filter(({ type }) => type === "approval.requested").length],
    ["upstream tests", outcomeOf(piece, folders, report?.answer ?? "")],
    ["status", report?.status],
    ["exit code", last?.exit_code]
  ]
  console.log(`| ${row.map(([name]) => name).join(" | ")} |`)
  console.log(`| ${row.map(([, value]) => value ?? "").join(" | ")} |`)
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    mirror: { type: "string" },
    host: { type: "string", default: "http://127.0.0.1:11434" },
    model: { type: "string" },
    "context-window": { type: "string", default: "8192" },
    command: { type: "string", default: "run" },
    record: { type: "string" }
  }
})

const [action, name, directory] = positionals
if (action === "list") {
  for (const { base, language, license, name, repository, work } of pieces)
    console.log(
      `${name.padEnd(18)}${language.padEnd(12)}${work.padEnd(14)}${repository} ${base.slice(0, 10)} ${license}`
    )
} else if (action === "checks") {
  process.exitCode = (await playBrokenChecks(product)) ? 0 : 1
} else {
  const piece =
    pieces.find((one) => one.name === name) ??
    fail(`No piece "${name}". Try: ${pieces.map((one) => one.name).join(", ")}`)
  const folders = foldersOf(directory ?? fail("Name a folder for the piece."))
  if (action === "prepare") prepare(piece, folders, values.mirror)
  else if (action === "run" || action === "play") {
    const options: RunOptions = {
      host: values.host,
      model: values.model ?? fail("--model NAME is missing."),
      contextWindow: values["context-window"],
      command: values.command
    }
    if (action === "run") run(piece, folders, options)
    else await play(piece, folders, options, values.record)
  } else if (action === "judge") judge(piece, folders, values.record)
  else fail("The first word is list, prepare, run, play, judge or checks.")
}
