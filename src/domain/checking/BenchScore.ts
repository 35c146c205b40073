/**
 * How well a model does the stages of a run, by the events of the runs in which it was tried; and which model is best for
 * which stage.
 */
import { modelCallKey, type ModelCallId } from "../runs/ActivityKey.ts"
import type { RunEvent } from "../runs/RunEvent.ts"
import { counted } from "../text/Format.ts"

/** The stages for which a model is recommended. */
export const benchStages = ["plan", "task"] as const
export type BenchStage = (typeof benchStages)[number]

/** What a model did in one stage. A document is what a stage asks for: a plan, or the work on a task up to its report. */
export interface StageScore {
  readonly stage: BenchStage
  /** How many documents were asked for. */
  readonly documents: number
  /** How many of them came to their end without a rejected answer, with one, and so on. */
  readonly validAt: ReadonlyArray<number>
  /** The rules that rejected answers broke, the most frequent first. */
  readonly broken: ReadonlyArray<{ readonly code: string; readonly count: number }>
  /** Tokens that were written per second of the calls, with the time to read the prompts; absent when nothing is known. */
  readonly tokensPerSecond?: number
}

export interface ModelScore {
  readonly model: string
  readonly stages: ReadonlyArray<StageScore>
  /** Calls of tools that ran, and how many of them succeeded. */
  readonly calls: { readonly all: number; readonly succeeded: number }
  /** The time of all calls together, in seconds. */
  readonly seconds: number
}

/** Documents with as many rejected answers, or more, are counted together. */
const mostRejected = 4

/** The document that a call belongs to: all of its attempts and turns have the same one. */
const documentOf = (id: ModelCallId): string => modelCallKey({ ...id, attempt: 0 })

type Finished = Extract<RunEvent, { readonly type: "model.finished" }>

const speedOf = (calls: ReadonlyArray<Finished>): { readonly tokensPerSecond?: number } => {
  const known = calls.filter(({ usage }) => usage.answerTokens !== undefined && usage.durationMs > 0)
  const tokens = known.reduce((sum, { usage }) => sum + (usage.answerTokens ?? 0), 0)
  const ms = known.reduce((sum, { usage }) => sum + usage.durationMs, 0)
  return ms === 0 ? {} : { tokensPerSecond: Math.round((tokens * 10_000) / ms) / 10 }
}

