/**
 * The model of the noisy runs: it answers right, and a share of its answers is damaged on the way. Asked again, it answers
 * anew, or gives the damaged answer once more when it is stubborn.
 */
import { pick, type Random, randomFrom } from "../mutations/Damage.ts"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { ScriptedModel, type ScriptedAnswer } from "../../src/services/providers/ScriptedModel.ts"
import type { BadModel } from "./BadModels.ts"
import { rightAnswer } from "./KnowingModel.ts"
import type { Noise, Right } from "./Noise.ts"
import { type StageName, stageOf, taskIn } from "./PromptView.ts"

export interface NoisyOptions {
  /** The share of answers that are damaged. */
  readonly damage: number
  /** The share of repeated questions that get a damaged answer once more. */
  readonly stubborn: number
  readonly kinds: ReadonlyArray<Noise>
  /** Answers in the place of the model that answers right. */
  readonly bad?: BadModel
}

/** One answer that was given. */
export interface Given {
  readonly stage: StageName
  readonly task: string
  readonly prompt: FilledPrompt
  readonly answer: ScriptedAnswer
  /** The kind of damage; nothing for a right answer. */
  readonly kind: string | undefined
  /** True when it answers a question that was asked before. */
  readonly isRetry: boolean
}

/** One of the kinds by weight; nothing when there are none. */
const weighted = (kinds: ReadonlyArray<Noise>, random: Random): Noise | undefined => {
  let left = random() * kinds.reduce((sum, { weight }) => sum + weight, 0)
  for (const kind of kinds) {
    left -= kind.weight
    if (left < 0) return kind
  }
  return pick(kinds, random)
}

/** One number for a seed and a question, whatever the order of the questions. */
const seedOf = (seed: number, question: string): number =>
  [...question].reduce((sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 16_777_619), seed + 2_166_136_261)

/** What the turns of a task hold: calls and changes, or the report. */
const kindOf = (stage: StageName, text: string): StageName =>
  stage !== "refinement" && stage !== "execution"
    ? stage
    : text.includes("## Result summary")
      ? "execution"
      : "refinement"

/** In the turns of a task only the last reply says what is wrong now. */
const isRetry = ({ user }: FilledPrompt): boolean =>
  /^## Issues with (?:the previous proposal|your answer)/m.test(user.slice(Math.max(0, user.lastIndexOf("## Reply "))))

/** The model and everything that it said, in order. */
export const noisyModel = ({ bad, damage, kinds, stubborn }: NoisyOptions, seed: number) => {
  const given: Array<Given> = []
  const lastOf = (stage: StageName, task: string): Given | undefined =>
    given.findLast((one) => one.stage === stage && one.task === task)

  const damaged = (right: Right, random: Random) => {
    let left = kinds
    while (left.length > 0) {
      const kind = weighted(left, random)
      const answer = kind?.apply(right, random)
      if (kind !== undefined && answer !== undefined && answer.text !== right.text) return { answer, kind: kind.name }
      left = left.filter((one) => one !== kind)
    }
    return { answer: { text: right.text }, kind: undefined }
  }

  const layer = ScriptedModel.layer((prompt) => {
    const task = taskIn(prompt).name
    const own = given.flatMap((one) => (one.task === task ? [one.answer.text] : [])).join("\n")
    const text = bad === undefined ? rightAnswer(prompt, own) : bad(prompt, seed, given.length)
    const stage = kindOf(stageOf(prompt) ?? "conclusion", text)
    const again = isRetry(prompt)
    const asked = given.filter((one) => one.stage === stage && one.task === task).length
    const random = randomFrom(seedOf(seed, `${stage} ${task} ${asked}`))
    const last = again ? lastOf(stage, task) : undefined
    const repeats = last?.kind !== undefined && random() < stubborn
    const said = repeats
      ? { answer: last.answer, kind: last.kind }
      : random() < damage
        ? damaged({ stage, text, prompt }, random)
        : { answer: { text }, kind: undefined }
    given.push({ stage, task, prompt, isRetry: again, ...said })
    return said.answer
  })
  return { layer, given }
}
