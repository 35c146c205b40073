/**
 * Asks the user about calls before they run (services/tools/ToolRunner.ts). One question covers one task, or all tasks
 * of a step. It shows every call, even a call that is no longer possible. The gate stores the answer and issues a
 * permit for each call.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { checkFact } from "../../domain/checks/Facts.ts"
import { CommandLine, commandText } from "../../domain/commands/CommandText.ts"
import type { TaskOutcome } from "../../domain/documents/TaskOutcome.ts"
import type { GatedCall, GatedTask, CallListApproval, CallList } from "../../domain/permissions/ApprovalItem.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { badExit, commandEnd, fileTools } from "../../domain/tools/ToolCall.ts"
import { writesIn } from "../../domain/tools/Access.ts"
import { CurrentCopy, makeWorkingCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { approveCalls, Gate } from "../permissions/Gate.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"
import { CallsDeclined } from "./TaskStage.ts"

const isCommandLine = Schema.is(CommandLine)

/** What a question says about a task: its final checks, and the commands that it ran. */
const factsOf = ({
  checks = [],
  priorCalls
}: Partial<Pick<TaskOutcome, "checks" | "priorCalls">>): ReadonlyArray<string> => [
  ...checks.map((check) => checkFact(check)),
  ...(priorCalls ?? []).flatMap(({ call: { arguments: given }, result }) => {
    const argv = given["argv"]
    if (commandEnd(result) === undefined || !isCommandLine(argv)) return []
    return [`ran: \`${commandText(argv)}\` (${badExit(result) ?? "exit code 0"})`]
  })
]

/** The part of a task's outcome that a question shows: its calls, and facts such as its checks. */
type GatedOutcome = Pick<TaskOutcome, "calls"> & Partial<TaskOutcome>

/** Returns a function that lists the calls of a task that need approval, with the reason. */
const makeGatedCalls = Effect.gen(function* () {
  const skills = yield* Skills
  const registry = yield* ToolRegistry
  const runner = yield* ToolRunner
  const workspace = yield* Workspace

  return Effect.fnUntraced(function* (task: Task, outcome: GatedOutcome, round: number) {
    const ready: Array<GatedCall> = []
    const unready: Array<GatedCall> = []
    /*
     * A call may use a path that only exists after an earlier call has moved a file there. The calls are therefore
     * prepared one after another on a copy.
     */
    const isMoving = outcome.calls.some(({ name }) => name === "move_file" || name === "remove_file")
    const copy = isMoving ? makeWorkingCopy((yield* CurrentCopy)?.files()) : undefined
    for (const call of outcome.calls) {
      const isOnCopy = copy !== undefined && fileTools.has(call.name)
      const before = isOnCopy ? copy.files() : []
      const prepare = registry.prepare(call)
      const prepared = yield* Effect.result(isOnCopy ? Effect.provideService(prepare, CurrentCopy, copy) : prepare)
      if (Result.isSuccess(prepared)) {
        ready.push({ ...prepared.success, ...(before.length > 0 && { project: before }) })
        if (!isOnCopy) continue
        const writes = Effect.forEach(writesIn(prepared.success.accesses), workspace.write, { discard: true })
        yield* Effect.ignore(Effect.provideService(writes, CurrentCopy, copy))
        continue
      }
      const info = registry.find(call.name)
      const id = { round, task: task.name, uid: call.uid }
      // An edit that was made before an interruption cannot be prepared again, because the text that it replaced is
      // gone.
      if (info === undefined || (yield* runner.wasBegun(id, call))) continue
      unready.push({ call, info, risk: info.risk, accesses: [], problem: prepared.failure.message })
    }
    const calls = [...ready, ...unready]
    const byList = task.requiresApproval || outcome.task?.requiresApproval === true
    const taskSkill = skills.all.find(({ skill }) => skill.name === task.skill)
    const bySkill = taskSkill?.skill.requiresApproval === true && calls.length > 0
    if (!byList && !bySkill && calls.every(({ risk }) => risk !== "high")) return undefined
    /* For a built-in skill, the risk of each call decides whether the user is asked. */
    const isOwnSkill = bySkill && (taskSkill.origin === "user" || taskSkill.origin === "project")
    const gatedBy = isOwnSkill ? "skill" : byList ? "list" : "risk"
    const facts = factsOf(outcome)
    const gated: GatedTask = { task: task.name, gatedBy, calls, ...(facts.length > 0 && { facts }) }
    return gated
  })
})

/** The approval of a step that needs no answer of the user. */
const byRule: CallListApproval = { approved: true, by: "rule" }

/**
 * Where in the run a question belongs: the round, the heading of the step, and the plan. The plan is included because
 * one answer may approve all remaining steps of a plan.
 */
interface ApprovalPlace extends Omit<CallList, "tasks"> {
  readonly round: number
}

export const makeApproval = Effect.gen(function* () {
  const gate = yield* Gate
  const gatedCalls = yield* makeGatedCalls

  /** Asks one question about all calls of a step. If no task of the step needs approval, asks nothing. */
  const askCallList = (step: CallList): Effect.Effect<CallListApproval> =>
    step.tasks.length === 0 ? Effect.succeed(byRule) : approveCalls(gate, step)

  /** Fails if the user declines the step. */
  const ask = Effect.fnUntraced(function* (step: CallList) {
    const { approved, by } = yield* askCallList(step)
    if (!approved) return yield* new CallsDeclined({ by })
  })

  const askForTask = Effect.fnUntraced(function* (
    task: Task,
    outcome: GatedOutcome,
    { planKey, round, title }: ApprovalPlace
  ) {
    const gated = yield* gatedCalls(task, outcome, round)
    yield* ask({ title, planKey, tasks: gated === undefined ? [] : [gated] })
  })

  return { ask, askForTask, askCallList, gatedCalls }
})
