/** Scores models by the events of their runs on templates/bench, and recommends one for each stage. */
import type { ModelToolCalls, ToolCalls } from "../../kit/models.ts"
import type { Configuration } from "../../kit/program.ts"
import { counted, type ModelCallId, modelCallKey, type RunEvent } from "../../plugin-kit.ts"

export const benchPrompts: ReadonlyArray<string> = [
  "Which settings does the service read from the environment, and which of them have no default?",
  "Write NOTES.md with one line for each file in src that says what the file is for.",
  "Where is the port of the service defined, and which files use it? Then say what has to change to serve two ports."
]

/** The prompt of templates/bench/plan.md. */
export const benchPrompt = "List the settings of the service, and write them into SETTINGS.md."

/** The names that a correct result must contain. */
const settingNames = ["PARCEL_PORT", "PARCEL_HOST", "PARCEL_TOKEN"]
const benchAnswers: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Search 1": ["src/server.js"],
  "Read 1": settingNames,
  "Summary 1": settingNames,
  "Write 1": settingNames
}

/** The task that must write the names of settings into a file. The others only report them. */
const benchWriter = "Write 1"

const benchStages = ["plan", "task"] as const
export type BenchStage = (typeof benchStages)[number]

/** The score of a model in one stage. A document is a plan, or all work on one task up to its report. */
export interface StageScore {
  readonly stage: BenchStage
  /** How many documents the model had to write. */
  readonly documents: number
  /** How many documents were valid after 0, 1, ... rejected answers. The index is the number of rejected answers. */
  readonly validAt: ReadonlyArray<number>
  /** The rules that answers broke, the most frequent first. */
  readonly broken: ReadonlyArray<{ readonly code: string; readonly count: number }>
  /**
   * The number of written tokens per second. The time covers the whole calls, also the reading of prompts. Absent if
   * unknown.
   */
  readonly tokensPerSecond?: number
}

/** The score of a model on the tasks, with one form of tool calls: text or native. */
export interface FormScore {
  readonly form: ToolCalls
  /** The number of tasks, and how many of them have a correct result. */
  readonly tasks: number
  readonly done: number
  readonly modelCalls: number
  /** The number of tool calls, and how many of them succeeded. */
  readonly calls: { readonly all: number; readonly succeeded: number }
  /** How many answers were rejected, and how many were used after repairs. */
  readonly rejected: number
  readonly repaired: number
  /** Tokens of prompts and answers, counted by the server. */
  readonly tokens: number
  readonly seconds: number
}

export interface BetterForm {
  readonly form: ToolCalls
  /** Why the model could not be scored, as a clause. */
  readonly why: string
}

export interface ModelScore {
  readonly model: string
  readonly stages: ReadonlyArray<StageScore>
  /** The score of each form of tool calls that was tried. `stages` contains only the tasks with the better form. */
  readonly forms: ReadonlyArray<FormScore>
  readonly better: BetterForm
  /** The time of all calls together, in seconds. */
  readonly seconds: number
}

/** Documents with at least this many rejected answers are counted together. */
const mostRejected = 4

/** The key of a call's document, the same for all its attempts and turns. */
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
    const finishedCalls = new Set<string>()
    for (const event of events) {
      if (!("call" in event) || !("stage" in event.call) || event.call.stage !== stage) continue
      const { call, type } = event
      const document = documentOf(call)
      if (type === "model.started") last.set(document, call)
      if (type === "model.finished") finishedCalls.add(modelCallKey(call))
      if (type === "answer.rejected") rejected.set(document, [...(rejected.get(document) ?? []), call])
    }
    documents += last.size
    for (const [document, call] of last) {
      const before = rejected.get(document) ?? []
      const isValid = finishedCalls.has(modelCallKey(call)) && before.every(({ attempt }) => attempt !== call.attempt)
      const index = Math.min(before.length, mostRejected)
      if (isValid) validAt[index] = (validAt[index] ?? 0) + 1
    }
  }
  const all = runs.flat()
  const rejected = all.filter((event) => event.type === "answer.rejected").filter(({ call }) => call.stage === stage)
  const finished = all.filter((event) => event.type === "model.finished").filter(({ call }) => call.stage === stage)
  return { stage, documents, validAt, broken: brokenOf(rejected), ...speedOf(finished) }
}

