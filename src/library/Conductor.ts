/**
 * The entry point of programs written with Effect. A conductor starts runs, plans and conversations, each with a stream
 * of events and a report. The functions for scripts return promises of the same work.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { CheckReport, FixedDocument } from "../domain/documents/CheckReport.ts"
import type { AskReport, RunReport } from "../domain/runs/RunReport.ts"
import type { SchemaSource } from "../domain/tools/SchemaSource.ts"
import { RunNotFound, RunStore } from "../services/history/RunStore.ts"
import type { CheckedTaskList } from "../services/pipeline/Planner.ts"
import { makeRunId } from "../services/runs/RunId.ts"
import type { ConductorError } from "./ConductorError.ts"
import { ApproverPart, HostPart, ModelPart, PluginPart, SavePart } from "./conductorParts.ts"
import type { CheckRequest } from "../domain/documents/CheckRequest.ts"
import { type Conversing, converseWith } from "./Conversing.ts"
import { beginRun, forkRun, holdConversation, inProject, layerRuns, planRun, resumeRun } from "./lateApp.ts"
import {
  configurationOf,
  inPlaces,
  onNode,
  type ProgramPlugin,
  type ProgramSettings,
  pluginValues,
  refuse
} from "./programSettings.ts"
import {
  type AskRequest,
  orderMaterial,
  type RequestMaterial,
  type OutputForm,
  outputFormOf,
  type RunRequest,
  runOrderOf,
  type WithValue,
  withOutputForm,
  withValueOf
} from "./requests.ts"
import { type ProgramContext, runContextOf } from "./runContextOf.ts"
import { type Listen, type StartedRun, startRun } from "./StartedRun.ts"

/** The settings that a conductor applies to all its work. */
export interface ConductorSettings extends ProgramSettings {
  /** The name of a model, as for `--model`. Default: the model of the configuration. */
  readonly model?: string
  /** Plugins as values, or packages by name or path. Packages are searched from the current folder. */
  readonly plugins?: ReadonlyArray<ProgramPlugin>
  /**
   * If true, the caller's tracer also gets spans of the work of task-conductor. Otherwise, it gets only spans of the
   * caller's tools.
   */
  readonly spans?: boolean
}

/** A conversation whose messages are all given at the start. Its report contains the answer to the last message. */
export interface StartedAsk<Report, E> extends StartedRun<Report, E> {
  /** A report for each message that was sent; available when the conversation has ended. */
  readonly answers: Effect.Effect<ReadonlyArray<AskReport>, E>
}

/** The id of the work. The functions for scripts choose it, so that the handle that they return has an id at once. */
interface Named {
  readonly runId?: string
}

/** The schema of a resumed run's answer. Pass it again, because a schema in code is not saved. */
type Reading<Output extends SchemaSource = SchemaSource> = Pick<RequestMaterial<Output>, "outputSchema">

/** A request to fork a run. The new run repeats the task `from` and all later tasks. */
interface ForkRequest<Output extends SchemaSource = SchemaSource> extends Reading<Output> {
  readonly from: string
}

type Started<Report> = Effect.Effect<StartedRun<Report, ConductorError>, ConductorError, Scope.Scope>

const requestOf = <Request extends { readonly prompt?: string }>(given: string | Request) =>
  typeof given === "string" ? ({ prompt: given } as Request) : given

/** Requires the whole id, or `last`. An abbreviation may mean another run tomorrow. */
export const requireRun = Effect.fnUntraced(function* (runId: string) {
  const store = yield* RunStore
  const found = runId === "last" ? (yield* store.list)[0]?.runId : yield* store.find(runId)
  if (found !== runId)
    return yield* new RunNotFound({ given: runId, candidates: found === undefined ? [] : [found], isAmbiguous: false })
})

const idOf = ({ runId }: Named) => (runId === undefined ? makeRunId : Effect.succeed(runId))

