/**
 * Works on one task as an agent (services/agent/Agent.ts): its first message, how its answers are read, and the report that ends it.
 */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { showsFile } from "../../domain/documents/CompactedTurns.ts"
import { headless } from "../../domain/documents/NoEnd.ts"
import { questionOf } from "../../domain/documents/OtherForm.ts"
import { callSign, type InputValue, type Refinement } from "../../domain/documents/Refinement.ts"
import { inputsField, type RefinementDocument } from "../../domain/documents/RefinementFormat.ts"
import { renderRefined } from "../../domain/documents/TaskRendering.ts"
import { turnGrammar } from "../../domain/documents/AnswerGrammar.ts"
import { nothingAsked, readTurn, type Turn } from "../../domain/documents/TurnFormat.ts"
import { replyText } from "../../domain/documents/TurnReply.ts"
import { Issue } from "../../domain/findings/Issue.ts"
import { withoutNow } from "../../domain/markdown/PromptBlock.ts"
import { withAnswers } from "../../domain/models/Briefing.ts"
import { assistantMessage, type ConversationMessage, fromHost } from "../../domain/models/ConversationMessage.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import { percentOf, seenShare } from "../../domain/models/SeenPart.ts"
import { seenReads } from "../../domain/models/SeenReads.ts"
import { type ResultDocument, resultOfSummary, TaskFailure, type TaskPhase } from "../../domain/plan/TaskResult.ts"
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
import type { TooManyDenials } from "../tools/ToolRunner.ts"
import { AttemptsExhausted } from "./Attempts.ts"
import { makeEvidenceReaders } from "./CheckedEvidence.ts"
import { makeModelQuestions, nobodyAnswers } from "./ModelQuestions.ts"
import { makeMissingTools } from "./PlanChecker.ts"
import { makeGatedCalls } from "./StepApproval.ts"
import { makeTaskPrompts } from "./TaskPrompts.ts"
import { CallsDeclined, type JoinedChanges, requestOf, type TaskOrder, taskFailure, toolsMissing } from "./TaskStage.ts"
import { Agent } from "../agent/Agent.ts"
import { instructionFor } from "../agent/hooks/LastTurn.ts"
import { isFine } from "../agent/JudgeReport.ts"
import {
  type AgentPrompt,
  type AgentWork,
  type Assignment,
  doneOutside,
  newSession,
  type Session
} from "../agent/Session.ts"

/** A task that is worked on. */
interface OpenedTask {
  readonly order: TaskOrder
  readonly skill: Skill
  readonly work: AgentWork<ResultDocument, CallsDeclined | TaskFailure>
  /** The task and its inputs, as the answers have them. */
  readonly fields: Ref.Ref<TaskFields>
  readonly begun: Session
  /** Where the work stands. */
  readonly session: Ref.Ref<Session>
  /** The references of which only a part was seen so far. */
  readonly seen: Effect.Effect<ReadonlyArray<SeenFact>>
}

type TaskFields = Pick<Turn, "inputs" | "task">

/** The failure of a task without an accepted report, after so many turns. */
const failed = (
  { order, work: { assignment } }: OpenedTask,
  session: Session,
  proposed: Partial<Pick<Refinement, "checks" | "files">> = {},
  turns: number = session.retries.unusable.length
) => {
  const { issues, outcomes, retries } = session
  const phase = outcomes.length > 0 || assignment.tools.length === 0 ? "execution" : "refinement"
  const repeated = retries.unusable.length > 1 && new Set(retries.unusable).size === 1
  const error = new AttemptsExhausted({ attempts: turns, repeated, issues })
  return taskFailure(order.task, phase, error, doneOutside(session), proposed)
}

