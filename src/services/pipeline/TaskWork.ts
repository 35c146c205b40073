/**
 * Prepares a task for an agent (services/agent/Agent.ts): its first message and the text after it, the reading of its
 * answers, and the judgement of its report.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import type { SeenFact } from "../../domain/checks/Facts.ts"
import { turnGrammar } from "../../domain/documents/AnswerGrammar.ts"
import { showsFile } from "../../domain/documents/CompactedTurns.ts"
import { headless } from "../../domain/documents/NoEnd.ts"
import { namedFiles, openFilesNote, wantedTest } from "../../domain/documents/OpenFiles.ts"
import { questionOf } from "../../domain/documents/OtherForm.ts"
import type { InputValue } from "../../domain/documents/TaskOutcome.ts"
import { nothingAsked, readTurn, type Turn } from "../../domain/documents/TurnFormat.ts"
import type { ProjectPaths } from "../../domain/files/ChangePath.ts"
import { Issue } from "../../domain/findings/Issue.ts"
import { withoutNow } from "../../domain/markdown/PromptBlock.ts"
import { type Briefing, withAnswers } from "../../domain/models/Briefing.ts"
import { type ConversationMessage, messageText } from "../../domain/models/ConversationMessage.ts"
import { isChangelog } from "../../domain/excerpts/SearchRank.ts"
import { haveRead, keptParts } from "../../domain/models/PrefetchedParts.ts"
import { coverageOf, percentOf, shownNumbers } from "../../domain/models/Coverage.ts"
import { readCoverage } from "../../domain/models/ReadCoverage.ts"
import type { ItemResult } from "../../domain/plan/ForEach.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { type ResultDocument, TaskFailure } from "../../domain/plan/TaskResult.ts"
import { seenKey, stagePlace } from "../../domain/runs/ActivityKey.ts"
import type { Skill } from "../../domain/skills/Skill.ts"
import { slugOf } from "../../domain/text/Slug.ts"
import { meantTool } from "../../domain/tools/ArgumentCheck.ts"
import { type CallOutcome, type ToolCall, dataText, mayChangeFiles } from "../../domain/tools/ToolCall.ts"
import { makeCompaction } from "../agent/Compaction.ts"
import { type AgentPrompt, type AgentWork, type Assignment, newSession, type Session } from "../agent/Session.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import { makeWorkingCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { checkInputPaths } from "../references/FileReferences.ts"
import { References } from "../references/References.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { makeAboutProject } from "./AboutProject.ts"
import { makeApproval } from "./Approval.ts"
import { makeEvidenceReaders } from "./CheckedEvidence.ts"
import { makeInstructions } from "./Instructions.ts"
import { makeModelQuestions, nobodyAnswers } from "./ModelQuestions.ts"
import { makeMissingTools } from "./PlanChecker.ts"
import { makePrefetch, type PrefetchState } from "./Prefetch.ts"
import { makeTaskPrompts } from "./TaskPrompts.ts"
import { type CallsDeclined, requestOf, type TaskOrder, taskFailure, toolsMissing } from "./TaskStage.ts"

/** A task and its inputs, which an answer may update. */
export type TaskFields = Pick<Turn, "inputs" | "task">

export interface TaskWork {
  readonly order: TaskOrder
  readonly skill: Skill
  readonly agentWork: AgentWork<ResultDocument, CallsDeclined | TaskFailure>
  readonly fields: Ref.Ref<TaskFields>
  /** The session before the first turn. */
  readonly begun: Session
  readonly session: Ref.Ref<Session>
  /** The references and files of which the model has seen only a part. */
  readonly seen: Effect.Effect<ReadonlyArray<SeenFact>>
  /** The result for each place of a task about many places. */
  readonly items?: Effect.Effect<ReadonlyArray<ItemResult>>
}

/** The parts of a message that the model sees as text, for example each output of a tool result. */
const shownTexts = (message: ConversationMessage): ReadonlyArray<string> => {
  if (message.role === "user") return [message.content]
  if (message.role !== "tool") return []
  const { data } = message.result
  const fields = typeof data === "object" && data !== null ? Object.values(data) : []
  return [dataText(data), ...fields.filter((text) => typeof text === "string")]
}

/** Returns a test: does a reference of the task lead to this file? */
const isReferenceOf =
  ({ references }: Task) =>
  (path: string): boolean =>
    references.some(
      ({ kind, target }) =>
        kind === "file" && (target === path || target.endsWith(`/${path}`) || path.endsWith(`/${target}`))
    )

/** True if the user or the plan gave the task material. */
const hasMaterial = ({ isItem, task }: TaskOrder, { attachment, currentFile }: Briefing): boolean =>
  isItem === true || task.references.length > 0 || attachment !== undefined || currentFile !== undefined

