/** The loop of turns: when it ends, with what, and what each turn keeps. The model is scripted, and calls are made in a real project. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CheckOutcome } from "../../../src/domain/checks/CheckOutcome.ts"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import { nothingAsked, type TurnContent } from "../../../src/domain/documents/TurnFormat.ts"
import { makeIssue, makeRepair } from "../../../src/domain/findings/Issue.ts"
import { fromHost } from "../../../src/domain/models/ConversationMessage.ts"
import type { ToolCall } from "../../../src/domain/tools/ToolCall.ts"
import {
  type AgentEnd,
  type AgentWork,
  type Assignment,
  newSession,
  type Session
} from "../../../src/services/agent/Session.ts"
import { Checks } from "../../../src/services/checks/Checks.ts"
import { Commands } from "../../../src/services/commands/Commands.ts"
import { makeWorkingCopy } from "../../../src/services/files/WorkingCopy.ts"
import { workOf } from "../../support/AgentWork.ts"
import { layerNoCommands } from "../../support/NoCommands.ts"
import { openStages, type OpenStages } from "../../support/OpenStages.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"

const source = "export const slug = (text) => {\n  return text\n}\n"
const files = {
  "src/slug.ts": source,
  "src/page.ts": 'import { slug } from "./slug.ts"\nexport const address = slug("A page")\n',
  "src/long.ts": Array.from({ length: 120 }, (_, line) => `export const name${line} = ${line}`).join("\n")
}
const edit = (before: string, after: string): ToolCall => ({
  uid: "call-1",
  name: "edit_file",
  arguments: { path: "src/slug.ts", old_text: before, new_text: after }
})
const largeEdit = edit(
  "  return text",
  `  const words = text.split(" ")\n  const kept = words.filter((word) => word !== "")\n  const all = kept.map((word) => word.trim())\n  return all.join("-")`
)
const shapeless = makeIssue("answer-shape", {}, { what: "This is no answer." })
const repair = makeRepair("tool-call-known", {}, "It was written twice.")

/** What an answer asks for in the language of these tests; everything else is a report. */
const contents: Readonly<Record<string, Partial<TurnContent>>> = {
  "?": { issues: [shapeless] },
  "Edit.": { calls: [largeEdit] },
  "Edit more.": { calls: [edit('return all.join("-")', 'return all.join("_")')] },
  "Edit nothing.": { calls: [edit("there is no such text", "text")] },
  "Repaired.": { report: "Repaired.", repairs: [repair] },
  "Repaired?": { issues: [shapeless], repairs: [repair] },
  "Both.": { calls: [largeEdit], report: "It is done." }
}
const read = (answer: string) => {
  const path = /^Read (.*)\./.exec(answer)?.[1]
  const calls = path === undefined ? [] : [{ uid: "call-1", name: "read_file", arguments: { path } }]
  const content = contents[answer] ?? (path === undefined ? { report: answer } : { calls })
  return Effect.succeed({ ...nothingAsked, ...content })
}

interface Run {
  readonly assignment?: Partial<Assignment>
  readonly work?: Partial<AgentWork<string>>
  readonly begun?: Partial<Session>
  readonly stages?: OpenStages
  readonly limits?: Partial<typeof defaultLimits>
}

const run = Effect.fnUntraced(function* (
  answers: NonNullable<OpenStages["answers"]>,
  { assignment, begun, limits, stages, work: more }: Run = {}
) {
  const settings = { ...stages?.settings, limits: { ...defaultLimits, ...limits } }
  const { agent, log, messages, project } = yield* openStages({ ...stages, answers, files, settings })
  const saved: Array<Session> = []
  const work = workOf(
    { tools: ["read_file", "edit_file"], mostTurns: 5, ...assignment },
    { read, saveSession: (session) => Effect.sync(() => void saved.push(session)), ...more }
  )
  const end = yield* agent.run(work, { ...newSession([fromHost("Begin.")]), ...begun })
  const events = log.events()
  const turns = events.flatMap((event) => (event.type === "model.started" ? [event.call.attempt] : []))
  const last = saved.at(-1) ?? newSession([])
  return { agent, end, events, last, messages, project, saved, turns, work }
})

