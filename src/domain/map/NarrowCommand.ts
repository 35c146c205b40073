/**
 * How only a part of a command is run: the tests of some files, folders or packages. Told from the program that runs the
 * tests; where its words are not plain, nothing is told, and the whole command is run.
 */

/** How a command is run for a part of what it is for: these words, and then the targets. */
export interface Narrowing {
  readonly argv: readonly [string, ...Array<string>]
  /**
   * What the targets are. `files`: paths of test files; `file`: one of them for each command. `folders`: folders of
   * sources as `./a/b`, each a package of Go. `manifest`: the manifest of one package for each command. `classes`: names of classes
   * behind `before`, which ends with `=` where one word takes them all.
   */
  readonly of: "files" | "file" | "folders" | "manifest" | "classes"
  readonly before?: string
  /** What makes the runner name the tests that it runs, where it does not do that by itself. */
  readonly names?: NamesTests
}

interface NamesTests {
  readonly argv: ReadonlyArray<string>
  /** True for a runner that names them by itself when it runs one file. */
  readonly ofSeveral?: boolean
}

const wordsOf = (text: string): readonly [string, ...Array<string>] => {
  const [first = "", ...rest] = text.split(" ").filter((word) => word !== "")
  return [first, ...rest]
}

/** Beginnings of commands, and what is told to run a part of them. */
const usual: ReadonlyArray<readonly [run: RegExp, argv: string, of: Narrowing["of"]]> = [
  [/^go test \.\/\.\.\.$/, "go test", "folders"],
  [/^cargo test(?: --workspace)?$/, "cargo test --manifest-path", "manifest"],
  [/^mix test$/, "mix test", "files"],
  [/^(?:dart|flutter|deno|bun) test$/, "", "files"],
  [/^(?:.* )?rspec$/, "", "files"],
  [/^(?:.* )?-m pytest$/, "", "files"],
  [/^(?:.* )?-m unittest(?: discover -s tests?)?$/, "", "files"],
  [/^prove -l/, "prove -l", "files"],
  [/^(?:vendor\/bin\/)?phpunit$/, "", "file"]
]

/** Without it a module of Maven fails that has no such class. */
const lenient = "-Dsurefire.failIfNoSpecifiedTests=false"

/** How the classes of tests are named to a program for Java; Gradle fails where a project of several has none of them. */
export const classNarrowing = (run: string, hasParts: boolean): Narrowing | undefined => {
  if (/^(?:\.\/mvnw|mvn) test$/.test(run)) {
    return { argv: wordsOf(`${run} ${lenient}`), of: "classes", before: "-Dtest=" }
  }
  const isGradle = /^(?:\.\/gradlew|gradle) test$/.test(run) && !hasParts
  return isGradle ? { argv: wordsOf(run), of: "classes", before: "--tests" } : undefined
}

/** The targets as words of a command. */
export const targetWords = ({ before }: Narrowing, targets: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (before === undefined) return targets
  return before.endsWith("=") ? [`${before}${targets.join(",")}`] : targets.flatMap((target) => [before, target])
}

/** By runner: failures and errors are listed by pytest only as long as nothing else is asked for. */
const naming: ReadonlyArray<readonly [run: RegExp, names: NamesTests]> = [
  [/^go test\b/, { argv: ["-v"] }],
  [/(?:^|[ /])pytest\b/, { argv: ["-rfEp"] }],
  [/-m unittest\b/, { argv: ["-v"] }],
  [/(?:^| )vitest\b/, { argv: ["--reporter=verbose"] }],
  [/(?:^| )jest\b/, { argv: ["--verbose"], ofSeveral: true }]
]

/** What a command says of its output is left to it. */
const ownOutput = /(?:^| )(?:--(?:reporters?|verbose|silent|quiet)\b|-[qvr]\w*(?= |$))/

/** How the runner in a command is made to name its tests. */
const namesFor = (does: string): Pick<Narrowing, "names"> => {
  const names = ownOutput.test(does) ? undefined : naming.find(([pattern]) => pattern.test(does))?.[1]
  return names === undefined ? {} : { names }
}

/** How a usual command of a kind of project is narrowed. */
export const usualNarrowing = (run: string): Narrowing | undefined => {
  const [, argv = "", of] = usual.find(([pattern]) => pattern.test(run)) ?? []
  return of && { argv: wordsOf(argv || run.replace(/ discover .*/, "")), of, ...namesFor(run) }
}

/** Runners of tests that take test files as arguments; `node` does with `--test`. */
const runners: ReadonlySet<string> = new Set(["vitest", "jest", "mocha", "ava", "node", "pytest"])
/** Their options with a value that follows as a word of its own. */
const valued =
  /^(?:-[crRptg]|--(?:config|require|import|loader|experimental-loader|reporter|timeout|project|env-file))$/
/** Coverage of some tests says nothing, and its limits fail them; it may also need a package that is not installed. */
const coverage = /^--cov(?:erage)?(?:[.=-]|$)/
/** Programs that measure the coverage of the command behind them. */
const measures = /^(?:(?:npx )?(?:nyc|c8) )/
/** What a shell would read. */
const unplain = /[&|;<>`$()\\]/

const withoutCoverage = (run: string): string =>
  run
    .replace(measures, "")
    .split(" ")
    .filter((word) => !coverage.test(word))
    .join(" ")

/** The command of a script that runs the tests, where it is the only one of several that does. */
export const testPart = (does: string): string | undefined => {
  const parts = does.split("&&").map((part) => part.trim())
  const tests = parts.filter((part) => part.split(" ").some((word) => runners.has(word)))
  const [only] = tests
  return only === undefined || tests.length > 1 ? undefined : withoutCoverage(only)
}

/**
 * How a script that runs tests is narrowed: `append` is how arguments are added to it, `execute` runs a program of an
 * installed package.
 *
 * ```ts
 * scriptNarrowing("vitest run", "npm test --", "npx") // { argv: ["npm", "test", "--"], of: "files" }
 * ```
 */
export const scriptNarrowing = (does: string, append: string, execute: string): Narrowing | undefined => {
  if (unplain.test(does)) return undefined
  const plain = withoutCoverage(does)
  const words = plain.split(" ").filter((word) => word !== "")
  const at = words.findIndex((word) => runners.has(word))
  const runner = words[at]
  if (runner === undefined || (runner === "node" && !words.includes("--test"))) return undefined
  const runnerArguments = words.slice(at + 1)
  const isPart = (word: string, index: number) =>
    word.startsWith("-") ||
    valued.test(words[at + index] ?? "") ||
    (runner === "vitest" && index === 0 && word === "run")
  const kept = [runner, ...runnerArguments.filter(isPart)]
  const drops = kept.length <= runnerArguments.length || plain !== does
  if (drops && at > 0) return undefined
  const own = runner === "node" || runner === "pytest" ? kept : [...execute.split(" "), ...kept]
  const isOwn = append === "" || drops
  return { argv: wordsOf(isOwn ? own.join(" ") : append), of: "files", ...namesFor(plain) }
}
