/**
 * Determines how a test command can run only some files, folders or packages. The way depends on its test runner. Only
 * simple commands are narrowed.
 */

/** How to run a command for some targets, which are appended to `argv`. */
export interface Narrowing {
  readonly argv: readonly [string, ...Array<string>]
  /**
   * The kind of target.
   *
   * - `files`: paths of test files.
   *
   * - `file`: one test file per command.
   *
   * - `folders`: Go packages, as source folders such as `./a/b`.
   *
   * - `manifest`: the manifest of one package per command.
   *
   * - `classes`: test classes. The word in `before` precedes each class. If `before` ends with `=`, all classes follow
   *   in the same word, separated by commas.
   */
  readonly of: "files" | "file" | "folders" | "manifest" | "classes"
  readonly before?: string
  /** Arguments that make the runner print the names of tests. Absent if the runner prints them anyway. */
  readonly names?: NamesTests
}

interface NamesTests {
  readonly argv: ReadonlyArray<string>
  /** True if the runner needs these arguments only for several files. */
  readonly ofSeveral?: boolean
}

const wordsOf = (text: string): readonly [string, ...Array<string>] => {
  const [first = "", ...rest] = text.split(" ").filter((word) => word !== "")
  return [first, ...rest]
}

/** For each pattern of a command, the words that begin the narrowed command, and the kind of its targets. */
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

/** With this option, Maven does not fail if a module lacks the class. */
const lenient = "-Dsurefire.failIfNoSpecifiedTests=false"

/**
 * How to run some test classes with Maven or Gradle. Undefined for Gradle with several modules, because Gradle fails if
 * one module lacks the class.
 */
export const classNarrowing = (run: string, hasParts: boolean): Narrowing | undefined => {
  if (/^(?:\.\/mvnw|mvn) test$/.test(run)) {
    return { argv: wordsOf(`${run} ${lenient}`), of: "classes", before: "-Dtest=" }
  }
  const isGradle = /^(?:\.\/gradlew|gradle) test$/.test(run) && !hasParts
  return isGradle ? { argv: wordsOf(run), of: "classes", before: "--tests" } : undefined
}

export const targetWords = ({ before }: Narrowing, targets: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (before === undefined) return targets
  return before.endsWith("=") ? [`${before}${targets.join(",")}`] : targets.flatMap((target) => [before, target])
}

/**
 * For each runner, the options that make it print test names. pytest needs all of `fEp`: with `p` alone, it would hide
 * failures and errors.
 */
const naming: ReadonlyArray<readonly [run: RegExp, names: NamesTests]> = [
  [/^go test\b/, { argv: ["-v"] }],
  [/(?:^|[ /])pytest\b/, { argv: ["-rfEp"] }],
  [/-m unittest\b/, { argv: ["-v"] }],
  [/(?:^| )vitest\b/, { argv: ["--reporter=verbose"] }],
  [/(?:^| )jest\b/, { argv: ["--verbose"], ofSeveral: true }]
]

/** Matches a command that already sets what it prints. Such a command gets no further option. */
const ownOutput = /(?:^| )(?:--(?:reporters?|verbose|silent|quiet)\b|-[qvr]\w*(?= |$))/

const namesFor = (does: string): Pick<Narrowing, "names"> => {
  const names = ownOutput.test(does) ? undefined : naming.find(([pattern]) => pattern.test(does))?.[1]
  return names === undefined ? {} : { names }
}

export const usualNarrowing = (run: string): Narrowing | undefined => {
  const [, argv = "", of] = usual.find(([pattern]) => pattern.test(run)) ?? []
  return of && { argv: wordsOf(argv || run.replace(/ discover .*/, "")), of, ...namesFor(run) }
}

/** Test runners that accept test files; `node` needs `--test`. */
const runners: ReadonlySet<string> = new Set(["vitest", "jest", "mocha", "ava", "node", "pytest"])
/** Matches options of test runners whose value is the next word. */
const valued =
  /^(?:-[crRptg]|--(?:config|require|import|loader|experimental-loader|reporter|timeout|project|env-file))$/
/**
 * Matches options that measure coverage. A few tests would not reach a minimum coverage, and the option may need a
 * package that is not installed.
 */
const coverage = /^--cov(?:erage)?(?:[.=-]|$)/
/** Programs that measure the coverage of the command after them. */
const measures = /^(?:(?:npx )?(?:nyc|c8) )/
/** Characters that a shell would interpret. */
const unplain = /[&|;<>`$()\\]/

const withoutCoverage = (run: string): string =>
  run
    .replace(measures, "")
    .split(" ")
    .filter((word) => !coverage.test(word))
    .join(" ")

/** The only part of a script that runs tests; undefined if there are none or several. */
export const testPart = (does: string): string | undefined => {
  const parts = does.split("&&").map((part) => part.trim())
  const tests = parts.filter((part) => part.split(" ").some((word) => runners.has(word)))
  const [only] = tests
  return only === undefined || tests.length > 1 ? undefined : withoutCoverage(only)
}

/**
 * How to run only a part of a script that runs tests. `append` is the command to which arguments are added. `execute`
 * runs a program of an installed package.
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
