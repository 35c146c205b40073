/** The loop of turns: when it ends, with what, and what each turn keeps. The model is scripted, and calls are made in a real project. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import { nothingAsked, type TurnContent } from "../../../src/domain/documents/TurnFormat.ts"
import { makeIssue, makeRepair } from "../../../src/domain/findings/Issue.ts"
import { fromHost } from "../../../src/domain/models/ConversationMessage.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
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
import { checkEnding, workOf } from "../../support/AgentWork.ts"
import { layerNoCommands } from "../../support/NoCommands.ts"
import { openStages, type OpenStages } from "../../support/OpenStages.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { nodeTest } from "../../support/nodeTest.ts"

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
  "Repaired?": { issues: [shapeless], repairs: [repair] }
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

/** The codes of the issues with which answers were rejected. */
const rejectedIn = (events: ReadonlyArray<RunEvent>) =>
  events.flatMap((event) => (event.type === "answer.rejected" ? event.issues.map(({ code }) => code) : []))

const unfounded = () => Effect.succeed(true)

const again = Array.from({ length: 4 }, () => "Read src/slug.ts.")
const edits = ["Edit.", "Edit.", "Edit."]
const message = { kind: "message", mostTurns: 9 } as const
const limits = { identicalCalls: 3 }
const repeating: Run = { assignment: message, limits }
const short: Run = { assignment: { ...message, mostTurns: 3 }, limits: { identicalCalls: 2 } }
const denied = (): Run => ({ assignment: message, stages: denying() })
const twice: Run = { limits: { attempts: 2 } }

/** Answers, the work, how it ends, and after how many turns. */
const ends: ReadonlyArray<readonly [what: string, answers: ReadonlyArray<string>, Run, end: string, turns: number]> = [
  ["a task repeats a call", again, { assignment: { mostTurns: 9 }, limits }, "Repeated", 3],
  ["a message answers after repetitions", [...again.slice(1), "It is 5."], repeating, "Accepted", 4],
  ["a message only repeats a call", again, repeating, "Repeated", 4],
  ["the turns of a message end with repetitions", again, short, "Repeated", 3],
  ["a message answers after denials", [...edits, "I could not."], denied(), "Accepted", 4],
  ["a message has only denials", [...edits, "?"], denied(), "Denied", 4],
  ["answers cannot be used", ["?", "?", "It is 5."], twice, "Unusable", 2],
  ["answers can be used in between", ["?", "Read src/slug.ts.", "?", "It is 5."], twice, "Accepted", 4]
]

