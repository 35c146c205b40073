/**
 * One run with the noisy model: the real services on a real project folder, and what became of it.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as NodeServices from "@effect/platform-node/NodeServices"
import type { RunReport } from "../../src/domain/runs/RunReport.ts"
import { Pipeline } from "../../src/services/pipeline/Pipeline.ts"
import { randomFrom } from "../mutations/Damage.ts"
import { EventLog } from "../support/EventLog.ts"
import { makeFolder, makeProject } from "../support/Project.ts"
import { willingApprover } from "../support/ScriptedApprover.ts"
import { layerTestRun } from "../support/TestRun.ts"
import { type Given, noisyModel, type NoisyOptions } from "./NoisyModel.ts"
import { makeWork, type Work } from "./Work.ts"

export interface RunOptions extends NoisyOptions {
  readonly window: number
  readonly lines: number
  readonly seed: number
}

export interface NoisyOutcome {
  readonly report: RunReport
  readonly given: ReadonlyArray<Given>
  readonly rejections: number
  /** Files that are not as they must be. */
  readonly wrongFiles: ReadonlyArray<string>
  readonly isAnswered: boolean
  /** Links of the answer to files that are not there. */
  readonly deadLinks: ReadonlyArray<string>
}

const wrongIn = Effect.fnUntraced(function* (project: string, { expected }: Work) {
  const fs = yield* FileSystem.FileSystem
  const checked = yield* Effect.forEach(Object.entries(expected), ([path, text]) =>
    Effect.map(fs.readFileString(`${project}/${path}`), (found) => (found === text ? [] : [path]))
  )
  return checked.flat()
})

/** The links of an answer that lead nowhere and are not marked so: what is marked is not passed off as right. */
const deadIn = Effect.fnUntraced(function* (project: string, answer: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = [...answer.matchAll(/\]\(([^)#\s]+)[^)]*\)(?! \(not )/g)].map(([, path = ""]) => path)
  return yield* Effect.filter(paths, (path) => Effect.map(fs.exists(`${project}/${path}`), (exists) => !exists))
})

/** Carries out one run; the same seed gives the same run. */
export const runNoisily = (options: RunOptions): Promise<NoisyOutcome> => {
  const work = makeWork(options.lines, randomFrom(options.seed))
  const { given, layer } = noisyModel(options, options.seed)
  return Effect.gen(function* () {
    const project = yield* makeProject(work.files)
    const home = yield* makeFolder
    const { report, rejections } = yield* Effect.gen(function* () {
      const report = yield* (yield* Pipeline).run({ runId: "run-1", prompt: work.prompt })
      const events = (yield* EventLog).events()
      return { report, rejections: events.filter(({ type }) => type === "answer.rejected").length }
    }).pipe(
      Effect.provide(
        layerTestRun({
          at: { project, home },
          settings: { contextWindow: options.window, referenceBudget: options.window * 2 },
          approver: willingApprover()
        }).pipe(Layer.provide(layer))
      )
    )
    return {
      report,
      given,
      rejections,
      wrongFiles: yield* wrongIn(project, work),
      isAnswered: work.isAnswered(report.answer),
      deadLinks: yield* deadIn(project, report.answer)
    }
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer), Effect.runPromise)
}
