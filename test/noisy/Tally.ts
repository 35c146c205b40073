/**
 * What many noisy runs come to: shares of outcomes, extra model calls, and what each kind of damage did.
 */
import { answerNoise } from "./answerNoise.ts"
import { callNoise } from "./callNoise.ts"
import { contentNoise } from "./contentNoise.ts"
import { documentNoise } from "./documentNoise.ts"
import type { Noise } from "./Noise.ts"
import type { NoisyOutcome } from "./NoisyRun.ts"

/** Every kind of damage. */
export const allNoise: ReadonlyArray<Noise> = [...documentNoise, ...callNoise, ...answerNoise, ...contentNoise]

/** How many tasks a run has, and how many calls it takes when no answer is damaged. */
const tasksOfRun = 6
const callsOfRun = 1 + 2 * tasksOfRun + 2

/** True when nothing is wrong with what the run left behind and said. */
const isRight = ({ deadLinks, isAnswered, wrongFiles }: NoisyOutcome): boolean =>
  wrongFiles.length === 0 && isAnswered && deadLinks.length === 0

/** The outcome of a run in a word. */
type Verdict = "done" | "not done" | "wrong as right"

/** `done` is the report of a right outcome; any other outcome that is reported as done is wrong. */
export const verdictOf = (outcome: NoisyOutcome): Verdict =>
  outcome.report.status !== "done" ? "not done" : isRight(outcome) ? "done" : "wrong as right"

export interface Tally {
  readonly runs: number
  readonly done: number
  readonly wrongAsRight: number
  /** Model calls above those of a run without damage, for each task. */
  readonly extraCalls: number
  /** The share of answers that were damaged. */
  readonly damaged: number
}

export const tallyOf = (outcomes: ReadonlyArray<NoisyOutcome>): Tally => {
  const given = outcomes.flatMap((one) => one.given)
  const count = (verdict: Verdict): number => outcomes.filter((one) => verdictOf(one) === verdict).length
  return {
    runs: outcomes.length,
    done: count("done"),
    wrongAsRight: count("wrong as right"),
    extraCalls: (given.length / Math.max(1, outcomes.length) - callsOfRun) / tasksOfRun,
    damaged: given.filter(({ kind }) => kind !== undefined).length / Math.max(1, given.length)
  }
}

/** What a kind of damage, or a group of kinds, did. */
interface KindTally {
  readonly name: string
  readonly given: number
  /** Answers after which the same question was asked again. */
  readonly askedAgain: number
  /** Runs that had it and were not done. */
  readonly notDone: number
  readonly wrongAsRight: number
}

/** Answers after which the stage asked again. */
const rejected = ({ given }: NoisyOutcome): ReadonlyArray<string> =>
  given.flatMap((one, index) =>
    one.kind !== undefined &&
    given.slice(index + 1).find(({ stage, task }) => stage === one.stage && task === one.task)?.isRetry === true
      ? [one.kind]
      : []
  )

export const kindsOf = (
  outcomes: ReadonlyArray<NoisyOutcome>,
  nameOf: (kind: string) => string
): ReadonlyArray<KindTally> => {
  const kinds = (all: ReadonlyArray<string | undefined>): ReadonlyArray<string> =>
    all.flatMap((kind) => (kind === undefined ? [] : [nameOf(kind)]))
  const per = outcomes.map((outcome) => ({
    verdict: verdictOf(outcome),
    given: kinds(outcome.given.map(({ kind }) => kind)),
    rejected: kinds(rejected(outcome))
  }))
  const names = [...new Set(per.flatMap(({ given }) => given))]
  return names.map((name) => ({
    name,
    given: per.reduce((sum, { given }) => sum + given.filter((one) => one === name).length, 0),
    askedAgain: per.reduce((sum, { rejected: again }) => sum + again.filter((one) => one === name).length, 0),
    notDone: per.filter(({ given, verdict }) => verdict === "not done" && given.includes(name)).length,
    wrongAsRight: per.filter(({ given, verdict }) => verdict === "wrong as right" && given.includes(name)).length
  }))
}
