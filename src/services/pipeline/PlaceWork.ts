/**
 * Decides about many places in files, as the work of one agent (services/agent/Agent.ts). The program shows numbered
 * places, the model answers by number, and the answers become changes of the working copy. The work ends when every
 * place has an answer and the checks pass.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import { nothingAnswered, type PlaceAnswer, readPlaceAnswers } from "../../domain/documents/PlaceAnswers.ts"
import { withTexts } from "../../domain/documents/PlaceTurn.ts"
import {
  numbersText,
  type NumberedPlace,
  placesBlock,
  placesText,
  unnumberedLines
} from "../../domain/documents/Places.ts"
import { readTurn, type TurnContent } from "../../domain/documents/TurnFormat.ts"
import type { ProjectPaths } from "../../domain/files/ChangePath.ts"
import { withoutNow } from "../../domain/markdown/PromptBlock.ts"
import type { ConversationMessage } from "../../domain/models/ConversationMessage.ts"
import type { FilledPrompt } from "../../domain/models/PromptSize.ts"
import { itemNote, type ItemResult } from "../../domain/plan/ForEach.ts"
import { resultOfSummary, type TaskFailure } from "../../domain/plan/TaskResult.ts"
import { stagePlace } from "../../domain/runs/ActivityKey.ts"
import { counted } from "../../domain/text/Format.ts"
import { meantTool } from "../../domain/tools/ArgumentCheck.ts"
import { openChanges } from "../../domain/tools/OpenChanges.ts"
import { mayChangeFiles, pathOf } from "../../domain/tools/ToolCall.ts"
import { type AgentPrompt, type Assignment, newSession, type Session } from "../agent/Session.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import { CurrentCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { ReadTexts } from "../permissions/ReadTexts.ts"
import { References } from "../references/References.ts"
import { makeInstructions } from "./Instructions.ts"
import { makePlaceEdits, makeStanding, type PlaceState } from "./PlaceEdits.ts"
import { makeTaskPrompts } from "./TaskPrompts.ts"
import { taskFailure, type TaskOrder } from "./TaskStage.ts"
import { makeAssignment, makeFolderInstructions, makeTurnApproval, type TaskFields, type TaskWork } from "./TaskWork.ts"

/** After this many idle answers in a row, the work ends, even if places are undecided. See `idle` in PlaceState. */
const mostIdle = 3

/** True for an answer that decides about its place, instead of asking to look at it. */
const isDecided = (answer: PlaceAnswer | undefined): boolean => answer !== undefined && answer._tag !== "Look"

const openIn = (places: ReadonlyArray<NumberedPlace>, answers: PlaceState["answers"]): ReadonlyArray<number> =>
  places.flatMap(({ number }) => (isDecided(answers.get(number)) ? [] : [number]))

const resultOf = (
  { path, text: item }: NumberedPlace,
  answer: PlaceAnswer | undefined,
  hasChanged: boolean
): ItemResult => {
  switch (answer?._tag) {
    case "Keep":
      return { item, state: "unchanged", note: itemNote(answer.text) }
    case "Note":
      return { item, state: "done", note: itemNote(answer.text) }
    case "Change": {
      if (!hasChanged) return { item, state: "failed", note: "Its change was not made." }
      const now =
        answer.lines === undefined ? "Changed." : answer.lines.length === 0 ? "Removed." : answer.lines.join(" ")
      return { item, state: "done", note: itemNote(now), files: [path] }
    }
    default:
      return { item, state: "failed", note: "It got no answer." }
  }
}

/** Returns a function that reads an answer: its decisions about places, and its other text. */
const makePlaceReader = Effect.gen(function* () {
  const editsFor = yield* makePlaceEdits
  const standing = yield* makeStanding

  return Effect.fnUntraced(function* (
    { assignment, order: { task }, places, state }: OpenPlaces,
    answer: string,
    paths: ProjectPaths
  ): Effect.fn.Return<TurnContent> {
    const last = yield* Ref.get(state)
    const lines = [...places, ...unnumberedLines(places)]
    const before = yield* standing(lines, last)
    const reading = readPlaceAnswers(answer, places)
    const mayChange = mayChangeFiles(assignment.tools)
    const isTool = (tool: string): boolean => meantTool(tool, assignment.tools) !== undefined
    const turn = readTurn(reading.rest, { paths, task, inputs: [], kept: [], mayChange, isTool })
    const isActing = turn.calls.length + turn.changes.length > 0
    const written = new Set(turn.changes.flatMap((change) => ("path" in change ? [change.path] : [])))
    const issuesBeside = [...reading.issues, ...(isActing ? turn.issues : [])]
    const read = withTexts({ places: lines, before, answers: reading.answers, issues: issuesBeside }, written)
    const { edited, looks, now, problems } = yield* editsFor(task.name, read)
    const open = openIn(places, now)
    const isWaiting = looks.length > 0 || turn.calls.length > 0
    const hasProgress = read.answers.size > 0 || isActing
    const idle = open.length > 0 && !isWaiting ? last.idle + 1 : 0
    const known = [...read.issues, ...problems]
    const issues = !hasProgress && open.length > 0 && known.length === 0 ? [nothingAnswered(open)] : known
    const edits = edited.filter((file) => file.edits.length > 0)
    yield* Ref.set(state, { answers: now, askedEdits: edited, before, idle })
    const isOver = open.length === 0 || (idle >= mostIdle && issues.length === 0)
    return {
      ...turn,
      calls: [...looks, ...turn.calls],
      changes: [...(edits.length === 0 ? [] : [{ _tag: "Edits" as const, files: edits, line: 0 }]), ...turn.changes],
      issues,
      hasUse: hasProgress,
      ...(isOver && !isWaiting ? { report: `${counted(places.length, "place")}.` } : {})
    }
  })
})