/** Reads the settings and the parts that layers provide. */
const readPlace = Effect.fnUntraced(function* (settings: ConductorSettings) {
  const host = yield* HostPart
  const saved = yield* SavePart
  const model = yield* ModelPart
  const context: ProgramContext = {
    approver: yield* ApproverPart,
    plugins: [...pluginValues(settings.plugins), ...(yield* PluginPart)],
    ...(model === undefined ? {} : { model })
  }
  const { configuration, project = "." } = settings
  const places = {
    stateFolder: saved === "memory" ? "" : saved.folder,
    ...(configuration === undefined ? {} : { configuration })
  }
  return {
    project,
    configuration: configurationOf(settings),
    context,
    keep: saved !== "memory",
    /** The project in which a saved run continues. Undefined means the project that the run itself names. */
    named: settings.project,
    /** Carries out work with this configuration and state folder, on the given host or on this machine. */
    here: <A, E, R>(work: Effect.Effect<A, E, R>) => {
      const placed = Effect.withTracerEnabled(settings.spans === true)(inPlaces(places)(work))
      return host === undefined ? onNode(placed) : Effect.provide(placed, host)
    }
  }
})

type Place = Effect.Success<ReturnType<typeof readPlace>>

/** Starts work, and decodes its answer if the request has a schema. */
const startReading = <E, R>(
  runId: string,
  form: OutputForm | undefined,
  work: (listen: Listen) => Effect.Effect<RunReport, E, R>
) => {
  const withValue = (report: RunReport) => withValueOf(form, report)
  return startRun(runId, (listen) => work(listen).pipe(withOutputForm(form), Effect.map(withValue)), withValue)
}

const makeOrders = ({ context, configuration, here, keep, project }: Place) => ({
  run: Effect.fnUntraced(function* (asked: string | (RunRequest & Named)) {
    const request = requestOf(asked)
    const runId = yield* idOf(request)
    const form = yield* outputFormOf(request)
    const order = yield* runOrderOf(request, runId, form)
    return yield* startReading(runId, form, (listen) =>
      here(beginRun({ project, configuration, order, keep }, runContextOf(context, listen)))
    )
  }),

  plan: Effect.fnUntraced(function* (asked: string | (RunRequest & Named)) {
    const { plan: _plan, skill: _skill, ...request } = requestOf(asked)
    const runId = yield* idOf(request)
    const order = yield* runOrderOf(request, runId, yield* outputFormOf(request))
    return yield* startRun(runId, (listen) =>
      here(planRun({ project, configuration, order }, runContextOf(context, listen)))
    )
  })
})

const makeConversations = ({ context, configuration, here, project }: Place) => {
  const conversationOf = Effect.fnUntraced(function* (request: AskRequest & Named) {
    const { images = [], messages = [], prompt = messages[0] ?? "", tools } = request
    const form = yield* outputFormOf(request)
    const runId = yield* idOf(request)
    const order = { runId, prompt, ...orderMaterial(request, form), images, ...(tools === undefined ? {} : { tools }) }
    return { form, runId, conversation: { project, configuration, order } }
  })
  return {
    ask: Effect.fnUntraced(function* (asked: string | (AskRequest & Named)) {
      const request = requestOf(asked)
      const { messages, onText, prompt } = request
      if ((messages === undefined) === (prompt === undefined)) {
        return yield* refuse('Give either "prompt" or "messages".')
      }
      const { conversation, form, runId } = yield* conversationOf(request)
      const answers: Array<AskReport> = []
      const work = (listen: Listen) => {
        const hear: Listen = (recorded) => {
          if (recorded.event.type === "ask.finished") answers.push(recorded.event.report)
          listen(recorded)
        }
        const held = holdConversation(conversation, runContextOf(context, hear), ({ send }) =>
          Effect.forEach(messages ?? [prompt ?? ""], (text) => send(text, onText), { discard: true })
        )
        return here(held)
      }
      const started = yield* startReading(runId, form, work)
      return { ...started, answers: Effect.map(started.report, () => answers) }
    }),

    converse: Effect.fnUntraced(function* (request: Omit<AskRequest, "prompt" | "messages"> & Named) {
      const { conversation, form, runId } = yield* conversationOf(request)
      return yield* converseWith(runId, request.onText, (listen, use) =>
        withOutputForm(form)(here(holdConversation(conversation, runContextOf(context, listen), use)))
      )
    })
  }
}

