/**
 * Works on one task in turns: the model looks, changes files in the working copy of the task, and reports; the host does what each
 * answer asks for and replies. The conversation only grows, so that a server reads each part of it once; when it has become
 * too long, it is folded once into what the host knows. Nothing of the project is changed here but by calls that were approved.
 */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { callSign, type InputValue, type Refinement } from "../../domain/documents/Refinement.ts"
import type { RefinementDocument } from "../../domain/documents/RefinementFormat.ts"
import { type CheckOutcome, passes } from "../../domain/checks/CheckOutcome.ts"
import { fileFacts } from "../../domain/checks/Facts.ts"
import { readTurn, type Turn } from "../../domain/documents/TurnFormat.ts"
import { renderRefined } from "../../domain/documents/TaskRendering.ts"
import { Issue, makeIssue, makeRepair } from "../../domain/findings/Issue.ts"
import { issuesAsShown } from "../../domain/findings/IssueText.ts"
import type { ConversationMessage } from "../../domain/models/ConversationMessage.ts"
import { outcomeText } from "../../domain/models/OutputText.ts"
import { neededTokens } from "../../domain/models/PromptSize.ts"
import { foldText, replyText } from "../../domain/documents/TurnReply.ts"
import { TaskFailure } from "../../domain/plan/TaskResult.ts"
import type { ResultDocument } from "../../domain/plan/TaskResult.ts"
import { type ModelCallId, seenKey, stagePlace } from "../../domain/runs/ActivityKey.ts"
import { callsBeyondLimits, type Skill } from "../../domain/skills/Skill.ts"
import { type CallOutcome, fileTools, type ToolCall } from "../../domain/tools/ToolCall.ts"
import { turnUid } from "../../domain/tools/ToolCallFormat.ts"
import { Checks } from "../checks/Checks.ts"
import { Commands } from "../commands/Commands.ts"
import { CurrentCopy, makeWorkingCopy, type WorkingCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { firstTuning, type Tuning } from "../models/CallPlan.ts"
import { measuredPrompt } from "../models/ConversationPrompt.ts"
import { Activities } from "../journal/Activities.ts"
import { ModelCaller } from "../models/ModelCaller.ts"
import { Gate } from "../permissions/Gate.ts"
import { References } from "../references/References.ts"
import { checkInputPaths } from "../references/FileReferences.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { Skills } from "../skills/Skills.ts"
import { makeTaskCalls } from "../tools/TaskCalls.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { AttemptsExhausted, type Said, unusableAnswer } from "./Attempts.ts"
import { makeEvidenceReaders } from "./CheckedEvidence.ts"
import { makeMissingTools } from "./PlanChecker.ts"
import { makeGatedCalls } from "./StepApproval.ts"
import { changeOpen, makeTaskChanges, openChanges } from "./TaskChanges.ts"
import { makeTaskPrompts } from "./TaskPrompts.ts"
import { CallsDeclined, type TaskOrder, taskFailure, toolsMissing } from "./TaskStage.ts"

/** The conversation takes at most this part of the window before it is folded. */
const foldAt = 0.65

/** A reply has at most this part of what is free in the window, so that a further turn fits behind it. */
const replyShare = 0.6

/** So many turns before the last one the model is told how many are left. */
const warnedTurns = 3

/** How often a report is sent back before it is taken with its wrong links marked. */
const mostRejectedReports = 2

/** What is known of a task while it is worked on. */
interface Work {
  readonly order: TaskOrder
  readonly skill: Skill
  readonly tools: ReadonlyArray<string>
  readonly copy: WorkingCopy
  /** The first message. */
  readonly system: string
  readonly begin: string
}

/** What the turns have come to so far. */
interface Progress {
  readonly task: TaskOrder["task"]
  readonly inputs: ReadonlyArray<InputValue>
  readonly messages: ReadonlyArray<ConversationMessage>
  readonly outcomes: ReadonlyArray<CallOutcome>
  /** How the checks of the last changes ended. */
  readonly checks: ReadonlyArray<CheckOutcome>
  /** The last answers in a row that could not be used. */
  readonly unusable: ReadonlyArray<string>
  readonly rejectedReports: number
  readonly tuning: Tuning
  readonly answers: ReadonlySet<string>
  readonly hasFolded: boolean
  /** Issues of the last answer, for the failure of a task that comes to no end. */
  readonly issues: ReadonlyArray<Issue>
}

const assistant = (content: string): ConversationMessage => ({
  role: "assistant",
  content: content === "" ? "(no answer)" : content,
  thinking: "",
  calls: []
})

/** True for a check that says nothing against the changes. */
const isFine = (outcome: CheckOutcome): boolean => outcome.notRun !== undefined || passes(outcome)

const checkFailed = ({ command, newFailures }: CheckOutcome, task: string): Issue =>
  makeIssue(
    "check-failed",
    { section: "Result summary", task },
    { what: `The check \`${command}\` fails with the changes: ${newFailures.slice(0, 3).join("; ")}.` }
  )

/** How often each call has given the same output. */
const timesOf = (outcomes: ReadonlyArray<CallOutcome>): ReadonlyMap<string, number> => {
  const times = new Map<string, number>()
  for (const outcome of outcomes) {
    const sign = `${callSign(outcome.call)}\n${outcomeText(outcome)}`
    times.set(sign, (times.get(sign) ?? 0) + 1)
  }
  return times
}

const user = (content: string): ConversationMessage => ({ role: "user", content })

const conversationOf = ({ system }: Work, { messages }: Progress) => ({ system, messages, tools: [] })

/** True for a task that may change files. */
const mayChange = ({ tools }: Pick<Work, "tools">): boolean => tools.some((tool) => fileTools.has(tool))

const readAnswer = (work: Work, { inputs, task }: Progress, answer: string): Turn =>
  readTurn(answer, { task, inputs: work.skill.inputs, kept: inputs, mayChange: mayChange(work) })

const idOf = ({ order }: Work, turn: number) => ({
  stage: "task" as const,
  round: order.round,
  task: order.task.name,
  attempt: turn
})

/** What was done outside of the working copy, and the changes that are still missing. */
const doneOutside = (progress: Progress) => {
  const open = openChanges(progress.outcomes)
  return progress.outcomes.filter((outcome) => !fileTools.has(outcome.call.name) || open.includes(outcome))
}

const failed = (work: Work, progress: Progress, turns: number = progress.unusable.length) => {
  const phase = progress.outcomes.length > 0 || work.tools.length === 0 ? "execution" : "refinement"
  const repeated = progress.unusable.length > 1 && new Set(progress.unusable).size === 1
  const error = new AttemptsExhausted({ attempts: turns, repeated, issues: progress.issues })
  return taskFailure(work.order.task, phase, error, doneOutside(progress))
}

export class TaskLoop extends Context.Service<
  TaskLoop,
  {
    /**
     * Works on a task until its report. `given` stands for the first answer. Fails with a `TaskFailure`, or with
     * who declined the calls of the task.
     */
    work(order: TaskOrder, given?: RefinementDocument): Effect.Effect<Refinement, TaskFailure | CallsDeclined>
    /** The first answer of a task that asks for something, as a refinement; nothing of it is done. */
    refine(order: TaskOrder): Effect.Effect<RefinementDocument, TaskFailure>
  }
>()("task-conductor/services/pipeline/TaskLoop") {
  static readonly layer = Layer.effect(
    TaskLoop,
    Effect.gen(function* () {
      const activities = yield* Activities
      const caller = yield* ModelCaller
      const changes = yield* makeTaskChanges
      const checksOfHost = yield* Checks
      const commands = yield* Commands
      const events = yield* RunEvents
      const gate = yield* Gate
      const gatedCalls = yield* makeGatedCalls
      const { readResult } = yield* makeEvidenceReaders
      const missing = yield* makeMissingTools
      const prompts = yield* makeTaskPrompts
      const references = yield* References
      const registry = yield* ToolRegistry
      const runCalls = yield* makeTaskCalls
      const skills = yield* Skills
      const workspace = yield* Workspace
      const { contextWindow: window, limits } = yield* RunSettings
      const provide = Effect.provideService(Workspace, workspace)

      const mostTurns = ({ skill }: Work): number => Math.min(skill.turns ?? limits.turns, limits.turns)

      const isPure = ({ name }: ToolCall): boolean => registry.find(name)?.effect === "pure"

      const open = Effect.fnUntraced(function* (order: TaskOrder) {
        const { briefing, task } = order
        const skill = skills.find(task.skill)
        if (skill === undefined) {
          const reason = `There is no skill "${task.skill}".`
          return yield* new TaskFailure({ task: task.name, phase: "refinement", reason, skipped: false })
        }
        const unusable = missing.whyUnusable(skill)
        if (unusable !== undefined) return yield* toolsMissing(task, skill, unusable)
        const tools = prompts.toolsOf(skill)
        const block = yield* references
          .block(task, {
            briefing,
            finished: order.finished,
            budget: task.references.length === 0 ? 0 : prompts.referenceBudget(task, briefing),
            place: stagePlace(order.round, "task")
          })
          .pipe(Effect.mapError((error) => taskFailure(task, "refinement", error)))
        const first = prompts.fitted(task, briefing, { goals: order.goals, references: block.text })
        const work: Work = {
          order,
          skill,
          tools,
          copy: makeWorkingCopy(),
          system: first.system,
          begin: first.user
        }
        const progress: Progress = {
          task,
          inputs: [],
          messages: [user(first.user)],
          outcomes: [],
          checks: [],
          unusable: [],
          rejectedReports: 0,
          tuning: firstTuning,
          answers: new Set(),
          hasFolded: false,
          issues: []
        }
        return { work, progress }
      })

      /** The characters that a reply may have. */
      const replyBudget = (work: Work, progress: Progress): number => {
        const { system, user: text } = measuredPrompt(conversationOf(work, progress))
        return Math.floor(prompts.budgetBeside(work.order.task, system.length + text.length) * replyShare)
      }

      /** Puts what the host knows in the place of the turns when they have taken too much of the window. */
      const folded = (work: Work, progress: Progress): Progress => {
        const { task } = work.order
        const measured = measuredPrompt(conversationOf(work, progress))
        if (neededTokens(measured, prompts.scaleOf(task)) <= window * foldAt || progress.messages.length < 4) {
          return progress
        }
        const beside = prompts.budgetBeside(task, work.system.length + work.begin.length)
        const text = foldText({
          outcomes: progress.outcomes,
          checks: progress.checks,
          files: changes.named(work.copy),
          budget: Math.floor(beside * replyShare)
        })
        return { ...progress, hasFolded: true, messages: [user(`${work.begin}\n\n${text}`)] }
      }

      /** Asks for the next answer; one that cannot be read at all is an answer with issues. */
      const ask = Effect.fnUntraced(function* (work: Work, progress: Progress, turn: number) {
        const conversation = conversationOf(work, progress)
        return yield* caller
          .ask({
            id: idOf(work, turn),
            step: work.order.step,
            prompt: measuredPrompt(conversation),
            conversation,
            model: work.skill.model,
            tuning: progress.tuning
          })
          .pipe(
            Effect.map((answer): Said => ({ answer: answer.text, shown: answer.text, issues: [] })),
            Effect.catchTag("ModelError", (error) =>
              Effect.fromOption(unusableAnswer(error, {})).pipe(Effect.mapError(() => error))
            )
          )
      })

      /** Checks what the working copy changes, where commands can see it. */
      const check = Effect.fnUntraced(function* ({ copy, order }: Work, turn: number) {
        const paths = changes.named(copy).map(({ path }) => path)
        if (paths.length === 0 || (yield* commands.copies).mechanism === "none") return []
        return yield* checksOfHost.run({ task: order.task.name, round: order.round, turn }, paths)
      })

      /** The calls of an answer that can be made, with what is wrong with the others. */
      const checkCalls = Effect.fnUntraced(function* ({ order, skill, tools }: Work, turn: Turn) {
        const allowed = new Set(tools)
        const limit = limits.toolCallsPerIteration
        const literal = yield* changes.callsOf(turn.changes, order.task.name)
        const wanted = [...turn.calls, ...literal.calls]
        const all = wanted.filter(
          (call, index) => wanted.findIndex((other) => callSign(other) === callSign(call)) === index
        )
        const doubled =
          all.length === wanted.length
            ? []
            : [
                makeRepair(
                  "tool-call-known",
                  { section: "Tool Calls", task: order.task.name },
                  "Made a call once that was written several times."
                )
              ]
        const checked = all.slice(0, limit).map((call) => {
          const { issues, repairs, ...found } = registry.check(call, allowed, order.task.name)
          const beyond = callsBeyondLimits(skill, [found.call], order.task.name)
          return { call: found.call, repairs, issues: [...issues, ...beyond] }
        })
        const tooMany =
          all.length <= limit
            ? []
            : [
                makeIssue(
                  "tool-calls-many",
                  { section: "Tool Calls", task: order.task.name },
                  {
                    what: `There are ${all.length} calls and changes, and only the first ${limit} are done in one turn.`
                  }
                )
              ]
        return {
          calls: checked.flatMap(({ call, issues }) => (issues.length === 0 ? [call] : [])),
          issues: [...literal.issues, ...checked.flatMap(({ issues }) => issues), ...tooMany],
          repairs: [...doubled, ...checked.flatMap(({ repairs }) => repairs)]
        }
      })

      /** Asks about the calls of an answer that do something outside of the working copy. */
      const approve = Effect.fnUntraced(function* ({ order }: Work, calls: ReadonlyArray<ToolCall>) {
        const outside = calls.filter((call) => !isPure(call) && !fileTools.has(call.name))
        if (outside.length === 0) return
        const { name } = order.task
        const gated = yield* gatedCalls(order.task, { task: order.task, calls: outside }, order.round)
        if (gated === undefined) return
        const planKey = `round-${order.round}`
        const { approved, by } = yield* gate.approveStep({ title: name, planKey, tasks: [gated] })
        if (!approved) return yield* new CallsDeclined({ by })
      })

      /** Makes the calls of an answer, in their order where one of them may change something. */
      const act = Effect.fnUntraced(function* (work: Work, turn: number, asked: ReadonlyArray<ToolCall>) {
        const { order } = work
        const calls = asked.map((call) => ({ ...call, uid: turnUid(turn, call.uid) }))
        yield* approve(work, calls)
        const outcomes = yield* runCalls(order.task.name, order.round, calls).pipe(
          Effect.mapError((error) => taskFailure(order.task, "execution", error))
        )
        for (const { call, result } of outcomes) {
          const given = call.arguments["path"]
          if (!result.success || !fileTools.has(call.name) || typeof given !== "string") continue
          const { path: file } = yield* Effect.orElseSucceed(workspace.canonical(given), () => ({
            path: changes.fileAt(given)
          }))
          work.copy.noteChange(file, call.name)
        }
        return outcomes
      })

      const refinementOf = (work: Work, progress: Progress, result: ResultDocument): Refinement => {
        const looks = doneOutside(progress)
        const files = fileFacts(
          changes.named(work.copy).map(({ base, path, text }) => ({ path, before: base, after: text }))
        )
        return {
          task: progress.task,
          ...(Arr.isReadonlyArrayNonEmpty(progress.inputs) ? { inputs: progress.inputs } : {}),
          ...(Arr.isReadonlyArrayNonEmpty(looks) ? { looks } : {}),
          calls: changes.final(work.copy),
          ...(files.length === 0 ? {} : { files }),
          ...(files.length === 0 || progress.checks.length === 0 ? {} : { checks: progress.checks }),
          result
        }
      }

      /** The issues of inputs that name no file. */
      const checkInputs = Effect.fnUntraced(function* ({ order, skill }: Work, inputs: ReadonlyArray<InputValue>) {
        if (inputs.length === 0) return []
        return yield* activities.record(
          { key: seenKey.inputs(order.task.name), success: Schema.Array(Issue) },
          provide(checkInputPaths(skill.inputs, inputs, order.task.name))
        )
      })

      /** The report with its links held against the project; nothing when it is sent back. */
      const takeReport = Effect.fnUntraced(function* (work: Work, progress: Progress, report: string) {
        const { briefing, finished, task } = work.order
        // What the host has shown, and never what the model said itself: it would confirm its own links.
        const material = [work.begin, ...progress.checks.map(({ text }) => text)]
        const read = yield* readResult(report, {
          task: task.name,
          briefing,
          finished,
          calls: progress.outcomes,
          material
        })
        const { fallback, issues, repairs, value } = read
        if (issues.length === 0 && Option.isSome(value)) return { result: value.value, issues, repairs }
        if (fallback !== undefined && progress.rejectedReports >= mostRejectedReports) {
          return { result: fallback.value, issues: [], repairs: fallback.repairs }
        }
        return { result: undefined, issues, repairs: [] }
      })

      const reject = (call: ModelCallId, answer: string, issues: ReadonlyArray<Issue>) =>
        events.publish({ type: "answer.rejected", call, answer, issues, mostAttempts: limits.attempts })

      const nowText = (work: Work, turn: number): string => {
        const left = mostTurns(work) - turn
        if (left === 1) return "This is the last answer: write the report now, with what is known."
        const warning = left <= warnedTurns ? ` ${left} answers are left.` : ""
        const changes = mayChange(work) ? "look further, change, or" : "look further, or"
        return `Go on: ${changes} write the report (\`## Result summary\`).${warning}`
      }

      /** One turn: an answer and the reply to it. A refinement when the answer was the report. */
      const step = Effect.fnUntraced(function* (work: Work, given: Progress, turn: number) {
        const before = folded(work, given)
        const { order } = work
        const call = idOf(work, turn)
        const said = yield* ask(work, before, turn).pipe(
          Effect.mapError((error) =>
            taskFailure(order.task, before.outcomes.length > 0 ? "execution" : "refinement", error, doneOutside(before))
          )
        )
        const read: Turn =
          said.issues.length > 0
            ? { task: before.task, inputs: before.inputs, calls: [], changes: [], issues: said.issues, repairs: [] }
            : readAnswer(work, before, said.answer)
        const checked = yield* checkCalls(work, read)
        const inputIssues = yield* checkInputs(work, read.inputs)
        const known: Progress = { ...before, task: read.task, inputs: read.inputs }
        const acts = checked.calls.length > 0
        if (acts) {
          const { round, step: at, task } = order
          const changed = read.changes.flatMap((change) => ("path" in change ? [change.path] : []))
          yield* events.publish({
            type: "task.turn",
            round,
            step: at,
            task: task.name,
            turn,
            calls: checked.calls.map((one) => ({ ...one, uid: turnUid(turn, one.uid) })),
            changed: [...new Set(changed)]
          })
        }
        const version = work.copy.version()
        const outcomes = acts ? yield* act(work, turn, checked.calls) : []
        const hasChanged = work.copy.version() !== version
        const checks = hasChanged ? yield* check(work, turn) : before.checks
        const all: Progress = { ...known, outcomes: [...known.outcomes, ...outcomes], checks }
        const problems = [...read.issues, ...checked.issues, ...inputIssues]
        const isOpen = problems.length > 0 || outcomes.some(({ result }) => !result.success)
        const missed = read.report === undefined || before.rejectedReports > 0 ? [] : openChanges(all.outcomes)
        const report =
          read.report === undefined || isOpen || read.calls.length > 0
            ? undefined
            : missed.length > 0
              ? { result: undefined, issues: missed.map((one) => changeOpen(one, order.task.name)), repairs: [] }
              : before.rejectedReports < mostRejectedReports && !checks.every(isFine)
                ? {
                    result: undefined,
                    issues: checks.filter((one) => !isFine(one)).map((one) => checkFailed(one, order.task.name)),
                    repairs: []
                  }
                : yield* takeReport(work, all, read.report)
        const issues = [...problems, ...(report?.issues ?? [])]
        const repairs = [...read.repairs, ...checked.repairs, ...(report?.repairs ?? [])]
        if (repairs.length > 0 && issues.length === 0) yield* events.publish({ type: "answer.repaired", call, repairs })
        if (report?.result !== undefined) return { done: refinementOf(work, all, report.result), progress: all }
        if (issues.length > 0) {
          yield* reject(call, said.answer, issues)
        }
        const isRepeated = before.answers.has(said.answer.trim())
        const isUnusable = !acts && issues.length > 0
        const shown = assistant(said.shown)
        const next: Progress = {
          ...all,
          issues,
          unusable: isUnusable ? [...all.unusable, said.answer.trim()] : [],
          rejectedReports: all.rejectedReports + (report === undefined ? 0 : 1),
          answers: new Set([...all.answers, said.answer.trim()]),
          tuning: {
            repeats: all.tuning.repeats + (isRepeated ? 1 : 0),
            thinkingCuts: all.tuning.thinkingCuts + (said.hasOnlyThought === true ? 1 : 0)
          },
          messages: [...all.messages, shown]
        }
        const reply = replyText({
          turn,
          issues: issuesAsShown(issues, said.answer, said.shown),
          outcomes,
          checks: hasChanged ? checks : [],
          before: before.outcomes,
          hasFolded: before.hasFolded,
          isRepeated,
          now: nowText(work, turn),
          budget: replyBudget(work, next)
        })
        return { done: undefined, progress: { ...next, messages: [...next.messages, user(reply)] } }
      })

      const turns = Effect.fnUntraced(function* (work: Work, begun: Progress, from: number) {
        let progress = begun
        for (let turn = from; turn <= mostTurns(work); turn += 1) {
          const { done, progress: next } = yield* step(work, progress, turn)
          if (done !== undefined) return done
          progress = next
          const again = [...timesOf(progress.outcomes)].find(([, times]) => times >= limits.identicalCalls)
          if (again !== undefined) {
            const reason = `the same call was made ${limits.identicalCalls} times (limits.identicalCalls) and gave nothing new: ${again[0].split("\n", 1).join("")}.`
            return yield* new TaskFailure({ task: work.order.task.name, phase: "execution", reason, skipped: false })
          }
          if (progress.unusable.length >= limits.attempts) return yield* failed(work, progress)
        }
        return yield* failed(work, progress, mostTurns(work))
      })

      const started = ({ round, task }: TaskOrder) =>
        events.publish({ type: "stage.started", stage: "task", round, task: task.name })

      const work = Effect.fnUntraced(function* (order: TaskOrder, given?: RefinementDocument) {
        yield* started(order)
        const { progress, work: opened } = yield* open(order)
        const within = Effect.provideService(CurrentCopy, opened.copy)
        if (given === undefined) return yield* within(turns(opened, progress, 1))
        const { calls, inputs = [] } = given
        const outcomes = yield* within(act(opened, 0, calls))
        const messages = [...progress.messages, assistant(renderRefined({ inputs, calls }))]
        const begun = { ...progress, inputs, outcomes, messages }
        const reply = replyText({
          turn: 0,
          issues: [],
          outcomes,
          now: nowText(opened, 0),
          budget: replyBudget(opened, begun)
        })
        return yield* within(turns(opened, { ...begun, messages: [...messages, user(reply)] }, 1))
      })

      const refine = Effect.fnUntraced(function* (order: TaskOrder) {
        yield* started(order)
        const { progress: begun, work: opened } = yield* open(order)
        let progress = begun
        for (let turn = 1; turn <= limits.attempts; turn += 1) {
          const said = yield* ask(opened, progress, turn).pipe(
            Effect.mapError((error) => taskFailure(order.task, "refinement", error))
          )
          const read = readAnswer(opened, progress, said.answer)
          const checked = yield* checkCalls(opened, read)
          const issues = [
            ...said.issues,
            ...read.issues,
            ...checked.issues,
            ...(yield* checkInputs(opened, read.inputs))
          ]
          if (issues.length === 0) {
            const { inputs, task } = read
            return {
              task,
              ...(Arr.isReadonlyArrayNonEmpty(inputs) ? { inputs } : {}),
              calls: checked.calls
            } satisfies RefinementDocument
          }
          yield* reject(idOf(opened, turn), said.answer, issues)
          const reply = replyText({
            turn,
            issues: issuesAsShown(issues, said.answer, said.shown),
            now: nowText(opened, turn),
            budget: replyBudget(opened, progress)
          })
          progress = Object.assign({}, progress, {
            issues,
            unusable: [...progress.unusable, said.answer.trim()],
            messages: [...progress.messages, assistant(said.shown), user(reply)]
          })
        }
        return yield* failed(opened, progress)
      })

      return TaskLoop.of({ work, refine })
    })
  )
}