const brokenOf = (rejected: ReadonlyArray<Extract<RunEvent, { readonly type: "answer.rejected" }>>) => {
  const counts = new Map<string, number>()
  for (const { issues } of rejected) {
    for (const code of new Set(issues.map((issue) => issue.code))) counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return [...counts]
    .map(([code, count]) => ({ code, count }))
    .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
}

const stageScore = (runs: ReadonlyArray<ReadonlyArray<RunEvent>>, stage: BenchStage): StageScore => {
  const validAt = Array.from({ length: mostRejected + 1 }, () => 0)
  let documents = 0
  for (const events of runs) {
    const last = new Map<string, ModelCallId>()
    const rejected = new Map<string, ReadonlyArray<ModelCallId>>()
    const ended = new Set<string>()
    for (const event of events) {
      if (!("call" in event) || !("stage" in event.call) || event.call.stage !== stage) continue
      const { call, type } = event
      const document = documentOf(call)
      if (type === "model.started") last.set(document, call)
      if (type === "model.finished") ended.add(modelCallKey(call))
      if (type === "answer.rejected") rejected.set(document, [...(rejected.get(document) ?? []), call])
    }
    documents += last.size
    for (const [document, call] of last) {
      const before = rejected.get(document) ?? []
      const isValid = ended.has(modelCallKey(call)) && before.every(({ attempt }) => attempt !== call.attempt)
      const index = Math.min(before.length, mostRejected)
      if (isValid) validAt[index] = (validAt[index] ?? 0) + 1
    }
  }
  const all = runs.flat()
  const rejected = all.filter((event) => event.type === "answer.rejected").filter(({ call }) => call.stage === stage)
  const finished = all.filter((event) => event.type === "model.finished").filter(({ call }) => call.stage === stage)
  return { stage, documents, validAt, broken: brokenOf(rejected), ...speedOf(finished) }
}

/** The score of a model by the events of its runs, each run by itself. */
export const scoreOf = (model: string, runs: ReadonlyArray<ReadonlyArray<RunEvent>>): ModelScore => {
  const all = runs.flat()
  const calls = all.filter((event) => event.type === "tool.finished")
  const ms = all.reduce((sum, event) => sum + (event.type === "model.finished" ? event.usage.durationMs : 0), 0)
  return {
    model,
    stages: benchStages.map((stage) => stageScore(runs, stage)),
    calls: { all: calls.length, succeeded: calls.filter(({ result }) => result.success).length },
    seconds: Math.round(ms / 100) / 10
  }
}

/** 0 to 1: documents that are valid at once count whole, every rejected answer costs a fifth, none at all counts nothing. */
const quality = ({ documents, validAt }: StageScore): number =>
  documents === 0
    ? 0
    : validAt.reduce((sum, count, index) => sum + count * (1 - index / (mostRejected + 1)), 0) / documents

/** Two qualities that differ by less are the same, so that speed decides. */
const closeEnough = 0.1

/** The best model for a stage: the one whose documents are valid soonest, and among equals the fastest. */
const bestFor = (scores: ReadonlyArray<ModelScore>, stage: BenchStage): string | undefined => {
  const found = scores.flatMap(({ model, stages }) =>
    stages.filter((score) => score.stage === stage).map((score) => ({ model, quality: quality(score), score }))
  )
  const best = Math.max(0, ...found.map((one) => one.quality))
  if (best === 0) return undefined
  return found
    .filter((one) => one.quality > best - closeEnough)
    .toSorted((a, b) => (b.score.tokensPerSecond ?? 0) - (a.score.tokensPerSecond ?? 0) || b.quality - a.quality)[0]
    ?.model
}

/** The model for each stage; a stage that no model could do is absent. */
export type Recommendation = Readonly<Partial<Record<BenchStage, string>>>

export const recommend = (scores: ReadonlyArray<ModelScore>): Recommendation =>
  Object.fromEntries(
    benchStages.flatMap((stage) => {
      const model = bestFor(scores, stage)
      return model === undefined ? [] : [[stage, model]]
    })
  )

/** The recommendation as it stands in a configuration: the model for tasks is the model of the run. */
export const configurationFor = ({ plan, task }: Recommendation) => {
  const model = task ?? plan
  if (model === undefined) return undefined
  return { model, ...(plan === undefined || plan === model ? {} : { stages: { plan: { model: plan } } }) }
}

const words = { plan: "plans", task: "tasks" } as const

/** `2 at once, 1 after 2 rejected answers` */
const validText = ({ documents, validAt }: StageScore): string => {
  const valid = validAt.reduce((sum, count) => sum + count, 0)
  const parts = validAt.flatMap((count, index) =>
    count === 0 ? [] : [index === 0 ? `${count} at once` : `${count} after ${counted(index, "rejected answer")}`]
  )
  const missing = documents - valid
  return [...parts, ...(missing === 0 ? [] : [`${missing} not at all`])].join(", ") || "none asked for"
}

const mostRules = 3

const stageLine = (score: StageScore): string => {
  const { broken, stage, tokensPerSecond } = score
  const speed = tokensPerSecond === undefined ? "" : `; ${tokensPerSecond} tokens/s`
  const rules = broken.slice(0, mostRules).map(({ code, count }) => `${code} (${count})`)
  return `  ${words[stage].padEnd(13)}${validText(score)}${speed}${rules.length === 0 ? "" : `; broken: ${rules.join(", ")}`}`
}

const modelLines = ({ calls, model, seconds, stages }: ModelScore): ReadonlyArray<string> => [
  model,
  ...stages.map(stageLine),
  `  ${"calls".padEnd(13)}${calls.succeeded} of ${calls.all} succeeded`,
  `  ${"time".padEnd(13)}${seconds} s`
]

/** All models, and what is recommended. */
export const benchLines = (scores: ReadonlyArray<ModelScore>, best: Recommendation): ReadonlyArray<string> => {
  const configuration = configurationFor(best)
  return [
    ...scores.flatMap((score) => [...modelLines(score), ""]),
    ...(configuration === undefined
      ? ["No model gave a valid document. Try a larger one."]
      : [
          "Recommended:",
          ...benchStages.map((stage) => `  ${stage.padEnd(9)}${best[stage] ?? "none of them could do it"}`),
          "",
          "In your configuration:",
          JSON.stringify(configuration, null, 2)
        ])
  ]
}
