/**
 * The stable keys of model calls, tool calls and stages. Recorded outcomes are found by them, so they consist only of what
 * survives a restart: stage, round, task, attempt, uid. Keys are made here and read here.
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
  attempt: Schema.Int,
  /** 2 for the second of two answers of which the better one is taken; absent for the first. */
  choice: Schema.optionalKey(Schema.Int)
})
export type ModelCallId = typeof ModelCallId.Type

/** One tool call of a task; the calls of `ask` have the task `ask`. */
export const ToolCallId = Schema.Struct({ round: Schema.Int, task: Schema.String, uid: Schema.String })
export type ToolCallId = typeof ToolCallId.Type

/** `turn 2` of a task, `attempt 2` of any other stage; `attempt 1, second answer`. */
export const attemptText = ({ attempt, choice, stage }: Pick<ModelCallId, "attempt" | "choice" | "stage">): string =>
  `${stage === "task" ? "turn" : "attempt"} ${attempt}${choice === undefined ? "" : ", second answer"}`

/** `round-1/turn/research-2/attempt-1`, `plan/attempt-1`, `plan/attempt-1/choice-2`. */
export const modelCallKey = (id: ModelCallId): string =>
  [
    ...(id.round === 0 ? [] : [`round-${id.round}`]),
    id.stage === "task" ? "turn" : id.stage,
    ...(id.task === undefined ? [] : [slugOf(id.task)]),
    `attempt-${id.attempt}`,
    ...(id.choice === undefined ? [] : [`choice-${id.choice}`])
  ].join("/")

/** A part of a run whose outcome is recorded: `plan`, `round-1`, `round-1/refined/research-2`, `round-1/task/research-2`. */
export const stageKey = {
  briefing: "briefing",
  plan: "plan",
  /** That the checks are tried, which happens once. */
  trials: "trials",
  round: (round: number): string => `round-${round}`,
  worked: (round: number, task: string): string => `round-${round}/refined/${slugOf(task)}`,
  joined: (round: number, task: string): string => `round-${round}/refined/${slugOf(task)}/joined`,
  task: (round: number, task: string): string => `round-${round}/task/${slugOf(task)}`
}

/** A call of a tool: `round-1/tool/research-2/call-1`. */
export const toolCallKey = (id: ToolCallId): string => `round-${id.round}/tool/${slugOf(id.task)}/${id.uid}`

/** The answer that a call of a turn comes from: `round-1/turn/research-2/attempt-3` for `round-1/tool/research-2/turn-3/call-1`. */
export const answerOf = (call: string): string | undefined => {
  const [, round, task, turn] = /^(round-\d+)\/tool\/([^/]+)\/turn-(\d+)\//.exec(call) ?? []
  return round === undefined ? undefined : `${round}/turn/${task}/attempt-${turn}`
}

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

/** What a key stands for; `round` is 0 before the first round, `task` is the slug of a task. */
export interface ParsedKey {
  readonly kind: "briefing" | "round" | "refined" | "tool" | "check" | "turn" | Stage
  readonly round: number
  readonly task?: string
}

/** Words of keys, with the number of parts behind them that they have with a task. */
const partsBehind: ReadonlyMap<string, number> = new Map([
  ["refined", 1],
  ["task", 1],
  ...["tool", "check", "turn", "iterate", "conclude", "ask"].map((word) => [word, 2] as const)
])

/** Reads the key of a stage, or the key or the name of a call; nothing for keys of other things. */
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

/** Where a task asks outside of its calls: `round-1/task`. */
export const stagePlace = (round: number, stage: Stage): string => `round-${round}/${stage}`

/**
 * What a stage looks at: `check/research-1,research-2`, `reference/research-1/document/notes.md`, `inputs/research-1`,
 * `changes/research-1`.
 */
export const seenKey = {
  check: (tasks: ReadonlyArray<string>): string => `check/${tasks.map(slugOf).join()}`,
  reference: (task: string, href: string): string => `reference/${slugOf(task)}/document/${href}`,
  /** The parts of files that are shown to a task at its beginning. */
  firstLook: (round: number, task: string): string => `first-look/${slugOf(task)}/round-${round}`,
  /** The parts of files around what its first search found. */
  secondLook: (round: number, task: string): string => `second-look/${slugOf(task)}/round-${round}`,
  /** The instructions of the project for the files of a task; `place` is where they are looked for. */
  instructions: (task: string, place: string): string => `instructions/${slugOf(task)}/${place}`,
  inputs: (task: string): string => `inputs/${slugOf(task)}`,
  /** Whether what a task is about is the project. */
  about: (round: number, task: string): string => `about/${slugOf(task)}/round-${round}`,
  /** `task` is absent for the answer of the run. */
  evidence: (task?: string): string => (task === undefined ? "evidence" : `evidence/${slugOf(task)}`),
  requestedChanges: (round: number): string => `wishes/round-${round}`,
  items: (round: number, task: string): string => `items/${slugOf(task)}/round-${round}`,
  itemCount: (task: string): string => `items/${slugOf(task)}/count`,
  /** What the files of a task hold when its changes are put together with those of others. */
  joined: (round: number, task: string): string => `joined/${slugOf(task)}/round-${round}`,
  changes: (task: string): string => `changes/${slugOf(task)}`,
  /** What answers by number make of the files of their places. */
  places: (task: string): string => `places/${slugOf(task)}`,
  /** Which paths of an answer are files of the project. */
  paths: (task: string): string => `paths/${slugOf(task)}`,
  /** What is left out of the new texts of a task. */
  tidied: (task: string): string => `tidied/${slugOf(task)}`,
  /** The lines that a call changes in the project. */
  lines: (call: ToolCallId): string => `lines/${toolCallKey(call)}`,
  /** What a call of a turn changed in the working copy of its task. */
  proposal: (call: ToolCallId): string => `proposal/${toolCallKey(call)}`,
  checks: (task: string, round: number, turn: number): string => `checks/${slugOf(task)}/round-${round}/turn-${turn}`,
  /** The checks that are tried while the plan is made, and how each of them ended. */
  trials: "trials",
  /** Whether they had ended when the first task began. */
  trialEnded: "trials/ended",
  trial: (index: number): string => `trials/${index}`,
  leftovers: (task: string, round: number, turn: number): string => `left/${slugOf(task)}/round-${round}/turn-${turn}`,
  /** The images of results that a turn shows to the model. */
  images: (task: string, round: number, turn: number): string => `images/${slugOf(task)}/round-${round}/turn-${turn}`,
  /** Where the project uses what a task changed. */
  uses: (task: string, round: number, turn: number): string => `uses/${slugOf(task)}/round-${round}/turn-${turn}`
}

/** The task of calls in a conversation, which has no plan. */
export const askTask = "ask"