/** The parts of files that a task is shown besides its references. */
const partsOf = (prefetched: PrefetchState | undefined): string =>
  prefetched === undefined ? "" : Ref.getUnsafe(prefetched.parts)

/**
 * Returns a function that gathers the material for a first message, and updates it when the message is written again.
 */
const makeMaterial = Effect.gen(function* () {
  const instructions = yield* makeInstructions
  const prefetch = yield* makePrefetch
  const prompts = yield* makeTaskPrompts
  const questionsAt = yield* makeModelQuestions
  const references = yield* References

  return Effect.fnUntraced(function* (order: TaskOrder, tools: ReadonlyArray<string>) {
    const { finished, goals, round, task } = order
    const place = stagePlace(round, "task")
    const block = yield* references
      .block(task, {
        briefing: order.briefing,
        finished,
        budget: prompts.referenceBudget(task, order.briefing),
        place
      })
      .pipe(Effect.mapError((error) => taskFailure(task, "refinement", error)))
    const briefing = yield* Ref.make(yield* instructions.forTask(order.briefing, task, `round-${round}`))
    const namesPlaces = task.references.some(({ kind, target }) => kind === "file" && !isChangelog(target))
    const isPrefetched = tools.includes("search_files") && order.isItem !== true && !namesPlaces
    const prefetched = isPrefetched ? yield* prefetch.first(round, task, yield* Ref.get(briefing)) : undefined
    const questions = questionsAt(`${place}/${slugOf(task.name)}`)
    const fitted = (referenceText: string, parts: string) =>
      prompts.first(task, withAnswers(Ref.getUnsafe(briefing), questions.answered()), {
        goals,
        references: referenceText,
        parts
      })
    return { block, briefing, fitted, first: fitted(block.text, partsOf(prefetched)), prefetched, questions }
  })
})

interface OpenTask {
  readonly order: TaskOrder
  readonly skill: Skill
  readonly assignment: Assignment
  readonly material: Effect.Success<ReturnType<Effect.Success<typeof makeMaterial>>>
  readonly fields: Ref.Ref<TaskFields>
}

/** Returns a function that extends the briefing of a task with the project instructions for its files. */
export const makeFolderInstructions = Effect.gen(function* () {
  const { beside } = yield* makeInstructions

  return ({ round, task }: TaskOrder, kept: Ref.Ref<Briefing>): AgentPrompt["folderInstructions"] =>
    Effect.fnUntraced(function* (turn, files, budget) {
      const key = seenKey.instructions(task.name, `round-${round}/turn-${turn}`)
      const briefing = yield* Ref.get(kept)
      const instructions = yield* beside(key, files, { briefing, isReference: isReferenceOf(task), budget })
      // The next compaction makes these instructions a part of the first message.
      yield* Ref.set(kept, instructions.briefing)
      return instructions.text
    })
})

