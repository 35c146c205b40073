/**
 * Damage that keeps the meaning of a document: the tables that the readers are measured with, applied to answers.
 */
import type { DocumentKind } from "../../src/domain/documents/CheckReport.ts"
import { calls } from "../mutations/calls.ts"
import type { Damage } from "../mutations/Damage.ts"
import { headings } from "../mutations/headings.ts"
import { labels } from "../mutations/labels.ts"
import { layout } from "../mutations/layout.ts"
import { references } from "../mutations/references.ts"
import { surroundings } from "../mutations/surroundings.ts"
import { group, type Noise } from "./Noise.ts"
import type { StageName } from "./PromptView.ts"

const kinds: Readonly<Record<StageName, DocumentKind>> = {
  creation: "task-list",
  iteration: "task-list",
  refinement: "refinement",
  execution: "result",
  conclusion: "result"
}

/** The conclusion is free text: only what stands around it can be damaged. */
const ofTable = (name: string, weight: number, table: ReadonlyArray<Damage>): ReadonlyArray<Noise> =>
  group(
    name,
    weight,
    Object.fromEntries(
      table.map(({ apply, name: kind }) => [
        kind,
        ({ stage, text }, random) =>
          stage === "conclusion" && table !== surroundings
            ? undefined
            : apply({ kind: kinds[stage], text, options: {} }, random)
      ])
    )
  )

export const documentNoise: ReadonlyArray<Noise> = [
  ...ofTable("surroundings", 14, surroundings),
  ...ofTable("headings", 10, headings),
  ...ofTable("labels", 10, labels),
  ...ofTable("layout", 6, layout),
  ...ofTable("form of references", 4, references),
  ...ofTable("form of calls", 10, calls)
]