const makeSavedRuns = ({ context, configuration, here, keep, named }: Place) => {
  const noRuns = refuse("a journal in memory keeps no runs. Name the folder that has them: Journal.folder(path).")
  const onRuns = <A, E, R>(work: Effect.Effect<A, E, R | RunStore>) =>
    keep ? here(Effect.provide(work, layerRuns)) : Effect.fail(noRuns)
  const savedRun = (runId: string) => ({ run: runId, configuration, project: named })
  return {
    resume: Effect.fnUntraced(function* (runId: string, reading: Reading = {}) {
      return yield* startReading(runId, yield* outputFormOf(reading), (listen) =>
        onRuns(Effect.andThen(requireRun(runId), resumeRun(savedRun(runId), runContextOf(context, listen))))
      )
    }),

    fork: Effect.fnUntraced(function* (runId: string, { from, ...others }: ForkRequest & Named) {
      const newId = yield* idOf(others)
      const order = { ...savedRun(runId), from, runId: newId }
      return yield* startReading(newId, yield* outputFormOf(others), (listen) =>
        onRuns(Effect.andThen(requireRun(runId), forkRun(order, runContextOf(context, listen))))
      )
    })
  }
}

const makeChecks = ({ context, configuration, here, project }: Place) => {
  const fix = (text: string, { finished = [], kind = "task-list" }: CheckRequest = {}) => {
    const checked = { project, configuration, plugins: context.plugins, warn: () => Effect.void }
    return here(inProject(checked, (checker) => checker.fix(kind, text, { finished })))
  }
  return {
    fix,
    check: (text: string, request?: CheckRequest) => Effect.map(fix(text, request), ({ report }) => report)
  }
}

const makeConductor = (settings: ConductorSettings) =>
  Effect.map(readPlace(settings), (place) => ({
    ...makeOrders(place),
    ...makeConversations(place),
    ...makeSavedRuns(place),
    ...makeChecks(place)
  }))

/**
 * The work that a program can start. Closing the scope of the work interrupts it, and waits until it has stopped.
 *
 * @example
 * ```ts
 * import { Conductor } from "task-conductor/effect"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const program = Effect.gen(function* () {
 *   const conductor = yield* Conductor
 *   const { events, report } = yield* conductor.run("Describe every module below src.")
 *   yield* Stream.runForEach(events, ({ type }) => Effect.log(type))
 *   return yield* report
 * }).pipe(
 *   Effect.scoped,
 *   Effect.catchTag("UnknownSkill", ({ message }) => Effect.logError(message)),
 *   Effect.provide(Conductor.layer({ model: "qwen3:8b", allow: ["read_file"] }))
 * )
 * ```
 */
export class Conductor extends Context.Service<
  Conductor,
  {
    /**
     * Starts a run. Fails if the run cannot begin, for example because of an unknown skill, a wrong configuration or a
     * missing project.
     */
    run<const Output extends SchemaSource = never>(
      request: string | (RunRequest<Output> & Named)
    ): Started<WithValue<RunReport, Output>>
    /** Makes and checks a task list, without executing or saving it. */
    plan(request: string | (RunRequest & Named)): Started<CheckedTaskList>
    /** Sends one message, or several one after another. */
    ask<const Output extends SchemaSource = never>(
      request: string | (AskRequest<Output> & Named)
    ): Effect.Effect<StartedAsk<WithValue<RunReport, Output>, ConductorError>, ConductorError, Scope.Scope>
    /** Opens a conversation, which accepts messages until it is closed. */
    converse(
      request: Omit<AskRequest, "prompt" | "messages"> & Named
    ): Effect.Effect<Conversing<ConductorError>, ConductorError, Scope.Scope>
    /**
     * Resumes a saved run without repeating finished work. Pass plugins, models and schemas again if they are values,
     * because values are not saved.
     */
    resume<const Output extends SchemaSource = never>(
      runId: string,
      reading?: Reading<Output>
    ): Started<WithValue<RunReport, Output>>
    /** Starts a new run that reuses the work of another run before the task `from`. */
    fork<const Output extends SchemaSource = never>(
      runId: string,
      options: ForkRequest<Output> & Named
    ): Started<WithValue<RunReport, Output>>
    /** Checks a document against the project. A run accepts every plan that this check accepts. */
    check(text: string, request?: CheckRequest): Effect.Effect<CheckReport, ConductorError>
    /** Checks a document against the project, and rewrites it with its repairs. */
    fix(text: string, request?: CheckRequest): Effect.Effect<FixedDocument, ConductorError>
  }
>()("task-conductor/library/Conductor") {
  /** Creates a conductor from the parts that layers provide: models, tools, skills, approvals, saved runs and host. */
  static readonly layer = (settings: ConductorSettings = {}): Layer.Layer<Conductor> =>
    Layer.effect(
      Conductor,
      Effect.map(makeConductor(settings), (made) => made as unknown as Conductor["Service"])
    )
}
