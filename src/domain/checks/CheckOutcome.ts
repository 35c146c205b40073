/**
 * Interprets how a check ended: its exit code, its failures, and which of them are new. The text for the model has at
 * most 500 tokens, failures first, then totals.
 */
import * as Schema from "effect/Schema"
import { CommandLine, commandText } from "../commands/CommandText.ts"
import { cutAt, listWithin } from "../text/Excerpt.ts"
import { namesOf } from "../text/Format.ts"
import { type CheckEnd, linesOf } from "./CheckEnd.ts"
import { comparableOutput, type CheckFailure, readCheckOutput, tellingLines } from "./CheckOutput.ts"
import { asksToPass } from "./CheckRequest.ts"
import { passedBeside } from "./CheckTotals.ts"
import { type NewTest, RanTests, ranTests, ranText } from "./RanTests.ts"
import { adviceFor, type NoProof, NoProofCause, noProofOf, provesNothing } from "./NoProof.ts"

export const CheckCommand = Schema.Struct({
  argv: CommandLine,
  /** The folder in which the check runs, relative to the project. Absent for the project's root. */
  cwd: Schema.optionalKey(Schema.String),
  /** The whole command that the user approves, if `argv` runs only some of its test files. */
  whole: Schema.optionalKey(CommandLine),
  kind: Schema.Literals(["types", "tests", "given"]),
  /** True for a usual command that the project does not name. It is skipped if its program is missing. */
  isGuess: Schema.optionalKey(Schema.Boolean)
})
export type CheckCommand = typeof CheckCommand.Type

/** The command as a user would type it. */
export const checkText = ({ argv, cwd }: Pick<CheckCommand, "argv" | "cwd">): string =>
  cwd === undefined ? commandText(argv) : `${commandText(argv)} (in ${cwd})`

export const CheckOutcome = Schema.Struct({
  command: Schema.String,
  /** The exit code. Null if the check was stopped or did not run. */
  exitCode: Schema.NullOr(Schema.Int),
  seconds: Schema.Finite,
  /** The text for the model: failures first, then totals. */
  text: Schema.String,
  /** Names of failing tests and errors, one line each. */
  failures: Schema.Array(Schema.String),
  /** True if the check passes without the changes. Absent if unknown or not needed. */
  passedBefore: Schema.optionalKey(Schema.Boolean),
  /** Failures that do not occur without the changes. */
  newFailures: Schema.Array(Schema.String),
  /** True if the check failed, and passed when run again unchanged. */
  flaky: Schema.optionalKey(Schema.Boolean),
  /** The tests that ran, if the output counts them. */
  ran: Schema.optionalKey(RanTests),
  /**
   * The changed test files. `failWithout`: the check fails if these files are tested with the unchanged source code.
   */
  newTests: Schema.optionalKey(Schema.Struct({ paths: Schema.Array(Schema.String), failWithout: Schema.Boolean })),
  /** Why the check was not run or proves nothing, in whole sentences. */
  notRun: Schema.optionalKey(Schema.String),
  /** Why the check proves nothing. Absent for a check that was not permitted. */
  cause: Schema.optionalKey(NoProofCause),
  /**
   * Why a check counts as failed although it also fails without the changes. There are three reasons: the check names
   * no failure, nothing else passed, or the request wants it to pass.
   */
  stillFails: Schema.optionalKey(Schema.String)
})
export type CheckOutcome = typeof CheckOutcome.Type

/** True if the check ran, and either ended with exit code 0 or has neither new failures nor `stillFails`. */
export const passes = ({ exitCode, newFailures, notRun, stillFails }: CheckOutcome): boolean =>
  notRun === undefined && (exitCode === 0 || (newFailures.length === 0 && stillFails === undefined))

/** True for a check that does not count against the changes. */
export const isFine = (check: CheckOutcome): boolean => check.notRun !== undefined || passes(check)

export const CheckStatus = Schema.Literals(["passed", "flaky", "nothing new fails", "failed", "not checked", "not run"])
export type CheckStatus = typeof CheckStatus.Type

