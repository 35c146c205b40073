/**
 * Reads the answer of a refinement: the document, then what only the project can say about it. References and inputs are
 * looked up, calls are checked against the tools, and calls that change something are tried without running them: the model
 * hears that a call would fail before anybody is asked to approve it.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { callSign, decidePass, type InputValue, type PassRules } from "../../domain/documents/Refinement.ts"
import {
  type RefinementDocument,
  inputsField,
  looksField,
  readRefinement
} from "../../domain/documents/RefinementFormat.ts"
import { Issue, type Reading, type Where, makeIssue, makeRepair } from "../../domain/findings/Issue.ts"
import { excerpt } from "../../domain/grammar/RawTask.ts"
import type { Reference } from "../../domain/plan/Reference.ts"
import { Task } from "../../domain/plan/Task.ts"
import { Step, TaskList } from "../../domain/plan/TaskList.ts"
import { seenKey } from "../../domain/runs/ActivityKey.ts"
import { callsBeyondLimits, type Skill, type SkillInput } from "../../domain/skills/Skill.ts"
import { toolCallText } from "../../domain/runs/CallText.ts"
import { cutText } from "../../domain/text/TextWidth.ts"
import type { ToolCall } from "../../domain/tools/ToolCall.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import type { TaskOrder } from "./TaskStage.ts"
import { checkInputPaths } from "../references/FileReferences.ts"
import { References } from "../references/References.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

/** A call is known by its tool and its main argument; a longer one is cut. */
const maxCallColumns = 120

type Registry = Pick<ToolRegistry["Service"], "find" | "inspect">

const pathOf = ({ arguments: given }: ToolCall): unknown => given["path"]

/**
 * True when an earlier call may have made what a call needs: one that replaces the same file, or one that may change
 * anything, such as a command. Several edits of one file are found in the text that is there now.
 */
const mayBePrepared = (call: ToolCall, before: ReadonlyArray<ToolCall>, { find }: Registry): boolean =>
  before.some((earlier) => {
    const path = pathOf(earlier)
    if (find(earlier.name)?.effect === "pure") return false
    if (typeof path !== "string") return true
    return path === pathOf(call) && find(earlier.name)?.effect === "idempotent"
  })

/** One issue for each call that changes something and would fail; `where` is the place of the calls. */
export const unfitCalls = (
  calls: ReadonlyArray<ToolCall>,
  where: Where,
  registry: Registry
): Effect.Effect<ReadonlyArray<Issue>> =>
  Effect.map(
    Effect.forEach(calls, (call, index) =>
      Effect.gen(function* () {
        const isReading = registry.find(call.name)?.effect === "pure"
        if (isReading || mayBePrepared(call, calls.slice(0, index), registry)) return []
        const failure = yield* registry.inspect(call)
        if (failure === undefined) return []
        const what = `The call ${call.uid} (${cutText(toolCallText(call).replaceAll(/\s+/g, " "), maxCallColumns)}) would fail.`
        return [
          makeIssue("tool-call-unfit", where, { what, how: failure.message.replace(/^Nothing was changed\. /, "") })
        ]
      })
    ),
    (found) => found.flat()
  )

/** What an answer is read against; the task of the order is the one that was understood so far. */
interface RefinementFrame {
  readonly order: TaskOrder
  readonly tools: ReadonlySet<string>
  readonly skill: Skill
  readonly inputs: ReadonlyArray<SkillInput>
  readonly kept: ReadonlyArray<InputValue>
  readonly rules: PassRules
}

const callsOf = (task: Task): Where => ({ section: "Tool Calls", task: task.name })