const accepted = (value: string): AgentEnd<string> => ({ _tag: "Accepted", value })

/** Stages in which a person denies three changes. */
const denying = (): OpenStages => ({
  settings: { askFirst: true },
  approver: scriptedApprover({ calls: ["deny", "deny", "deny"] }).layer
})

const repairsOf = function* (...answers: ReadonlyArray<string>) {
  const { events } = yield* run(answers)
  return events.flatMap((event) => (event.type === "answer.repaired" ? [event.call.attempt, event.repairs] : []))
}

const unfounded = () => Effect.succeed(true)

layer(NodeServices.layer)("the turns of an agent", (it) => {
  it.effect("end with a report that is accepted", () =>
    Effect.gen(function* () {
      const { end, last, messages, turns } = yield* run(["Read src/slug.ts.", "It is 5."])
      assert.deepStrictEqual([end, turns], [accepted("It is 5."), [1, 2]])
      assert.deepStrictEqual(
        last.outcomes.map(({ call, result }) => [call.uid, result.success]),
        [["turn-1/call-1", true]]
      )
      assert.deepStrictEqual(
        last.messages.map(({ role }) => role),
        ["user", "assistant", "user", "assistant"]
      )
      assert.deepStrictEqual(messages[1]?.slice(0, 2), ["Begin.", "Read src/slug.ts."])
      assert.include(messages[1]?.[2], "export const slug")
    })
  )

  it.effect("go on after the turn with which they begin, and end when none is left", () =>
    Effect.gen(function* () {
      const reads = ["Read src/slug.ts.", "Read src/long.ts.", "Read src/slug.ts."]
      const all = yield* run(reads, { assignment: { mostTurns: 3 } })
      assert.deepStrictEqual([all.end, all.turns], [{ _tag: "Limit", turns: 3 }, [1, 2, 3]])
      // Nobody would read what came of the last call.
      assert.strictEqual(all.last.outcomes.length, 2)
      assert.include(all.messages[2]?.at(-1), "Report.")
      const rest = yield* run(reads, { assignment: { mostTurns: 5 }, begun: { turn: 3 } })
      assert.deepStrictEqual(rest.turns, [4, 5])
      const none = yield* run([], { assignment: { mostTurns: 3 }, begun: { turn: 3 } })
      assert.deepStrictEqual([none.end, none.saved], [{ _tag: "Limit", turns: 3 }, []])
    })
  )

  it.effect("are more for work that changes many files, also in what the model is told", () =>
    Effect.gen(function* () {
      const copy = makeWorkingCopy()
      for (let at = 0; at < 3; at++) copy.propose({ path: `/elsewhere/${at}.ts`, base: null, text: "new" })
      const answers = ["Edit.", ...Array.from({ length: 4 }, () => "Read src/slug.ts.")]
      const assignment = { copy, mostTurns: 3 }
      const limits = { identicalCalls: 9 }
      const grown = yield* run(answers, { assignment, limits })
      assert.deepStrictEqual([grown.end, grown.turns], [{ _tag: "Limit", turns: 5 }, [1, 2, 3, 4, 5]])
      assert.include(grown.messages[2]?.at(-1), "3 answers are left.")
    })
  )

  it.effect("tell where they stand before the model is asked, when it has answered, and after the reply", () =>
    Effect.gen(function* () {
      const { saved } = yield* run(["Read src/slug.ts.", "It is 5."])
      assert.deepStrictEqual(
        saved.map(({ messages, outcomes, turn }) => [turn, messages.length, outcomes.length]),
        [
          [1, 1, 0],
          [1, 2, 0],
          [1, 3, 1],
          [2, 3, 1],
          [2, 4, 1],
          [2, 4, 1]
        ]
      )
    })
  )

  it.effect("end when the same call gives the same again and again; a message has one more answer then", () =>
    Effect.gen(function* () {
      const again = Array.from({ length: 4 }, () => "Read src/slug.ts.")
      const limits = { identicalCalls: 3 }
      const task = yield* run(again, { assignment: { mostTurns: 9 }, limits })
      assert.deepStrictEqual([task.end._tag, task.turns.length], ["Repeated", 3])
      const message: Partial<Assignment> = { kind: "message", mostTurns: 9 }
      const answered = yield* run([...again.slice(0, 3), "It is 5."], { assignment: message, limits })
      assert.deepStrictEqual([answered.end, answered.turns.length], [accepted("It is 5."), 4])
      assert.include(answered.messages[3]?.at(-1), "Report.")
      const silent = yield* run(again, { assignment: message, limits })
      assert.deepStrictEqual([silent.end._tag, silent.turns.length], ["Repeated", 4])
      const atTheEnd = yield* run(again, { assignment: { ...message, mostTurns: 3 }, limits: { identicalCalls: 2 } })
      assert.deepStrictEqual([atTheEnd.end._tag, atTheEnd.turns.length], ["Repeated", 3])
    })
  )

  it.effect("go on for one answer when a person denied the same to a message too often, and end those of a task", () =>
    Effect.gen(function* () {
      const answers = ["Edit.", "Edit.", "Edit.", "I could not change it."]
      const message = yield* run(answers, { assignment: { kind: "message", mostTurns: 9 }, stages: denying() })
      assert.deepStrictEqual([message.end, message.turns.length], [accepted("I could not change it."), 4])
      const silent = yield* run([...answers.slice(0, 3), "?"], {
        assignment: { kind: "message", mostTurns: 9 },
        stages: denying()
      })
      assert.strictEqual(silent.end._tag, "Denied")
      const task = yield* Effect.flip(run(answers, { assignment: { mostTurns: 9 }, stages: denying() }))
      assert.strictEqual((task as { readonly _tag: string })._tag, "TooManyDenials")
    })
  )

  it.effect("end with answers that cannot be used, as many as there are attempts", () =>
    Effect.gen(function* () {
      const answers = ["?", "?", "It is 5."]
      const limits = { attempts: 2 }
      const { end, events, turns } = yield* run(answers, { limits })
      assert.deepStrictEqual([end, turns], [{ _tag: "Unusable" }, [1, 2]])
      const rejected = events.flatMap((event) => (event.type === "answer.rejected" ? [event.call.attempt] : []))
      assert.deepStrictEqual(rejected, [1, 2])
      const between = yield* run(["?", "Read src/slug.ts.", "?", "It is 5."], { limits })
      assert.deepStrictEqual(between.end, accepted("It is 5."))
    })
  )

  it.effect("of work that wants only calls end with the first faultless ones, of which none is made", () =>
    Effect.gen(function* () {
      const calls = { kind: "calls" } as const
      const { end, last, turns } = yield* run(["?", "Edit."], { assignment: calls })
      assert.deepStrictEqual([end, turns], [{ _tag: "Calls", calls: [largeEdit] }, [1, 2]])
      assert.deepStrictEqual(last.outcomes, [])
      const task = yield* run(["Edit.", "It is done."])
      assert.strictEqual(task.end._tag, "Accepted")
    })
  )

  it.effect("report repairs of an answer that has no issues", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* repairsOf("Repaired."), [1, [repair]])
      assert.deepStrictEqual(yield* repairsOf("Repaired?", "It is 5."), [])
    })
  )

  it.effect("keep a change in the copy, which later calls see, and leave the project as it is", () =>
    Effect.gen(function* () {
      const copy = makeWorkingCopy()
      const { last } = yield* run(["Edit.", "Read src/slug.ts.", "It is done."], { assignment: { copy } })
      assert.include(JSON.stringify(last.outcomes[1]?.result.data), "kept.map")
      assert.deepStrictEqual([copy.files().length, last.files], [1, []])
    })
  )

  it.effect("note what was changed in the project itself, where each change is asked about first", () =>
    Effect.gen(function* () {
      const copy = makeWorkingCopy()
      const stages = { settings: { askFirst: true } }
      const { last } = yield* run(["Edit.", "Read src/slug.ts.", "It is done."], { assignment: { copy }, stages })
      assert.include(JSON.stringify(last.outcomes[1]?.result.data), "kept.map")
      assert.deepStrictEqual(
        last.files.map(({ path }) => path),
        ["src/slug.ts"]
      )
      assert.deepStrictEqual(copy.files(), [])
    })
  )

  it.effect("remember a change that could not be made, and send a report back for it once", () =>
    Effect.gen(function* () {
      const limits = { toolCallsPerIteration: 1 }
      const twoCalls = { calls: [{ uid: "call-9", name: "get_current_time", arguments: {} }, largeEdit] }
      const { events, last } = yield* run(["Two.", "It is done.", "It is open."], {
        assignment: { tools: ["get_current_time", "edit_file"] },
        limits,
        work: {
          read: (answer) => (answer === "Two." ? Effect.succeed({ ...nothingAsked, ...twoCalls }) : read(answer))
        }
      })
      assert.deepStrictEqual(
        last.outcomes.map(({ call, result }) => [call.uid, result.success]),
        [
          ["turn-1/call-9", true],
          ["turn-1/call-1", false]
        ]
      )
      const codes = events.flatMap((event) =>
        event.type === "answer.rejected" ? event.issues.map(({ code }) => code) : []
      )
      assert.deepStrictEqual(codes, ["tool-calls-many", "change-open"])
    })
  )

  it.effect("tell a report that is about the project and looked at nothing, when it is accepted", () =>
    Effect.gen(function* () {
      const { events, last, saved } = yield* run(["It is 5.", "It is 5, I said."], { work: { isUnfounded: unfounded } })
      const codes = events.flatMap((event) =>
        event.type === "answer.rejected" ? event.issues.map(({ code }) => code) : []
      )
      assert.deepStrictEqual(codes, ["report-unfounded"])
      assert.deepStrictEqual([last.isUnfounded, saved.at(-4)?.isUnfounded], [true, false])
      assert.isFalse((yield* run(["It is 5."])).last.isUnfounded)
    })
  )

  it.effect("compact a conversation that is too long, with the answers that are left in view", () =>
    Effect.gen(function* () {
      const messages = [fromHost("Begin."), fromHost("r".repeat(30_000))]
      const stages = { settings: { contextWindow: 8000 } }
      const compacted = yield* run(["It is 5."], { assignment: { mostTurns: 3 }, begun: { messages }, stages })
      assert.include(compacted.messages[0]?.join("\n"), "3 answers are left.")
      assert.isTrue(compacted.last.isCompacted)
      const last = yield* run(["It is 5."], { assignment: { mostTurns: 1 }, begun: { messages }, stages })
      assert.include(last.messages[0]?.join("\n"), "Report.")
    })
  )

  it.effect("make calls that stand for the first answer under the number 0", () =>
    Effect.gen(function* () {
      const { agent, work } = yield* run(["It is 5."])
      const { outcomes } = yield* agent.runCalls(work, [largeEdit])
      assert.deepStrictEqual(
        outcomes.map(({ call: { uid } }) => uid),
        ["turn-0/call-1"]
      )
    })
  )
})