/** The texts that a message shows the model; of a result also the fields, where the output of a command stands. */
const shownTexts = (message: ConversationMessage): ReadonlyArray<string> => {
  if (message.role === "user") return [message.content]
  if (message.role !== "tool") return []
  const { data } = message.result
  const fields = typeof data === "object" && data !== null ? Object.values(data) : []
  return [dataText(data), ...fields.filter((text) => typeof text === "string")]
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
      const agent = yield* Agent
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

      const open = Effect.fnUntraced(function* (order: TaskOrder, kind: Assignment["kind"]) {
        const { briefing, finished, round, task } = order
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
            finished,
            budget: prompts.referenceBudget(task, briefing),
            place: stagePlace(round, "task")
          })
          .pipe(Effect.mapError((error) => taskFailure(task, "refinement", error)))
        const isPrefetched =
          tools.includes("search_files") &&
          order.isItem !== true &&
          !task.references.some((reference) => reference.kind === "file")
        const prefetched = isPrefetched ? yield* agent.opening(round, task, briefing) : ""
        const questions = questionsAt(`${stagePlace(round, "task")}/${slugOf(task.name)}`)
        const fitted = (referenceText: string, parts = prefetched) =>
          prompts.fitted(task, withAnswers(briefing, questions.answered()), {
            goals: order.goals,
            references: `${referenceText}${parts}`
          })
        const { system, user: begin } = fitted(block.text)
        const fields = yield* Ref.make<TaskFields>({ task, inputs: [] })
        const mayChange = tools.some((tool) => fileTools.has(tool))
        const copy = makeWorkingCopy(order.joined?.others)
        const session = yield* Ref.make(newSession([{ role: "user", content: begin }]))
        const shown = yield* Ref.make<ReadonlySet<string>>(new Set())

        const assignment: Assignment = {
          kind,
          id: { stage: "task", round, task: task.name },
          task: task.name,
          request: requestOf(order),
          step: order.step,
          skill,
          tools,
          system,
          copy,
          mostTurns: kind === "calls" ? limits.attempts : Math.min(skill.turns ?? limits.turns, limits.turns),
          priorCalls: []
        }

        const look = mayChange ? "look further, change, or" : "look further, or"
        const prompt: AgentPrompt = {
          instruction: (left) =>
            left === 1 && kind !== "calls"
              ? "This is the last answer: write the report now, with what is known."
              : `Go on: ${look} write the report (\`## Result summary\`).`,
          continuation: "Go on from here with this task alone, or write the report (`## Result summary`).",
          // Behind turns the references matter less than what was seen since, and not at all when their file was changed.
          compact: (_, summary) => {
            const paths = agent.changedPaths(copy)
            const isOld = paths.some((path) => prefetched.includes(`Path: ${path}\n`))
            const isKept = block.cut.length === 0 && !paths.some((path) => showsFile(block.text, path))
            const most = isKept ? block.text.length : Math.floor(block.text.length / 2)
            const { user } = fitted(block.within(most), isOld ? "" : prefetched)
            return [{ role: "user", content: summary === "" ? user : `${withoutNow(user)}\n\n${summary}` }]
          },
          // Inputs stand before everything else, and their values in no grammar.
          grammar: (offered) =>
            Effect.map(Ref.get(fields), ({ inputs }) => {
              const isOpen = ({ name, required }: Skill["inputs"][number]): boolean =>
                required && !inputs.some((input) => input.name === name)
              return skill.inputs.some(isOpen) ? undefined : turnGrammar({ mayChange, tools: offered })
            })
        }

        /** Reads an answer; a question to the user in the place of a report is put to them. */
        const read = Effect.fnUntraced(function* (answer: string) {
          const before = yield* Ref.get(fields)
          const turn = readTurn(answer, {
            task: before.task,
            inputs: skill.inputs,
            kept: before.inputs,
            mayChange,
            isTool: (name) => meantTool(name, tools) !== undefined
          })
          if (turn.calls.length + turn.changes.length === 0) {
            const reply = yield* questions.ask(headless(answer))
            if (reply !== undefined) return { ...nothingAsked, ...reply }
            if (turn.report === undefined && questionOf(answer) !== undefined) {
              return { ...nothingAsked, issues: [nobodyAnswers] }
            }
          }
          yield* Ref.set(fields, { task: turn.task, inputs: turn.inputs })
          const issues = yield* checkInputs(task.name, skill, turn.inputs)
          return { ...turn, issues: [...turn.issues, ...issues] }
        })

        const work: OpenedTask["work"] = {
          assignment,
          prompt,
          read,
          approve: (calls) => approve(order, calls),
          // Links are held against what the program has shown, never against what the model wrote: it would confirm its own links.
          judge: (report, { checks, outcomes }) =>
            readResult(report, {
              task: task.name,
              briefing,
              finished,
              calls: outcomes,
              material: [begin, ...checks.map(({ text }) => text)]
            }),
          keep: (now) =>
            Effect.andThen(
              Ref.set(session, now),
              Ref.update(shown, (texts) => new Set([...texts, ...now.messages.flatMap(shownTexts)]))
            ),
          announce: (turn, calls, changed) =>
            events.publish({ type: "task.turn", round, step: order.step, task: task.name, turn, calls, changed })
        }

        const isReference = (path: string): boolean =>
          task.references.some(
            ({ kind: target, target: name }) =>
              target === "file" && (name === path || name.endsWith(`/${path}`) || path.endsWith(`/${name}`))
          )
        const seen = Effect.gen(function* () {
          const texts = yield* Ref.get(shown)
          const { outcomes } = yield* Ref.get(session)
          const parts = block.cut
            .map((part) => ({ href: part.href, percent: percentOf(seenShare(part, [...texts])) }))
            .filter(({ percent }) => percent < 100)
          // What a change rests on is seen in the change and its checks.
          const reads = agent.changedPaths(copy).length > 0 ? [] : seenReads(outcomes, texts, isReference)
          return [...parts, ...reads].map(({ href, percent }) => ({ task: task.name, href, percent }))
        })

        const messages = agent.withBudgetNote(work, [{ role: "user", content: begin }])
        const begun = newSession(messages)
        yield* Ref.set(session, begun)
        return { order, skill, work, fields, begun, session, seen } satisfies OpenedTask
      })

      /** What a task came to that ended with this report. */
      const refinementOf = Effect.fnUntraced(function* (
        { fields, order, seen, session: state, work }: OpenedTask,
        result: ResultDocument
      ) {
        const { joined } = order
        const session = yield* Ref.get(state)
        const { inputs, task } = yield* Ref.get(fields)
        const looks = doneOutside(session)
        const facts = joined === undefined ? yield* seen : (joined.refinement.seen ?? [])
        const word = joined && `joined-${(joined.refinement.joined?.times ?? 0) + 1}`
        return {
          task,
          ...inputsField(inputs),
          ...(Arr.isReadonlyArrayNonEmpty(looks) ? { looks } : {}),
          ...(Arr.isReadonlyArrayNonEmpty(facts) ? { seen: facts } : {}),
          ...agent.proposed(work.assignment.copy, session, word),
          result
        } satisfies Refinement
      })

      /** The changes that only the copy of a task has. */
      const inCopy = ({ work }: OpenedTask, { checks, turn }: Session) =>
        agent.proposed(work.assignment.copy, { checks, turn })

      const subjectOf = ({ order: { finished, task }, session, work: { assignment } }: OpenedTask): TurnSubject => ({
        stage: "task",
        request: task.whatIsNeeded,
        tools: registry.tools.filter(({ name }) => assignment.tools.includes(name)),
        results: finished.filter(({ task: { slug } }) => task.producerSlugs.includes(slug)),
        outcomes: () => Ref.getUnsafe(session).outcomes
      })

      const turns = Effect.fnUntraced(function* (opened: OpenedTask, begun: Session) {
        const { order, work } = opened
        const latest = Ref.get(opened.session)
        const { task } = order
        const failWith = (phase: TaskPhase, error: ModelError | TooManyDenials) =>
          Effect.flatMap(latest, (session) => Effect.fail(taskFailure(task, phase, error, doneOutside(session))))
        const end = yield* agent.run(work, begun).pipe(
          Effect.provideService(CurrentSubject, subjectOf(opened)),
          Effect.catchTags({
            ModelError: (error) =>
              Effect.flatMap(latest, ({ outcomes }) =>
                failWith(outcomes.length > 0 ? "execution" : "refinement", error)
              ),
            TooManyDenials: (error) => failWith("execution", error),
            CallsDeclined: (declined) =>
              Effect.flatMap(latest, ({ files }) =>
                files.length === 0
                  ? Effect.fail(declined)
                  : Effect.succeed({ _tag: "Declined" as const, by: declined.by })
              )
          })
        )
        const session = yield* latest
        switch (end._tag) {
          case "Accepted":
            return yield* refinementOf(opened, end.value)
          case "Declined":
            return { ...(yield* refinementOf(opened, resultOfSummary(partlyDeclined))), declined: end.by }
          case "Repeated": {
            const reason = `the same call was made ${limits.identicalCalls} times (limits.identicalCalls) and gave nothing new: ${callSign(end.call)}.`
            return yield* new TaskFailure({ task: task.name, phase: "execution", reason, skipped: false })
          }
          case "Limit":
            return yield* failed(opened, session, inCopy(opened, session), end.turns)
          default:
            return yield* failed(opened, session, inCopy(opened, session))
        }
      })

      /** Goes on after a report whose changes were put together with others: only with checks, or with further turns. */
      const goOn = Effect.fnUntraced(function* (
        opened: OpenedTask,
        { clash, own, refinement, ...joined }: JoinedChanges
      ) {
        const { fields, work } = opened
        const { copy, id, request, task } = work.assignment
        const { inputs = [], looks = [], result, turns: turn = 0 } = refinement
        yield* Ref.set(fields, { task: refinement.task, inputs })
        for (const file of own) copy.propose(file)
        const checks = joined.checks ? yield* agent.check({ copy, request, round: id.round, task }, turn) : []
        const begun: Session = { ...opened.begun, outcomes: looks, checks, isCompacted: true, turn }
        yield* work.keep(begun)
        const failedBefore = new Set(refinement.checks?.flatMap((check) => (isFine(check) ? [] : [check.command])))
        const isOpen = checks.some((check) => !isFine(check) && !failedBefore.has(check.command))
        if (clash === "" && !isOpen && result !== undefined) return yield* refinementOf(opened, result)
        const instruction = `${clash === "" ? brokenTogether : clash}\n\n${work.prompt.continuation}`
        return yield* turns(opened, { ...begun, messages: agent.compactedMessages(work, begun, instruction) })
      })

      const started = ({ round, task }: TaskOrder) =>
        events.publish({ type: "stage.started", stage: "task", round, task: task.name })

      const work = Effect.fnUntraced(function* (order: TaskOrder, given?: RefinementDocument) {
        yield* started(order)
        const opened = yield* open(order, order.isItem === true ? "item" : "task")
        const { begun, fields, work: agentWork } = opened
        if (order.joined !== undefined) return yield* goOn(opened, order.joined)
        if (given === undefined) return yield* turns(opened, begun)
        const { calls, inputs = [] } = given
        yield* Ref.update(fields, ({ task }) => ({ task, inputs }))
        const { files, outcomes } = yield* agent
          .runCalls(agentWork, calls)
          .pipe(Effect.catchTag("TooManyDenials", (error) => Effect.fail(taskFailure(order.task, "execution", error))))
        const messages = [...begun.messages, assistantMessage(renderRefined({ inputs, calls }))]
        const reply = replyText({
          turn: 0,
          issues: [],
          outcomes,
          now: instructionFor(agentWork.prompt, agentWork.assignment.mostTurns),
          budget: agent.replyBudget(agentWork, messages)
        })
        const carriedOut: Session = { ...begun, files, outcomes, messages: [...messages, fromHost(reply)] }
        yield* agentWork.keep(carriedOut)
        return yield* turns(opened, carriedOut)
      })

      const refine = Effect.fnUntraced(function* (order: TaskOrder) {
        yield* started(order)
        const opened = yield* open(order, "calls")
        const failWith = (error: Parameters<typeof taskFailure>[2]) => taskFailure(order.task, "refinement", error)
        const end = yield* agent.run(opened.work, opened.begun).pipe(
          Effect.provideService(CurrentSubject, subjectOf(opened)),
          Effect.catchTag("CallsDeclined", () => Effect.die("Calls that are not made cannot be declined.")),
          Effect.mapError((error) => (error._tag === "TaskFailure" ? error : failWith(error)))
        )
        if (end._tag !== "Calls") return yield* failed(opened, yield* Ref.get(opened.session))
        const { inputs, task } = yield* Ref.get(opened.fields)
        return { task, ...inputsField(inputs), calls: end.calls } satisfies RefinementDocument
      })

      return TaskLoop.of({ work, refine })
    })
  )
}