const makePrompt = Effect.gen(function* () {
  const changes = yield* makeTaskChanges
  const folderInstructionsOf = yield* makeFolderInstructions
  const prefetch = yield* makePrefetch
  const prompts = yield* makeTaskPrompts

  /**
   * Writes the first message again after some turns. To save space, it shortens references before it shortens recently
   * read files.
   * - A reference of which the prompt shows a part is only named if the model has read most of the lines of this part.
   * - A prefetched part stays while its file is unchanged, the newest answer names the file, and the model has not read
   *   most of the lines of the part.
   * - The prefetched part of a changelog stays until an answer reads its lines or changes the file.
   */
  const firstAgain = (
    { assignment: { copy }, material, order: { task } }: OpenTask,
    newest: string,
    outcomes: ReadonlyArray<CallOutcome>
  ): string => {
    const { block, briefing, fitted, prefetched } = material
    const paths = changes.named(copy).map(({ path }) => path)
    const parts = keptParts(
      partsOf(prefetched),
      (path, lines) =>
        (newest.includes(path) || isChangelog(path)) && !paths.includes(path) && !haveRead(outcomes, path, lines)
    )
    const isKept = block.cut.length === 0 && !paths.some((path) => showsFile(block.text, path))
    // The budget is smaller if the server counted more tokens than estimated.
    const budget = prompts.referenceBudget(task, Ref.getUnsafe(briefing))
    const most = isKept
      ? Math.min(block.text.length, budget.whole)
      : Math.min(Math.floor(block.text.length / 2), budget.parts)
    const isRead = (path: string): boolean =>
      block.cut.some((one) => one.path === path && haveRead(outcomes, path, shownNumbers(one)))
    return fitted(block.within(most, isRead), parts).user
  }

  return (open: OpenTask): AgentPrompt => {
    const { assignment, fields, material, order, skill } = open
    const { prefetched } = material
    const mayChange = mayChangeFiles(assignment.tools)
    /** The newest answer. It shows which parts of the first message are still useful. */
    let newest = ""
    const request = [order.briefing.prompt, order.task.whatIsNeeded, order.task.expectedOutput].join("\n")
    const task = { named: namedFiles(request), test: wantedTest(request), promptText: material.first.user }
    const openFiles = (outcomes: ReadonlyArray<CallOutcome>): string => openFilesNote({ ...task, outcomes })
    const look = mayChange ? "look further, change, or" : "look further, or"
    return {
      system: material.first.system,
      instruction: (answersLeft, outcomes = []) =>
        answersLeft === 1
          ? `This is the last answer: write the report now, with what is known.${mayChange ? " Changes above it still count." : ""}`
          : `Go on: ${look} write the report (\`## Result summary\`).${openFiles(outcomes)}`,
      continuation: (outcomes) =>
        `Go on from here with this task alone, or write the report (\`## Result summary\`).${openFiles(outcomes)}`,
      compact: (messages, summary, outcomes) => {
        const answer = messages.findLast(({ role }) => role === "assistant")
        if (answer !== undefined) newest = messageText(answer)
        const user = firstAgain(open, newest, outcomes)
        return [{ role: "user", content: summary === "" ? user : `${withoutNow(user)}\n\n${summary}` }]
      },
      // The values of inputs come first in the answer. The grammar does not cover them, since they can be any text.
      grammar: (offered) =>
        Effect.map(Ref.get(fields), ({ inputs }) => {
          const isOpen = ({ name, required }: Skill["inputs"][number]): boolean =>
            required && !inputs.some((input) => input.name === name)
          return skill.inputs.some(isOpen) ? undefined : turnGrammar({ mayChange, tools: offered })
        }),
      folderInstructions: folderInstructionsOf(order, material.briefing),
      ...(prefetched === undefined ? {} : { lookAgain: (turn) => prefetch.again(prefetched, turn) })
    }
  }
})

/**
 * Returns a function that reads an answer. If the answer is a question instead of a report, the function asks the user.
 */
const makeAnswerReader = Effect.gen(function* () {
  const activities = yield* Activities
  const workspace = yield* Workspace

  /** Returns issues for inputs that should name a file, but name none. */
  const checkInputs = Effect.fnUntraced(function* (task: string, skill: Skill, inputs: ReadonlyArray<InputValue>) {
    if (inputs.length === 0) return []
    return yield* activities.record(
      { key: seenKey.inputs(task), success: Schema.Array(Issue) },
      Effect.provideService(checkInputPaths(skill.inputs, inputs, task), Workspace, workspace)
    )
  })

  return Effect.fnUntraced(function* (open: OpenTask, answer: string, paths: ProjectPaths) {
    const { assignment, fields, material, skill } = open
    const { task: name, tools } = assignment
    const before = yield* Ref.get(fields)
    const turn = readTurn(answer, {
      paths,
      task: before.task,
      inputs: skill.inputs,
      kept: before.inputs,
      mayChange: mayChangeFiles(tools),
      isTool: (tool) => meantTool(tool, tools) !== undefined
    })
    if (turn.calls.length + turn.changes.length === 0) {
      const questionReading = yield* material.questions.ask(headless(answer))
      if (questionReading !== undefined) return { ...nothingAsked, ...questionReading }
      if (turn.report === undefined && questionOf(answer) !== undefined) {
        return { ...nothingAsked, issues: [nobodyAnswers] }
      }
    }
    yield* Ref.set(fields, { task: turn.task, inputs: turn.inputs })
    const issues = yield* checkInputs(name, skill, turn.inputs)
    return { ...turn, issues: [...turn.issues, ...issues] }
  })
})

/**
 * The references and files of which the model saw only a part. Changed files are left out, because the diff and the
 * checks judge them.
 */
const seenFacts =
  ({ assignment: { task }, material, order }: OpenTask, hasChanged: () => boolean) =>
  (shownTexts: ReadonlySet<string>, { outcomes }: Session): ReadonlyArray<SeenFact> => {
    const parts = material.block.cut.flatMap((part) => {
      const { of, seen, share } = coverageOf(part, [...shownTexts])
      return share >= 1 ? [] : [{ href: part.href, percent: percentOf(share), lines: { seen, of } }]
    })
    const reads = hasChanged() ? [] : readCoverage(outcomes, shownTexts, isReferenceOf(order.task))
    return [...parts, ...reads].map((part) => Object.assign({ task }, part))
  }

