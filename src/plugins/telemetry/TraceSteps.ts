/**
 * Converts events to steps that begin and end spans, without effects. Spans are named as in OpenTelemetry's semantic
 * conventions for generative AI.
 */
import {
  dataText,
  type EventOf,
  type ModelCallId,
  modelCallKey,
  type RunEvent,
  type Stage,
  type ToolCallId,
  toolCallKey
} from "../../plugin-kit.ts"

export type Attributes = Readonly<Record<string, string | number | boolean>>

/** Begins a span, unless a span with this key is open. The parent is the first of `parents` that is open. */
export interface SpanStart {
  readonly _tag: "Start"
  readonly key: string
  readonly parents: ReadonlyArray<string>
  readonly name: string
  readonly kind: "internal" | "client"
  readonly attributes: Attributes
}

/** Ends the open spans whose keys begin with `prefix`. `error` is the kind of failure. */
export interface SpanEnd {
  readonly _tag: "End"
  readonly prefix: string
  readonly attributes: Attributes
  readonly error?: string
}

export type TraceStep = SpanStart | SpanEnd

export interface TraceStyle {
  readonly model: string
  /** Returns the name of a model's provider. */
  readonly providerOf: (model: string) => string
  /** True if the trace contains prompts, arguments, results and answers. */
  readonly withContent: boolean
}

const roots = ["run", "ask"]

const taskKey = (round: number, task: string): string => `task ${round}/${encodeURIComponent(task)}/`
const stageKeyOf = (stage: Stage, round: number, task?: string): string =>
  `stage ${stage}/${round}/${encodeURIComponent(task ?? "")}/`

const start = (
  key: string,
  parents: ReadonlyArray<string>,
  name: string,
  attributes: Attributes,
  kind: SpanStart["kind"] = "internal"
): SpanStart => ({ _tag: "Start", key, parents: [...parents, ...roots], name, kind, attributes })

const end = (prefix: string, attributes: Attributes = {}, error?: string): SpanEnd => ({
  _tag: "End",
  prefix,
  attributes,
  ...(error === undefined ? {} : { error })
})

const content = ({ withContent }: TraceStyle, attributes: Attributes): Attributes => (withContent ? attributes : {})

const agent = (id: string): Attributes => ({
  "gen_ai.operation.name": "invoke_agent",
  "gen_ai.agent.name": "task-conductor",
  "gen_ai.conversation.id": id
})

const message = (role: "user" | "assistant", text: string): string =>
  JSON.stringify([{ role, parts: [{ type: "text", content: text }] }])

const taskStart = (round: number, task: string): SpanStart =>
  start(taskKey(round, task), [], "task", { "task_conductor.task.name": task, "task_conductor.round": round })

const stageStarts = ({ round, stage, task }: EventOf<"stage.started">): ReadonlyArray<TraceStep> => {
  const attributes = { "task_conductor.stage": stage, "task_conductor.round": round }
  const parents = task === undefined ? [] : [taskKey(round, task)]
  const stageStart = start(stageKeyOf(stage, round, task), parents, `stage ${stage}`, attributes)
  return task === undefined ? [stageStart] : [taskStart(round, task), stageStart]
}

const modelStart = (call: ModelCallId, model: string, { providerOf }: TraceStyle): SpanStart => {
  const { attempt, round, stage, task } = call
  const parents = [stageKeyOf(stage, round, task), ...(task === undefined ? [] : [taskKey(round, task)])]
  const attributes: Attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": providerOf(model),
    "gen_ai.request.model": model,
    "task_conductor.stage": stage,
    "task_conductor.round": round,
    "task_conductor.attempt": attempt
  }
  return start(`model ${modelCallKey(call)} `, parents, `chat ${model}`, attributes, "client")
}

const toolKey = (id: ToolCallId): string => `tool ${toolCallKey(id)} `

const usageAttributes = (input: number | undefined, output: number | undefined): Attributes => ({
  ...(input === undefined ? {} : { "gen_ai.usage.input_tokens": input }),
  ...(output === undefined ? {} : { "gen_ai.usage.output_tokens": output })
})

