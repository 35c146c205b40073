/**
 * Reads the plain output of checks: failing tests and errors, details about each, and totals. It knows the usual
 * compilers, linters and test runners of many languages. In other output it finds no failures.
 */
import { failureOrder } from "../excerpts/Scores.ts"

/** A failing test or an error. */
export interface CheckFailure {
  /** One line that identifies the failure. It contains no times and line numbers, so it is the same in every run. */
  readonly name: string
  /** Lines of the output about this failure. */
  readonly details: ReadonlyArray<string>
}

interface CheckReading {
  readonly failures: ReadonlyArray<CheckFailure>
  readonly totals: ReadonlyArray<string>
}

/** The output without parts that differ between runs, such as times and addresses. */
export const comparableOutput = (output: string): string =>
  output
    .replace(/0x[0-9a-f]+/gi, "0x0")
    .replace(/\d+(?:[.:]\d+)*/g, "0")
    .trim()

/** Lines with counts of tests and errors. The first group, if any, is the part to show. */
const totals: ReadonlyArray<RegExp> = [
  /* tsc, mypy and eslint */
  /^Found \d+ errors?\b.*/,
  /^\u2716 (\d+ problems? .*)/,
  /* vitest, jest, mocha and Node */
  /^(?:Test Files|Tests|Test Suites)(?::| {2}).*\d.*/,
  /^\d+ (?:passing|failing|pending)\b.*/,
  /^(?:\u2139|#) ((?:tests \d+|(?:pass|fail|cancelled|skipped) [1-9]\d*))$/,
  /* pytest and unittest */
  /^=* ?(\d+ (?:failed|passed|errors?|skipped|deselected|xfailed)\b.*) in [\d.]+s.*$/,
  /^Ran \d+ tests?\b.*/,
  /^(?:FAILED|OK) \(\w.*=.*\)$/,
  /* cargo, Maven and Gradle */
  /^test result: .*/,
  /^\[(?:ERROR|INFO|WARNING)\] (Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+)$/,
  /^\d+ tests? completed.*/,
  /* .NET, rspec, minitest, PHPUnit, ExUnit, CTest, Swift */
  /^(?:Failed|Passed)! +- +(Failed: +\d+, Passed: +\d+, Skipped: +\d+, Total: +\d+)/,
  /^\d+ (?:examples?|runs|tests?), \d+ (?:failures?|assertions)\b.*/,
  /^Tests: \d+, Assertions: \d+.*/,
  /^\d+% tests passed, .*/,
  /^Executed \d+ tests?, with .*/,
  /* Bun and Deno, pyright, golangci-lint */
  /^\d+ (?:pass|fail)$/,
  /^(?:FAILED|ok) \| (\d+ passed .*\d+ failed)/,
  /^\d+ errors?, \d+ warnings?\b.*/,
  /^\d+ issues:$/
]

/** Errors with a position in a file: `a.ts(3,5): error TS1: words`, `a.c:3:5: error: words`. */
const placed: ReadonlyArray<RegExp> = [
  /^(?<path>[^\s(:][^(:]*)\((?<at>\d+,\d+)\): (?<what>error \S+: .*)$/,
  /^(?<path>[^\s:][^:]*):(?<at>\d+:\d+) - (?<what>error \S+: .*)$/,
  /^(?<path>[^\s:][^:]*):(?<at>\d+(?::\d+)?): (?<what>(?:fatal )?error: .*)$/,
  /^(?:vet: )?(?<path>[^\s:][^:]*\.go):(?<at>\d+:\d+): (?<what>.*)$/,
  /^\[ERROR\] (?<path>[^\s:][^:]*):\[(?<at>\d+,\d+)\] (?<what>.*)$/,
  /* pyright; ruff and flake8 */
  /^(?<path>[^\s:][^:]*):(?<at>\d+:\d+) - (?<what>error: .*)$/,
  /^(?<path>[^\s:]+\.pyi?):(?<at>\d+:\d+): (?<what>[A-Z]{1,4}\d{2,4} .*)$/
]

/** Lines with the name of a failing test, by runner. The details of the failure are below the line. */
const tests: ReadonlyArray<RegExp> = [
  /* vitest, jest */
  /^FAIL {2}(?<name>.+)$/,
  /^\u25cf (?<name>.+ \u203a .+)$/,
  /** Node in both of its formats */
  /^\u2716 (?<name>(?!failing tests:$).+)$/,
  /^not ok \d+ - (?<name>.+)$/,
  /* pytest, unittest */
  /^(?:FAILED|ERROR) (?<name>\S+(?:::.+?|\.py))(?: - (?<says>.*))?$/,
  /^(?:FAIL|ERROR): (?<name>\w+ \(.+\))$/,
  /* go, cargo */
  /^--- FAIL: (?<name>\S+)/,
  /^test (?<name>.+) \.\.\. FAILED$/,
  /* Maven, Gradle */
  /^\[ERROR\] {2,3}(?<name>[\w$.]+\.[\w$]+)(?<says>(?::\d+|(?= \u00bb)|(?=->)).*)$/,
  /^(?<name>\S.* > .+) FAILED$/,
  /* .NET, rspec, minitest, PHPUnit, ExUnit */
  /^Failed (?<name>[\w.]+\.[\w.]+(?:\(.*\))?) \[/,
  /^rspec \S+ # (?<name>.+)$/,
  /^(?<name>[\w:]+#test_\w+)(?: \[.*\])?:?$/,
  /^\d+\) (?<name>[\w\\]+::\w+.*)$/,
  /^\d+\) (?<name>(?:test|doctest) .+ \([\w.]+\))$/,
  /* CTest, Bun */
  /^\d+ - (?<name>\S.*) \((?:Failed|Timeout|Not Run|SEGFAULT|Subprocess aborted)\)/,
  /^\(fail\) (?<name>.+?)(?: \[[\d.]+m?s\])?$/
]

/** Lines that announce a failure whose name is on another line. */
const summaries: ReadonlyArray<RegExp> = [
  /^(?<name>FAIL\t\S+ \[.*\])$/,
  /^FAIL (?<name>\S+\.[cm]?[jt]sx?)$/,
  /^(?<name>error: (?!["'|>]).+)$/,
  /^(?<name>g?make(?:\[\d+\])?: \*\*\* .+)$/,
  /^(?<name>No test files found.*)$/
]

/**
 * Lines directly above the details of a failure. They may shorten the failure's name; another line has the full name.
 */
const heads: ReadonlyArray<RegExp> = [
  /** For a long name, pytest writes only one underscore on each side */
  /^_+ (?!_ )(?:ERROR at (?:setup|teardown) of )?(?<name>\S.*?) _+$/,
  /^---- (?<name>\S+) stdout ----$/,
  /^=== (?:RUN|CONT|NAME)\s+(?<name>\S+)$/
]

/** Lines that belong to no failure. */
const others =
  /^(?:[\u2713\u2714\u25b6\u2139] |ok \d+ |--- (?:PASS|SKIP): |=== PAUSE |ok\s|# (?:Subtest:|tests |suites |pass |fail |cancelled |skipped |todo |duration_ms )|PASS |FAIL$|FAIL\t\S+\t|[=!]+ .* [=!]+$|1\.\.\d+$|\[(?:INFO|ERROR)\](?: \w+:)?\s*$|test .* \.\.\. ok$|test at |running \d+ tests?$|failures:$|For more information)/

/**
 * Lines that do not explain a failure: stack frames of runners and libraries, rulers, empty markers under a source
 * line.
 */
const noise =
  /^(?:at .*(?:node:|node_modules)|(?:at )?(?:async |new )?[\w.]+ \((?:<anonymous>|index \d)|\u276f .*node_modules|\d+: [\w<]|at (?:\/rustc|\.\/)|[-=_~^|.\s\u23af]+$|\u23af|stack backtrace:|note: (?!test did not)|(?:type|duration_ms|failureType|code|name|stack|operator|generatedMessage|diff): |(?:async |new )?[\w.]+ \((?:node:|.*node_modules)|node:|\d+\s*\|\s*$|self = <|Traceback \(|E$|(?:E\s+)?\?[-+^ ]+$|goroutine \d|created by testing|panic\(|testing\.|\/\S*\/src\/(?:testing|runtime)\/)/

/** A stack frame of Python or of an installed package. The lines below it with a deeper indent belong to it. */
const foreignFrame = /^File ".*(?:site-packages|\/lib\/python\d[^/]*)\/.*", line \d+/

const timeAtEnd = /(?:;? ?(?:finished )?in)?\s*\(?\d+(?:\.\d+)?\s?m?s\)?$/

const stable = (name: string): string =>
  name
    .trim()
    .replace(timeAtEnd, "")
    .replace(/\s*\[ [^\]]+ \]$| - should panic$/, "")
    .replace(/\s+/g, " ")

const firstMatch = (patterns: ReadonlyArray<RegExp>, line: string): RegExpExecArray | undefined => {
  const pattern = patterns.find((one) => one.test(line))
  return pattern?.exec(line) ?? undefined
}

/** Removes the time and counts of zero from a total. */
const shortTotal = ([line, part = line]: RegExpExecArray): string =>
  part
    .replace(/\s{2,}/g, " ")
    .replace(timeAtEnd, "")
    .replace(/; 0 (?!passed|failed)[a-z ]+/g, "")

/** The totals of an output, including repetitions. */
export const totalLines = (output: string): ReadonlyArray<string> =>
  output.split("\n").flatMap((line) => {
    const counted = firstMatch(totals, line.trim())
    return counted === undefined ? [] : [shortTotal(counted)]
  })

const nameIn = (patterns: ReadonlyArray<RegExp>, line: string): string | undefined =>
  firstMatch(patterns, line)?.groups?.["name"]

/** The maximum number of lines that are kept of a failure's details: the first lines, and the last line. */
const mostDetails = 400

/** Lines that directly state the error. */
const assertion =
  /^(?:(?:[\w$.]+\.)?\w*(?:Error|Exception|Failure|Failed)\b|error: |panic: |thread .* panicked|assertion|expect\()/
/** Lines that compare the actual value with the expected one. */
const comparison = /^\s*(?:E\s|[-+]\s*\S)|\b(?:expected|received|actual|want|got|left|right)\b/i
/** Lines that explain the markers of a comparison. */
const legend = /^[-+] (?:expected|received|actual)\b/i
const placeInFile = /[\w)\]]:\d+\b|^File ".*", line \d+/

/**
 * At most `most` lines that tell most about a failure, in the order of the output. The assertion and its place are
 * chosen first, then compared values, then lines around these.
 */
export const tellingLines = (lines: ReadonlyArray<string>, most: number): ReadonlyArray<string> => {
  if (lines.length <= most) return lines
  const indexOf = (pattern: RegExp): number => lines.findIndex((line) => pattern.test(line))
  const first = new Set([indexOf(/^E\s/), lines.findLastIndex((line) => placeInFile.test(line))])
  const failing = lines.findLastIndex((line) => line.startsWith(">"))
  const second = indexOf(placeInFile)
  const kindOf = (line: string, index: number): (typeof failureOrder)[number] => {
    if (first.has(index) || assertion.test(line)) return "assertion"
    if (index === failing) return "failing"
    if (index === second) return "place"
    if (legend.test(line)) return "legend"
    return comparison.test(line) ? "comparison" : "other"
  }
  const kinds = Map.groupBy(lines.keys(), (index) => kindOf(lines[index] ?? "", index))
  const kept = new Set(failureOrder.flatMap((kind) => kinds.get(kind) ?? []).slice(0, most))
  return lines.filter((_, index) => kept.has(index))
}

class Reading {
  readonly #failures = new Map<string, Array<string>>()
  readonly #summaries: Array<string> = []
  readonly #heads: Array<{ readonly name: string; readonly details: Array<string> }> = []
  readonly #places = new Map<string, Set<string>>()
  readonly #totals: Array<string> = []
  readonly #inlineDetails = new Map<string, string>()
  #open: Array<string> | undefined

  /** Notes a failing test or error. `says` is the rest of its line. */
  fail(name: string, says = ""): void {
    const details = this.#failures.get(name) ?? []
    this.#failures.set(name, details)
    this.#open = details
    if (says.trim() !== "") this.#inlineDetails.set(name, says.trim())
  }

  /**
   * Notes an error with a position. If the same error occurs at another place of the file, it gets a number and counts
   * again.
   */
  error(path: string, at: string, what: string): void {
    const name = stable(`${path}: ${what}`)
    const places = this.#places.get(name) ?? new Set()
    this.#places.set(name, places.add(at))
    const number = [...places].indexOf(at) + 1
    const numbered = number === 1 ? name : `${name} (${number})`
    const isKnown = this.#failures.has(numbered)
    this.fail(numbered)
    if (!isKnown) this.#open?.push(`at ${path}:${at.replace(",", ":")}`)
  }

  summary(name: string): void {
    this.#summaries.push(name)
    this.close()
  }

  head(name: string): void {
    this.#open = []
    this.#heads.push({ name: name.replaceAll(".", "::"), details: this.#open })
  }

  total(text: string): void {
    this.#totals.push(text)
    this.close()
  }

  detail(line: string): void {
    if (this.#open === undefined) return
    if (this.#open.length >= mostDetails) this.#open.pop()
    this.#open.push(line)
  }

  close(): void {
    this.#open = undefined
  }

  end(): CheckReading {
    const names = [...this.#failures.keys()]
    /** A failing subtest of Go also fails the test around it. Only the subtest counts. */
    const own = [...this.#failures].filter(([name]) => !names.some((other) => other.startsWith(`${name}/`)))
    const found = own.length > 0 ? own : [...new Set(this.#summaries)].map((name) => [name, []] as const)
    return {
      failures: found.map(([name, details]) => ({ name, details: details.length > 0 ? details : this.#about(name) })),
      totals: [...new Set(this.#totals)]
    }
  }

  /**
   * Finds the details of a failure that has no lines below its name. They are the lines below a line of `heads` with
   * this name, or else the text after the name.
   */
  #about(name: string): ReadonlyArray<string> {
    const compared = name.replaceAll(".", "::")
    const headsWithDetails = this.#heads.filter(({ details }) => details.length > 0)
    const head =
      headsWithDetails.find((one) => one.name === compared) ??
      headsWithDetails.find((one) => compared.endsWith(one.name) || one.name.endsWith(compared))
    const said = this.#inlineDetails.get(name)
    return head?.details ?? (said === undefined ? [] : [said.replace(/^:(\d+)/, "line $1:")])
  }
}

/** Reads the output of a check. A failure that the output names several times occurs once in the result. */
export const readCheckOutput = (output: string): CheckReading => {
  const reading = new Reading()
  const lines = output.split("\n")
  /**
   * `file`: in output of eslint, the file of the problems that follow. `path`: in output of mocha, the parts of the
   * current test's name.
   */
  let file = ""
  let path: ReadonlyArray<string> = []
  let isMochaEnd = false
  let packages = 0
  let passed = 0
  let isForeign = false
  for (const [index, written] of lines.entries()) {
    const line = written.trim()
    const next = (lines[index + 1] ?? "").trim()
    const counted = firstMatch(totals, line)
    const place = firstMatch(placed, line)?.groups
    const arrow = line.startsWith("error") ? /^--> (?<path>.+?):(?<at>\d+:\d+)$/.exec(next)?.groups : undefined
    const listed = file === "" ? undefined : /^(?<at>\d+:\d+) {2,}error {2,}(?<what>.+)$/.exec(line)?.groups
    const error = place ?? (arrow && { ...arrow, what: line }) ?? (listed && { ...listed, path: file })
    const begun = isMochaEnd ? /^\d+\) (.+)$/.exec(line)?.[1] : undefined
    const test = firstMatch(tests, line)?.groups
    const head = nameIn(heads, line)
    const summary = nameIn(summaries, line)
    if (counted !== undefined) {
      isMochaEnd ||= /^\d+ failing/.test(line)
      reading.total(shortTotal(counted))
    } else if (error !== undefined) reading.error(error["path"] ?? "", error["at"] ?? "", error["what"] ?? "")
    else if (/^\S+\.\w+$/.test(line) && /^\d+:\d+ {2,}(?:error|warning) /.test(next)) {
      file = line
      reading.close()
    } else if (begun !== undefined || path.length > 0) {
      path = begun === undefined ? [...path, line] : [begun]
      if (!line.endsWith(":")) continue
      reading.fail(stable(path.join(" > ").slice(0, -1)))
      path = []
    } else if (test !== undefined) reading.fail(stable(test["name"] ?? ""), test["says"])
    else if (head !== undefined) reading.head(head)
    else if (summary !== undefined) reading.summary(summary)
    else {
      if (/^ok\s+\S+\t(?!.*\[no tests to run\])/.test(line)) packages += 1
      if (written.startsWith("--- PASS: ")) passed += 1
      if (others.test(line)) reading.close()
      isForeign = foreignFrame.test(line) || (isForeign && /^ {4}/.test(written))
      if (line !== "" && !isForeign && !noise.test(line)) reading.detail(written.trimEnd().replace(/^ {2,6}/, ""))
    }
  }
  if (passed > 0) reading.total(`${passed} passed`)
  if (packages > 0) reading.total(`${packages} ${packages === 1 ? "package" : "packages"} ok`)
  return reading.end()
}