/** `not checked`: the check proves nothing. `not run`: it was not permitted. */
export const statusOf = (check: CheckOutcome): CheckStatus => {
  const { cause, exitCode, flaky = false, notRun } = check
  if (notRun !== undefined) return cause === undefined ? "not run" : "not checked"
  if (flaky && exitCode === 0) return "flaky"
  return exitCode === 0 ? "passed" : passes(check) ? "nothing new fails" : "failed"
}

/** The maximum length of the text about a check, in characters: about 500 tokens. */
const mostCharacters = 1700
const mostLines = 12
/** How many lines a failure may have, tried in order until all failures fit. */
const linesEach = [mostLines, 8, 6, 5, 3]
const lineLength = 240

const exitFailure = (exitCode: number | null): string => `exit code ${exitCode}`

/** The failures of a check that did not pass, at least one. */
const failuresOf = ({ exitCode, output, stopped }: CheckEnd): ReadonlyArray<CheckFailure> => {
  const { failures } = readCheckOutput(output)
  if (stopped === undefined && failures.length > 0) return failures
  return [{ name: stopped ?? exitFailure(exitCode), details: [] }]
}

/**
 * The failures in these outcomes that also occur without the changes. Flaky checks are left out, because they fail by
 * chance.
 */
const oldFailures = (outcomes: ReadonlyArray<CheckOutcome>): ReadonlySet<string> =>
  new Set(
    outcomes.flatMap(({ failures, flaky = false, newFailures }) =>
      flaky ? [] : failures.filter((name) => !newFailures.includes(name))
    )
  )

/**
 * The failures that occur only with the changes. If the output names no failure, the whole outputs are compared. If all
 * named failures are old but the exit code differs, adds one failure without a name.
 */
const newOnes = (failures: ReadonlyArray<CheckFailure>, end: CheckEnd, before: CheckEnd | undefined) => {
  if (before === undefined || before.exitCode === 0 || end.stopped !== undefined) return failures
  if (readCheckOutput(end.output).failures.length === 0) {
    return comparableOutput(end.output) === comparableOutput(before.output) ? [] : failures
  }
  const old = new Set(failuresOf(before).map(({ name }) => name))
  const fresh = failures.filter(({ name }) => !old.has(name))
  const isSame = fresh.length > 0 || failures.length < old.size || end.exitCode === before.exitCode
  return isSame ? fresh : [{ name: exitFailure(end.exitCode), details: [] }]
}

const timeText = (seconds: number): string => `${seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`

/** As many whole lines as fit, with a note about omitted ones. */
const fitted = (lines: ReadonlyArray<string>, budget: number): ReadonlyArray<string> => {
  const kept: Array<string> = []
  let budgetLeft = budget
  for (const [index, line] of lines.entries()) {
    const shortened = line.length > lineLength ? `${cutAt(line, lineLength)}...` : line
    if (shortened.length + 1 > budgetLeft - 30) return [...kept, `... (${lines.length - index} more lines)`]
    kept.push(shortened)
    budgetLeft -= shortened.length + 1
  }
  return kept
}

const lengthOf = (lines: ReadonlyArray<string>): number =>
  lines.reduce((sum, line) => sum + Math.min(line.length, lineLength) + 1, 0)

/**
 * Failures have the same reason if this many of their first lines are equal: the line with the error and the line with
 * its place.
 */
const errorLines = 2

/**
 * Each failure with its details. If that is too long, only the first failures keep their details, and the names of all
 * failures follow.
 */
const failureLines = (failures: ReadonlyArray<CheckFailure>, budget: number): ReadonlyArray<string> => {
  const failureLinesWithin = (most: number): ReadonlyArray<string> => {
    const errors = new Map<string, string>()
    return failures.flatMap(({ details, name }) => {
      const tellingDetails = tellingLines(details, most)
      const error = tellingDetails.slice(0, errorLines).join("\n")
      const first = errors.get(error)
      if (tellingDetails.length >= errorLines && first !== undefined) return [name, `  for the same reason as ${first}`]
      errors.set(error, name)
      return [name, ...tellingDetails.map((one) => `  ${one}`)]
    })
  }
  const whole = linesEach.map(failureLinesWithin).find((lines) => lengthOf(lines) <= budget - 30)
  if (whole !== undefined || failures.length === 1) return fitted(whole ?? failureLinesWithin(mostLines), budget)
  const names = failures.map(({ name }) => name)
  const forNames = lengthOf(names)
  if (forNames > budget / 2) return fitted(names, budget)
  /** The first failures keep their details, because they often cause the later ones. */
  return [...fitted(failureLinesWithin(5), budget - forNames), "all failures:", ...fitted(names, forNames + 40)]
}

