/**
 * Changes decisions in the code and counts how many changes the quick tests notice. Each change (mutant) is made in a
 * copy of the tree. Only tests near the changed file run, until the first one fails.
 *
 *   node bench/mutation.ts named                                          the changes of namedMutations.ts
 *   node bench/mutation.ts constants                                      each constant of scripts/heuristics.ts
 *   node bench/mutation.ts [ROOM|FILE ...] [--mutants N] [--seed S]       a random sample; without --mutants all
 *   node bench/mutation.ts ... --again FILE                               only mutants that survived in this earlier output
 *   node bench/mutation.ts ... --list                                     only prints the mutants
 *   node bench/mutation.ts ... --times                                    also prints how long each test takes
 *
 * The rooms are listed below. A mutant whose tests do not end in time counts as noticed.
 */
import { type ChildProcess, execFileSync, fork } from "node:child_process"
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { heuristics } from "../scripts/heuristics.ts"
import { type Mutant, mutantsOf } from "./mutants.ts"
import type { MutantAnswer, MutantOrder } from "./mutationTests.ts"
import { namedMutations } from "./namedMutations.ts"

const root = join(import.meta.dirname, "..")

/** The rooms. Each with the tests outside `test/ROOM` that also test its decisions. */
const rooms: Readonly<Record<string, ReadonlyArray<string>>> = {
  "services/agent": ["test/services/pipeline/TaskAgent.test.ts"],
  "services/permissions": [
    "test/services/pipeline/StartupWarnings.test.ts",
    "test/services/tools/UncertainCall.test.ts",
    "test/plugins/cluster/ApprovedCalls.test.ts"
  ],
  "domain/permissions": [
    "test/services/permissions/Gate.test.ts",
    "test/services/permissions/CallList.test.ts",
    "test/services/permissions/Policy.test.ts",
    "test/services/permissions/projectRules.test.ts",
    "test/services/pipeline/StartupWarnings.test.ts"
  ],
  "domain/files": [
    "test/domain/documents/TurnFormat.test.ts",
    "test/domain/documents/WrittenFiles.test.ts",
    "test/domain/documents/ReaderOrder.long.test.ts",
    "test/services/pipeline/BlockPaths.test.ts",
    "test/services/pipeline/ReplaceEverywhere.test.ts"
  ],
  "domain/excerpts": ["test/domain/models/PrefetchedParts.test.ts"]
}

/** A test file that takes longer is not quick. In ms, for all its cases. */
const longestTest = 20_000

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    mutants: { type: "string" },
    seed: { type: "string", default: "1" },
    again: { type: "string" },
    list: { type: "boolean", default: false },
    times: { type: "boolean", default: false }
  }
})

const texts = new Map<string, string>()
/** The text of a file at the start, because somebody may edit the tree meanwhile. */
const read = (file: string): string => {
  const text = texts.get(file) ?? readFileSync(join(root, file), "utf8")
  texts.set(file, text)
  return text
}

const imports = new Map<string, ReadonlyArray<string>>()
/** The files of the repository that a file imports. A string in a test may look like an import. */
const importsOf = (file: string): ReadonlyArray<string> => {
  const known = imports.get(file)
  if (known !== undefined) return known
  const named = [...read(file).matchAll(/(?:from|import) "(\.[^"]+\.ts)"/g)]
  const all = named.map(([, path = ""]) => join(dirname(file), path)).filter((path) => existsSync(join(root, path)))
  imports.set(file, all)
  return all
}

const imported = new Map<string, ReadonlySet<string>>()
/** Everything that a test file loads. */
const loadedBy = (test: string): ReadonlySet<string> => {
  const known = imported.get(test)
  if (known !== undefined) return known
  const all = new Set([test])
  for (const file of all) for (const next of importsOf(file)) all.add(next)
  imported.set(test, all)
  return all
}

const testFiles = globSync("test/{domain,services}/**/*.test.ts", { cwd: root }).toSorted()

/** Tests named like the file, and tests of the domain that import the file. */
const nearTestsOf = (file: string): ReadonlyArray<string> => {
  const own = file.replace("src/", "test/").replace(".ts", ".test.ts")
  return testFiles.filter((test) => test === own || (test.startsWith("test/domain/") && importsOf(test).includes(file)))
}

