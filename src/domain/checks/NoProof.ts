/**
 * Recognises checks that prove nothing, because they fail with and without the changes. The cause: a program or package
 * is missing, nothing is built, no test is found, or a limit ended the check. The program finds the cause in the output
 * of common tools. If any test passed in the same run, the check does prove something.
 */
import * as Schema from "effect/Schema"
import { saysNoNetwork } from "../commands/NetworkTrouble.ts"
import { type CheckEnd, linesOf } from "./CheckEnd.ts"
import { readCheckOutput } from "./CheckOutput.ts"
import { passedBeside } from "./CheckTotals.ts"

/** Why a check can prove nothing. */
export const NoProofCause = Schema.Literals([
  "limit",
  "sandbox",
  "no network",
  "program missing",
  "toolchain missing",
  "modules missing",
  "no such task",
  "no tests",
  "not built"
])
export type NoProofCause = typeof NoProofCause.Type

export interface NoProof {
  readonly cause: NoProofCause
  /** The cause in whole sentences. */
  readonly reason: string
}

const anyOf = (...patterns: ReadonlyArray<RegExp>): RegExp =>
  new RegExp(patterns.map(({ source }) => `(?:${source})`).join("|"))

/** The manifest lacks the task, or there is no manifest. */
const noSuchTask = anyOf(
  /* npm, pnpm, yarn, bun, deno */
  /Missing script: |ERR_PNPM_NO_SCRIPT|Command "[^"]+" not found|Couldn't find a script named|Script not found "|Error: no test specified/,
  /Could not read package\.json|Couldn't find a package\.json|No package\.json|ENOENT.*\/package\.json|Task not found: /,
  /* make, just, task, rake, tox */
  /No rule to make target [`'"‘](?!.*needed by)|No targets specified and no makefile found|does not contain recipe|No justfile found/,
  /[Tt]ask "[^"]+" does not exist|No Taskfile found|Don't know how to build task|No Rakefile found|unknown environment/,
  /* cargo, Go, Maven, Gradle, .NET, Mix */
  /could not find `Cargo\.toml`|no such (?:sub)?command: |cannot find main module|go\.mod file not found|no such test target|no test target named/,
  /Unknown lifecycle phase|there is no POM in this directory|Task '[^']+' not found in|does not contain a Gradle build/,
  /MSB1003|MSB1009|The task "[^"]+" could not be found|Could not find a Mix\.Project/,
  /* pytest, Python, Perl, CTest */
  /ERROR: (?:file or directory not found|not found): |can't open file '|Can't open perl script|No such file or directory: '\S+\/CTestTestfile|Failed to change working directory to|directory prefix \S+ does not contain main module/
)

/** The toolchain is missing or has another version. */
const noToolchain = anyOf(
  /toolchain not available|toolchain '[^']+' is not installed|rustup could not choose a version|no (?:override and no )?default toolchain/,
  /go\.mod requires go |requires go ?>= ?\d|linker [`'][^`']+[`'] not found|is not a valid (?:SDK|toolchain)|active developer path|xcrun: error/,
  /JAVA_HOME (?:is not set|environment variable is not|is not defined|is set to an invalid)|Unable to locate a Java Runtime|No compiler is provided in this environment/,
  /invalid (?:target|source) release|release version \d+ not supported|No matching toolchains? found|Cannot find a Java installation|Unsupported class file major version/,
  /(?:rbenv|pyenv|nodenv|goenv|phpenv|jenv)(?:: version|:) .*(?:is not installed|not found)|No version is set for (?:command|shim)|No preset version installed/,
  /compatible \.NET (?:SDK|Framework)|No \.NET SDKs were found|You must install (?:or update )?\.NET|NETSDK1045/,
  /Your Ruby version is .*but your Gemfile|The engine "\w+" is incompatible|ERR_PNPM_UNSUPPORTED_ENGINE|This project is configured to use |No CMAKE_\w+_COMPILER could be found/
)

/** A program could not start. */
const noProgram = anyOf(
  /command not found(?:: |$)|^(?:\/bin\/)?\w*sh: (?:\d+: |line \d+: )?.*: not found$|is not recognized as an internal|^[\w./-]+: not found$/,
  /spawn \S+ ENOENT|executable file not found in|could not determine executable to run|npx canceled due to missing packages|No such file or directory \(os error 2\)$/,
  /^g?make(?:\[\d+\])?: [^*:]+: (?:No such file or directory|Permission denied)$|^(?:\/usr\/bin\/)?env: .*(?:No such file or directory|Permission denied)$/,
  /^\S*python[\d.]*(?:\.exe)?: No module named \S+$|^Error while finding module specification|Could not open input file: |Can't exec "/,
  /bad interpreter|The command "[^"]+" was not found/
)

/** Packages, or a file to import, are missing. */
const noModules = anyOf(
  /** Node and similar runtimes */
  /Cannot find (?:module|package) ['"]|Failed to resolve import|Failed to load url|Could not resolve "|Module not found: |error: Cannot find package/,
  /node_modules state file|doesn't seem to have been installed|node_modules (?:missing|are missing|is missing)|lockfile (?:is )?(?:missing|not found)|did you (?:forget to )?run (?:npm|yarn|pnpm|bun) install/i,
  /Preset \S+ not found|preset \S+ not found relative/,
  /* Python, Go, Rust */
  /ModuleNotFoundError: |ImportError: (?:No module named|cannot import name)/,
  /no required module provides package|cannot find (?:module|package) |missing go\.sum entry|updates to go\.(?:mod|sum) needed|is not in (?:GOROOT|std)|inconsistent vendoring|module lookup disabled/,
  /no matching package (?:named|found)|can't find crate for|failed to (?:select a version|load source for dependency|get `)|unable to find library -l/,
  /* Java, .NET */
  /Could not (?:resolve|find) (?:all |any |dependencies|artifact|\S+:\S+)|Non-resolvable (?:parent|import) POM|Plugin \S+ or one of its dependencies|package \S+ does not exist/,
  /error NU1\d{3}|NETSDK1004|Assets file .* not found/,
  /* Ruby, PHP, Perl, Elixir, Dart, C */
  /cannot load such file -- |Could not find (?:gem |\S+-\d\S* ).*(?:sources|locally)|GemNotFound|[Rr]un `bundle install`/,
  /Failed opening required|vendor\/autoload\.php|composer install|Can't locate \S+ in @INC|mix deps\.get|Unchecked dependencies|\bpub get\b/,
  /fatal error: .+: No such file or directory|fatal error: '[^']+' file not found|Package \S+ was not found in the pkg-config/
)

