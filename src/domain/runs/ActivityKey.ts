/**
 * The stable keys under which the journal records model calls, tool calls and stages. Their parts stay the same after a
 * restart: stage, round, task, attempt, uid. Only this file makes and reads keys.
 */
import * as Schema from "effect/Schema"
import { slugOf } from "../text/Slug.ts"

/** The stage of a run in which a model is called. `ask` is the stage of conversations. */
export const Stage = Schema.Literals(["plan", "task", "iterate", "conclude", "ask"])
export type Stage = typeof Stage.Type

/**
 * Identifies one model call.
 * - `round` is 0 before the first round. For `ask`, it is the number of the message.
 * - `task` is a task name.
 * - `attempt` counts the turns of a task or the iterations of `ask`, from 1.
 */
export const ModelCallId = Schema.Struct({
  /** The stage that calls the model. */
  stage: Stage,
  /** The round, from 1; 0 before the first. */
  round: Schema.Int,
  /** The name of the task; absent for stages of the whole run. */
  task: Schema.optionalKey(Schema.String),
  /** The turn or attempt, from 1. */
  attempt: Schema.Int,
  /** The number 2 for the second of two alternative answers. Absent for the first. */
  choice: Schema.optionalKey(Schema.Int)
})
export type ModelCallId = typeof ModelCallId.Type

/** Identifies one tool call of a task. Calls of `ask` have the task `ask`. */
export const ToolCallId = Schema.Struct({
  /** The round, from 1; 0 in a conversation. */
  round: Schema.Int,
  /** The name of the task. */
  task: Schema.String,
  /** The id of the call, unique in its task. */
  uid: Schema.String
})
export type ToolCallId = typeof ToolCallId.Type

/** The words for an attempt: `turn 2` for a task, otherwise `attempt 2`, or `attempt 1, second answer`. */
export const attemptText = ({ attempt, choice, stage }: Pick<ModelCallId, "attempt" | "choice" | "stage">): string =>
  `${stage === "task" ? "turn" : "attempt"} ${attempt}${choice === undefined ? "" : ", second answer"}`

/**
 * The key of a model call, which is unique in its run: `round-1/turn/research-2/attempt-1` or
 * `plan/attempt-1/choice-2`.
 */
export const modelCallKey = (id: ModelCallId): string =>
  [
    ...(id.round === 0 ? [] : [`round-${id.round}`]),
    id.stage === "task" ? "turn" : id.stage,
    ...(id.task === undefined ? [] : [slugOf(id.task)]),
    `attempt-${id.attempt}`,
    ...(id.choice === undefined ? [] : [`choice-${id.choice}`])
  ].join("/")

/** The keys of the recorded parts of a run, such as `plan`, `round-1` and `round-1/task/research-2`. */
export const stageKey = {
  briefing: "briefing",
  plan: "plan",
  /** The key of the trial of the checks, which happens once in a run. */
  trials: "trials",
  round: (round: number): string => `round-${round}`,
  worked: (round: number, task: string): string => `round-${round}/refined/${slugOf(task)}`,
  joined: (round: number, task: string): string => `round-${round}/refined/${slugOf(task)}/joined`,
  task: (round: number, task: string): string => `round-${round}/task/${slugOf(task)}`
}

/** The key of a tool call: `round-1/tool/research-2/call-1`. */
export const toolCallKey = (id: ToolCallId): string => `round-${id.round}/tool/${slugOf(id.task)}/${id.uid}`

/**
 * The key of the answer that contains a call. For the call `round-1/tool/research-2/turn-3/call-1`, it is
 * `round-1/turn/research-2/attempt-3`.
 */
export const answerOf = (call: string): string | undefined => {
  const [, round, task, turn] = /^(round-\d+)\/tool\/([^/]+)\/turn-(\d+)\//.exec(call) ?? []
  return round === undefined ? undefined : `${round}/turn/${task}/attempt-${turn}`
}

/** The key of one check of a task: `round-1/check/research-2/turn-3/1`. */
export const checkKey = (id: {
  readonly round: number
  readonly task: string
  readonly turn: number
  readonly index: number
}): string => `round-${id.round}/check/${slugOf(id.task)}/turn-${id.turn}/${id.index}`

/** The name of an activity: its key with a hash of its input. */
export const activityName = ({ input, key }: { readonly key: string; readonly input: string }): string =>
  `${key}#${input.slice(0, 16)}`