type Events = ReadonlyArray<RunEvent>

const secondsOf = (events: Events): number =>
  Math.round(
    events.reduce((sum, event) => sum + (event.type === "model.finished" ? event.usage.durationMs : 0), 0) / 100
  ) / 10

/** True if a task's report or changes contain the required names. */
const isRight = (event: Extract<RunEvent, { readonly type: "task.finished" }>): boolean => {
  const { calls, result } = event.result
  const made = calls.flatMap((one) => (one.result.success ? [JSON.stringify(one.call.arguments)] : []))
  const said = event.task === benchWriter ? made.join("\n") : result.document
  return (benchAnswers[event.task] ?? []).every((word) => said.includes(word))
}

/** Computes the score of a model with one form of calls. `events` are the events of the run with this form. */
export const formScore = (form: ToolCalls, events: Events): FormScore => {
  const count = (type: RunEvent["type"]): number => events.filter((event) => event.type === type).length
  const calls = events.filter((event) => event.type === "tool.finished")
  const right = events.filter((event) => event.type === "task.finished").filter(isRight)
  const used = events.filter((event) => event.type === "model.finished").map(({ usage }) => usage)
  return {
    form,
    tasks: Object.keys(benchAnswers).length,
    done: new Set(right.map(({ task }) => task)).size,
    modelCalls: used.length,
    calls: { all: calls.length, succeeded: calls.filter(({ result }) => result.success).length },
    rejected: count("answer.rejected"),
    repaired: count("answer.repaired"),
    tokens: used.reduce((sum, { answerTokens = 0, promptTokens = 0 }) => sum + promptTokens + answerTokens, 0),
    seconds: secondsOf(events)
  }
}

/**
 * The better form of calls. First, the number of finished tasks decides, and then the smaller number of rejected
 * answers. If both are equal, text is better.
 */
export const betterForm = (forms: ReadonlyArray<FormScore>): BetterForm => {
  const text = forms.find(({ form }) => form === "text")
  const native = forms.find(({ form }) => form === "native")
  if (native === undefined) return { form: "text", why: "its server says that it cannot take tools" }
  if (text === undefined) return { form: "native", why: "the only form that was tried" }
  if (native.done !== text.done) {
    const [better, worse] = native.done > text.done ? [native, text] : [text, native]
    return { form: better.form, why: `${better.done} of ${better.tasks} tasks done, with ${worse.form} ${worse.done}` }
  }
  const tie = `both forms did ${text.done} of ${text.tasks} tasks`
  if (text.done > 0 && native.rejected !== text.rejected) {
    const [better, worse] = native.rejected < text.rejected ? [native, text] : [text, native]
    return {
      form: better.form,
      why: `${tie}, this one with ${better.rejected} rejected answers, ${worse.form} with ${worse.rejected}`
    }
  }
  return { form: "text", why: text.done === 0 ? tie : `${tie} with ${text.rejected} rejected answers` }
}

/** Computes the score of a model from its plans, and its runs with each form of calls. */
export const scoreOf = (
  model: string,
  planned: ReadonlyArray<Events>,
  eventsByForm: Readonly<Partial<Record<ToolCalls, Events>>>,
  only?: ToolCalls
): ModelScore => {
  const forms = (["text", "native"] as const).flatMap((form) =>
    eventsByForm[form] === undefined ? [] : [formScore(form, eventsByForm[form])]
  )
  const better: BetterForm =
    only === undefined ? betterForm(forms) : { form: only, why: "the only form that was asked for" }
  return {
    model,
    stages: benchStages.map((stage) => stageScore([...planned, eventsByForm[better.form] ?? []], stage)),
    forms,
    better,
    seconds: secondsOf([...planned, ...Object.values(eventsByForm)].flat())
  }
}

/**
 * The quality from 0 to 1, averaged over the documents. A document that was valid at once counts 1, and each rejected
 * answer costs a fifth. A missing document counts 0.
 */
