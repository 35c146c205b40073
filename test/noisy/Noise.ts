/**
 * What a kind of noise is: a way in which the right answer of a stage is damaged. The files beside this one hold tables of
 * them.
 */
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import type { ScriptedAnswer } from "../../src/services/providers/ScriptedModel.ts"
import type { Random } from "../mutations/Damage.ts"
import type { StageName } from "./PromptView.ts"

/** The right answer with where it is given. */
export interface Right {
  readonly stage: StageName
  readonly text: string
  readonly prompt: FilledPrompt
}

/** One kind of noise; nothing when the answer has no place for it. */
export interface Noise {
  /** Its group and what it does, as `group: kind`. */
  readonly name: string
  /** How often it happens, against the others. */
  readonly weight: number
  readonly apply: (right: Right, random: Random) => ScriptedAnswer | undefined
}

/** Kinds that give a text. */
export type Kinds = Readonly<Record<string, (right: Right, random: Random) => string | ScriptedAnswer | undefined>>

/** A group of kinds that share a weight. */
export const group = (name: string, weight: number, kinds: Kinds): ReadonlyArray<Noise> =>
  Object.entries(kinds).map(([kind, apply], _, all) => ({
    name: `${name}: ${kind}`,
    weight: weight / all.length,
    apply: (right, random) => {
      const said = apply(right, random)
      return typeof said === "string" ? { text: said } : said
    }
  }))

/** Only for answers of some stages. */
export const only =
  (stages: string, apply: (right: Right, random: Random) => string | ScriptedAnswer | undefined): Kinds[string] =>
  (right, random) =>
    stages.split(" ").includes(right.stage) ? apply(right, random) : undefined