/** Removes the hash from the name of an activity, which leaves the key. A key stays unchanged. */
export const keyOfActivity = (name: string): string => name.replace(/#[0-9a-f]{16}$/, "")

/** The parts of a key. `round` is 0 before the first round. `task` is the slug of the task. */
export interface ParsedKey {
  readonly kind: "briefing" | "round" | "refined" | "tool" | "check" | "turn" | Stage
  readonly round: number
  readonly task?: string
}

/**
 * The words that may follow the round in a key about a task, such as `task` in `round-1/task/research-2`. The number
 * says how many parts follow the word. The first part is the task.
 */
const partsBehind: ReadonlyMap<string, number> = new Map([
  ["refined", 1],
  ["task", 1],
  ...["tool", "check", "turn", "iterate", "conclude", "ask"].map((word) => [word, 2] as const)
])

/** Reads the key of a stage, or the key or activity name of a call. Undefined for any other text. */
export const parseKey = (name: string): ParsedKey | undefined => {
  const [, number = "0", rest = ""] = /^(?:round-(\d+)(?:\/|$))?(.*)$/s.exec(keyOfActivity(name)) ?? []
  const round = Number(number)
  const [word = "", ...more] = rest.split("/")
  if (word === "" && round > 0) return { kind: "round", round }
  if (word === "briefing" || word === "plan") return { kind: word, round }
  const parts = partsBehind.get(word)
  if (parts === undefined || more[0] === undefined || more[0] === "" || (word === "check" && round === 0))
    return undefined
  const kind = word as ParsedKey["kind"]
  return more.length < parts ? { kind, round } : { kind, round, task: more[0] }
}

/** The key of a question that a stage asks outside of any call: `round-1/task`. */
export const stagePlace = (round: number, stage: Stage): string => `round-${round}/${stage}`

/** The keys of data that a stage reads, such as `reference/research-1/document/notes.md`. */
export const seenKey = {
  check: (tasks: ReadonlyArray<string>): string => `check/${tasks.map(slugOf).join()}`,
  reference: (task: string, href: string): string => `reference/${slugOf(task)}/document/${href}`,
  /** The parts of files that the first prompt of a task shows. */
  firstLook: (round: number, task: string): string => `first-look/${slugOf(task)}/round-${round}`,
  /** The parts of files around the matches of a task's first search. */
  secondLook: (round: number, task: string): string => `second-look/${slugOf(task)}/round-${round}`,
  /**
   * The project's instructions about the files of a task. `place` says when they are read, such as `round-1/turn-2`.
   */
  instructions: (task: string, place: string): string => `instructions/${slugOf(task)}/${place}`,
  inputs: (task: string): string => `inputs/${slugOf(task)}`,
  /** Whether the task asks about the project. */
  about: (round: number, task: string): string => `about/${slugOf(task)}/round-${round}`,
  /** The checked links of a task. Without a task, the checked links of the run's answer. */
  evidence: (task?: string): string => (task === undefined ? "evidence" : `evidence/${slugOf(task)}`),
  requestedChanges: (round: number): string => `wishes/round-${round}`,
  items: (round: number, task: string): string => `items/${slugOf(task)}/round-${round}`,
  itemCount: (task: string): string => `items/${slugOf(task)}/count`,
  /** The contents of a task's files when its changes are merged with the changes of other tasks. */
  joined: (round: number, task: string): string => `joined/${slugOf(task)}/round-${round}`,
  changes: (task: string): string => `changes/${slugOf(task)}`,
  /** The file edits that follow from the model's answer about numbered places in files. */
  places: (task: string): string => `places/${slugOf(task)}`,
  /** The paths in an answer that are files of the project. */
  paths: (task: string): string => `paths/${slugOf(task)}`,
  /** The artefacts that were removed from new texts of a task. */
  tidied: (task: string): string => `tidied/${slugOf(task)}`,
  /** The lines that a call changes in the project. */
  lines: (call: ToolCallId): string => `lines/${toolCallKey(call)}`,
  /** The changes of a call in the working copy of its task. */
  proposal: (call: ToolCallId): string => `proposal/${toolCallKey(call)}`,
  checks: (task: string, round: number, turn: number): string => `checks/${slugOf(task)}/round-${round}/turn-${turn}`,
  /** The checks that run while the model plans. */
  trials: "trials",
  /** True if the trials of the checks had ended when the first task began. */
  trialEnded: "trials/ended",
  trial: (index: number): string => `trials/${index}`,
  leftovers: (task: string, round: number, turn: number): string => `left/${slugOf(task)}/round-${round}/turn-${turn}`,
  /** The images from results of calls that the model sees in a turn. */
  images: (task: string, round: number, turn: number): string => `images/${slugOf(task)}/round-${round}/turn-${turn}`,
  /** The uses of declarations that a task changed. */
  uses: (task: string, round: number, turn: number): string => `uses/${slugOf(task)}/round-${round}/turn-${turn}`
}

/** The task name of calls in a conversation, which has no plan. */
export const askTask = "ask"
