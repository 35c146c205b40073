/**
 * What a refinement is once it is read, and what the calls of an answer mean in one pass: reading calls whose outputs
 * come back to the model, or the calls of the task. Only the calls of the last pass may change anything.
 */
import * as Schema from "effect/Schema"
import {
  type Issue,
  type Repair,
  type Where,
  addIssue,
  addRepair,
  type Findings,
  noFindings
} from "../findings/Issue.ts"
import { Task } from "../plan/Task.ts"
import { CallOutcome, ToolCall } from "../tools/ToolCall.ts"

/** A number for `number`, a boolean for `yes-no`, and otherwise text of one line. */
export const InputValue = Schema.Struct({
  name: Schema.String,
  value: Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])
})
export type InputValue = typeof InputValue.Type

/**
 * What a refinement yields: the task with its fields updated, the inputs of its skill, what its read passes returned, and the
 * calls to make.
 */
export const Refinement = Schema.Struct({
  task: Task,
  /** The typed inputs of the skill in its order; absent when it has none. */
  inputs: Schema.optionalKey(Schema.NonEmptyArray(InputValue)),
  /** The reading calls of earlier passes with their outcomes; absent when there were none. They are not made again. */
  looks: Schema.optionalKey(Schema.NonEmptyArray(CallOutcome)),
  calls: Schema.Array(ToolCall)
})
export type Refinement = typeof Refinement.Type

/** How often a model may be asked for the calls of a task, unless its skill says otherwise. */
export const defaultPasses = 2

export interface PassRules {
  /** From 1. */
  readonly pass: number
  /** The last pass; after it no read pass is possible. */
  readonly passes: number
  /** True when the task is about a change, so that calls which only read cannot be all that it needs. */
  readonly mustAct: boolean
  readonly mayChange: (call: ToolCall) => boolean
  /** The calls of earlier read passes. */
  readonly seen: ReadonlyArray<ToolCall>
}

/** `looks` are made now and the model is asked again; without them the `calls` are those of the task. */
interface PassDecision {
  readonly looks: ReadonlyArray<ToolCall>
  readonly calls: ReadonlyArray<ToolCall>
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
}

/** The same for calls that do the same. */
export const callSign = ({ arguments: given, name }: ToolCall): string => JSON.stringify([name, given])

const names = (calls: ReadonlyArray<ToolCall>): string => [...new Set(calls.map(({ name }) => name))].join(", ")

const actNow =
  "Write the calls that do the task under `## Tool Calls`, from what this prompt shows. Leave it empty only when nothing is left to do."

const callsInstead = "Leave out `## Look first` and put the calls of the task under `## Tool Calls`."

/** Adds what is wrong with a read pass; true when they may be made. */
const checkReadPass = (looks: ReadonlyArray<ToolCall>, rules: PassRules, where: Where, findings: Findings): boolean => {
  const changing = looks.filter(rules.mayChange)
  if (changing.length > 0) {
    const what = `${names(changing)} may change something, so it cannot be a look.`
    addIssue(findings, "look-changes", where, { what })
  }
  if (rules.pass >= rules.passes) {
    const what = rules.passes === 1 ? "This task cannot look first." : "Looking is over: these calls were not made."
    addIssue(findings, "look-over", where, { what, how: rules.passes === 1 ? callsInstead : actNow })
  }
  return findings.issues.length === 0
}

/** Decides what the calls under `## Look first` and `## Tool Calls` mean; `task` is named in the findings. */
export const decidePass = (
  written: { readonly looks?: ReadonlyArray<ToolCall>; readonly calls: ReadonlyArray<ToolCall> },
  rules: PassRules,
  task: string
): PassDecision => {
  const findings = noFindings()
  const place = (section: string): Where => ({ section, task })
  const { calls, looks = [] } = written
  const known = new Set(rules.seen.map(callSign))
  const onlyReads = rules.mustAct && calls.length > 0 && !calls.some(rules.mayChange)
  const isImplied = looks.length === 0 && onlyReads && rules.passes > 1
  const asked = isImplied ? calls : looks
  const where = place(isImplied ? "Tool Calls" : "Look first")
  const open = asked.filter((call) => !known.has(callSign(call)))
  const done = (rest: Pick<PassDecision, "looks" | "calls">): PassDecision => ({ ...rest, ...findings })

  if (open.length < asked.length) {
    if (open.length === 0 && (isImplied || calls.length === 0)) {
      const what = "The outputs of these calls are already in this prompt; the same call gives nothing new."
      addIssue(findings, "look-repeated", where, { what, how: actNow })
      return done({ looks, calls })
    }
    addRepair(findings, "look-known", where, `Ignored ${names(asked)}: its output was shown before.`)
  }
  if (open.length === 0) return done({ looks: [], calls })
  if (!checkReadPass(open, rules, where, findings)) return done({ looks, calls })
  if (isImplied) {
    addRepair(
      findings,
      "look-implied",
      where,
      `Took ${names(open)} as a look, because the task has to change something.`
    )
  } else if (calls.length > 0) {
    const message = `Left ${names(calls)} for later: the calls are written once the outputs of the looks are known.`
    addRepair(findings, "calls-postponed", place("Tool Calls"), message)
  }
  return done({ looks: open, calls: [] })
}