describe("the turns of an agent", () => {
  for (const [what, answers, work, tag, count] of ends) {
    nodeTest(`end when ${what}`, function* () {
      const { end, messages, turns } = yield* run(answers, work)
      expect([end._tag, turns.length]).toEqual([tag, count])
      if (work.assignment?.kind === "message" && count === 4) expect(messages[3]?.at(-1)).toContain("Report.")
    })
  }

  nodeTest("fail in a task when a person denied the same too often", function* () {
    const task = yield* Effect.flip(run(edits, { assignment: { mostTurns: 9 }, stages: denying() }))
    expect(task).toMatchObject({ _tag: "TooManyDenials" })
  })

  nodeTest("go on after the turn with which they begin, and end when none is left", function* () {
    const reads = ["Read src/slug.ts.", "Read src/long.ts.", "Read src/slug.ts."]
    const all = yield* run(reads, { assignment: { mostTurns: 3 } })
    expect([all.end, all.turns]).toStrictEqual([{ _tag: "Limit", turns: 3 }, [1, 2, 3]])
    // Nobody would read what came of the last call.
    expect(all.last.outcomes.length).toBe(2)
    expect(all.messages[2]?.at(-1)).toContain("Report.")
    const rest = yield* run(reads, { assignment: { mostTurns: 5 }, begun: { turn: 3 } })
    expect(rest.turns).toStrictEqual([4, 5])
    const none = yield* run([], { assignment: { mostTurns: 3 }, begun: { turn: 3 } })
    expect([none.end, none.saved]).toStrictEqual([{ _tag: "Limit", turns: 3 }, []])
  })

  nodeTest("are more for work that changes many files, also in what the model is told", function* () {
    const copy = makeWorkingCopy()
    for (let at = 0; at < 3; at++) copy.propose({ path: `/elsewhere/${at}.ts`, base: null, text: "new" })
    const answers = ["Edit.", ...Array.from({ length: 4 }, () => "Read src/slug.ts.")]
    const assignment = { copy, mostTurns: 3 }
    const grown = yield* run(answers, { assignment, limits: { identicalCalls: 9 } })
    expect([grown.end, grown.turns]).toStrictEqual([{ _tag: "Limit", turns: 5 }, [1, 2, 3, 4, 5]])
    expect(grown.messages[2]?.at(-1)).toContain("3 answers are left.")
  })

  nodeTest("tell where they stand before the model is asked, when it has answered, and after the reply", function* () {
    const { saved } = yield* run(["Read src/slug.ts.", "It is 5."])
    expect(saved.map(({ messages, outcomes, turn }) => [turn, messages.length, outcomes.length])).toStrictEqual([
      [1, 1, 0],
      [1, 2, 0],
      [1, 3, 1],
      [2, 3, 1],
      [2, 4, 1],
      [2, 4, 1]
    ])
  })

  nodeTest("of work that wants only calls end with the first faultless ones, of which none is made", function* () {
    const calls = { kind: "calls" } as const
    const { end, last, turns } = yield* run(["?", "Edit."], { assignment: calls })
    expect([end, turns]).toStrictEqual([{ _tag: "Calls", calls: [largeEdit] }, [1, 2]])
    expect(last.outcomes).toStrictEqual([])
    const task = yield* run(["Edit.", "It is done."])
    expect(task.end._tag).toBe("Accepted")
  })

  nodeTest("report repairs of an answer that has no issues", function* () {
    expect(yield* repairsOf("Repaired.")).toStrictEqual([1, [repair]])
    expect(yield* repairsOf("Repaired?", "It is 5.")).toStrictEqual([])
  })

  nodeTest("remember a change that could not be made, and send a report back for it once", function* () {
    const twoCalls = { calls: [{ uid: "call-9", name: "get_current_time", arguments: {} }, largeEdit] }
    const { events, last } = yield* run(["Two.", "It is done.", "It is open."], {
      assignment: { tools: ["get_current_time", "edit_file"] },
      limits: { toolCallsPerIteration: 1 },
      work: {
        read: (answer) => (answer === "Two." ? Effect.succeed({ ...nothingAsked, ...twoCalls }) : read(answer))
      }
    })
    expect(last.outcomes.map(({ call, result }) => [call.uid, result.success])).toStrictEqual([
      ["turn-1/call-9", true],
      ["turn-1/call-1", false]
    ])
    expect(rejectedIn(events)).toStrictEqual(["tool-calls-many", "change-open"])
  })

  nodeTest("tell a report that is about the project and looked at nothing, when it is accepted", function* () {
    const { events, last, saved } = yield* run(["It is 5.", "It is 5, I said."], { work: { isUnfounded: unfounded } })
    expect(rejectedIn(events)).toStrictEqual(["report-unfounded"])
    expect([last.isUnfounded, saved.at(-4)?.isUnfounded]).toStrictEqual([true, false])
    expect((yield* run(["It is 5."])).last.isUnfounded).toBe(false)
  })

  nodeTest("compact a conversation that is too long, with the answers that are left in view", function* () {
    const messages = [fromHost("Begin."), fromHost("r".repeat(30_000))]
    const stages = { settings: { contextWindow: 8000 } }
    const compacted = yield* run(["It is 5."], { assignment: { mostTurns: 3 }, begun: { messages }, stages })
    expect(compacted.messages[0]?.join("\n")).toContain("3 answers are left.")
    expect(compacted.last.isCompacted).toBe(true)
    const last = yield* run(["It is 5."], { assignment: { mostTurns: 1 }, begun: { messages }, stages })
    expect(last.messages[0]?.join("\n")).toContain("Report.")
  })

  nodeTest("make calls that stand for the first answer under the number 0", function* () {
    const { agent, work } = yield* run(["It is 5."])
    const { outcomes } = yield* agent.runCalls(work, [largeEdit])
    expect(outcomes.map(({ call: { uid } }) => uid)).toStrictEqual(["turn-0/call-1"])
  })
})

/** Stages in which one check of the changes passes, and another ends like this, turn by turn. */
const checking = (...exitCodes: ReadonlyArray<number>): OpenStages => {
  const ends = [...exitCodes]
  return {
    checks: Layer.succeed(Checks)(
      Checks.of({
        commandsFor: () => Effect.succeed([]),
        tryOut: Effect.void,
        run: () => Effect.sync(() => [checkEnding(0), checkEnding(ends.shift() ?? 0)])
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

describe("a report that is questioned", () => {
  nodeTest("stands when no turn is left, without what does not pass the checks", function* () {
    expect(yield* outOfTurns(0, 1)).toStrictEqual([accepted("It is done."), false, [0, 0]])
    expect(yield* outOfTurns(0, 0)).toStrictEqual([accepted("It is done."), true, [0, 0]])
  })

  nodeTest("stands against a later one that is accepted although a check fails", function* () {
    const { end } = yield* run([...begin, "Edit more.", "It fails.", "It fails.", "It fails."], {
      assignment: { mostTurns: 9 },
      stages: checking(0, 1)
    })
    expect(end).toStrictEqual(accepted("It is done."))
  })
})