/** Returns a function that asks the user about the calls that have effects. */
export const makeTurnApproval = Effect.gen(function* () {
  const approval = yield* makeApproval
  const registry = yield* ToolRegistry

  return ({ round, task }: TaskOrder, calls: ReadonlyArray<ToolCall>) => {
    const withEffects = calls.filter(({ name }) => registry.find(name)?.effect !== "pure")
    if (withEffects.length === 0) return Effect.void
    return approval.askForTask(task, { calls: withEffects }, { title: task.name, planKey: `round-${round}`, round })
  }
})

/**
 * Returns a function that makes the assignment of a task: skill, tools, working copy and limit of turns. It fails if
 * the skill cannot be used.
 */
export const makeAssignment = Effect.gen(function* () {
  const missing = yield* makeMissingTools
  const prompts = yield* makeTaskPrompts
  const skills = yield* Skills
  const { limits } = yield* RunSettings

  const skillOf = (task: Task): Effect.Effect<Skill, TaskFailure> => {
    const skill = skills.find(task.skill)
    if (skill === undefined) {
      const reason = `There is no skill "${task.skill}".`
      return Effect.fail(new TaskFailure({ task: task.name, phase: "refinement", reason, skipped: false }))
    }
    const unusable = missing.whyUnusable(skill)
    return unusable === undefined ? Effect.succeed(skill) : Effect.fail(toolsMissing(task, skill, unusable))
  }

  return Effect.fnUntraced(function* (order: TaskOrder, kind: Assignment["kind"]) {
    const { round, step, task } = order
    const skill = yield* skillOf(task)
    const mostTurns = Math.min(skill.turns ?? limits.turns, limits.turns)
    const assignment: Assignment = {
      kind,
      id: { stage: "task", round, task: task.name },
      task: task.name,
      request: requestOf(order),
      step,
      skill,
      tools: prompts.toolsOf(skill),
      copy: makeWorkingCopy(order.joined?.others),
      mostTurns: kind === "calls" ? Math.max(mostTurns, limits.attempts) : mostTurns,
      earlierOutcomes: []
    }
    return { assignment, skill }
  })
})

export const makeTaskWork = Effect.gen(function* () {
  const aboutProject = yield* makeAboutProject
  const assign = yield* makeAssignment
  const approve = yield* makeTurnApproval
  const compaction = yield* makeCompaction
  const events = yield* RunEvents
  const materialOf = yield* makeMaterial
  const promptOf = yield* makePrompt
  const readAnswer = yield* makeAnswerReader
  const { readResult } = yield* makeEvidenceReaders

  return Effect.fnUntraced(function* (
    order: TaskOrder,
    kind: Assignment["kind"]
  ): Effect.fn.Return<TaskWork, TaskFailure> {
    const { finished, round, step, task } = order
    const { assignment, skill } = yield* assign(order, kind)
    const material = yield* materialOf(order, assignment.tools)
    const first: ConversationMessage = { role: "user", content: material.first.user }
    const briefing = yield* Ref.get(material.briefing)
    const fields = yield* Ref.make<TaskFields>({ task, inputs: [] })
    const open: OpenTask = { order, skill, assignment, material, fields }
    const session = yield* Ref.make(newSession([first]))
    const textsShown = yield* Ref.make<ReadonlySet<string>>(new Set())
    const agentWork: TaskWork["agentWork"] = {
      assignment,
      prompt: promptOf(open),
      isUnfounded: aboutProject(assignment, {
        key: seenKey.about(round, task.name),
        request: `${briefing.prompt}\n${task.name}\n${task.whatIsNeeded}`,
        projectText: briefing.projectDescription,
        hasMaterial: hasMaterial(order, briefing)
      }),
      read: (answer, paths) => readAnswer(open, answer, paths),
      approve: (calls) => approve(order, calls),
      // Links are compared with what the program showed the model, never with the model's own text.
      judge: (report, { checks, outcomes }) =>
        Effect.flatMap(Ref.get(material.briefing), (latest) =>
          readResult(report, {
            task: task.name,
            briefing: latest,
            finished,
            calls: outcomes,
            material: [first.content, partsOf(material.prefetched), ...checks.map(({ text }) => text)]
          })
        ),
      saveSession: (now) =>
        Effect.andThen(
          Ref.set(session, now),
          Ref.update(textsShown, (texts) => new Set([...texts, ...now.messages.flatMap(shownTexts)]))
        ),
      announce: (turn, calls, changed) =>
        events.publish({ type: "task.turn", round, step, task: task.name, turn, calls, changed })
    }
    const begun = newSession(compaction.withBudgetNote(agentWork, newSession([first])))
    yield* Ref.set(session, begun)
    const seen = Effect.zipWith(
      Ref.get(textsShown),
      Ref.get(session),
      seenFacts(open, () => assignment.copy.own().length > 0)
    )
    return { order, skill, agentWork, fields, begun, session, seen }
  })
})