/** How the check ends without the changes. `old` are the failures that occur with the changes and without them. */
const withoutChanges = (before: CheckEnd | undefined, old: ReadonlyArray<CheckFailure>): string => {
  if (before?.exitCode === 0) return "Without these changes the check passes."
  if (old.length === 0) return "Without these changes it fails in another way."
  const begin = `Failing without the changes too (${old.length}): `
  const names = old.map(({ name }) => name)
  const rest = listWithin(names, lineLength - begin.length, (count) => `and ${count} more`).text
  return cutAt(`${begin}${rest.replaceAll("\n", "; ")}`, lineLength)
}

const outcomeText = (
  command: string,
  end: CheckEnd,
  facts: {
    readonly ran: RanTests | undefined
    readonly fresh: ReadonlyArray<CheckFailure>
    /** Failures that also occur without the changes. */
    readonly old: ReadonlyArray<CheckFailure>
    readonly before: CheckEnd | undefined
    /** Failures that did not recur when the check was run again. */
    readonly vanished: ReadonlyArray<string>
    readonly stillFails: string | undefined
  }
): string => {
  const { before, fresh, old, ran, stillFails, vanished } = facts
  const { failures, totals } = readCheckOutput(end.output)
  const counted = totals.join("; ")
  const time = timeText(end.seconds)
  const flaky = "passed when run again without any change, so these failures are flaky:"
  if (vanished.length > 0 && fresh.length === 0) {
    return [`${command}: ${flaky}`, ...fitted(vanished, mostCharacters / 2)].join("\n")
  }
  const tests = ran === undefined ? counted : ranText(ran)
  if (end.exitCode === 0) return `${command}: passed in ${time}${tests === "" ? "" : ` (${tests})`}`
  const head = `${command}: ${end.exitCode === null ? "stopped" : `exit code ${end.exitCode}`} in ${time}`
  const without = withoutChanges(before, old)
  if (fresh.length === 0 && stillFails === undefined) return `${head}, nothing new fails.\n${without}`
  const earlier = stillFails !== undefined ? [stillFails] : before === undefined ? [] : [without]
  const foot = [
    ...(counted === "" ? [] : [`totals: ${cutAt(counted, lineLength)}`]),
    ...(vanished.length === 0 ? [] : [cutAt(`${flaky} ${vanished.join("; ")}`, lineLength)]),
    ...earlier
  ]
  const charactersLeft = mostCharacters - [head, ...foot].join("\n").length - 10
  const body =
    failures.length > 0
      ? failureLines(stillFails === undefined ? fresh : failures, charactersLeft)
      : fitted([end.stopped ?? [], lastLines(end.output)].flat(), charactersLeft)
  return [head, ...body, ...foot].join("\n")
}

/** For output without a recognised failure: its last lines, and earlier lines that mention an error. */
const lastLines = (output: string): ReadonlyArray<string> => {
  const lines = linesOf(output)
  const errors = lines.slice(0, -mostLines).filter((line) => /\b(?:error|failed|failure|exception|fatal)\b/i.test(line))
  return [...errors.slice(0, mostLines / 3), ...lines.slice(-mostLines)]
}

interface Compared {
  /** How the check ended without the changes. */
  readonly before?: CheckEnd | undefined
  /** How a second run with the same changes ended. */
  readonly again?: CheckEnd | undefined
  /**
   * Outcomes of other checks of the same changes. If `before` is absent, these outcomes show which failures are old.
   */
  readonly earlier?: ReadonlyArray<CheckOutcome>
  readonly declared?: ReadonlyArray<NewTest>
}