/** Messages about a run without any tests, by runner. */
const noTests = anyOf(
  /^Ran 0 tests\b|^NO TESTS RAN$|^=* ?no tests (?:ran|collected)\b|^collected 0 items$/,
  /^(?:# |ℹ )tests 0$|No test files found|^No tests found\b|Error: No tests found|Could not find '[^']*' *$|No test (?:modules|files) found/,
  /^0 examples, 0 failures|^0 runs, 0 assertions|^0 tests, 0 assertions|No tests executed!|There are no tests to run|No tests were (?:executed|found)/,
  /No test is available in|No test matches the given|No tests to run|\[no tests to run\]|Executed 0 tests, with|no tests to run$|Files=0, Tests=0|No tests named and /
)

/** Builds that failed before any test ran. */
const notBuilt = anyOf(
  /\[(?:build|setup) failed\]|could not compile|COMPILATION ERROR|Compilation (?:failed|error)|Execution failed for task ':\S*compile\w*'|Build FAILED/,
  /Interrupted: \d+ errors? during collection|Test suite failed to run|Transform failed with|Failed to compile|^(?:\w+: )?SyntaxError: |SyntaxError: /,
  /needed by [`'"‘]|error: (?:build had|fatalError)|== Compilation error|Parse error: |fatal error: |CMake Error|undefined reference to|ld returned \d+ exit status/,
  /\berror (?:CS|FS|BC)\d{4}\b/
)

const say: Readonly<Record<NoProofCause, string>> = {
  limit: "It was stopped.",
  sandbox: "The sandbox keeps it from working here",
  "no network": "It wants a network, and there is none",
  "program missing": "Its program could not be started here",
  "toolchain missing": "Its toolchain is not installed here",
  "modules missing": "What it imports is not installed or not there",
  "no such task": "There is no such task",
  "no tests": "It found no test to run",
  "not built": "Nothing could be built"
}

const another = "or name another check with --check"

/** Advice for the user about each cause, if no sandbox setting would help. */
export const adviceFor: Readonly<Record<NoProofCause, string>> = {
  limit: "Raise limits.checkSeconds, or name a check that ends sooner with --check.",
  sandbox: `See \`task-conductor doctor\`, ${another}.`,
  "no network": `Make it work without a network, ${another}.`,
  "program missing": `Install it, ${another}.`,
  "toolchain missing": `Install it, ${another}.`,
  "modules missing": `Install what the project needs, ${another}.`,
  "no such task": "Name the command that tests the project with --check.",
  "no tests": "Name the command that tests the project with --check.",
  "not built": `Make the project build, ${another}.`
}

const longestLine = 240

/** The cause as a sentence, with the line of the output that shows it. */
const reasonOf = (cause: NoProofCause, line: string, exitCode: number | null): string => {
  const code = cause === "program missing" && exitCode !== null ? ` (exit code ${exitCode})` : ""
  const said = line.trim().slice(0, longestLine)
  return said === "" || cause === "no tests" ? `${say[cause]}${code}.` : `${say[cause]}${code}: ${said}`
}

/** A shell's exit codes for a program that could not start. */
const unstarted: ReadonlySet<number | null> = new Set([126, 127])

/** The causes in the order in which they are tried. A missing tool comes before the failures that it causes. */
const byWords: ReadonlyArray<readonly [NoProofCause, (line: string) => boolean]> = [
  ["no such task", (line) => noSuchTask.test(line)],
  ["no network", saysNoNetwork],
  ["toolchain missing", (line) => noToolchain.test(line)],
  ["program missing", (line) => noProgram.test(line)],
  ["modules missing", (line) => noModules.test(line)],
  ["no tests", (line) => noTests.test(line)],
  ["not built", (line) => notBuilt.test(line)]
]

/** True for a compiler error, which has a position in a file. The name of a failing test has no position. */
const isBuildError = (name: string): boolean => /^[^\s:]+: (?:fatal )?error\b/.test(name) || /^[^\s:]+\.go: /.test(name)

/** The first cause in the output, with its line. Lines of npm that repeat the command do not count. */
const wordsOf = (output: string): readonly [NoProofCause, string] | undefined => {
  const lines = linesOf(output)
    .map((line) => line.trim())
    .filter((line) => !/^(?:>|\$) /.test(line))
  for (const [cause, holds] of byWords) {
    const line = lines.find(holds)
    if (line !== undefined) return [cause, line]
  }
  return undefined
}

/** Why a failed run proves nothing. Undefined if it may tell something about the project. */
const failedWithoutProof = (end: CheckEnd): NoProof | undefined => {
  const { exitCode, hint, output, stopped } = end
  if (stopped !== undefined) return { cause: "limit", reason: stopped }
  const { failures, totals } = readCheckOutput(output)
  if (passedBeside(failures, totals)) return undefined
  const words = wordsOf(output)
  const last = linesOf(output).at(-1) ?? ""
  const helping = (reason: string) => (hint === undefined ? reason : `${reason.replace(/(?<![.!?])$/, ".")} ${hint}`)
  if (unstarted.has(exitCode) && (words === undefined || words[0] === "not built" || words[0] === "program missing")) {
    return { cause: "program missing", reason: helping(reasonOf("program missing", words?.[1] ?? last, exitCode)) }
  }
  if (words !== undefined) return { cause: words[0], reason: helping(reasonOf(words[0], words[1], exitCode)) }
  if (hint !== undefined) return { cause: "sandbox", reason: helping(reasonOf("sandbox", last, exitCode)) }
  const first = failures[0]
  return first !== undefined && failures.every(({ name }) => isBuildError(name))
    ? { cause: "not built", reason: reasonOf("not built", first.name, exitCode) }
    : undefined
}

/** The output of make if it did nothing. */
const nothingDone = /^g?make(?:\[\d+\])?: (?:Nothing to be done for |[`'‘].*is up to date)/

/** True for a passed run without any test. */
const ranNoTest = (output: string): boolean => {
  const { failures, totals } = readCheckOutput(output)
  if (passedBeside(failures, totals)) return false
  const results = output.match(/^test result: ok\. \d+ passed/gm) ?? []
  const packages = output.match(/^(?:ok|\?|---|FAIL)\s.*$/gm) ?? []
  const gradle = output.match(/^> Task \S*:test\b.*$/gm) ?? []
  const lines = linesOf(output).map((line) => line.trim())
  const toolLines = lines.filter((line) => !line.startsWith("> "))
  return (
    lines.some((line) => noTests.test(line) || /^0 passing\b/.test(line)) ||
    (results.length > 0 && results.every((one) => one.endsWith(" 0 passed"))) ||
    (packages.length > 0 && packages.every((one) => /\[no test(?: file)?s(?: to run)?\]$/.test(one))) ||
    (gradle.length > 0 && gradle.every((one) => one.endsWith(" NO-SOURCE"))) ||
    (toolLines.length > 0 && toolLines.every((line) => nothingDone.test(line)))
  )
}

/** Why this run proves nothing, judged alone. Undefined if it may prove something. */
export const noProofOf = (end: CheckEnd): NoProof | undefined => {
  if (end.exitCode !== 0) return failedWithoutProof(end)
  return ranNoTest(end.output) ? { cause: "no tests", reason: reasonOf("no tests", "", 0) } : undefined
}

const failuresIn = (output: string): ReadonlySet<string> =>
  new Set(readCheckOutput(output).failures.map(({ name }) => name))

/**
 * Identifies the missing modules in an output, to compare two outputs: by the quoted name in the line. A line without a
 * quoted name counts as a whole, with all numbers replaced by 0.
 */
const modulesIn = (output: string): ReadonlySet<string> =>
  new Set(
    linesOf(output)
      .filter((line) => noModules.test(line))
      .flatMap((line) => /['"`‘]([^'"`’]+)['"`’]/.exec(line)?.[1] ?? line.replaceAll(/\d+/g, "0").trim())
  )

/** Causes that a task cannot produce. A run without the changes is not needed to confirm them. */
const ofMachine: ReadonlySet<NoProofCause> = new Set(["sandbox", "no network", "program missing", "toolchain missing"])

/**
 * Causes that concern a whole run of the check. If both runs have such a cause, their single failures need not be
 * compared.
 */
const ofEverything: ReadonlySet<NoProofCause> = new Set([...ofMachine, "limit", "no such task", "no tests"])

/**
 * Why a check proves nothing about the changes. Undefined if it may prove something. A failed check proves nothing if
 * it fails for the same cause without the changes. `before` is the run without the changes, if there was one.
 */
export const provesNothing = (end: CheckEnd, before: CheckEnd | undefined): NoProof | undefined => {
  const noProof = noProofOf(end)
  if (noProof === undefined || end.exitCode === 0) return noProof
  if (before === undefined)
    return ofMachine.has(noProof.cause) || noProof.cause === "no such task" ? noProof : undefined
  if (before.exitCode === 0 || noProofOf(before)?.cause !== noProof.cause) return undefined
  if (ofEverything.has(noProof.cause)) return noProof
  const named = noProof.cause === "modules missing" ? modulesIn : failuresIn
  const then = named(before.output)
  return [...named(end.output)].every((name) => then.has(name)) ? noProof : undefined
}