const quality = ({ documents, validAt }: StageScore): number =>
  documents === 0
    ? 0
    : validAt.reduce((sum, count, index) => sum + count * (1 - index / (mostRejected + 1)), 0) / documents

/** Below this difference in quality, speed decides. */
const closeEnough = 0.1

/** The best model for a stage. Quality decides first, then speed. */
const bestFor = (scores: ReadonlyArray<ModelScore>, stage: BenchStage): string | undefined => {
  const qualities = scores.flatMap(({ model, stages }) =>
    stages.filter((score) => score.stage === stage).map((score) => ({ model, quality: quality(score), score }))
  )
  const best = Math.max(0, ...qualities.map((one) => one.quality))
  if (best === 0) return undefined
  return qualities
    .filter((one) => one.quality > best - closeEnough)
    .toSorted((a, b) => (b.score.tokensPerSecond ?? 0) - (a.score.tokensPerSecond ?? 0) || b.quality - a.quality)[0]
    ?.model
}

/** The recommended model for each stage. A stage that no model could do is absent. */
export type Recommendation = Readonly<Partial<Record<BenchStage, string>>>

export const recommend = (scores: ReadonlyArray<ModelScore>): Recommendation =>
  Object.fromEntries(
    benchStages.flatMap((stage) => {
      const model = bestFor(scores, stage)
      return model === undefined ? [] : [[stage, model]]
    })
  )

/**
 * Turns the recommendation into configuration. The best model for tasks becomes the model of the run. Undefined if no
 * model is recommended.
 */
export const configurationFor = ({
  plan,
  task
}: Recommendation): Pick<Configuration, "model" | "stages"> | undefined => {
  const model = task ?? plan
  if (model === undefined) return undefined
  return { model, ...(plan === undefined || plan === model ? {} : { stages: { plan: { model: plan } } }) }
}

const labels = { plan: "plans", task: "tasks" } as const

/** The number of valid documents, for example `2 at once, 1 after 2 rejected answers`. */
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
  return `  ${labels[stage].padEnd(13)}${validText(score)}${speed}${rules.length === 0 ? "" : `; broken: ${rules.join(", ")}`}`
}

const formLine = ({ calls, done, form, modelCalls, rejected, repaired, seconds, tasks, tokens }: FormScore): string =>
  `  ${form.padEnd(13)}${done} of ${tasks} tasks done; ${counted(modelCalls, "model call")}; ${calls.succeeded} of ${calls.all} tool calls succeeded; ${rejected} answers rejected, ${repaired} repaired; ${tokens} tokens; ${seconds} s`

const modelLines = ({ better, forms, model, seconds, stages }: ModelScore): ReadonlyArray<string> => [
  model,
  ...stages.map(stageLine),
  ...forms.map(formLine),
  `  ${"tool calls".padEnd(13)}${better.form}: ${better.why}`,
  `  ${"time".padEnd(13)}${seconds} s`
]

/** Models that work better with native calls, as configuration. */
const modelToolCallsFor = (scores: ReadonlyArray<ModelScore>): ModelToolCalls =>
  Object.fromEntries(
    scores.flatMap(({ better, forms, model }) =>
      better.form === "native" && forms.length > 1 ? [[model, "native" as const]] : []
    )
  )

/** Lines with the scores of all models, and the recommendation. */
export const benchLines = (scores: ReadonlyArray<ModelScore>, best: Recommendation): ReadonlyArray<string> => {
  const configuration = configurationFor(best)
  const modelToolCalls = modelToolCallsFor(scores)
  const isText = Object.keys(modelToolCalls).length === 0
  return [
    ...scores.flatMap((score) => [...modelLines(score), ""]),
    ...(configuration === undefined
      ? ["No model gave a valid document. Try a larger one."]
      : [
          "Recommended:",
          ...benchStages.map((stage) => `  ${stage.padEnd(9)}${best[stage] ?? "none of them could do it"}`),
          "",
          "In your configuration:",
          JSON.stringify({ ...configuration, ...(isText ? {} : { modelToolCalls }) }, null, 2)
        ])
  ]
}