const vanishedOnes = (fresh: ReadonlyArray<CheckFailure>, again: CheckEnd | undefined): ReadonlyArray<string> => {
  if (again === undefined || again.stopped !== undefined) return []
  const { failures } = readCheckOutput(again.output)
  if (again.exitCode !== 0 && failures.length === 0) return []
  const left = new Set(again.exitCode === 0 ? [] : [...failures.map(({ name }) => name), exitFailure(again.exitCode)])
  return fresh.map(({ name }) => name).filter((name) => !left.has(name))
}

/** True for a check that should run tests: any but a check of types. */
const oughtToLook = ({ kind }: CheckCommand): boolean => kind !== "types"

/** Why a run of a check proves nothing about the changes. */
const noProof = (check: CheckCommand, end: CheckEnd, { before, earlier = [] }: Compared): NoProof | undefined => {
  if (end.exitCode === 0) return oughtToLook(check) ? noProofOf(end) : undefined
  const command = checkText(check)
  const hasRun = earlier.some((one) => one.command === command && one.notRun === undefined)
  return hasRun && before === undefined ? undefined : provesNothing(end, before)
}

/** Why a check without new failures does not count as passing. Undefined if it counts as passing. */
const whyStill = (end: CheckEnd, failures: ReadonlyArray<CheckFailure>): string | undefined => {
  const reading = readCheckOutput(end.output)
  if (reading.failures.length === 0) {
    const line = end.stopped ?? lastLines(end.output).at(-1)?.trim() ?? ""
    const said = line === "" ? "." : `: ${cutAt(line, lineLength)}`
    return `It fails as it does without the changes, and does not name what fails${said}`
  }
  if (passedBeside(reading.failures, reading.totals)) return undefined
  return `It fails as it does without the changes, and shows nothing that passes: ${namesOf(failures.map(({ name }) => name))}`
}

/** Interprets one run of a check. */
export const outcomeOf = (check: CheckCommand, end: CheckEnd, compared: Compared = {}): CheckOutcome => {
  const { again, before, declared = [], earlier = [] } = compared
  const command = checkText(check)
  const nothing = noProof(check, end, compared)
  if (nothing !== undefined) return notChecked(check, nothing)
  const failures = end.exitCode === 0 ? [] : failuresOf(end)
  const old = oldFailures(earlier)
  const newFailures = newOnes(failures, end, before).filter(({ name }) => !old.has(name))
  const vanished = vanishedOnes(newFailures, again)
  const fresh = newFailures.filter(({ name }) => !vanished.includes(name))
  const flaky = vanished.length > 0 && fresh.length === 0
  const stillFails = end.exitCode === 0 || fresh.length > 0 || flaky ? undefined : whyStill(end, failures)
  const ran = check.kind === "types" ? undefined : ranTests((flaky ? again : undefined) ?? end, declared)
  const facts = { ran, fresh, old: failures.filter((one) => !newFailures.includes(one)), before, vanished, stillFails }
  return {
    command,
    exitCode: flaky && again !== undefined ? again.exitCode : end.exitCode,
    seconds: Math.round(end.seconds * 100) / 100,
    text: outcomeText(command, end, facts),
    failures: failures.map(({ name }) => name),
    ...(before === undefined ? {} : { passedBefore: before.exitCode === 0 }),
    newFailures: fresh.map(({ name }) => name),
    ...(ran === undefined ? {} : { ran }),
    ...(flaky ? { flaky } : {}),
    ...(stillFails === undefined ? {} : { stillFails })
  }
}

/** If the prompt or the plan asks for this check to pass, its old failures count too. */
export const heldTo = (outcome: CheckOutcome, request: string): CheckOutcome => {
  const { command, exitCode, failures, flaky = false, newFailures, notRun, stillFails } = outcome
  const isOld = notRun === undefined && exitCode !== 0 && newFailures.length === 0 && !flaky
  if (!isOld || stillFails !== undefined || !asksToPass(request, { command, failures })) return outcome
  const why = `It fails as it does without the changes, and the task asks for it to pass: ${namesOf(failures)}`
  return { ...outcome, stillFails: why, text: `${outcome.text.replace(", nothing new fails.", ".")}\n${why}` }
}

