/**
 * Works on one task in turns (TurnLoop.ts): its first message, how its answers are read, and the report that ends it.
 */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { showsFile } from "../../domain/documents/FoldText.ts"
import { headless } from "../../domain/documents/NoEnd.ts"
import { questionOf } from "../../domain/documents/OtherForm.ts"
import { callSign, type InputValue, type Refinement } from "../../domain/documents/Refinement.ts"
import { inputsField, type RefinementDocument } from "../../domain/documents/RefinementFormat.ts"
import { renderRefined } from "../../domain/documents/TaskRendering.ts"
import { turnGrammar } from "../../domain/documents/AnswerGrammar.ts"
import { nothingAsked, readTurn, type Turn } from "../../domain/documents/TurnFormat.ts"
import { replyText } from "../../domain/documents/TurnReply.ts"
import { Issue } from "../../domain/findings/Issue.ts"
import { issuesAsShown } from "../../domain/findings/IssueText.ts"
import { withoutNow } from "../../domain/markdown/PromptBlock.ts"
import { projectTextOf, withAnswers } from "../../domain/models/Briefing.ts"
import { type ConversationMessage, fromHost } from "../../domain/models/ConversationMessage.ts"
import { percentOf, seenShare } from "../../domain/models/SeenPart.ts"
import { seenReads } from "../../domain/models/SeenReads.ts"
import { type ResultDocument, resultOfSummary, TaskFailure } from "../../domain/plan/TaskResult.ts"
import { seenKey, stagePlace } from "../../domain/runs/ActivityKey.ts"
import type { Skill } from "../../domain/skills/Skill.ts"
import { slugOf } from "../../domain/text/Slug.ts"
import { meantTool } from "../../domain/tools/ArgumentCheck.ts"
import { dataText, fileTools, type ToolCall } from "../../domain/tools/ToolCall.ts"
import type { SeenFact } from "../../domain/checks/Facts.ts"
import { makeWorkingCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { Gate } from "../permissions/Gate.ts"
import { CurrentSubject, type TurnSubject } from "../providers/CallSubject.ts"
import { checkInputPaths } from "../references/FileReferences.ts"
import { References } from "../references/References.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { AttemptsExhausted } from "./Attempts.ts"
import { makeEvidenceReaders } from "./CheckedEvidence.ts"
import { makeModelQuestions, nobodyAnswers } from "./ModelQuestions.ts"
import { makeMissingTools } from "./PlanChecker.ts"
import { makeGatedCalls } from "./StepApproval.ts"
import { makeTaskPrompts } from "./TaskPrompts.ts"
import { CallsDeclined, type JoinedChanges, requestOf, type TaskOrder, taskFailure, toolsMissing } from "./TaskStage.ts"
import { makeAboutProject } from "./AboutProject.ts"
import { makeFirstLook } from "./FirstLook.ts"
import { makeInstructions } from "./Instructions.ts"
import { isFine, makeTurnLoop, nowText } from "./TurnLoop.ts"
import { assistant, doneOutside, firstProgress, type Progress, type TurnOrder } from "./TurnOrder.ts"

/** What is known of a task while it is worked on. */
interface Work extends TurnOrder<ResultDocument, CallsDeclined | TaskFailure> {
  readonly order: TaskOrder
  readonly skill: Skill
  /** The task and its inputs, as the answers have them. */
  readonly known: Pick<Turn, "inputs" | "task">
  /** What the turns have come to so far. */
  readonly latest: () => Progress
  /** The references of which only a part was seen so far. */
  readonly seen: () => ReadonlyArray<SeenFact>
}

const failed = (
  { latest, order, tools }: Work,
  proposed: Partial<Pick<Refinement, "checks" | "files">> = {},
  { turns = latest().unusable.length, unable }: { readonly turns?: number; readonly unable?: string | undefined } = {}
) => {
  const { issues, outcomes, unusable } = latest()
  const phase = outcomes.length > 0 || tools.length === 0 ? "execution" : "refinement"
  const repeated = unusable.length > 1 && new Set(unusable).size === 1
  const error = new AttemptsExhausted({
    attempts: turns,
    repeated,
    issues,
    ...(unable === undefined ? {} : { unable })
  })
  return taskFailure(order.task, phase, error, doneOutside(latest()), proposed)
}

/** What a model is told when nothing clashes and a check fails all the same. */
const brokenTogether =
  "Since you began, others changed the same files. Both changes are in the files now, and together they fail a check: correct that."

/** The report of a task that had changed something when a further change was declined. */
const partlyDeclined = "Partly done: a further change was declined."

export class TaskLoop extends Context.Service<
  TaskLoop,
  {
    /**
     * Works on a task until its report, or goes on with one after it (`joined`). `given` stands for the first answer. Fails with
     * a `TaskFailure`, or with who declined the calls of the task.
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
      const events = yield* RunEvents
      const gate = yield* Gate
      const gatedCalls = yield* makeGatedCalls
      const aboutProject = yield* makeAboutProject
      const firstLook = yield* makeFirstLook
      const instructions = yield* makeInstructions
      const loop = yield* makeTurnLoop
      const questionsAt = yield* makeModelQuestions
      const { readResult } = yield* makeEvidenceReaders
      const missing = yield* makeMissingTools
      const prompts = yield* makeTaskPrompts
      const references = yield* References
      const registry = yield* ToolRegistry
      const skills = yield* Skills
      const workspace = yield* Workspace
      const { askFirst: asksFirst = false, limits } = yield* RunSettings
      const provide = Effect.provideService(Workspace, workspace)

      const isPure = ({ name }: ToolCall): boolean => registry.find(name)?.effect === "pure"

      /** The issues of inputs that name no file. */
      const checkInputs = Effect.fnUntraced(function* (
        task: string,
        { inputs: all }: Skill,
        inputs: ReadonlyArray<InputValue>
      ) {
        if (inputs.length === 0) return []
        return yield* activities.record(
          { key: seenKey.inputs(task), success: Schema.Array(Issue) },
          provide(checkInputPaths(all, inputs, task))
        )
      })

      /** Asks about the calls of an answer that do something outside of the working copy. */
      const approve = Effect.fnUntraced(function* ({ round, task }: TaskOrder, calls: ReadonlyArray<ToolCall>) {
        const outside = calls.filter((call) => !isPure(call) && (asksFirst || !fileTools.has(call.name)))
        if (outside.length === 0) return
        const gated = yield* gatedCalls(task, { task, calls: outside }, round)
        if (gated === undefined) return
        const { approved, by } = yield* gate.approveStep({
          title: task.name,
          planKey: `round-${round}`,
          tasks: [gated]
        })
        if (!approved) return yield* new CallsDeclined({ by })
      })

      const open = Effect.fnUntraced(function* (order: TaskOrder) {
        const { finished, round, task } = order
        const place = `round-${round}`
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
            briefing: order.briefing,
            finished,
            budget: prompts.referenceBudget(task, order.briefing),
            place: stagePlace(round, "task")
          })
          .pipe(Effect.mapError((error) => taskFailure(task, "refinement", error)))
        let briefing = yield* instructions.forTask(order.briefing, task, place)
        const looksFirst =
          tools.includes("search_files") &&
          order.isItem !== true &&
          !task.references.some(({ kind }) => kind === "file")
        const found = looksFirst ? yield* firstLook(round, task, briefing) : ""
        const questions = questionsAt(`${stagePlace(round, "task")}/${slugOf(task.name)}`)
        const fitted = (references: string, parts = found) =>
          prompts.fitted(task, withAnswers(briefing, questions.answered()), {
            goals: order.goals,
            references: `${references}${parts}`
          })
        const { system, user: begin } = fitted(block.text)
        const known: { -readonly [K in keyof Work["known"]]: Work["known"][K] } = { task, inputs: [] }
        /* What the person or the plan gave with the task is a look at it. */
        const isGiven =
          order.isItem === true ||
          task.references.length > 0 ||
          briefing.attachment !== undefined ||
          briefing.currentFile !== undefined
        const isProject = aboutProject(
          seenKey.about(round, task.name),
          `${briefing.prompt}\n${task.name}\n${task.whatIsNeeded}`
        )
        const mayChange = tools.some((tool) => fileTools.has(tool))
        const look = mayChange ? "look further, change, or" : "look further, or"
        let latest = firstProgress([{ role: "user", content: begin }])
        const shown = new Set<string>()
        const counted = new WeakSet<ConversationMessage>()
        const isReference = (path: string): boolean =>
          task.references.some(
            ({ kind, target }) =>
              kind === "file" && (target === path || target.endsWith(`/${path}`) || path.endsWith(`/${target}`))
          )
        const work: Work = {
          order,
          known,
          latest: () => latest,
          seen: () => {
            const parts = block.cut.map((one) => ({ href: one.href, percent: percentOf(seenShare(one, [...shown])) }))
            // What a change rests on is seen in the change and its checks.
            const isDone = loop.changedPaths(work).length > 0
            const reads = isDone ? [] : seenReads(latest.outcomes, shown, isReference)
            const all = [...parts.filter(({ percent }) => percent < 100), ...reads]
            return all.map(({ href, percent }) => ({ task: task.name, href, percent }))
          },
          idOf: (turn) => ({ stage: "task", round, task: task.name, attempt: turn }),
          task: task.name,
          request: requestOf(order),
          round,
          step: order.step,
          skill,
          tools,
          system,
          copy: makeWorkingCopy(order.joined?.others),
          looksBack: order.isItem !== true,
          mostTurns: Math.min(skill.turns ?? limits.turns, limits.turns),
          // Inputs stand before everything else, and their values in no grammar.
          grammar: (tools) =>
            skill.inputs.some(({ name, required }) => required && !known.inputs.some((one) => one.name === name))
              ? undefined
              : turnGrammar({ mayChange, tools }),
          read: Effect.fnUntraced(function* (answer, paths) {
            const read = readTurn(answer, {
              paths,
              task: known.task,
              inputs: skill.inputs,
              kept: known.inputs,
              mayChange,
              isTool: (name) => meantTool(name, tools) !== undefined
            })
            if (read.calls.length + read.changes.length === 0) {
              const asked = yield* questions.ask(headless(answer))
              if (asked !== undefined) return { ...nothingAsked, ...asked }
              if (read.report === undefined && questionOf(answer) !== undefined) {
                return { ...nothingAsked, issues: [nobodyAnswers] }
              }
            }
            Object.assign(known, { task: read.task, inputs: read.inputs })
            const wrong = yield* checkInputs(task.name, skill, read.inputs)
            return { ...read, issues: [...read.issues, ...wrong] }
          }),
          approve: (calls) => approve(order, calls),
          instructions: Effect.fnUntraced(function* (turn, files, budget) {
            const key = seenKey.instructions(task.name, `${place}/turn-${turn}`)
            const beside = yield* instructions.beside(key, files, { briefing, isReference, budget })
            /* Behind a fold they stand in the first message. */
            briefing = beside.briefing
            return beside.text
          }),
          // What the host has shown, and never what the model said itself: it would confirm its own links.
          take: (report, { checks, outcomes }) =>
            readResult(report, {
              task: task.name,
              briefing,
              finished,
              calls: outcomes,
              material: [begin, ...checks.map(({ text }) => text)]
            }),
          now: (left) =>
            left === 1
              ? "This is the last answer: write the report now, with what is known."
              : `Go on: ${look} write the report (\`## Result summary\`).`,
          // Behind turns parts of references matter less than what was seen since, and all do when it was changed.
          ...(isGiven ? {} : { basis: { isProject, shown: projectTextOf(briefing) } }),
          fold: (_, shown) => {
            const paths = loop.changedPaths(work)
            const isOld = paths.some((path) => found.includes(`Path: ${path}\n`))
            const isKept = block.cut.length === 0 && !paths.some((path) => showsFile(block.text, path))
            /* A server that counts more tokens than were estimated leaves less room than at first. */
            const budget = prompts.referenceBudget(task, briefing)
            const most = isKept
              ? Math.min(block.text.length, budget.whole)
              : Math.min(Math.floor(block.text.length / 2), budget.parts)
            const { user } = fitted(block.within(most), isOld ? "" : found)
            return [{ role: "user", content: shown === "" ? user : `${withoutNow(user)}\n\n${shown}` }]
          },
          goOn: "Go on from here with this task alone, or write the report (`## Result summary`).",
          keep: (progress) => {
            latest = progress
            for (const message of progress.messages) {
              if (counted.has(message)) continue
              counted.add(message)
              if (message.role === "user") shown.add(message.content)
              if (message.role !== "tool") continue
              const { data } = message.result
              shown.add(dataText(data))
              // What a command printed stands in a field of its result.
              if (typeof data !== "object" || data === null) continue
              for (const text of Object.values(data)) if (typeof text === "string") shown.add(text)
            }
          },
          announce: (turn, calls, changed) =>
            events.publish({ type: "task.turn", round, step: order.step, task: task.name, turn, calls, changed })
        }
        latest = { ...latest, messages: loop.sayingRoom(work, latest.messages) }
        return work
      })

      const refinementOf = (work: Work, result: ResultDocument): Refinement => {
        const { joined } = work.order
        const { known, latest } = work
        const looks = doneOutside(latest())
        const seen = joined === undefined ? work.seen() : (joined.refinement.seen ?? [])
        return {
          task: known.task,
          ...inputsField(known.inputs),
          ...(Arr.isReadonlyArrayNonEmpty(looks) ? { looks } : {}),
          ...(Arr.isReadonlyArrayNonEmpty(seen) ? { seen } : {}),
          ...(latest().isUnfounded ? { unfounded: true } : {}),
          ...loop.proposed(work, latest(), joined && `joined-${(joined.refinement.joined?.times ?? 0) + 1}`),
          result
        }
      }

      /** The changes that only the copy of a task has. */
      const inCopy = (work: Work) => {
        const { checks, turn } = work.latest()
        return loop.proposed(work, { checks, turn })
      }

      const subjectOf = ({ latest, order: { finished, task }, tools }: Work): TurnSubject => ({
        stage: "task",
        request: task.whatIsNeeded,
        tools: registry.tools.filter(({ name }) => tools.includes(name)),
        results: finished.filter(({ task: { slug } }) => task.producerSlugs.includes(slug)),
        outcomes: () => latest().outcomes
      })

      const turns = Effect.fnUntraced(function* (work: Work, begun: Progress) {
        const { task } = work.order
        const end = yield* loop.turns(work, begun).pipe(
          Effect.provideService(CurrentSubject, subjectOf(work)),
          Effect.catchTags({
            ModelError: (error) => {
              const done = work.latest()
              const phase = done.outcomes.length > 0 ? "execution" : "refinement"
              return Effect.fail(taskFailure(task, phase, error, doneOutside(done)))
            },
            TooManyDenials: (error) => Effect.fail(taskFailure(task, "execution", error, doneOutside(work.latest()))),
            CallsDeclined: (declined) =>
              work.latest().files.length === 0
                ? Effect.fail(declined)
                : Effect.succeed({ _tag: "Declined" as const, by: declined.by })
          })
        )
        switch (end._tag) {
          case "Taken":
            return refinementOf(work, end.value)
          case "Declined":
            return { ...refinementOf(work, resultOfSummary(partlyDeclined)), declined: end.by }
          case "Repeated": {
            const reason = `the same call was made ${limits.identicalCalls} times (limits.identicalCalls) and gave nothing new: ${callSign(end.call)}.`
            return yield* new TaskFailure({ task: task.name, phase: "execution", reason, skipped: false })
          }
          case "Limit":
            return yield* failed(work, inCopy(work), { turns: end.turns })
          case "Unusable":
            return yield* failed(work, inCopy(work), { unable: end.unable })
          default:
            return yield* failed(work, inCopy(work))
        }
      })

      /** Goes on after a report whose changes were put together with others: only with checks, or with further turns. */
      const goOn = Effect.fnUntraced(function* (opened: Work, { clash, own, refinement, ...joined }: JoinedChanges) {
        const { inputs = [], looks = [], result, turns: taken = 0 } = refinement
        Object.assign(opened.known, { task: refinement.task, inputs })
        for (const file of own) opened.copy.propose(file)
        const checks = joined.checks ? yield* loop.check(opened, taken) : []
        const begun = { ...opened.latest(), outcomes: looks, checks, hasFolded: true, turn: taken }
        opened.keep(begun)
        const failedBefore = new Set(refinement.checks?.flatMap((one) => (isFine(one) ? [] : [one.command])))
        const isOpen = checks.some((one) => !isFine(one) && !failedBefore.has(one.command))
        if (clash === "" && !isOpen && result !== undefined) return refinementOf(opened, result)
        const now = `${clash === "" ? brokenTogether : clash}\n\n${opened.goOn}`
        return yield* turns(opened, { ...begun, messages: loop.foldedMessages(opened, begun, now) })
      })

      const started = ({ round, task }: TaskOrder) =>
        events.publish({ type: "stage.started", stage: "task", round, task: task.name })

      const work = Effect.fnUntraced(function* (order: TaskOrder, given?: RefinementDocument) {
        yield* started(order)
        const opened = yield* open(order)
        const begun = opened.latest()
        if (order.joined !== undefined) return yield* goOn(opened, order.joined)
        if (given === undefined) return yield* turns(opened, begun)
        const { calls, inputs = [] } = given
        Object.assign(opened.known, { inputs })
        const { files, outcomes } = yield* loop.act(opened, 0, calls).pipe(
          Effect.catchTag("TooManyDenials", (error) => Effect.fail(taskFailure(order.task, "execution", error))),
          loop.within(opened)
        )
        const messages = [...begun.messages, assistant(renderRefined({ inputs, calls }))]
        const reply = replyText({
          turn: 0,
          issues: [],
          outcomes,
          now: nowText(opened, opened.mostTurns),
          budget: loop.replyBudget(opened, messages)
        })
        const carriedOut = { ...begun, files, outcomes, messages: [...messages, fromHost(reply)] }
        opened.keep(carriedOut)
        return yield* turns(opened, carriedOut)
      })

      const refine = Effect.fnUntraced(function* (order: TaskOrder) {
        yield* started(order)
        const opened = yield* open(order)
        let progress = opened.latest()
        for (let turn = 1; turn <= limits.attempts; turn += 1) {
          const said = yield* loop.ask(opened, progress, turn).pipe(
            Effect.provideService(CurrentSubject, subjectOf(opened)),
            Effect.mapError((error) => taskFailure(order.task, "refinement", error))
          )
          const read = yield* loop.readHeard(opened, said)
          const found = yield* loop.checkCalls(opened, read.turn)
          const issues = [
            ...read.turn.issues,
            ...found.issues,
            ...found.checked.flatMap((one) => one.issues),
            ...found.tooMany
          ]
          if (issues.length === 0) {
            const { inputs, task } = opened.known
            const calls = found.checked.map(({ call }) => call)
            return { task, ...inputsField(inputs), calls } satisfies RefinementDocument
          }
          yield* loop.reject(opened, opened.idOf(turn), said.answer, issues)
          const reply = replyText({
            turn,
            issues: issuesAsShown(issues, said.answer, said.shown),
            now: nowText(opened, opened.mostTurns - turn),
            budget: loop.replyBudget(opened, progress.messages)
          })
          progress = Object.assign({}, progress, {
            issues,
            unusable: [...progress.unusable, said.answer.trim()],
            messages: [...progress.messages, assistant(said.shown), fromHost(reply)]
          })
          opened.keep(progress)
        }
        return yield* failed(opened)
      })

      return TaskLoop.of({ work, refine })
    })
  )
}