const check = (exitCode: number): CheckOutcome => ({
  command: "npm test",
  exitCode,
  seconds: 1,
  text: "",
  failures: [],
  newFailures: exitCode === 0 ? [] : ["slug"]
})

/** Stages in which one check of the changes passes, and another ends like this, turn by turn. */
const checking = (...exitCodes: ReadonlyArray<number>): OpenStages => {
  const ends = [...exitCodes]
  return {
    checks: Layer.succeed(Checks)(
      Checks.of({
        commandsFor: () => Effect.succeed([]),
        tryOut: Effect.void,
        run: () => Effect.sync(() => [check(0), check(ends.shift() ?? 0)])
      })
    ),
    commands: Layer.effect(
      Commands,
      Effect.map(Commands, (commands) =>
        Commands.of({ ...commands, copies: Effect.succeed({ mechanism: "copy", words: "a copy" }) })
      )
    ).pipe(Layer.provide(layerNoCommands))
  }
}

const begin = ["Edit.", "It is done."]

/** How work ends that questioned its report, changed more, and ran out of turns. */
const outOfTurns = function* (...exitCodes: ReadonlyArray<number>) {
  const copy = makeWorkingCopy()
  const reads = ["Read src/slug.ts.", "Read src/long.ts.", "Read src/slug.ts."]
  const { end, last } = yield* run([...begin, "Edit more.", ...reads], {
    assignment: { copy, mostTurns: 6 },
    stages: checking(...exitCodes)
  })
  const text = copy.files()[0]?.text ?? ""
  return [end, text.includes('join("_")'), last.checks.map(({ exitCode }) => exitCode)]
}

