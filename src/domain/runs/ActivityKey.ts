/**
 * The stable keys of model calls, tool calls and stages within a stage. Recorded outcomes are found by them,
 * so they consist
 * only of what survives a restart: stage, round, task, attempt, uid. Keys are made here and read here.
 */
import * as Schema from "effect/Schema"
import { slugOf } from "../text/Slug.ts"

export const Stage = Schema.Literals(["plan", "task", "iterate", "conclude", "ask"])
export type Stage = typeof Stage.Type

/**
 * One model call. `round` is 0 before the first round; `task` is a task name; `attempt` counts from 1: the turns of a task, the
 * iterations of `ask`, whose round is the number of the message.
 */
export const ModelCallId = Schema.Struct({
  stage: Stage,
  round: Schema.Int,
  task: Schema.optionalKey(Schema.String),
  attempt: Schema.Int
})
export type ModelCallId = typeof ModelCallId.Type

/** One tool call of a task; the calls of `ask` have the task `ask`. */
export const ToolCallId = Schema.Struct({ round: Schema.Int, task: Schema.String, uid: Schema.String })
export type ToolCallId = typeof ToolCallId.Type

/** `round-1/turn/research-2/attempt-1`, `plan/attempt-1`. */
export const modelCallKey = (id: ModelCallId): string =>
  [
    ...(id.round === 0 ? [] : [`round-${id.round}`]),
    id.stage === "task" ? "turn" : id.stage,
    ...(id.task === undefined ? [] : [slugOf(id.task)]),
    `attempt-${id.attempt}`
  ].join("/")

/** A part of a run whose outcome is recorded: `plan`, `round-1`, `round-1/refined/research-2`, `round-1/task/research-2`. */
export const stageKey = {
  briefing: "briefing",
  plan: "plan",
  round: (round: number): string => `round-${round}`,
  refined: (round: number, task: string): string => `round-${round}/refined/${slugOf(task)}`,
  task: (round: number, task: string): string => `round-${round}/task/${slugOf(task)}`
}

/** What a stage reads from the project or the web: `round-1/tool/research-2/call-1`. */
export const toolCallKey = (id: ToolCallId): string => `round-${id.round}/tool/${slugOf(id.task)}/${id.uid}`

/** One check of a task: `round-1/check/research-2/turn-3/1`. */
export const checkKey = (id: {
  readonly round: number
  readonly task: string
  readonly turn: number
  readonly index: number
}): string => `round-${id.round}/check/${slugOf(id.task)}/turn-${id.turn}/${id.index}`

/** The name under which an engine knows an activity: its key with a hash of what it is done with. */
export const activityName = ({ input, key }: { readonly key: string; readonly input: string }): string =>
  `${key}#${input.slice(0, 16)}`

/** The key of an activity by its name; a key without a hash is one already. */
export const keyOfActivity = (name: string): string => name.replace(/#[0-9a-f]{16}$/, "")

/** What a key stands for; `task` is the slug of a task. */
export type ParsedKey =
  | { readonly kind: "briefing" | "plan" }
  | { readonly kind: "round"; readonly round: number }
  | { readonly kind: "refined" | "task"; readonly round: number; readonly task: string }
  | {
      readonly kind: "model"
      readonly stage: Stage
      readonly round: number
      readonly task?: string
    }
  | { readonly kind: "tool"; readonly round: number; readonly task: string; readonly uid: string }
  | { readonly kind: "check"; readonly round: number; readonly task: string }

const isStage = Schema.is(Stage)

/** Reads the key of a stage, or the key or the name of a call; nothing for keys of other things. */
export const parseKey = (name: string): ParsedKey | undefined => {
  const [, number, rest = ""] = /^(?:round-(\d+)(?:\/|$))?(.*)$/s.exec(keyOfActivity(name)) ?? []
  const [kind = "", task = "", ...more] = rest.split("/")
  const round = Number(number ?? 0)
  if (rest === "briefing" || rest === "plan") return { kind: rest }
  if (rest === "" && round > 0) return { kind: "round", round }
  if ((kind === "refined" || kind === "task") && task !== "") return { kind, round, task }
  if (kind === "tool" && more.length > 0) return { kind, round, task, uid: more.join("/") }
  if (kind === "check" && round > 0 && more.length > 0) return { kind, round, task }
  const stage = kind === "turn" ? "task" : kind
  if (!isStage(stage) || task === "") return undefined
  return more.length === 0 ? { kind: "model", stage, round } : { kind: "model", stage, round, task }
}

/** Where a task asks outside of its calls: `round-1/task`. */
export const stagePlace = (round: number, stage: Stage): string => `round-${round}/${stage}`

/**
 * What a stage looks at: `check/research-1,research-2`, `reference/research-1/document/notes.md`, `inputs/research-1`,
 * `changes/research-1`.
 */
export const seenKey = {
  check: (tasks: ReadonlyArray<string>): string => `check/${tasks.map(slugOf).join()}`,
  reference: (task: string, href: string): string => `reference/${slugOf(task)}/document/${href}`,
  inputs: (task: string): string => `inputs/${slugOf(task)}`,
  /** `task` is absent for the answer of the run. */
  evidence: (task?: string): string => (task === undefined ? "evidence" : `evidence/${slugOf(task)}`),
  requestedChanges: (round: number): string => `wishes/round-${round}`,
  items: (round: number, task: string): string => `items/${slugOf(task)}/round-${round}`,
  itemCount: (task: string): string => `items/${slugOf(task)}/count`,
  merged: (round: number, task: string): string => `merged/${slugOf(task)}/round-${round}`,
  changes: (task: string): string => `changes/${slugOf(task)}`,
  /** What a call of a turn changed in the working copy of its task. */
  proposal: (call: ToolCallId): string => `proposal/${toolCallKey(call)}`,
  checks: (task: string, round: number, turn: number): string => `checks/${slugOf(task)}/round-${round}/turn-${turn}`
}

/** The task of calls in a conversation, which has no plan. */
export const askTask = "ask"