/** The tests of a file: tests near it, and those tests for its room that load it. */
const testsOf = (file: string): ReadonlyArray<string> => {
  const [room = "", more = []] = Object.entries(rooms).find(([name]) => file.startsWith(`src/${name}/`)) ?? []
  const ofRoom = testFiles.filter((test) => test.startsWith(`test/${room}/`) || more.includes(test))
  return [...new Set([...nearTestsOf(file), ...ofRoom.filter((test) => loadedBy(test).has(file))])]
}

/** Seeded random numbers from 0 to 1 (mulberry32). */
const randomFrom = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

const sampleOf = (all: ReadonlyArray<Mutant>, size: number): ReadonlyArray<Mutant> => {
  const random = randomFrom(Number(values.seed))
  const ranked = all.map((mutant) => ({ mutant, rank: random() })).toSorted((a, b) => a.rank - b.rank)
  const chosen = new Set(ranked.slice(0, size).map(({ mutant }) => mutant))
  return all.filter((mutant) => chosen.has(mutant))
}

interface TestedMutant extends Mutant {
  readonly tests: ReadonlyArray<string>
  /** True for a mutant from a list. Its tests run even if they are slow. */
  readonly isNamed?: boolean
}

const namedMutants = (): ReadonlyArray<TestedMutant> =>
  namedMutations.map(({ file, from, tests, to }) => {
    const start = read(file).indexOf(from)
    if (start < 0) throw new Error(`${file} does not hold ${from}; see bench/namedMutations.ts.`)
    return { file, start, end: start + from.length, text: to, tests, isNamed: true }
  })

/** Tests of constants that only together have an effect on turns. */
const testsOfTurns = [
  "test/services/agent/Compaction.test.ts",
  "test/services/pipeline/Prefetch.test.ts",
  "test/services/pipeline/Attempts.test.ts"
]

/** Increases each constant of the table. Each comes with the tests of its file. */
const constantMutants = (): ReadonlyArray<TestedMutant> =>
  heuristics.flatMap(({ from }) => {
    const [path = "", name = ""] = from.split("#")
    const [table = "", entry] = name.split(".")
    const file = `src/${path}`
    const above = read(file).indexOf(`const ${table} = `)
    const start = entry === undefined ? above : read(file).indexOf(`  ${entry}: `, above)
    const end = read(file).indexOf("\n", start)
    const within = mutantsOf(file, read(file)).filter((mutant) => mutant.start >= start && mutant.end <= end)
    const tests = [...new Set([...testsOf(file), ...testsOfTurns.filter((test) => loadedBy(test).has(file))])]
    return within.map((mutant) => Object.assign({ tests, isNamed: true }, mutant))
  })

const chosenMutants = (): ReadonlyArray<TestedMutant> => {
  if (positionals[0] === "constants") return constantMutants()
  if (positionals[0] === "named") return namedMutants()
  const wanted = positionals.length === 0 ? Object.keys(rooms) : positionals
  const files = wanted.flatMap((name) =>
    name.endsWith(".ts") ? [name] : globSync(`src/${name}/**/*.ts`, { cwd: root }).toSorted()
  )
  const all = files.flatMap((file) => mutantsOf(file, read(file)))
  const chosen = values.mutants === undefined ? all : sampleOf(all, Number(values.mutants))
  const tests = new Map(files.map((file) => [file, testsOf(file)]))
  return chosen.map((mutant) => Object.assign({ tests: tests.get(mutant.file) ?? [] }, mutant))
}

const mutated = ({ end, file, start, text }: Mutant): string => {
  const source = read(file)
  return source.slice(0, start) + text + source.slice(end)
}

const nameOf = ({ end, file, start, text }: Mutant): string => {
  const source = read(file)
  const line = source.slice(0, start).split("\n").length
  const whole = source.split("\n")[line - 1]?.trim() ?? ""
  return `${file}:${line}: ${JSON.stringify(source.slice(start, end))} -> ${JSON.stringify(text)} in ${whole}`
}

const copyTree = (): string => {
  const copy = mkdtempSync(join(tmpdir(), "mutation-"))
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" })
  for (const file of files.trim().split("\n")) cpSync(join(root, file), join(copy, file), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  return copy
}

let runner: ChildProcess | undefined
const copy = values.list ? "" : copyTree()

const messageOf = <T>(process: ChildProcess, time: number): Promise<T | undefined> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => end(), time)
    const end = (message?: T): void => {
      clearTimeout(timer)
      process.off("exit", ended).off("message", end)
      resolve(message)
    }
    const ended = (): void => end()
    process.on("message", end).on("exit", ended)
  })