/** Whether the changed tests depend on the changed source code, as a sentence; empty if unknown. */
export const newTestsText = ({ newTests }: Pick<CheckOutcome, "newTests">): string => {
  if (newTests === undefined) return ""
  const { failWithout, paths } = newTests
  const names = `${paths.slice(0, 3).join(", ")}${paths.length > 3 ? ` and ${paths.length - 3} more` : ""}`
  return failWithout
    ? `Without the change of the source code the tests in ${names} fail, as they should.`
    : `The tests in ${names} pass without the change of the source code: they do not test it.`
}

export const withNewTests = (
  outcome: CheckOutcome,
  paths: ReadonlyArray<string>,
  failWithout: boolean
): CheckOutcome => {
  const newTests = { paths, failWithout }
  return { ...outcome, newTests, text: `${outcome.text}\n${newTestsText({ newTests })}` }
}

/**
 * Merges an outcome with earlier outcomes of the same check in this run. A failure that was new once stays new.
 * Otherwise, it would look old as soon as the project contains the change that caused it.
 */
export const sinceEarlier = (outcome: CheckOutcome, earlier: ReadonlyArray<CheckOutcome>): CheckOutcome => {
  if (outcome.exitCode === 0) return outcome
  const same = earlier.filter(({ command }) => command === outcome.command)
  if (outcome.notRun !== undefined) {
    return same.findLast((one) => one.notRun === undefined && !passes(one)) ?? outcome
  }
  const failing = new Set([...outcome.failures, exitFailure(outcome.exitCode)])
  const still = same.flatMap(({ newFailures }) => newFailures.filter((name) => failing.has(name)))
  return { ...outcome, newFailures: [...new Set([...outcome.newFailures, ...still])] }
}

/** The outcome of a check that was not run. `reason` is a sentence for the user, and `forModel` may reveal less. */
export const notRun = (check: CheckCommand, reason: string, forModel = reason): CheckOutcome => ({
  command: checkText(check),
  exitCode: null,
  seconds: 0,
  text: `${checkText(check)}: not run. ${forModel}`,
  failures: [],
  newFailures: [],
  notRun: reason
})

export const notChecked = (check: CheckCommand, { cause, reason }: NoProof): CheckOutcome => ({
  ...notRun(check, reason),
  text: `${checkText(check)}: not checked. It proves nothing about the changes. ${reason}`,
  cause
})

/** How a check ended on the project before the run changed anything. */
export const TriedCheck = Schema.Struct({
  command: Schema.String,
  status: Schema.Literals(["passed", "failed", "not checked"]),
  exitCode: Schema.NullOr(Schema.Int),
  seconds: Schema.Finite,
  /** Failures before any change. */
  failures: Schema.Array(Schema.String),
  /** Why the check proves nothing, and what would help, in whole sentences. */
  cause: Schema.optionalKey(NoProofCause),
  reason: Schema.optionalKey(Schema.String)
})
export type TriedCheck = typeof TriedCheck.Type

/** Interprets a check of the unchanged project. If it could not start, `end` is a sentence with the reason. */
export const triedCheck = (check: CheckCommand, end: CheckEnd | string): TriedCheck => {
  const command = checkText(check)
  if (typeof end === "string") {
    const cause = "program missing"
    const reason = `${end} ${adviceFor[cause]}`
    return { command, status: "not checked", exitCode: null, seconds: 0, failures: [], cause, reason }
  }
  const found = noProof(check, end, { before: end })
  const help = end.hint === undefined && found !== undefined ? ` ${adviceFor[found.cause]}` : ""
  const nothing = found && { ...found, reason: `${found.reason.replace(/(?<![.!?])$/, ".")}${help}` }
  const { exitCode, seconds } = end
  const status = nothing !== undefined ? "not checked" : exitCode === 0 ? "passed" : "failed"
  const line = lastLines(end.output).at(-1)?.trim() ?? ""
  const isNamed = readCheckOutput(end.output).failures.length > 0
  const names = failuresOf(end).map(({ name }) => (isNamed || line === "" ? name : `${name}: ${line}`))
  const failures = status === "failed" ? names : []
  return { command, status, exitCode, seconds: Math.round(seconds * 100) / 100, failures, ...nothing }
}