/** Ends all spans of a run or a message, inner ones first. */
const endAll = (attributes: Attributes, error?: string): ReadonlyArray<TraceStep> => [
  ...["model ", "tool ", "stage ", "task "].map((prefix) => end(prefix)),
  ...roots.map((root) => end(root, attributes, error))
]

const runEnd = ({ exitCode, report }: EventOf<"run.finished">, style: TraceStyle): ReadonlyArray<TraceStep> => {
  const { answer, results, rounds, status, usage } = report
  const error = status === "done" ? undefined : status
  const attributes: Attributes = {
    ...usageAttributes(usage.promptTokens, usage.answerTokens),
    "task_conductor.run.status": status,
    "task_conductor.run.exit_code": exitCode,
    "task_conductor.run.rounds": rounds,
    "task_conductor.run.results": results.length,
    ...(error === undefined ? {} : { "error.type": error }),
    ...content(style, { "gen_ai.output.messages": message("assistant", answer) })
  }
  return endAll(attributes, error)
}

export const traceSteps = (event: RunEvent, style: TraceStyle): ReadonlyArray<TraceStep> => {
  switch (event.type) {
    case "run.started": {
      const asked = content(style, { "gen_ai.input.messages": message("user", event.prompt) })
      const model = { "gen_ai.request.model": event.model, "gen_ai.provider.name": style.providerOf(event.model) }
      return [start("run", [], "invoke_agent task-conductor", { ...agent(event.runId), ...model, ...asked })]
    }
    case "ask.started": {
      const asked = content(style, { "gen_ai.input.messages": message("user", event.text) })
      return [start("ask", [], "invoke_agent task-conductor", { ...agent(`message ${event.message}`), ...asked })]
    }
    case "ask.finished": {
      const { answer, status } = event.report
      const reported = content(style, { "gen_ai.output.messages": message("assistant", answer) })
      return endAll({ "task_conductor.run.status": status, ...reported }, status === "done" ? undefined : status)
    }
    case "stage.started":
      return stageStarts(event)
    case "plan.created":
      return [end("stage plan/")]
    case "plan.revised":
      return [end("stage iterate/")]
    case "task.worked":
      return [end(stageKeyOf("task", event.round, event.task))]
    case "task.started":
      return [taskStart(event.round, event.task)]
    case "task.finished": {
      const reported = content(style, { "task_conductor.task.result": event.result.result.document })
      return [end(taskKey(event.round, event.task), reported)]
    }
    case "task.failed": {
      const error = event.failure.skipped ? "skipped" : (event.failure.cause?._tag ?? "failed")
      const turns = end(stageKeyOf("task", event.round, event.task), {}, error)
      return [turns, end(taskKey(event.round, event.task), { "error.type": error }, error)]
    }
    case "model.started":
      return [modelStart(event.call, event.model ?? style.model, style)]
    case "model.finished": {
      const { answerTokens, promptTokens } = event.usage
      return [end(`model ${modelCallKey(event.call)} `, usageAttributes(promptTokens, answerTokens))]
    }
    case "model.failed":
      return [end(`model ${modelCallKey(event.call)} `, { "error.type": event.reason }, event.reason)]
    case "tool.started": {
      const { call, id, risk } = event
      const attributes: Attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": call.uid,
        "task_conductor.risk": risk,
        ...content(style, { "gen_ai.tool.call.arguments": JSON.stringify(call.arguments) })
      }
      return [start(toolKey(id), [taskKey(id.round, id.task)], `execute_tool ${call.name}`, attributes)]
    }
    case "tool.finished": {
      const { data, error_message, error_type, success } = event.result
      const reported = content(style, { "gen_ai.tool.call.result": success ? dataText(data) : (error_message ?? "") })
      const error = success ? undefined : error_type
      return [end(toolKey(event.id), { ...reported, ...(success ? {} : { "error.type": error_type }) }, error)]
    }
    case "run.finished":
      return runEnd(event, style)
    default:
      return []
  }
}