layer(NodeServices.layer)("a report that is questioned", (it) => {
  const question = /^## Look back/
  const questionsIn = (messages: ReadonlyArray<ReadonlyArray<string>>): number =>
    messages.filter((all) => question.test(all.at(-1) ?? "")).length

  it.effect("is accepted when the next answer leaves it as it is", () =>
    Effect.gen(function* () {
      const { end, messages, turns } = yield* run([...begin, "No such line."], {
        assignment: { mostTurns: 9 },
        stages: checking(0),
        work: { read: (answer) => (answer.startsWith("No") ? Effect.succeed(nothingAsked) : read(answer)) }
      })
      assert.deepStrictEqual([end, turns.length, questionsIn(messages)], [accepted("It is done."), 3, 1])
    })
  )

  it.effect("gives way to another report", () =>
    Effect.gen(function* () {
      const { end, messages } = yield* run([...begin, "Edit more.", "It is better."], {
        assignment: { mostTurns: 9 },
        stages: checking(0, 0)
      })
      assert.deepStrictEqual([end, questionsIn(messages)], [accepted("It is better."), 1])
    })
  )

  it.effect("stands when no turn is left, without what does not pass the checks", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* outOfTurns(0, 1), [accepted("It is done."), false, [0, 0]])
      assert.deepStrictEqual(yield* outOfTurns(0, 0), [accepted("It is done."), true, [0, 0]])
    })
  )

  it.effect("stands against a later one that is accepted although a check fails", () =>
    Effect.gen(function* () {
      const { end } = yield* run([...begin, "Edit more.", "It fails.", "It fails.", "It fails."], {
        assignment: { mostTurns: 9 },
        stages: checking(0, 1)
      })
      assert.deepStrictEqual(end, accepted("It is done."))
    })
  )

  it.effect("is not questioned when a check fails", () =>
    Effect.gen(function* () {
      const { messages } = yield* run([...begin, "It fails.", "It fails."], {
        assignment: { mostTurns: 9 },
        stages: checking(1)
      })
      assert.strictEqual(questionsIn(messages), 0)
    })
  )

  it.effect("is not judged beside a change whose checks fail, and then sent back twice", () =>
    Effect.gen(function* () {
      const { end, messages } = yield* run(["Both.", "It is seen.", "It is seen.", "It is seen."], {
        assignment: { kind: "item", mostTurns: 9 },
        stages: checking(1)
      })
      assert.include(messages[1]?.at(-1), "## Checks")
      assert.deepStrictEqual([end, messages.length], [accepted("It is seen."), 4])
    })
  )
})
