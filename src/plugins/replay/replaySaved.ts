/** Replays a saved run from its journal, session by session, and compares the events. Part of the composition root. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Stream from "effect/Stream"
import { inCodeModel, leavesMachine } from "../../kit/models.ts"
import { layerRun, noExtensions, Pipeline, readSetup, type RunContext, type Setup } from "../../kit/program.ts"
import {
  countedSettings,
  hasEnded,
  type JournalLine,
  leftOutNote,
  publishedEvents,
  readRecord,
  readRecords,
  recordedTools,
  type RunOpened,
  RunStore
} from "../../kit/runs.ts"
import { originOf } from "../../kit/tools.ts"
import { Approver } from "../../plugin-kit.ts"
import { recordedPlugins } from "./ReplayDecisions.ts"
import { inOrder, type RunDifference, runDifferences } from "./RunDifference.ts"
import { makeReplay } from "./Replay.ts"
import { type ReplaySession, replaySessions } from "./ReplaySessions.ts"

const unasked = Effect.die(new Error("A replay asks no model."))

/** A model that stands for a script's model object. It is never asked. */
const unaskedModel = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({ generateText: () => unasked, streamText: () => Stream.fromEffect(unasked) })
)

/**
 * The name of the model in the last event that records it. For a model object, earlier versions recorded another name.
 */
const modelIn = (lines: ReadonlyArray<JournalLine>): string | undefined =>
  publishedEvents(readRecords(lines)).findLast((event) => event.type === "run.started")?.model

/**
 * Replays one session. `lines` are the journal up to the end of the session. No code is loaded from the journal.
 * It describes the tools, so configured plugins and servers are not needed. `plugins` come from the caller.
 */
const replaySession = Effect.fnUntraced(function* (
  { order, project, settings }: RunOpened,
  lines: ReadonlyArray<JournalLine>,
  session: ReplaySession,
  { plugins = [] }: Pick<RunContext, "plugins">
) {
  /* Only the names of the model and the server are used. */
  const saved = countedSettings(session.settings ?? settings, true, leavesMachine)
  const found = yield* readSetup(project, saved)
  const { model = found.settings.model } = saved.model === undefined ? { model: modelIn(lines) } : saved
  const setup: Setup = { ...found, settings: { ...found.settings, model }, extensions: noExtensions }
  const replay = yield* makeReplay(lines, session)
  const tools = recordedTools(session.own).filter(({ origin }) => !plugins.some((one) => originOf(one) === origin))
  const layer = layerRun(
    setup,
    {
      listen: replay.listen,
      approveSteps: false,
      approver: Approver.layerDenyAll,
      plugins,
      ...(saved.model === undefined && model === inCodeModel ? { model: unaskedModel } : {})
    },
    { readOnly: order.readOnly ?? false, replay: { ...replay, recorded: recordedPlugins(tools) } }
  )
  const missing = yield* replay.play(
    Effect.provide(
      Pipeline.use((pipeline) => pipeline.run(order)),
      layer
    )
  )
  const before = publishedEvents(session.own)
  const isWhole = hasEnded(before)
  const unknown = isWhole ? missing.map((key): RunDifference => ({ about: `${key} is not in the journal` })) : []
  const changedEvents = runDifferences(before, replay.published, missing.length > 0)
  return {
    isWhole,
    events: before.length,
    differences: [...inOrder([...replay.changed, ...changedEvents]), ...unknown]
  }
})

/** Replays a run. `isWhole` is false for a killed or stopped run, which is replayed as far as its journal goes. */
export const replayRun = Effect.fn("replayRun")(function* (run: string, values: Pick<RunContext, "plugins"> = {}) {
  const store = yield* RunStore
  const { lines: journalLines, opened } = yield* store.read(yield* store.find(run))
  const lines = journalLines.filter((line) => readRecord(line) !== undefined)
  const readable = new Set(lines)
  const sessions = replaySessions(readRecords(lines))
  const played = yield* Effect.forEach(sessions, (session) =>
    replaySession(opened, lines.slice(0, session.known + session.own.length), session, values)
  )
  return {
    /** The version of the program that carried out the run. */
    program: opened.program,
    runId: opened.order.runId,
    leftOut: leftOutNote(journalLines, (line) => !readable.has(line)),
    isWhole: played.at(-1)?.isWhole ?? false,
    events: played.reduce((sum, { events }) => sum + events, 0),
    differences: played.flatMap(({ differences }, index) =>
      played.length === 1
        ? differences
        : differences.map((one) => ({ ...one, about: `session ${index + 1}: ${one.about}` }))
    )
  }
})
