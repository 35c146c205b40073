/**
 * The comparison of models as a person reads it.
 */
import { benchStages, configurationFor, type ModelScore, type Recommendation, type StageScore } from "./BenchScore.ts"

const words = { plan: "plans", refine: "refinements", execute: "results" } as const

/** `2 at once, 1 at attempt 3` */
const validText = ({ documents, validAt }: StageScore): string => {
  const valid = validAt.reduce((sum, count) => sum + count, 0)
  const parts = validAt.flatMap((count, index) =>
    count === 0 ? [] : [`${count} at ${index === 0 ? "once" : `attempt ${index + 1}`}`]
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