/** The same call over and over gives nothing new. */
export const checkRepetition = (calls: ReadonlyArray<ToolCall>, limit: number, task: Task): ReadonlyArray<Issue> => {
  if (calls.length < limit) return []
  const counts = new Map<string, number>()
  for (const call of calls) counts.set(callSign(call), (counts.get(callSign(call)) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count >= limit)
    .map(([call, count]) =>
      makeIssue("tool-call-repeated", callsOf(task), {
        what: `The same call appears ${count} times.`,
        quote: call
      })
    )
}

/** The first line of what was ignored under `## Tool Calls`. */
const proseOf = ({ repairs }: Pick<Reading<unknown>, "repairs">, text: string): string | undefined => {
  const ignored = repairs.find(
    ({ code, where }) => code === "text-ignored" && /^tool.?calls$/i.test(where.section ?? "")
  )
  return text.split("\n")[(ignored?.where.line ?? 0) - 1]?.trim()
}

/** A task works on what calls or references give. */
export const checkPurpose = (
  calls: ReadonlyArray<ToolCall>,
  task: Task,
  reading: Pick<Reading<unknown>, "repairs">,
  text: string
): ReadonlyArray<Issue> => {
  if (calls.length > 0 || task.references.length > 0) return []
  const quote = proseOf(reading, text)
  const instead = quote === undefined ? "" : ` Under "Tool Calls" is only text: "${excerpt(quote)}".`
  const what = `The task has neither a tool call nor a reference, so there is nothing to work on.${instead}`
  return [makeIssue("tool-call-missing", callsOf(task), { what, quote })]
}

/** True when the issue is about this reference. */
const isAbout = ({ quote, where }: Issue, { href }: Reference): boolean =>
  where.field === "References" && (quote === href || quote?.endsWith(`](${href})`) === true)

/**
 * The task that the next attempt begins with: without the references that cannot be used, since they are reported to the model
 * and writes only what it adds. One that the plan gives is missed by a person too.
 */
const withoutUnusable = (task: Task, planned: Task, issues: ReadonlyArray<Issue>) => {
  const unusable = task.references.filter(
    (one) => one.kind === "unknown" || issues.some((issue) => isAbout(issue, one))
  )
  const where = { section: "Task", task: task.name, field: "References" }
  if (unusable.length === 0) return { task, repairs: [] }
  return {
    task: new Task({ ...task, references: task.references.filter((one) => !unusable.includes(one)) }),
    repairs: unusable
      .filter(({ href }) => planned.references.some((one) => one.href === href))
      .map(({ href }) => makeRepair("reference-dropped", where, `Left out "${href}", which cannot be used.`))
  }
}

/** Makes the reader. */
export const makeRefinementReader = Effect.gen(function* () {
  const activities = yield* Activities
  const references = yield* References
  const registry = yield* ToolRegistry
  const { limits, referenceBudget } = yield* RunSettings
  const provide = Effect.provideService(Workspace, yield* Workspace)

  /** Checks calls against the tools; findings about read passes name their own section. */
  const checkCalls = (calls: ReadonlyArray<ToolCall>, section: string, { order, skill, tools }: RefinementFrame) => {
    const checked = calls.map((call) => {
      const found = registry.check(call, tools, order.task.name)
      return { ...found, issues: [...found.issues, ...callsBeyondLimits(skill, [found.call], order.task.name)] }
    })
    const placed = <A extends { readonly where: Where }>(found: A): A => ({
      ...found,
      where: { ...found.where, section }
    })
    return {
      calls: checked.map(({ call }) => call),
      fitting: checked.flatMap(({ call, issues }) => (issues.length === 0 ? [call] : [])),
      issues: checked.flatMap(({ issues }) => issues.map(placed)),
      repairs: checked.flatMap(({ repairs }) => repairs.map(placed))
    }
  }

  /** What the project says about the calls that may change it. */
  const tryCalls = (calls: ReadonlyArray<ToolCall>, frame: RefinementFrame) =>
    calls.some(frame.rules.mayChange)
      ? activities.record(
          { key: seenKey.calls(frame.order.task.name), success: Schema.Array(Issue) },
          unfitCalls(calls, callsOf(frame.order.task), registry)
        )
      : Effect.succeed([])

  const checkProject = Effect.fnUntraced(function* (
    { inputs: given, task }: RefinementDocument,
    { inputs, order }: RefinementFrame
  ) {
    const checked =
      task.references.length === 0
        ? { list: undefined, issues: [], repairs: [] }
        : yield* references.check(new TaskList({ goals: "", steps: [new Step({ title: "Task", tasks: [task] })] }), {
            briefing: order.briefing,
            finished: order.finished,
            budget: referenceBudget
          })
    const paths = yield* given === undefined
      ? Effect.succeed([])
      : activities.record(
          { key: seenKey.inputs(task.name), success: Schema.Array(Issue) },
          provide(checkInputPaths(inputs, given, task.name))
        )
    return { task: checked.list?.tasks[0] ?? task, issues: [...paths, ...checked.issues], repairs: checked.repairs }
  })

  /** Reads an answer; the value holds what was understood even when the answer is rejected. */
  return Effect.fnUntraced(function* (
    answer: string,
    frame: RefinementFrame
  ): Effect.fn.Return<Reading<RefinementDocument>> {
    const { inputs, kept, order, rules, tools } = frame
    const reading = readRefinement(answer, { task: order.task, inputs, kept })
    if (Option.isNone(reading.value)) return reading
    const written = reading.value.value
    const checked = yield* checkProject(written, frame)
    const looks = checkCalls(written.looks ?? [], "Look first", frame)
    const acting = checkCalls(written.calls, "Tool Calls", frame)
    const decided = decidePass({ looks: looks.calls, calls: acting.calls }, rules, order.task.name)
    // Calls that were left for later are written anew, so nothing needs to be said about them.
    const left = decided.looks.length > 0 && looks.calls.length > 0 ? [] : [acting]
    const unfit = decided.looks.length > 0 ? [] : yield* tryCalls(acting.fitting, frame)
    const all = [...rules.seen, ...decided.looks, ...decided.calls]
    const next = withoutUnusable(checked.task, order.task, [...reading.issues, ...checked.issues])
    return {
      value: Option.some({
        task: next.task,
        ...inputsField(written.inputs ?? []),
        ...looksField(decided.looks),
        calls: decided.calls
      }),
      issues: [
        ...reading.issues,
        ...checked.issues,
        ...[looks, ...left].flatMap(({ issues }) => issues),
        ...decided.issues,
        ...unfit,
        ...checkRepetition([...decided.looks, ...decided.calls], limits.identicalCalls, order.task),
        ...(tools.size === 0 ? [] : checkPurpose(all, checked.task, reading, answer))
      ],
      repairs: [
        ...reading.repairs,
        ...checked.repairs,
        ...next.repairs,
        ...[looks, ...left].flatMap(({ repairs }) => repairs),
        ...decided.repairs
      ]
    }
  })
})
