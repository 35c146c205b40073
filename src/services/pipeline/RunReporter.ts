/**
 * Publishes the beginning and the end of a run: the event that starts it, with its warnings, and the report that ends
 * it.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Briefing } from "../../domain/models/Briefing.ts"
import { stageModelsOf } from "../../domain/models/Generation.ts"
import { RecordedTool, toolsKey, toolsToRecord } from "../../domain/journal/RecordedTool.ts"
import { hasFacts, runFacts } from "../../domain/checks/Facts.ts"
import type { RunOrder } from "../../domain/runs/RunOrder.ts"
import type { Outcome } from "../../domain/runs/RunOutcome.ts"
import { type EvidenceCount, openFailures } from "../../domain/plan/TaskResult.ts"
import { exitCodeOf, type RunReport } from "../../domain/runs/RunReport.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { Gate } from "../permissions/Gate.ts"
import { deniedFact } from "../permissions/GateQuestion.ts"
import { ResumeNotes } from "./ResumeNotes.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import type { RunState } from "../runs/RunState.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

const sumOfEvidence = (counts: ReadonlyArray<EvidenceCount>): EvidenceCount => ({
  checked: counts.reduce((sum, { checked }) => sum + checked, 0),
  wrong: counts.reduce((sum, { wrong }) => sum + wrong, 0)
})

export const makeRunReporter = Effect.gen(function* () {
  const activities = yield* Activities
  const events = yield* RunEvents
  const gate = yield* Gate
  const foreign = toolsToRecord((yield* ToolRegistry).tools)
  const settings = yield* RunSettings
  const { model } = settings
  const stageModels = settings.model === "embedded" ? {} : stageModelsOf(settings)
  const meter = yield* UsageMeter
  const { root: project } = yield* Workspace
  const resumeNotes = Effect.provideContext((yield* ResumeNotes).read, yield* Effect.context<RunSettings | Workspace>())

  /** Publishes only the notes about the briefing. */
  const warn = ({ notes = [] }: Briefing) =>
    Effect.forEach(notes, (text) => events.publish({ type: "message", level: "warning", text }), { discard: true })

  /** Publishes `run.started` and the notes about the briefing and about a resumed run. */
  const start = Effect.fnUntraced(function* ({ prompt, runId }: RunOrder, briefing: Briefing) {
    yield* events.publish({ type: "run.started", version: 2, runId, project, model, ...stageModels, prompt })
    yield* warn(briefing)
    if (foreign.length > 0) {
      yield* activities.record({ key: toolsKey, success: Schema.Array(RecordedTool) }, Effect.succeed(foreign))
    }
    for (const note of yield* resumeNotes) yield* events.publish({ type: "message", level: "warning", ...note })
  })

  /** Publishes `run.finished` with the report. */
  const finish = Effect.fnUntraced(function* ({ runId }: RunOrder, state: RunState, outcome: Outcome) {
    const { evidence: ofAnswer, notDone = [], ...ending } = outcome
    const { message } = ending
    /* What a person chose is no error. */
    const isChosen = ending.status === "declined" || ending.status === "interrupted"
    const level = isChosen ? "info" : "error"
    if (message !== "") yield* events.publish({ type: "message", level, text: message })
    const usage = yield* meter.total
    const { checks, declined, isStale, ...progress } = yield* state.get
    const failures = openFailures(progress.failures, progress.results)
    const failed = new Set<string>(failures.map(({ task }) => task))
    const facts = runFacts(
      progress.results.flatMap(({ files = [] }) => files),
      checks,
      {
        declined,
        isStale,
        denied: (yield* gate.denials).map((one) => deniedFact(one, project)),
        notDone: [
          ...failures.map(({ reason, task }) => ({ task, why: reason })),
          ...notDone.filter(({ task }) => !failed.has(task))
        ],
        seen: progress.results.flatMap(({ seen = [] }) => seen)
      }
    )
    const evidence = sumOfEvidence(
      [ofAnswer ?? [], ...progress.results.map(({ result }) => result.evidence ?? [])].flat()
    )
    const report: RunReport = {
      runId,
      ...ending,
      ...progress,
      failures,
      ...(hasFacts(facts) ? { facts } : {}),
      ...(evidence.checked === 0 ? {} : { evidence }),
      usage
    }
    yield* events.publish({ type: "run.finished", exitCode: exitCodeOf(report.status), report })
    return report
  })

  return { start, warn, finish }
})