/** Runs tests with one file changed. Undefined if they do not end in time. */
const runTests = async (order: MutantOrder, time: number): Promise<MutantAnswer | undefined> => {
  if (runner === undefined) {
    runner = fork(join(root, "bench/mutationTests.ts"), { cwd: copy, stdio: ["ignore", "ignore", "inherit", "ipc"] })
    await messageOf(runner, 60_000)
  }
  const answer = messageOf<MutantAnswer>(runner, time)
  runner.send(order)
  const result = await answer
  if (result === undefined) {
    runner.kill("SIGKILL")
    runner = undefined
    cpSync(join(root, order.file), join(copy, order.file))
  }
  return result
}

/** The 95 % confidence interval for the score of all mutants (Wilson). */
const intervalOf = (killed: number, all: number): string => {
  const [share, z] = [killed / all, 1.96]
  const middle = (share + z ** 2 / (2 * all)) / (1 + z ** 2 / all)
  const half = (z / (1 + z ** 2 / all)) * Math.sqrt((share * (1 - share)) / all + z ** 2 / (4 * all ** 2))
  return `${(100 * (middle - half)).toFixed(1)} to ${(100 * (middle + half)).toFixed(1)} %`
}

const measure = async (mutants: ReadonlyArray<TestedMutant>): Promise<void> => {
  const needed = [...new Set(mutants.flatMap(({ tests }) => tests))]
  const [first] = mutants
  if (first === undefined || needed.length === 0) throw new Error("There is no mutant, or no test of it.")
  const base = await runTests({ file: first.file, text: read(first.file), tests: needed }, 900_000)
  if (base === undefined || base.killer !== undefined) throw new Error(`Without a change ${base?.killer} fails.`)
  if (values.times) for (const [test, time] of base.times) console.log(`${Math.round(time)} ms ${test}`)
  const times = new Map(base.times)
  const timeOf = (test: string): number => times.get(test) ?? 0
  const absent = needed.filter((test) => !times.has(test))
  if (absent.length > 0) throw new Error(`There is no test ${absent.join(", ")}.`)
  const counts = { killed: 0, timeouts: 0, survived: 0 }
  for (const [index, mutant] of mutants.entries()) {
    const quick = mutant.tests.filter((test) => mutant.isNamed === true || timeOf(test) < longestTest)
    const near = new Set(nearTestsOf(mutant.file))
    quick.sort((a, b) => Number(near.has(b)) - Number(near.has(a)) || timeOf(a) - timeOf(b))
    const time = 30_000 + 5 * quick.reduce((sum, test) => sum + timeOf(test), 0)
    const order = { file: mutant.file, text: mutated(mutant), tests: quick }
    const result = quick.length === 0 ? { killer: undefined } : await runTests(order, time)
    const end = result === undefined ? "timeouts" : result.killer === undefined ? "survived" : "killed"
    counts[end] += 1
    if (end === "survived") console.log(`survived ${nameOf(mutant)}`)
    if (positionals[0] === "named" && end !== "survived")
      console.log(`${end} ${nameOf(mutant)} by ${result?.killer ?? "its time"}`)
    process.stderr.write(`\r${index + 1} of ${mutants.length}, ${counts.survived} survived `)
  }
  const noticed = counts.killed + counts.timeouts
  const score = ((100 * noticed) / mutants.length).toFixed(1)
  console.log(
    `\n${mutants.length} mutants: ${counts.killed} killed, ${counts.timeouts} timed out, ${counts.survived} survived`
  )
  console.log(`score ${score} %, interval of 95 %: ${intervalOf(noticed, mutants.length)}`)
  if (positionals[0] === "named" && counts.survived > 0) process.exitCode = 1
}

try {
  const before = values.again === undefined ? undefined : readFileSync(values.again, "utf8")
  const mutants = chosenMutants().filter((mutant) => before?.includes(`survived ${nameOf(mutant)}`) !== false)
  if (values.list) for (const mutant of mutants) console.log(nameOf(mutant))
  else await measure(mutants)
} finally {
  runner?.kill("SIGKILL")
  if (copy !== "") rmSync(copy, { recursive: true, force: true })
}
