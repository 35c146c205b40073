/** Runs, plans and conversations, as promises for scripts. Each function returns a handle with events and a report. */
import * as Effect from "effect/Effect"
import type { ConversationSummary } from "../domain/conversation/Conversation.ts"
import type { AskReport, RunReport } from "../domain/runs/RunReport.ts"
import type { SchemaSource } from "../domain/tools/SchemaSource.ts"
import type { CheckedTaskList } from "../services/pipeline/Planner.ts"
import type { Tools } from "../services/tools/Tool.ts"
import { listConversations } from "./lateApp.ts"
import { withOptions } from "./optionNames.ts"
import { configurationOf, onThisMachine } from "./programSettings.ts"
import { type AskRequest, outputFormOf, type RunRequest, runOrderOf, type WithValue } from "./requests.ts"
import { conduct, type ScriptOptions } from "./scriptOptions.ts"
import { promiseOf, startHandle, type WorkHandle } from "./WorkHandle.ts"

/** The order for a run, with the options that all functions share. */
export interface RunOptions<Output extends SchemaSource = SchemaSource> extends ScriptOptions, RunRequest<Output> {
  /** False to save nothing. The run then cannot be resumed, and no list contains it. */
  readonly keep?: boolean
}

/** The run that these options describe, for callers that carry it out elsewhere, such as on a cluster. */
export const newRunOf = Effect.fnUntraced(function* (options: RunOptions, runId: string) {
  const order = yield* runOrderOf(options, runId, yield* outputFormOf(options))
  return { project: options.project ?? ".", configuration: configurationOf(options), order }
})

const optionsOf = <Options extends object>(given: string | Options): Options | { readonly prompt: string } =>
  typeof given === "string" ? { prompt: given } : Object(given)

/**
 * Runs a prompt. The run starts at once, and is saved unless the options say otherwise.
 *
 * @example
 * ```ts
 * import { run } from "task-conductor"
 *
 * const { events, report } = run({ prompt: "Rename getLimit to readLimit.", allow: ["edit_file:src/**"] })
 * for await (const event of events) if (event.type === "task.finished") console.log(event.task)
 * const { answer, status } = await report
 * console.log(status, answer)
 * ```
 */
export const run = <const Output extends SchemaSource = never>(
  given: string | RunOptions<Output>
): WorkHandle<WithValue<RunReport, Output>> => {
  const options: RunOptions<Output> = optionsOf(given)
  const { handle } = startHandle(options, (runId) =>
    conduct("run", options, (conductor) => conductor.run({ ...options, runId }))
  )
  return handle
}

/** The options for a task list that is not executed. */
export type PlanOptions = ScriptOptions & Pick<RunRequest, "attachment" | "file" | "open" | "prompt">

/**
 * Makes a task list and checks it, without running it. The report is the list. It rejects if no attempt gives a valid
 * list.
 *
 * @example
 * ```ts
 * import { plan, run } from "task-conductor"
 *
 * const prompt = "Describe every module below src."
 * const { markdown } = await plan(prompt).report
 * await run({ prompt, plan: markdown }).report
 * ```
 */
export const plan = (given: string | PlanOptions): WorkHandle<CheckedTaskList> => {
  const options: PlanOptions = optionsOf(given)
  const { handle } = startHandle(options, (runId) =>
    conduct("plan", options, (conductor) => conductor.plan({ ...options, runId }))
  )
  return handle
}

/** The options of a conversation. */
export interface AskOptions<Output extends SchemaSource = SchemaSource>
  extends Omit<ScriptOptions, "tools">, Omit<AskRequest<Output>, "tools"> {
  /** Either the names of the tools that the model may call, or the script's own tools by name. Default: all tools. */
  readonly tools?: ReadonlyArray<string> | Tools
}

/** A conversation whose messages are all given at the start. The report contains the answer to the last message. */
export interface AskHandle<Report = RunReport> extends WorkHandle<Report> {
  /** A report for each message that was sent. Rejects if the report rejects. */
  readonly answers: Promise<ReadonlyArray<AskReport>>
}

/** Removes the script's own tools from the request, because the conductor gets them as a plugin. */
const askRequestOf = <Output extends SchemaSource>(options: AskOptions<Output>, runId: string) => {
  const { tools, ...request } = options
  return { ...request, runId, ...(Array.isArray(tools) ? { tools: tools as ReadonlyArray<string> } : {}) }
}

/**
 * Sends one message, or several one after another. The conversation starts at once.
 *
 * @example
 * ```ts
 * import { ask } from "task-conductor"
 *
 * const { answer, value } = await ask({
 *   prompt: "On which port does the server listen?",
 *   allow: ["read_file"],
 *   outputSchema: { type: "object", properties: { port: { type: "integer" } }, required: ["port"] }
 * }).report
 * console.log(value?.port ?? answer)
 * ```
 */
export const ask = <const Output extends SchemaSource = never>(
  given: string | AskOptions<Output>
): AskHandle<WithValue<RunReport, Output>> => {
  const options: AskOptions<Output> = optionsOf(given)
  const { handle, started } = startHandle(options, (runId) =>
    conduct("ask", options, (conductor) => conductor.ask(askRequestOf(options, runId)))
  )
  const answers = handle.report.then(async () => Effect.runPromise((await started).answers))
  // Prevents an unhandled rejection if nobody uses `answers`. The report rejects with the same failure.
  answers.catch(() => undefined)
  return { ...handle, answers }
}

/** The saved conversations about a project, the newest first, from `ask` and from editors. */
export const conversations = (
  options: Pick<ScriptOptions, "project" | "stateFolder"> = {}
): Promise<ReadonlyArray<ConversationSummary>> =>
  promiseOf(
    withOptions(options, "conversations", () => listConversations(options.project ?? ".")).pipe(onThisMachine(options))
  )

/** A conversation that accepts messages until it is closed. */
export interface Conversation extends Pick<WorkHandle<RunReport>, "events" | "runId"> {
  /**
   * Sends a message and waits for its answer, which follows the answers to all earlier messages. Rejects only if the
   * conversation could not begin or is closed.
   */
  readonly send: (text: string, onText?: (piece: string) => void) => Promise<AskReport>
  /** Stops the current answer and waits until it has stopped. The conversation stays open. */
  readonly stop: () => Promise<void>
  /** Waits for the answers to all sent messages, then ends the conversation. */
  readonly close: () => Promise<RunReport>
}

/**
 * Opens a conversation that accepts messages until it is closed.
 *
 * @example
 * ```ts
 * import { openConversation } from "task-conductor"
 *
 * const conversation = openConversation({ allow: ["read_file"] })
 * const { answer } = await conversation.send("What does this project do?")
 * console.log(answer, (await conversation.close()).usage)
 * ```
 */
export const openConversation = (options: Omit<AskOptions, "prompt" | "messages"> = {}): Conversation => {
  const { handle, started } = startHandle(options, (runId) =>
    conduct("openConversation", options, (conductor) =>
      Effect.map(conductor.converse(askRequestOf(options, runId)), (conversing) => ({
        ...conversing,
        report: conversing.ended
      }))
    )
  )
  /** Prevents an unhandled rejection. The error is not lost, because each `send` rejects with it. */
  handle.report.catch(() => undefined)
  return {
    runId: handle.runId,
    events: handle.events,
    send: async (text, onText) => promiseOf((await started).send(text, onText)),
    stop: async () => promiseOf((await started).stop),
    close: async () => {
      await started.then(
        ({ close }) => promiseOf(close),
        () => undefined
      )
      return handle.report
    }
  }
}