interface OpenPlaces {
  readonly order: TaskOrder
  readonly assignment: Assignment
  readonly places: ReadonlyArray<NumberedPlace>
  readonly state: Ref.Ref<PlaceState>
  readonly session: Ref.Ref<Session>
}

/**
 * The places that the next answer must decide: undecided places, and all places of files whose last change failed. If
 * there are none: the changed places. If no place was changed: all places.
 */
const placesLeft = ({ places, session, state }: OpenPlaces): ReadonlyArray<NumberedPlace> => {
  const { answers } = Ref.getUnsafe(state)
  const failed = new Set(openChanges(Ref.getUnsafe(session).outcomes).map(({ call }) => pathOf(call)))
  const left = places.filter(({ number, path }) => !isDecided(answers.get(number)) || failed.has(path))
  const changed = places.filter(({ number }) => answers.get(number)?._tag === "Change")
  return left.length > 0 ? left : changed.length > 0 ? changed : places
}

/** The text after the first message. Later messages show only undecided places. */
const promptOf = (
  open: OpenPlaces,
  firstOf: (places: ReadonlyArray<NumberedPlace>) => FilledPrompt,
  folderInstructions: AgentPrompt["folderInstructions"]
): AgentPrompt => {
  const { places, state } = open
  const openText = (): string => {
    const numbers = openIn(places, Ref.getUnsafe(state).answers)
    return numbers.length === 0
      ? "Every place has an answer. Correct what fails: answer the number of its place again, or send a block."
      : `Answer ${numbersText(numbers)}.`
  }
  return {
    system: firstOf(places).system,
    instruction: (answersLeft) => (answersLeft === 1 ? `This is the last answer. ${openText()}` : openText()),
    continuation: openText,
    compact: (_, summary) => {
      const { user } = firstOf(placesLeft(open))
      return [{ role: "user", content: summary === "" ? user : `${withoutNow(user)}\n\n${summary}` }]
    },
    isLeft: (path) => placesLeft(open).some((place) => place.path === path),
    folderInstructions
  }
}

export const makePlaceWork = Effect.gen(function* () {
  const approve = yield* makeTurnApproval
  const assign = yield* makeAssignment
  const changes = yield* makeTaskChanges
  const events = yield* RunEvents
  const folderInstructionsOf = yield* makeFolderInstructions
  const instructions = yield* makeInstructions
  const prompts = yield* makeTaskPrompts
  const standing = yield* makeStanding
  const readAnswer = yield* makePlaceReader
  const readTexts = yield* ReadTexts
  const references = yield* References
  const workspace = yield* Workspace

  return Effect.fnUntraced(function* (
    order: TaskOrder,
    places: ReadonlyArray<NumberedPlace>
  ): Effect.fn.Return<TaskWork, TaskFailure> {
    const { finished, round, step, task } = order
    const place = stagePlace(round, "task")
    const { assignment, skill } = yield* assign(order, "places")
    const briefing = yield* Ref.make(yield* instructions.forTask(order.briefing, task, `round-${round}`))
    const budget = prompts.placeBudget(task, order.briefing).references
    const block = yield* references
      .block(task, { briefing: order.briefing, finished, budget: { parts: budget, whole: budget }, place })
      .pipe(Effect.mapError((error) => taskFailure(task, "refinement", error)))
    const known = yield* Ref.get(briefing)
    const firstOf = (some: ReadonlyArray<NumberedPlace>) =>
      prompts.places(task, known, {
        references: block.text,
        places: placesBlock(some),
        numbers: numbersText(some.map(({ number }) => number))
      })
    for (const [path, placesOfFile] of Map.groupBy(places, ({ path: of }) => of)) {
      const canonical = yield* Effect.option(workspace.canonical(path))
      const source = Option.isSome(canonical) ? { file: canonical.value.path } : "project"
      yield* readTexts.noteRead(placesText(placesOfFile), source)
    }
    const message: ConversationMessage = { role: "user", content: firstOf(places).user }
    const begun = newSession([message])
    const session = yield* Ref.make(begun)
    const open: OpenPlaces = {
      order,
      assignment,
      places,
      state: yield* Ref.make<PlaceState>({ answers: new Map(), askedEdits: [], before: new Map(), idle: 0 }),
      session
    }
    const agentWork: TaskWork["agentWork"] = {
      assignment,
      prompt: promptOf(open, firstOf, folderInstructionsOf(order, briefing)),
      isUnfounded: () => Effect.succeed(false),
      read: (answer, paths) => readAnswer(open, answer, paths),
      approve: (calls) => approve(order, calls),
      judge: (report) => Effect.succeed({ value: Option.some(resultOfSummary(report)), issues: [], repairs: [] }),
      saveSession: (now) => Ref.set(session, now),
      announce: (turn, calls, changed) =>
        events.publish({ type: "task.turn", round, step, task: task.name, turn, calls, changed })
    }
    const items = Effect.gen(function* () {
      const answers = yield* standing(places, yield* Ref.get(open.state)).pipe(
        Effect.provideService(CurrentCopy, assignment.copy)
      )
      const files = new Set(changes.named(assignment.copy).map(({ path }) => path))
      return places.map((place) => resultOf(place, answers.get(place.number), files.has(place.path)))
    })
    return {
      order,
      skill,
      agentWork,
      fields: yield* Ref.make<TaskFields>({ task, inputs: [] }),
      begun,
      session,
      seen: Effect.succeed([]),
      items
    }
  })
})
