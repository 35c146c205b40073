/**
 * One run that is kept in a folder and goes on in as many processes as a test wants: every session has layers, a model
 * and a person of its own, and knows of the others only what the journal says.
 */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { modelCallKey } from "../../src/domain/runs/ActivityKey.ts"
import type { JournalRecord } from "../../src/domain/journal/JournalRecord.ts"
import type { Rule } from "../../src/domain/permissions/Permission.ts"
import type { RunOrder } from "../../src/domain/runs/RunOrder.ts"
import { layerRun } from "../../src/app/layers.ts"
import { replayRun } from "../../src/plugins/replay/replaySaved.ts"
import { layerRuns } from "../../src/app/savedRuns.ts"
import { makeReplay } from "../../src/plugins/replay/Replay.ts"
import { pickSettings } from "../../src/domain/configuration/Configuration.ts"
import { readSetup } from "../../src/app/setup.ts"
import { publishedEvents } from "../../src/domain/history/JournalParts.ts"
import { replaySessions } from "../../src/plugins/replay/ReplaySessions.ts"
import { Approver } from "../../src/services/approvals/Approver.ts"
import type { Plugin } from "../../src/services/tools/Plugin.ts"
import { recordOf } from "../../src/services/journal/JournalLine.ts"
import { readJournal } from "../../src/services/journal/JournalReader.ts"
import { layerNewRun, layerResumedRun, layerUnsaved } from "../../src/services/history/JournalLayers.ts"
import { Pipeline } from "../../src/services/pipeline/Pipeline.ts"
import { ScriptedModel } from "../../src/services/providers/ScriptedModel.ts"
import { EventLog } from "./EventLog.ts"
import { makeFolder, makeProject } from "./Project.ts"
import { freeSkill, layerTestRun, testSkills, type TestRunOptions } from "./TestRun.ts"

export interface Session {
  readonly answer: Parameters<typeof ScriptedModel.layer>[0]
  readonly approver?: Layer.Layer<Approver>
  readonly settings?: NonNullable<TestRunOptions["settings"]>
  readonly plugins?: ReadonlyArray<Plugin>
  readonly rules?: ReadonlyArray<Rule>
  readonly readOnly?: boolean
  /** The session breaks off as soon as this comes to its end. */
  readonly until?: Effect.Effect<void>
}

const runId = "20261120-183000-k3x9"

export const makeKeptRun = Effect.fnUntraced(function* (order: Omit<RunOrder, "runId">) {
  const project = yield* makeProject({ ...testSkills, ".task-conductor/skills/free/SKILL.md": freeSkill })
  const home = yield* makeFolder
  const place = {
    state: `${home}/.local/state/task-conductor`,
    locks: `${home}/.local/state/task-conductor/locks`,
    runId,
    project,
    program: "0.0.0",
    secrets: ["the-s3cret-value"],
    readOnly: false
  }
  const file = `${place.state}/runs/${runId}/journal.jsonl`
  let began = false

  /** Carries out the order on this journal. */
  const perform = Effect.fnUntraced(function* (
    journal: NonNullable<TestRunOptions["journal"]>,
    named: RunOrder,
    { answer, until = Effect.never, ...options }: Session
  ) {
    const world = layerTestRun({ ...options, at: { project, home }, journal }).pipe(
      Layer.provideMerge(ScriptedModel.layer(answer))
    )
    return yield* Effect.gen(function* () {
      const exit = yield* Effect.exit(
        Effect.raceFirst(
          Pipeline.use((pipeline) => pipeline.run(named)),
          Effect.andThen(until, Effect.interrupt)
        )
      )
      const events = (yield* EventLog).events()
      return {
        report: Exit.isSuccess(exit) ? exit.value : undefined,
        events,
        /** Keys of the model calls that were really sent. */
        sent: events.flatMap((event) => (event.type === "model.started" ? [modelCallKey(event.call)] : [])),
        called: events.flatMap((event) => (event.type === "tool.started" ? [`${event.id.task}/${event.id.uid}`] : [])),
        kept: events.flatMap((event) => (event.type === "task.kept" ? [event.task] : []))
      }
    }).pipe(Effect.provide(world))
  })

  const named = { runId, ...order }
  const session = (given: Session) =>
    Effect.suspend(() => {
      const settings = pickSettings(given.settings ?? {}, ["limits", "askFirst", "checks", "plans"])
      const journal = began
        ? layerResumedRun({ ...place, settings })
        : layerNewRun(place, { project, order: named, settings })
      began = true
      return perform(journal, named, given)
    })

  /** The order on a run of which nothing is kept. */
  const unsaved = (given: Session) => perform(layerUnsaved, named, given)

  /** A new run that begins with these records. */
  const fork = (begin: ReadonlyArray<JournalRecord>, given: Session) => {
    const forked = { ...named, runId: `${runId}2` }
    const journal = layerNewRun({ ...place, runId: forked.runId }, { project, order: forked, settings: {} }, begin)
    return perform(journal, forked, given)
  }

  const records = Effect.map(readJournal(file), ({ lines }) => lines.map(recordOf))

  const apart = Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({ HOME: home }))

  /** What the first session told, and what its replay tells. */
  const toldTwice = Effect.gen(function* () {
    const { lines, opened } = yield* readJournal(file)
    const [session] = replaySessions(lines.map(recordOf))
    if (session === undefined) return yield* Effect.die("There is no session.")
    const replay = yield* makeReplay(lines, session)
    const setup = yield* readSetup(project, opened.settings)
    const context = { listen: replay.listen, approveSteps: false, approver: Approver.layerDenyAll }
    const world = layerRun(setup, context, { replay })
    yield* replay.play(
      Effect.provide(
        Pipeline.use((pipeline) => pipeline.run(opened.order)),
        world
      )
    )
    return { before: publishedEvents(session.own), now: replay.published }
  }).pipe(apart)

  /** Plays the run again, or one that was forked from it, with nothing of this machine's configuration. */
  const replay = (id = runId) => replayRun(id).pipe(Effect.provide(layerRuns), apart)

  /** Leaves so many lines of the journal, as if the process had been killed right after the last of them. */
  const cut = Effect.fnUntraced(function* (lines: number) {
    const fs = yield* FileSystem.FileSystem
    const text = yield* fs.readFileString(file)
    yield* fs.writeFileString(
      file,
      text
        .split(/(?<=\n)/)
        .slice(0, lines)
        .join("")
    )
  })

  /** Type and key of each record, such as `outcome round-1/turn/edit/attempt-1`. */
  const keys = Effect.map(records, (all) =>
    all.map((record) => ("key" in record ? `${record.type} ${record.key.split("#")[0]}` : record.type))
  )

  /** Leaves the journal up to the first record with this type and key; returns what was left out. */
  const cutAfter = Effect.fnUntraced(function* (key: string) {
    const all = yield* keys
    const lines = all.indexOf(key) + 1
    if (lines === 0) return yield* Effect.die(`There is no ${key} in ${all.join(", ")}.`)
    yield* cut(lines)
    return all.slice(lines)
  })

  return { project, home, place, file, session, unsaved, fork, records, keys, replay, toldTwice, cut, cutAfter }
})
