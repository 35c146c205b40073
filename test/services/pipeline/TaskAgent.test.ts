import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import { charactersLeft, neededTokens } from "../../../src/domain/models/PromptSize.ts"
import { plainTask, Task } from "../../../src/domain/plan/Task.ts"
import { TaskFailure } from "../../../src/domain/plan/TaskResult.ts"
import { modelCallKey } from "../../../src/domain/runs/ActivityKey.ts"
import { layerRuleApprover } from "../../../src/plugins/check-tools/ruleApprover.ts"
import { CallsDeclined, type TaskOrder } from "../../../src/services/pipeline/TaskStage.ts"
import { definePlugin, tool } from "../../../src/services/tools/Plugin.ts"
import type { EventLog } from "../../support/EventLog.ts"
import { briefing, openStages, type OpenStages } from "../../support/OpenStages.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { freeSkill, looksWith, refinementWith, resultSaying } from "../../support/TestRun.ts"

const orderOf = (task: Task): TaskOrder => ({ briefing, task, round: 1, step: 0, finished: [] })
const editing = plainTask("Edit 1", "edit-files", "Make the limit 10.", "The changed line.")
const looking = plainTask("Look 1", "any", "The text.", "A word.")
const acting = plainTask("Act 1", "free", "Ring.", "A word.")

const files = {
  "src/limit.ts": "// The limit.\nexport const limit = 5\n",
  "src/other.ts": "export {}\n",
  ".task-conductor/skills/free/SKILL.md": freeSkill
}

const saying = plainTask("Typed 1", "typed", "The text.", "A word.")
const wordSkill = [
  '---\nname: typed\ndescription: Takes inputs. Use it in tests.\nallowed-tools: ""\n---',
  "## Input requirements\n\n- `word` (text, required): The word.",
  "## Execution\n\nSay something.\n"
].join("\n\n")

const read = (path = "src/limit.ts") => ({ name: "read_file", arguments: { path } })
const native = (name: string, given: Record<string, unknown>, id: string) => ({ id, name, arguments: given })

const block = (path: string, before: string, after: string): string =>
  `${path}\n<<<<<<< OLD\n${before}${before === "" ? "" : "\n"}=======\n${after}${after === "" ? "" : "\n"}>>>>>>> NEW\n`
const raised = block("src/limit.ts", "export const limit = 5", "export const limit = 10")
const raisedCall = {
  uid: "change-1",
  name: "edit_file",
  arguments: { path: "src/limit.ts", old_text: "export const limit = 5", new_text: "export const limit = 10" }
}

const open = (answers: NonNullable<OpenStages["answers"]>, more: Partial<OpenStages> = {}) =>
  openStages({ ...more, answers, files: { ...files, ...more.files } })

const rejectedIn = (log: EventLog["Service"]) =>
  log.events().flatMap((event) => (event.type === "answer.rejected" ? [event.issues.map(({ code }) => code)] : []))
const repairsIn = (log: EventLog["Service"]) =>
  log.events().flatMap((event) => (event.type === "answer.repaired" ? event.repairs.map(({ code }) => code) : []))
const turnsIn = (log: EventLog["Service"]) => log.events().filter((event) => event.type === "task.turn")
const toolsIn = (log: EventLog["Service"]) =>
  log.events().flatMap((event) => (event.type === "tool.started" ? [event.id.uid] : []))

/** What the host replied at the end of each call of the model. */
const repliesOf = (messages: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  messages.map((all) => all.at(-1) ?? "")

/** A tool that does something outside of the files, and says how often. */
const bell = (rung: Array<string>) =>
  definePlugin({
    name: "bell",
    tools: Effect.succeed({
      ring: tool({
        description: "Rings.",
        parameters: Schema.Struct({ tone: Schema.String }),
        risk: "high",
        effect: "once",
        execute: ({ tone }) =>
          Effect.sync(() => {
            rung.push(tone)
            return `Rang ${tone}, ${rung.length} in all.`
          })
      })
    })
  })
const ring = (tone: string) => ({ name: "ring", arguments: { tone } })

const reference = (path: string) => ({ kind: "file", title: path, href: path, target: path }) as const

const long = (name: string) =>
  Array.from({ length: 300 }, (_, line) => `export const ${name}${line} = "a line of the file ${line}"`).join("\n")

/** A file that begins with an import. */
const importing = (name: string) =>
  `import { ${name} } from "./x.ts"\n${Array.from({ length: 300 }, (_, line) => `const ${name}${line} = ${line}`).join("\n")}`

layer(NodeServices.layer)("TaskAgent", (it) => {
  it.effect("makes calls at once, shows their outputs, and ends with the report", () =>
    Effect.gen(function* () {
      const { log, taskAgent, messages, meter, prompts } = yield* open([
        refinementWith([read(), read("src/other.ts")]),
        resultSaying("The limit is [5](src/limit.ts#L2).")
      ])
      const refinement = yield* taskAgent.work(orderOf(looking))
      expect(refinement.priorCalls?.map(({ call }) => call.uid)).toEqual(["turn-1/call-1", "turn-1/call-2"])
      expect(refinement.priorCalls?.[0]?.result.data).toContain("export const limit = 5")
      expect([refinement.calls, refinement.result?.summary]).toEqual([[], "The limit is [5](src/limit.ts#L2)."])
      expect(
        log.events().flatMap((event) => (event.type === "model.started" ? [modelCallKey(event.call)] : []))
      ).toEqual(["round-1/turn/look-1/attempt-1", "round-1/turn/look-1/attempt-2"])
      expect(turnsIn(log)).toMatchObject([{ turn: 1, changed: [], calls: [{ uid: "turn-1/call-1" }, {}] }])
      expect(toolsIn(log).toSorted()).toEqual(["turn-1/call-1", "turn-1/call-2"])
      expect((yield* meter.total).toolCalls).toBe(2)
      // The conversation only grows: what a server has read stays as it is.
      expect(new Set(prompts.map(({ system }) => system)).size).toBe(1)
      expect(messages[1]?.slice(0, -2)).toEqual(messages[0])
      expect(messages[1]?.[1]).toContain('"path":"src/limit.ts"')
      expect(repliesOf(messages)[1]).toMatch(/^(?:## Reply 1\n\n)?### Tool call read_file \(turn-1\/call-1\)\n/)
      expect(repliesOf(messages)[1]).toContain("export const limit = 5")
    })
  )

  it.effect("offers tools through the interface when that is set, and answers each call with one message", () =>
    Effect.gen(function* () {
      const edit = { path: "src/limit.ts", old_text: "limit = 5", new_text: "limit = 10" }
      const { log, taskAgent, prompts, requests } = yield* open(
        [
          { text: "I look.", calls: [native("read_file", { path: "src/limit.ts" }, "a"), native("nothing", {}, "b")] },
          { text: "", calls: [native("edit_file", edit, "a")] },
          resultSaying("The limit is [10](src/limit.ts#L2).")
        ],
        { settings: { toolCalls: "native" } }
      )
      const refinement = yield* taskAgent.work(orderOf(editing))
      expect(refinement.calls).toMatchObject([{ name: "edit_file" }])
      expect(prompts[0]?.system).not.toContain("## Tools")
      expect(requests[0]?.tools).toEqual(expect.arrayContaining(["read_file", "edit_file"]))
      expect(requests.map(({ messages }) => messages.map(({ role }) => role).slice(2))).toEqual([
        [],
        ["assistant", "tool", "tool"],
        ["assistant", "tool", "tool", "assistant", "tool", "user"]
      ])
      expect(turnsIn(log)).toMatchObject([{ calls: [{ uid: "turn-1/call-1" }] }, { calls: [{ uid: "turn-2/call-1" }] }])
    })
  )

  it.effect(
    "says what the user asked and which rules the project has, and leaves the facts of the project to the plan",
    () =>
      Effect.gen(function* () {
        const { taskAgent, messages, prompts } = yield* open([refinementWith([read()]), resultSaying("It is known.")])
        const facts = {
          projectReadme: "Sells tea.",
          projectMap: "Main files: `src/limit.ts`.",
          environment: "- Shell: sh"
        }
        const described = { ...briefing, ...facts, projectDescription: "Use tabs." }
        yield* taskAgent.work({ ...orderOf(looking), briefing: described, goals: "All is known." })
        expect(prompts[0]?.system).toContain("## Project description\n\nUse tabs.")
        expect(prompts[0]?.system).not.toMatch(/Sells tea|Main files|Shell: sh/)
        for (const [first = ""] of messages) {
          expect(first).toContain("Do it.")
          expect(first).toContain("## Goals / summary\n\nAll is known.")
          expect(first).toContain("- **What is needed** The text.")
        }
      })
  )

  it.effect("takes a task without tools by its report alone, in one call", () =>
    Effect.gen(function* () {
      const { taskAgent, prompts } = yield* open([resultSaying("A word.")])
      const { calls, priorCalls, result } = yield* taskAgent.work(
        orderOf(plainTask("Talk 1", "talk", "A word.", "A word."))
      )
      expect([calls, priorCalls, result?.summary]).toEqual([[], undefined, "A word."])
      expect(prompts.length).toBe(1)
      expect(prompts[0]?.system).not.toContain("## Tools")
      expect(prompts[0]?.user).toContain("Answer with the report.")
    })
  )

  it.effect("refuses a task whose skill does not exist", () =>
    Effect.gen(function* () {
      const { taskAgent, prompts } = yield* open([])
      expect(yield* Effect.flip(taskAgent.work(orderOf(plainTask("Look 1", "unheard-of", "It.", "It."))))).toEqual(
        new TaskFailure({
          task: "Look 1",
          phase: "refinement",
          reason: 'There is no skill "unheard-of".',
          skipped: false
        })
      )
      expect(prompts).toEqual([])
    })
  )

  it.effect("does what an answer asks for before it takes a report beside it", () =>
    Effect.gen(function* () {
      const { log, taskAgent, messages } = yield* open([
        `${refinementWith([read()])}\n\n${resultSaying("The limit is 7.")}`,
        resultSaying("The limit is 5.")
      ])
      expect((yield* taskAgent.work(orderOf(looking))).result?.summary).toBe("The limit is 5.")
      expect(repairsIn(log)).toContain("report-early")
      expect(repliesOf(messages)[1]).toContain("export const limit = 5")
    })
  )

  it.effect("makes a call once that an answer holds twice, and names one whose output stands above", () =>
    Effect.gen(function* () {
      const { log, taskAgent, messages } = yield* open([
        refinementWith([read(), read()]),
        refinementWith([read(), read("src/other.ts")]),
        resultSaying("It is known.")
      ])
      yield* taskAgent.work(orderOf(looking))
      expect(repairsIn(log)).toContain("tool-call-known")
      expect(toolsIn(log).toSorted()).toEqual(["turn-1/call-1", "turn-2/call-1", "turn-2/call-2"])
      expect(repliesOf(messages)[2]).toContain(
        "- `read_file` was called with the same arguments before: its output is the same as above."
      )
      expect(repliesOf(messages)[2]).not.toContain("export const limit")
      expect(repliesOf(messages)[2]).toContain("export {}")
    })
  )

  it.effect("ends a task that makes the same call again and again", () =>
    Effect.gen(function* () {
      const { taskAgent, prompts } = yield* open(Array.from({ length: 12 }, () => refinementWith([read()])))
      const failure = yield* Effect.flip(taskAgent.work(orderOf(looking)))
      if (failure._tag !== "TaskFailure") throw failure
      expect([failure.phase, failure.reason]).toEqual([
        "execution",
        expect.stringMatching(
          /^the same call was made 3 times \(limits\.identicalCalls\) and gave nothing new: .*read_file/
        )
      ])
      expect(prompts.length).toBe(3)
    })
  )

  it.effect("shows what is wrong with an answer, and says when it was given before", () =>
    Effect.gen(function* () {
      const { log, taskAgent, messages } = yield* open([
        refinementWith([{ name: "fly", arguments: {} }]),
        refinementWith([{ name: "fly", arguments: {} }]),
        resultSaying("It is known.")
      ])
      yield* taskAgent.work(orderOf(looking))
      expect(rejectedIn(log)).toEqual([["tool-unknown"], ["tool-unknown"]])
      const [, first = "", second = ""] = repliesOf(messages)
      expect(first).toMatch(/## Issues with your answer\n\n1\. [^]*fly/)
      expect(first).not.toContain("You gave this answer before")
      expect(second).toContain("You gave this answer before, and it changes nothing. Answer differently.")
      expect(toolsIn(log)).toEqual([])
    })
  )

  it.effect("says of an empty section for calls what to write", () =>
    Effect.gen(function* () {
      const { log, taskAgent, messages } = yield* open([
        "## Tool Calls\n\nNone.\n",
        "## Tool Calls\n",
        resultSaying("The limit is 5.")
      ])
      yield* taskAgent.work(orderOf(looking))
      expect(rejectedIn(log)).toEqual([["section-empty"], ["section-empty"]])
      for (const reply of repliesOf(messages).slice(1)) {
        expect(reply).toContain('such as { "uid": "call-1", "name": "<tool>"')
        expect(reply).toContain('write the report ("## Result summary")')
      }
    })
  )

  it.effect("makes the calls of an answer that can be made, and asks for the others alone", () =>
    Effect.gen(function* () {
      const { log, taskAgent, messages } = yield* open([
        refinementWith([read(), { name: "read_file", arguments: { file_of: 1 } }]),
        resultSaying("It is known.")
      ])
      yield* taskAgent.work(orderOf(looking))
      expect(toolsIn(log)).toEqual(["turn-1/call-1"])
      const [, reply = ""] = repliesOf(messages)
      expect(reply).toContain("export const limit = 5")
      expect(reply).toContain("Answer with what corrects this; what else was in the answer is done.")
    })
  )

  it.effect("refuses tools that the skill does not allow", () =>
    Effect.gen(function* () {
      const { log, taskAgent } = yield* open([
        refinementWith([{ name: "get_file_tree", arguments: {} }]),
        resultSaying("It is known.")
      ])
      yield* taskAgent.work(orderOf(looking))
      expect(rejectedIn(log)).toEqual([["tool-not-allowed"]])
      expect(toolsIn(log)).toEqual([])
    })
  )

  it.effect.each([
    { before: [], phase: "refinement", wanted: "tool calls" },
    { before: [refinementWith([read()])], phase: "execution", wanted: "result" }
  ])("ends a task after five answers in a row that cannot be used, in the phase $phase", ({ before, phase, wanted }) =>
    Effect.gen(function* () {
      const { taskAgent, prompts } = yield* open([
        ...before,
        ...Array.from({ length: 6 }, (_, index) => refinementWith([{ name: `fly_${index}`, arguments: {} }]))
      ])
      const failure = yield* Effect.flip(taskAgent.work(orderOf(looking)))
      if (failure._tag !== "TaskFailure") throw failure
      expect([failure.phase, failure.cause]).toEqual([phase, { _tag: "NoValidAnswer", attempts: 5, repeated: false }])
      expect(failure.reason).toMatch(new RegExp(`^no valid ${wanted} after 5 tries\\. Last issues: `))
      expect(failure.ran?.map(({ call, success }) => [call.name, success])).toEqual(
        before.length === 0 ? undefined : [["read_file", true]]
      )
      expect(prompts.length).toBe(before.length + 5)
    })
  )

  it.effect("warns before the last turns, asks for the report in the last, and ends after twelve", () =>
    Effect.gen(function* () {
      const answers = Array.from({ length: 13 }, (_, index) =>
        refinementWith([{ name: "read_file", arguments: { path: "src/limit.ts", start_line: 1, end_line: index + 1 } }])
      )
      const { taskAgent, messages, prompts } = yield* open(answers)
      const failure = yield* Effect.flip(taskAgent.work(orderOf(looking)))
      if (failure._tag !== "TaskFailure") throw failure
      expect(prompts.length).toBe(12)
      expect(failure.cause).toEqual({ _tag: "NoValidAnswer", attempts: 12, repeated: false })
      const ends = repliesOf(messages).map((reply) => /(?:^|## Now\n\n)([^\n]*)$/.exec(reply)?.[1] ?? "")
      expect(ends.slice(8)).toEqual([
        expect.not.stringContaining("answers are left"),
        expect.stringContaining(" 3 answers are left."),
        expect.stringContaining(" 2 answers are left."),
        expect.stringMatching(/^This is the last answer: write the report now, with what is known\./)
      ])
      expect(ends[8]).toContain("Go on: ")
    })
  )

  it.effect("makes the changes of the last answer that stand above its report, and says so before", () =>
    Effect.gen(function* () {
      const change = block("src/limit.ts", "export const limit = 5", "export const limit = 10")
      const settings = { limits: { ...defaultLimits, turns: 2 } }
      const last = `${change}\n\n## Result summary\n\nThe limit is 10.\n`
      const { taskAgent, messages } = yield* open([refinementWith([read()]), last], { settings })
      const outcome = yield* taskAgent.work(orderOf(editing))
      expect(repliesOf(messages).at(-1)).toContain("Changes above it still count.")
      expect(outcome.files?.map(({ path }) => path)).toEqual(["src/limit.ts"])
    })
  )

  it.effect("says which changes of a task without a report were not kept", () =>
    Effect.gen(function* () {
      const change = block("src/limit.ts", "export const limit = 5", "export const limit = 10")
      const settings = { limits: { ...defaultLimits, turns: 2 } }
      const { taskAgent } = yield* open([change, refinementWith([read()])], { settings })
      const failure = yield* Effect.flip(taskAgent.work(orderOf(editing)))
      expect(failure.message).toContain("files). Its changes of src/limit.ts were not kept.")
    })
  )

  it.effect("lets a skill have fewer turns", () =>
    Effect.gen(function* () {
      const short = freeSkill
        .replace("---\n\n##", 'metadata:\n  task-conductor.turns: "2"\n---\n\n##')
        .replace("name: free", "name: short")
      const { taskAgent, messages, prompts } = yield* open(
        [refinementWith([read()]), refinementWith([read("src/other.ts")]), resultSaying("Too late.")],
        { files: { ".task-conductor/skills/short/SKILL.md": short } }
      )
      const failure = yield* Effect.flip(taskAgent.work(orderOf(plainTask("Short 1", "short", "It.", "It."))))
      expect(failure._tag).toBe("TaskFailure")
      expect(prompts.length).toBe(2)
      expect(repliesOf(messages)[1]).toContain("This is the last answer")
    })
  )

  it.effect("sends a report back that claims a change, and one that found nothing, where nothing was asked for", () =>
    Effect.gen(function* () {
      for (const claim of ["I have changed the limit to 10.", "The limit was not found."]) {
        const { log, taskAgent } = yield* open([
          resultSaying(claim),
          refinementWith([read()]),
          resultSaying("It is read.")
        ])
        const { result } = yield* taskAgent.work(orderOf(looking))
        expect([rejectedIn(log), result?.summary]).toEqual([[["report-unfounded"]], "It is read."])
      }
    })
  )

  it.effect("sends a report with wrong links back once, and marks the links when the model insists", () =>
    Effect.gen(function* () {
      const wrong = resultSaying("It is in [the file](src/none.ts#L1) and in [the other](src/nine.ts#L1).")
      const { log, taskAgent, messages } = yield* open([refinementWith([read()]), wrong, wrong, wrong])
      const { result } = yield* taskAgent.work(orderOf(looking))
      expect(rejectedIn(log)).toEqual([["evidence-file", "evidence-file"]])
      expect(repliesOf(messages)[2]).toContain("src/none.ts")
      expect(result?.summary).toContain(
        "It is in [the file](src/none.ts#L1) (not found) and in [the other](src/nine.ts#L1) (not found)."
      )
    })
  )

  it.effect("does not take what the model said itself, or what it was told of it, for the source of a link", () =>
    Effect.gen(function* () {
      const wrong = resultSaying("It is as [the docs](https://example.com/never) say.")
      const { log, taskAgent } = yield* open([refinementWith([read()]), wrong, wrong, wrong])
      const { result } = yield* taskAgent.work(orderOf(looking))
      expect(rejectedIn(log)).toHaveLength(1)
      expect(result?.evidence).toMatchObject({ checked: 1, wrong: 1 })
    })
  )

  it.effect("keeps inputs that are right while it asks for the others again", () =>
    Effect.gen(function* () {
      const typed = [
        "---\nname: typed\ndescription: Takes inputs. Use it in tests.\nallowed-tools: read_file\n---",
        "## Input requirements\n\n- `file` (path, required): The file.\n- `word` (text, required): The word.",
        "## Execution\n\nSay something.\n"
      ].join("\n\n")
      const { log, taskAgent, messages } = yield* open(
        [
          `## Inputs\n\n- \`file\`: missing.txt\n- \`word\`: hello\n\n${refinementWith([read()])}`,
          `## Inputs\n\n- \`file\`: src/limit.ts\n\n${refinementWith([read("src/other.ts")])}`,
          resultSaying("It is known.")
        ],
        { files: { ".task-conductor/skills/typed/SKILL.md": typed } }
      )
      const { inputs } = yield* taskAgent.work(orderOf(plainTask("Typed 1", "typed", "The text.", "A word.")))
      expect(inputs).toEqual([
        { name: "file", value: "src/limit.ts" },
        { name: "word", value: "hello" }
      ])
      expect(rejectedIn(log)).toEqual([["input-path-missing"]])
      expect(repliesOf(messages)[1]).toContain("missing.txt")
    })
  )

  it.effect("takes inputs beside the report of a task that needs no call", () =>
    Effect.gen(function* () {
      const { log, taskAgent } = yield* open([`## Inputs\n\n- \`word\`: hello\n\n${resultSaying("It is said.")}`], {
        files: { ".task-conductor/skills/typed/SKILL.md": wordSkill }
      })
      const { inputs, result } = yield* taskAgent.work(orderOf(saying))
      expect([inputs, result?.summary]).toEqual([[{ name: "word", value: "hello" }], "It is said."])
      expect(rejectedIn(log)).toEqual([])
    })
  )

  it.effect("takes no report before every required input is known", () =>
    Effect.gen(function* () {
      const { log, taskAgent, messages } = yield* open(
        [resultSaying("It was said early."), `## Inputs\n\n- \`word\`: hello\n\n${resultSaying("It is said.")}`],
        { files: { ".task-conductor/skills/typed/SKILL.md": wordSkill } }
      )
      const { inputs, result } = yield* taskAgent.work(orderOf(saying))
      expect([inputs, result?.summary]).toEqual([[{ name: "word", value: "hello" }], "It is said."])
      expect(rejectedIn(log)).toEqual([["input-missing"]])
      expect(repliesOf(messages)[1]).toContain('The input "word" has no value.')
    })
  )

  it.effect("fails a task whose required input no answer gives, and makes no change of it", () =>
    Effect.gen(function* () {
      const editor = wordSkill.replace('allowed-tools: ""', "allowed-tools: edit_file")
      const early = resultSaying("The limit is 10.")
      const { log, taskAgent, project } = yield* open(
        [raised, `${block("src/other.ts", "export {}", "export const x = 1")}\n${early}`, early],
        {
          settings: { limits: { ...defaultLimits, attempts: 1 } },
          files: { ".task-conductor/skills/typed/SKILL.md": editor }
        }
      )
      const failure = yield* Effect.flip(taskAgent.work(orderOf(saying)))
      expect(failure).toBeInstanceOf(TaskFailure)
      expect(rejectedIn(log)).toEqual([["input-missing"], ["input-missing"], ["input-missing"]])
      const fs = yield* FileSystem.FileSystem
      expect(yield* fs.readFileString(`${project}/src/limit.ts`)).toBe(files["src/limit.ts"])
    })
  )

  it.effect("says in each reply which files that the task names were neither read nor changed", () =>
    Effect.gen(function* () {
      const { taskAgent, messages } = yield* open(
        [
          refinementWith([read("src/limit.ts")]),
          refinementWith([read("docs/limit.md")]),
          resultSaying("The limit is 5.")
        ],
        { files: { "docs/limit.md": "# The limit\n" } }
      )
      yield* taskAgent.work(orderOf(plainTask("Edit 1", "edit-files", "Look at src/limit.ts and docs/limit.md.", "5.")))
      expect(messages[1]?.at(-1)).toContain("Named in the task, and neither read nor changed yet: docs/limit.md.")
      expect(messages[2]?.at(-1)).not.toContain("Named in the task")
    })
  )

  it.effect("keeps every prompt within a small window: what was done is folded, the request stays", () =>
    Effect.gen(function* () {
      const names = ["a", "b", "c", "d", "e", "f", "g", "h"]
      const { log, taskAgent, messages, prompts } = yield* open(
        [
          block("src/limit.ts", "export const limit = 5", "export const limit = 10"),
          ...names.map((name) => refinementWith([read(`src/${name}.ts`)])),
          resultSaying("The limit is 10.")
        ],
        {
          files: Object.fromEntries(names.map((name) => [`src/${name}.ts`, `${long(name)}\n`])),
          settings: { contextWindow: 4096, limits: { ...defaultLimits, turns: 10 } }
        }
      )
      const refinement = yield* taskAgent.work(orderOf(editing))
      expect(refinement.calls).toEqual([raisedCall])
      const sizes = messages.map((all, index) => {
        const system = prompts[index]?.system ?? ""
        return neededTokens({ system, user: all.join("\n"), parts: [] })
      })
      expect(sizes.filter((size) => size > 4096)).toEqual([])
      const foldedAt = messages.flatMap((all, index) => (all.length === 1 && index > 0 ? [index] : []))
      expect(Math.max(...foldedAt)).toBeGreaterThanOrEqual(7)
      for (const index of foldedAt) {
        const [text = ""] = messages[index] ?? []
        expect(text).toContain("- **What is needed** Make the limit 10.")
        expect(text).toContain("## Done so far")
        expect(text).toContain("+export const limit = 10")
        expect(text).not.toContain('"edit_file"')
        const left = 10 - index
        const warning = left === 1 ? "This is the last answer" : `${left} answers are left.`
        expect(text.includes(warning)).toBe(left <= 3)
        // A small answer does not have to be folded at once.
        expect(sizes[index]).toBeLessThanOrEqual(4096 * 0.72)
      }
      // What was asked for last has the room, and not what was asked for before.
      const seen = names.map((name, index) => {
        const shown = (messages[index + 2] ?? []).at(-1) ?? ""
        return shown.match(new RegExp(`^\\d+: export const ${name}\\d`, "gm"))?.length ?? 0
      })
      expect(Math.min(...seen)).toBeGreaterThanOrEqual(30)
      expect(turnsIn(log).length).toBe(9)
    })
  )

  it.effect.each([
    [4096, 25],
    [8192, 100]
  ] as const)("leaves reads most of a window of %i tokens beside two long references", ([window, least]) =>
    Effect.gen(function* () {
      const asked = { name: "read_file", arguments: { path: "src/c.ts", start_line: 1, end_line: 100 } }
      const names = ["a", "b", "c"]
      const { taskAgent, messages, prompts } = yield* open([refinementWith([asked]), resultSaying("The limit is 5.")], {
        files: Object.fromEntries(names.map((name) => [`src/${name}.ts`, importing(name)])),
        settings: { contextWindow: window }
      })
      const references = ["src/a.ts", "src/b.ts"].map(reference)
      yield* taskAgent.work(orderOf(plainTask("Edit 1", "edit-files", "Make it 10.", "A line.", { references })))
      const [first = ""] = messages[0] ?? []
      const block = first.slice(first.indexOf("## Reference"), first.indexOf("## Task\n"))
      const beside = charactersLeft(window, { system: prompts[0]?.system ?? "", user: first.replace(block, "") })
      expect(block.length).toBeLessThanOrEqual(beside / 3)
      // The imports come first.
      expect(block).toContain('1: import { a } from "./x.ts"')
      // A part of each that is too small for a function is of no use.
      const second = block.slice(block.indexOf("src/b.ts"))
      if (window === 4096) expect(second).toContain("(There is no room for it here: read what you need of it.)")
      else expect(second).toContain('1: import { b } from "./x.ts"')
      const shown = (messages[1] ?? []).at(-1)?.match(/^\d+: (?:const c|import \{ c)/gm) ?? []
      expect(shown.length).toBeGreaterThanOrEqual(least)
    })
  )

  it.effect.each([4096, 8192])("shows about as many lines as it said, in a window of %i tokens", (window) =>
    Effect.gen(function* () {
      const names = ["a", "b", "c"]
      const looks = names.map((name) => ({ name: "read_file", arguments: { path: `src/${name}.ts` } }))
      const again = looks.map((look) => ({ ...look, arguments: { ...look.arguments, start_line: 150 } }))
      const { taskAgent, messages } = yield* open(
        [refinementWith(looks.slice(0, 2)), refinementWith(again), resultSaying("The limit is 5.")],
        {
          files: Object.fromEntries(names.map((name) => [`src/${name}.ts`, long(name)])),
          settings: { contextWindow: window }
        }
      )
      yield* taskAgent.work(orderOf(editing))
      const all = messages.map((one) => one.at(-1) ?? "")
      for (const [index, said] of all.slice(0, 2).entries()) {
        const lines = Number(/room for about (\d+) lines/.exec(said)?.[1])
        const shown = all[index + 1]?.match(/^\d+: /gm)?.length ?? 0
        expect(shown / lines).toBeGreaterThan(0.8)
        expect(shown / lines).toBeLessThan(1.5)
      }
    })
  )

  it.effect("shows a file of tests first only when it holds four times as much as the best source file", () =>
    Effect.gen(function* () {
      const first = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
        const files = {
          "src/a.ts": "export const raiseLimit = 1\n",
          "test/a.test.ts": ["raiseLimit", ...names].map((name) => `${name}()\n`).join("")
        }
        const needed = `Make ${["raiseLimit", ...names].map((name) => `\`${name}\``).join(", ")} stricter.`
        const { taskAgent, messages } = yield* open([resultSaying("See [src/a.ts](src/a.ts).")], { files })
        yield* taskAgent.work(orderOf(plainTask("Edit 1", "edit-files", needed, "A line.")))
        return /^Path: (.+)$/m.exec((messages[0]?.[0] ?? "").split("## Parts of files")[1] ?? "")?.[1]
      })
      expect(yield* first(["raiseOnce"])).toBe("src/a.ts")
      expect(yield* first(["raiseOnce", "raiseTwice", "raiseAll", "raiseMore", "raiseLess", "raiseNone"])).toBe(
        "test/a.test.ts"
      )
    })
  )

  it.effect("shows at the beginning the functions of source files that hold the names of task and prompt", () =>
    Effect.gen(function* () {
      const body = `export function raiseLimit(value) {\n${"  step(value)\n".repeat(5)}  return "raiseLimit done"\n}\n\n`
      const files = {
        "src/a.ts": `${"const filler = 1\n".repeat(300)}${body}${"const filler = 2\n".repeat(300)}`,
        "src/b.ts": `${"const other = 1\n".repeat(300)}`,
        "docs/limits.md": "Call `raiseLimit` for more.\n",
        "test/a.test.ts": `raiseLimit(1)\n`,
        "test/z.test.ts": `raiseLimit(2)\nraiseLimit(3)\n`
      }
      const needed = "Make `raiseLimit` stricter."
      const shownTo = (task: Parameters<typeof orderOf>[0]) =>
        Effect.gen(function* () {
          const { taskAgent, messages } = yield* open([resultSaying("Partly done, see [src/a.ts](src/a.ts).")], {
            files
          })
          yield* taskAgent.work(orderOf(task))
          return messages[0]?.[0] ?? ""
        })
      const first = yield* shownTo(plainTask("Edit 1", "edit-files", needed, "A line."))
      const parts = first.slice(first.indexOf("## Parts of files"), first.indexOf("## Now\n"))
      expect(parts).toContain("Path: src/a.ts\n\n```typescript\n")
      expect(parts).toContain("301: export function raiseLimit(value) {")
      expect(parts).toContain('307:   return "raiseLimit done"')
      expect(parts).toMatch(/src\/a\.ts[^]*test\/a\.test\.ts/)
      expect(parts).toMatch(/\n\nLines that hold them in other files: test\/z\.test\.ts 2\.\s+$/)
      expect(parts).not.toMatch(/src\/b|docs\//)
      const references = [reference("src/b.ts")]
      const given = yield* shownTo(plainTask("Edit 1", "edit-files", needed, "A line.", { references }))
      expect(given).not.toContain("## Parts of files")
      const none = yield* shownTo(plainTask("Edit 1", "edit-files", "Make it stricter.", "A line."))
      expect(none).not.toContain("## Parts of files")
    })
  )

  it.effect("keeps a change that failed through a fold, and takes no report before it was told", () =>
    Effect.gen(function* () {
      const names = ["a", "b", "c"]
      const { log, taskAgent, messages } = yield* open(
        [
          block("src/limit.ts", "export const limits = 5", "export const limit = 10"),
          ...names.map((name) => refinementWith([read(`src/${name}.ts`)])),
          resultSaying("The limit is 10."),
          resultSaying("Partly done. The limit was not changed.")
        ],
        {
          files: Object.fromEntries(names.map((name) => [`src/${name}.ts`, `${long(name)}\n`])),
          settings: { contextWindow: 4096 }
        }
      )
      yield* taskAgent.work(orderOf(editing))
      const folds = messages.flatMap((all, index) => (all.length === 1 && index > 0 ? all : []))
      expect(folds.length).toBeGreaterThan(0)
      for (const text of folds) {
        expect(text.split(/^## Now$/m).length).toBe(2)
        expect(text).toMatch(/### Not changed: src\/limit\.ts\n\nThe block that replaces `export const limits = 5`:/)
        expect(text).toContain("Line 2 is nearest; if that is meant, copy from here exactly:\nexport const limit = 5")
      }
      expect(rejectedIn(log)).toEqual([["change-open"]])
    })
  )

  it.effect("keeps what is wrong with the last answer through a fold", () =>
    Effect.gen(function* () {
      const { taskAgent, messages } = yield* open(
        [
          ...["a", "b", "c"].map(
            (name) => `${refinementWith([read(`src/${name}.ts`)])}\n\n${block("src/limit.ts", "", `const ${name} = 1`)}`
          ),
          raised,
          resultSaying("The limit is 10.")
        ],
        {
          files: Object.fromEntries(["a", "b", "c"].map((name) => [`src/${name}.ts`, `${long(name)}\n`])),
          settings: { contextWindow: 4096 }
        }
      )
      yield* taskAgent.work(orderOf(editing))
      const folds = messages.flatMap((all, index) => (all.length === 1 && index > 0 ? all : []))
      expect(folds.length).toBeGreaterThan(0)
      expect(folds[0]).toMatch(/## Issues with your last answer\n\n1\. [^\n]*src\/limit\.ts exists and holds text/)
    })
  )
})

layer(NodeServices.layer)("the working copy of a task", (it) => {
  it.effect("takes literal changes without a question, and leaves the project as it is", () =>
    Effect.gen(function* () {
      const nobody = scriptedApprover({})
      const { log, taskAgent, messages, project } = yield* open([raised, resultSaying("The limit is 10.")], {
        approver: nobody.layer
      })
      const { calls, priorCalls, result } = yield* taskAgent.work(orderOf(editing))
      expect([calls, priorCalls, result?.summary]).toEqual([[raisedCall], undefined, "The limit is 10."])
      expect(nobody.asked).toEqual([])
      expect(turnsIn(log)).toMatchObject([{ turn: 1, changed: ["src/limit.ts"], calls: [{ name: "edit_file" }] }])
      expect(toolsIn(log)).toEqual([])
      expect(repliesOf(messages)[1]).toContain("+export const limit = 10")
      const fs = yield* FileSystem.FileSystem
      expect(yield* fs.readFileString(`${project}/src/limit.ts`)).toBe(files["src/limit.ts"])
    })
  )

  it.effect("is what later reads and searches of the task see, and nothing else sees", () =>
    Effect.gen(function* () {
      const { taskAgent, messages, project } = yield* open([
        `${refinementWith([{ name: "write_file", arguments: { path: "src/new.ts", content: "const fresh = 1\n" } }])}`,
        raised,
        refinementWith([read("src/new.ts"), { name: "search_files", arguments: { pattern: "const" } }]),
        resultSaying("It is done.")
      ])
      const { calls } = yield* taskAgent.work(orderOf(editing))
      expect(calls).toEqual([
        raisedCall,
        { uid: "change-2", name: "write_file", arguments: { path: "src/new.ts", content: "const fresh = 1\n" } }
      ])
      const reply = repliesOf(messages)[3] ?? ""
      expect(reply).toContain("const fresh = 1")
      expect(reply).toContain("src/new.ts:1:")
      expect(reply).toContain("export const limit = 10")
      const fs = yield* FileSystem.FileSystem
      expect(yield* fs.exists(`${project}/src/new.ts`)).toBe(false)
    })
  )

  it.effect("takes the changes of an answer that fit, and asks only for the one that does not", () =>
    Effect.gen(function* () {
      const { taskAgent, messages } = yield* open([
        `${raised}\n${block("src/other.ts", "export { nothing }", "export const other = 1")}\n${resultSaying("All is done.")}`,
        block("src/other.ts", "export {}", "export const other = 1"),
        resultSaying("Both are done.")
      ])
      const { calls, priorCalls, result } = yield* taskAgent.work(orderOf(editing))
      expect(calls.map(({ arguments: given }) => [given["path"], given["new_text"]])).toEqual([
        ["src/limit.ts", "export const limit = 10"],
        ["src/other.ts", "export const other = 1"]
      ])
      // What was made up for is no longer told.
      expect([priorCalls, result?.summary]).toEqual([undefined, "Both are done."])
      const [, reply = ""] = repliesOf(messages)
      expect(reply).toContain("+export const limit = 10")
      expect(reply).toContain(
        "ERROR (validation_failed): Nothing was changed. The old_text does not occur in src/other.ts."
      )
    })
  )

  it.effect("makes the changes of an answer before its calls", () =>
    Effect.gen(function* () {
      const { taskAgent, messages } = yield* open([
        `${raised}\n\n${refinementWith([read()])}`,
        resultSaying("It is 10.")
      ])
      const { calls } = yield* taskAgent.work(orderOf(editing))
      expect(calls.map(({ name }) => name)).toEqual(["edit_file"])
      expect(repliesOf(messages)[1]).toMatch(/### Tool call read_file[^#]*2: export const limit = 10/)
    })
  )

  it.effect("takes a report beside changes that were all made", () =>
    Effect.gen(function* () {
      const { taskAgent, prompts } = yield* open([`${raised}\n${resultSaying("The limit is 10.")}`])
      const { calls, result } = yield* taskAgent.work(orderOf(editing))
      expect([calls, result?.summary]).toEqual([[raisedCall], "The limit is 10."])
      expect(prompts.length).toBe(1)
    })
  )

  it.effect("sends a report back once while a change has failed, and then tells the change with it", () =>
    Effect.gen(function* () {
      const { log, taskAgent, messages } = yield* open([
        block("src/other.ts", "export { nothing }", "export const other = 1"),
        resultSaying("It is done."),
        resultSaying("Partly done. The other file was not changed.")
      ])
      const { calls, priorCalls, result } = yield* taskAgent.work(orderOf(editing))
      expect(rejectedIn(log)).toEqual([["change-open"]])
      expect(repliesOf(messages)[2]).toContain("src/other.ts")
      expect([calls, result?.summary]).toEqual([[], "Partly done. The other file was not changed."])
      expect(priorCalls?.map(({ call, result: { success } }) => [call.name, success])).toEqual([["edit_file", false]])
    })
  )

  it.effect("replaces a text over many places but those that are excepted", () =>
    Effect.gen(function* () {
      const { taskAgent, messages } = yield* open(
        [
          '```json\n{ "replace": "oldName", "with": "newName", "except": ["docs/history.md:1"] }\n```',
          resultSaying("It is renamed.")
        ],
        {
          files: {
            "src/a.ts": "oldName()\nconst x = oldName\n",
            "src/b.ts": "import { oldName } from './a'\n",
            "docs/history.md": "Once it was oldName.\n"
          }
        }
      )
      const { calls } = yield* taskAgent.work(orderOf(editing))
      expect(calls.map(({ arguments: given }) => given["path"])).toEqual(["src/a.ts", "src/b.ts"])
      expect(JSON.stringify(calls)).not.toContain("history")
      expect(calls[0]?.arguments["new_text"]).toContain("newName()\nconst x = newName")
      expect(messages.flat().join("\n")).toContain(
        "- `oldName` stood in 4 lines: 3 changed in 2 files, 1 left out (docs/history.md 1)."
      )
    })
  )

  const partly = resultSaying("Partly done. It was not allowed.")
  const nobody = layerRuleApprover([], "/")
  const closed = [
    ["a rule denies to read", "src/limit.ts", { rules: [{ verdict: "deny", tool: "read_file", pattern: "src/**" }] }],
    ["a rule asks about, and nobody answers", "src/limit.ts", { rules: [{ verdict: "ask", tool: "read_file" }] }],
    [
      "looks like a secret, and nobody answers",
      ".env",
      { files: { ".env": "// The limit.\nexport const limit = 5\n" } }
    ]
  ] as const
  const guesses: ReadonlyArray<readonly [name: string, answer: (path: string) => string]> = [
    ["a right guess", (path) => block(path, "export const limit = 5", "export const limit = 10")],
    ["a wrong guess", (path) => block(path, "export const limit = 7", "export const limit = 10")],
    ["a guess that stands twice", (path) => block(path, "limit", "limits")],
    ["blanks that differ", (path) => block(path, "  export const  limit = 5", "export const limit = 10")],
    [
      "a call",
      (path) => refinementWith([{ name: "edit_file", arguments: { path, old_text: "limit", new_text: "x" } }])
    ],
    [
      "several edits in a call",
      (path) =>
        refinementWith([
          {
            name: "edit_file",
            arguments: {
              path,
              edits: [
                { old_text: "5", new_text: "6" },
                { old_text: "9", new_text: "8" }
              ]
            }
          }
        ])
    ],
    ["a whole file", (path) => `${path}\n\`\`\`ts\nexport const other = 1\n\`\`\``],
    ["a call with a whole file", (path) => refinementWith([{ name: "write_file", arguments: { path, content: "x" } }])],
    ["a removal", (path) => `{"remove": "${path}"}`],
    ["a path with steps back", (path) => block(`src/../${path}`, "export const limit = 5", "export const limit = 10")]
  ]
  for (const [why, path, more] of closed) {
    it.effect(`tells nothing of a file that ${why}, whatever is guessed`, () =>
      Effect.gen(function* () {
        const replies = new Set<string>()
        for (const [, guess] of guesses) {
          const { taskAgent, messages } = yield* open([guess(path), partly, partly], { ...more, approver: nobody })
          const { calls } = yield* taskAgent.work(orderOf(editing))
          expect(calls).toEqual([])
          const [, reply = ""] = repliesOf(messages)
          expect(reply).toContain("Permission denied")
          expect(reply).not.toMatch(/The limit\.|[Ll]ines? \d|stands|occurs/)
          // Each says the tool that was called.
          replies.add(/Permission denied: .*? (?=(?:edit|remove|write)_file on)/.exec(reply)?.[0] ?? reply)
        }
        // Right and wrong guesses are answered alike.
        expect(replies.size).toBe(1)
      })
    )
  }

  it.effect("tells of a file that a person allowed to be read, or whose change a rule allows", () =>
    Effect.gen(function* () {
      const wrong = block(".env", "KEY=2", "KEY=3")
      const secret = { ".env": "KEY=1\n" }
      const approver = scriptedApprover({ calls: ["once"] })
      const asked = yield* open([wrong, partly, partly], { files: secret, approver: approver.layer })
      yield* asked.taskAgent.work(orderOf(editing))
      expect(approver.asked.map(([item]) => [item?.tool, item?.targets])).toEqual([
        ["read_file", [`${asked.project}/.env`]]
      ])
      expect(repliesOf(asked.messages)[1]).toContain("does not occur")
      const rules = [{ verdict: "allow", tool: "edit_file", pattern: ".env" }] as const
      const allowed = yield* open([wrong, partly, partly], { files: secret, rules })
      yield* allowed.taskAgent.work(orderOf(editing))
      expect(repliesOf(allowed.messages)[1]).toContain("does not occur")
    })
  )

  it.effect("moves a file, with changes at its new path, and removes another one", () =>
    Effect.gen(function* () {
      const { taskAgent, messages } = yield* open([
        `{"move": "src/limit.ts", "to": "src/limits.ts"}\n\n${block("src/limits.ts", "export const limit = 5", "export const limit = 10")}`,
        refinementWith([{ name: "search_files", arguments: { pattern: "limit" } }]),
        '{"remove": "src/other.ts"}',
        resultSaying("The limit is 10.")
      ])
      const { calls } = yield* taskAgent.work(orderOf(editing))
      // What is done at the new path comes after the move.
      expect(calls.map(({ arguments: given, name }) => [name, given])).toEqual([
        ["remove_file", { path: "src/other.ts" }],
        ["move_file", { path: "src/limit.ts", to: "src/limits.ts" }],
        [
          "edit_file",
          { path: "src/limits.ts", old_text: "export const limit = 5", new_text: "export const limit = 10" }
        ]
      ])
      // The working copy has the file at its new path only.
      expect(repliesOf(messages)[2]).toContain("src/limits.ts:2: export const limit = 10")
      expect(repliesOf(messages)[2]).not.toContain("src/limit.ts:2")
    })
  )

  it.effect("moves nothing onto another file, and nothing that is not there or may not be read", () =>
    Effect.gen(function* () {
      const { log, taskAgent, messages } = yield* open(
        [
          '{"move": "src/limit.ts", "to": "src/other.ts"}',
          '{"move": "src/far.ts", "to": "src/near.ts"}',
          '{"move": ".env", "to": "env.txt"}',
          '{"remove": "src/far.ts"}',
          resultSaying("Nothing was moved."),
          resultSaying("Partly done. Nothing was moved.")
        ],
        { approver: scriptedApprover({ calls: ["deny"] }).layer, files: { ".env": "KEY=secret\n" } }
      )
      const { calls, priorCalls } = yield* taskAgent.work(orderOf(editing))
      expect(calls).toEqual([])
      // The report is sent back once, and none of the four is forgotten.
      expect(rejectedIn(log)).toEqual([["change-open", "change-open", "change-open", "change-open"]])
      expect(priorCalls?.map(({ call, result }) => [call.name, result.error_type])).toEqual([
        ["move_file", "validation_failed"],
        ["move_file", "not_found"],
        ["move_file", "permission_denied"],
        ["remove_file", "not_found"]
      ])
      const replies = repliesOf(messages)
      expect(replies[1]).toContain("There is a file src/other.ts already, so src/limit.ts was not moved.")
      expect(replies[2]).toContain("There is no file at src/far.ts.")
      expect(messages.flat().join("\n")).not.toContain("secret")
    })
  )

  it.effect("replaces and shows nothing of files that a search would not show", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const outside = yield* fs.makeTempDirectoryScoped()
      yield* fs.writeFileString(`${outside}/far.txt`, "oldName of others\n")
      const { taskAgent, messages, project } = yield* open(
        [
          '```json\n{ "replace": "oldName", "with": "newName" }\n```',
          resultSaying("It is renamed."),
          resultSaying("Partly done. Two files could not be read.")
        ],
        {
          files: { "src/a.ts": "oldName()\n", ".env": "KEY=oldName\n", "private/b.ts": "oldName in private\n" },
          rules: [{ verdict: "deny", tool: "read_file", pattern: "private/**" }]
        }
      )
      yield* fs.symlink(`${outside}/far.txt`, `${project}/src/far.txt`)
      const { calls, priorCalls } = yield* taskAgent.work(orderOf(editing))
      expect(calls.map(({ arguments: given }) => given["path"])).toEqual(["src/a.ts"])
      expect(priorCalls).toBeUndefined()
      expect(repliesOf(messages)[1]).toContain(
        "`oldName` stood in 1 line: 1 changed in 1 file. Not looked at: 1 file that looks like a secret (.env), 1 file that may not be read (private/b.ts)."
      )
      expect(messages.flat().join("\n")).not.toMatch(/of others|KEY=|in private|none left out/)
    })
  )

  it.effect("says so when the text to replace stands nowhere", () =>
    Effect.gen(function* () {
      const { log, taskAgent, messages } = yield* open([
        '```json\n{ "replace": "oldName", "with": "newName" }\n```',
        resultSaying("There is no such name."),
        resultSaying("Partly done. There is no such name.")
      ])
      const { calls, priorCalls } = yield* taskAgent.work(orderOf(editing))
      expect(calls).toEqual([])
      expect(rejectedIn(log)).toEqual([["change-open"], ["change-open"]])
      expect(priorCalls?.map(({ result }) => result.error_type)).toEqual(["validation_failed"])
      expect(repliesOf(messages)[1]).toContain('The text "oldName" does not occur in the project')
    })
  )

  it.effect("never replaces a file by a block for a new one", () =>
    Effect.gen(function* () {
      const { taskAgent, messages } = yield* open([
        block("src/limit.ts", "", "export const added = 1"),
        raised,
        resultSaying("The limit is 10.")
      ])
      expect((yield* taskAgent.work(orderOf(editing))).calls).toEqual([raisedCall])
      const [, reply = ""] = repliesOf(messages)
      expect(reply).toMatch(/src\/limit\.ts[^\n]* exists/)
      // What to write, and what the file holds.
      expect(reply).toContain(
        "src/limit.ts\n<<<<<<< OLD\nexport const limit = 5\n=======\nexport const limit = 5\n<the new lines>\n>>>>>>> NEW"
      )
      expect(reply).toContain("The 2 lines of src/limit.ts:\n1: // The limit.\n2: export const limit = 5")
    })
  )

  it.effect("shows nothing of a file that may not be read with a block that lacks its old text", () =>
    Effect.gen(function* () {
      const { taskAgent, messages } = yield* open(
        [block("private/b.ts", "", "added()"), resultSaying("No."), resultSaying("Partly done. It exists.")],
        {
          files: { "private/b.ts": "hidden()\n" },
          rules: [{ verdict: "deny", tool: "read_file", pattern: "private/**" }]
        }
      )
      yield* taskAgent.work(orderOf(editing))
      expect(repliesOf(messages)[1]).toContain("private/b.ts exists and holds text")
      expect(messages.flat().join("\n")).not.toContain("hidden()")
    })
  )

  it.effect("takes no report at once after a block that was refused, and tells it with the second", () =>
    Effect.gen(function* () {
      const { log, taskAgent } = yield* open([
        block("src/limit.ts", "", "export const added = 1"),
        refinementWith([read()]),
        resultSaying("It is added."),
        resultSaying("Partly done. Nothing was added.")
      ])
      const { calls, priorCalls } = yield* taskAgent.work(orderOf(editing))
      expect(rejectedIn(log)).toEqual([["change-open"], ["change-open"]])
      expect([calls, priorCalls?.map(({ call, result }) => [call.name, result.success])]).toEqual([
        [],
        [
          ["read_file", true],
          ["write_file", false]
        ].toSorted((a, b) => String(b[0]).localeCompare(String(a[0])))
      ])
    })
  )

  it.effect("shows one diff for several blocks of one file, and names the block that failed", () =>
    Effect.gen(function* () {
      const { taskAgent, messages } = yield* open(
        [
          [
            block("src/many.ts", "one()", "first()"),
            block("src/many.ts", "two()", "second()"),
            block("src/many.ts", "four()", "fourth()")
          ].join("\n"),
          block("src/many.ts", "three()", "third()"),
          resultSaying("Done.")
        ],
        { files: { "src/many.ts": "one()\ntwo()\nthree()\n" } }
      )
      yield* taskAgent.work(orderOf(editing))
      const [, reply = "", next = ""] = repliesOf(messages)
      expect(reply.split("### Changed: src/many.ts").length).toBe(2)
      expect(reply).toContain("-one()\n-two()\n+first()\n+second()\n three()")
      expect(reply).toContain("### Not changed: src/many.ts\n\nThe block that replaces `four()`:\n\nERROR")
      // The next one shows what the next answer changed.
      expect(next).toContain("-three()\n+third()")
      expect(next).not.toContain("+first()")
    })
  )

  it.effect("counts a replacement over many files as one change", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 20 }, (_, index) => `src/part${index}.ts`)
      const { log, taskAgent, messages } = yield* open(
        ['{"replace": "oldName", "with": "newName"}', resultSaying("It is renamed.")],
        { files: Object.fromEntries(names.map((name) => [name, "oldName()\n"])), settings: { contextWindow: 4096 } }
      )
      const { calls } = yield* taskAgent.work(orderOf(editing))
      expect([calls.length, rejectedIn(log)]).toEqual([20, []])
      expect(repliesOf(messages)[1]).toContain("+++ src/part19.ts\n@@ -1 +1 @@\n-oldName()\n+newName()")
    })
  )

  it.effect("holds nothing of a file that is denied or protected", () =>
    Effect.gen(function* () {
      const nobody = scriptedApprover({})
      const { taskAgent, messages, project } = yield* open(
        [
          refinementWith([
            { name: "write_file", arguments: { path: "src/other.ts", content: "changed\n" } },
            { name: "write_file", arguments: { path: ".git/hooks/pre-commit", content: "#!/bin/sh\n" } },
            { name: "write_file", arguments: { path: "../outside.txt", content: "out\n" } }
          ]),
          resultSaying("Partly done. Nothing may be changed."),
          resultSaying("Partly done. Nothing may be changed.")
        ],
        {
          approver: nobody.layer,
          rules: [{ verdict: "deny", tool: "write_file", pattern: "src/other.ts" }],
          files: { ".git/config": "[core]\n" }
        }
      )
      const { calls, priorCalls } = yield* taskAgent.work(orderOf(editing))
      expect(calls).toEqual([])
      expect(priorCalls?.map(({ result }) => result.error_type)).toEqual([
        "permission_denied",
        "permission_denied",
        "permission_denied"
      ])
      expect(nobody.asked).toEqual([])
      expect(repliesOf(messages)[1]).toContain("ERROR (permission_denied)")
      const fs = yield* FileSystem.FileSystem
      expect(yield* fs.exists(`${project}/.git/hooks/pre-commit`)).toBe(false)
      expect(yield* fs.readFileString(`${project}/src/other.ts`)).toBe(files["src/other.ts"])
    })
  )

  it.effect("takes no changes of a task that may change no file", () =>
    Effect.gen(function* () {
      const { taskAgent, project } = yield* open([
        `${raised}\n${resultSaying("The limit is 10.")}`,
        ...Array.from({ length: 5 }, () => raised)
      ])
      const reader = plainTask("Read 1", "read-code", "The limit.", "A number.")
      const ended = yield* Effect.result(taskAgent.work(orderOf(reader)))
      if (ended._tag === "Success") expect(ended.success.calls).toEqual([])
      const fs = yield* FileSystem.FileSystem
      expect(yield* fs.readFileString(`${project}/src/limit.ts`)).toBe(files["src/limit.ts"])
    })
  )
})

layer(NodeServices.layer)("calls that do something outside of the working copy", (it) => {
  it.effect("are asked about together in a turn, and made when they are approved", () =>
    Effect.gen(function* () {
      const rung: Array<string> = []
      const approver = scriptedApprover({ steps: ["step"] })
      const { log, taskAgent, messages } = yield* open(
        [refinementWith([ring("low"), read(), ring("high")]), resultSaying("It rang twice.")],
        { plugins: [bell(rung)], approver: approver.layer, rules: [{ verdict: "allow", tool: "read_file" }] }
      )
      const { calls, priorCalls } = yield* taskAgent.work(orderOf(acting))
      expect(rung).toEqual(["low", "high"])
      expect(approver.asked.map((items) => items.map(({ call }) => call?.uid))).toEqual([
        ["turn-1/call-1", "turn-1/call-3"]
      ])
      expect(
        log.events().flatMap((event) => (event.type === "approval.requested" ? [[event.scope, event.title]] : []))
      ).toEqual([["step", "Act 1"]])
      expect(calls).toEqual([])
      expect(priorCalls?.map(({ call }) => call.uid)).toEqual(["turn-1/call-1", "turn-1/call-2", "turn-1/call-3"])
      expect(repliesOf(messages)[1]).toContain("Rang high, 2 in all.")
    })
  )

  it.effect("end the task when they are declined, and none of the answer is made", () =>
    Effect.gen(function* () {
      const rung: Array<string> = []
      const approver = scriptedApprover({ steps: ["decline"] })
      const { log, taskAgent, prompts } = yield* open([refinementWith([ring("low"), ring("high")])], {
        plugins: [bell(rung)],
        approver: approver.layer
      })
      expect(yield* Effect.flip(taskAgent.work(orderOf(acting)))).toEqual(new CallsDeclined({ by: "person" }))
      expect([rung, toolsIn(log), prompts.length]).toEqual([[], [], 1])
    })
  )

  it.effect("are asked about anew in a later turn", () =>
    Effect.gen(function* () {
      const rung: Array<string> = []
      const approver = scriptedApprover({ steps: ["step", "decline"] })
      const { taskAgent } = yield* open([refinementWith([ring("low")]), refinementWith([ring("high")])], {
        plugins: [bell(rung)],
        approver: approver.layer
      })
      expect((yield* Effect.flip(taskAgent.work(orderOf(acting))))._tag).toBe("CallsDeclined")
      expect([rung, approver.asked.length]).toEqual([["low"], 2])
    })
  )
})

layer(NodeServices.layer)("the first answer of a task as a refinement", (it) => {
  it.effect("holds calls and changes, and nothing of it is done", () =>
    Effect.gen(function* () {
      const { log, taskAgent, project } = yield* open([`${refinementWith([read()])}\n\n${raised}`])
      const { calls } = yield* taskAgent.firstAnswer(orderOf(editing))
      expect(calls.map(({ name }) => name)).toEqual(["edit_file", "read_file"])
      expect(toolsIn(log)).toEqual([])
      const fs = yield* FileSystem.FileSystem
      expect(yield* fs.readFileString(`${project}/src/limit.ts`)).toBe(files["src/limit.ts"])
    })
  )

  it.effect("is asked for again with its issues, and fails as a refinement after the last attempt", () =>
    Effect.gen(function* () {
      const wrong = refinementWith([{ name: "get_file_tree", arguments: {} }])
      const { log, taskAgent, messages } = yield* open([wrong, wrong], {
        settings: { limits: { ...defaultLimits, attempts: 2 } }
      })
      const failure = yield* Effect.flip(taskAgent.firstAnswer(orderOf(looking)))
      expect(rejectedIn(log)).toEqual([["tool-not-allowed"], ["tool-not-allowed"]])
      expect([failure.phase, failure.cause]).toEqual([
        "refinement",
        { _tag: "NoValidAnswer", attempts: 2, repeated: true }
      ])
      expect(repliesOf(messages)[1]).toContain("## Issues with your answer\n\n1. ")
    })
  )

  it.effect("stands for the first answer of the turns when it is given", () =>
    Effect.gen(function* () {
      const { taskAgent, messages } = yield* open([resultSaying("The limit is [5](src/limit.ts#L2).")])
      const given = { task: looking, calls: [{ uid: "call-1", ...read() }] }
      const { priorCalls } = yield* taskAgent.work(orderOf(looking), given)
      expect(priorCalls?.map(({ call }) => call.uid)).toEqual(["turn-0/call-1"])
      expect(repliesOf(messages)[0]).toContain("export const limit = 5")
    })
  )

  it.effect("gives the inputs of the task when it is given, so that the report needs none", () =>
    Effect.gen(function* () {
      const { log, taskAgent, messages } = yield* open([resultSaying("It is said.")], {
        files: { ".task-conductor/skills/typed/SKILL.md": wordSkill }
      })
      const given = { task: saying, inputs: [{ name: "word", value: "hello" }] as const, calls: [] }
      const { inputs } = yield* taskAgent.work(orderOf(saying), given)
      expect([inputs, rejectedIn(log)]).toEqual([given.inputs, []])
      expect(messages[0]?.join("\n")).toContain("- `word`: hello")
    })
  )
})

layer(NodeServices.layer)("what an answer says of the task", (it) => {
  it.effect("is taken where it is more exact; the planned name and skill stay", () =>
    Effect.gen(function* () {
      const fields =
        "- **Name** Other\n- **What is needed** The whole text.\n- **Skill** talk\n- **Expected output** Two."
      const { log, taskAgent } = yield* open([
        `## Task\n\n${fields}\n\n${looksWith([read()])}`,
        resultSaying("It is known.")
      ])
      const { task } = yield* taskAgent.work(orderOf(looking))
      expect(task).toEqual(plainTask("Look 1", "any", "The whole text.", "Two."))
      expect(repairsIn(log)).toEqual(expect.arrayContaining(["name-kept", "skill-kept"]))
    })
  )

  it.effect.each([
    { name: "that it calls none", references: "none", kept: ["src/other.ts"] },
    { name: "unless it lists others", references: "[a](src/limit.ts)", kept: ["src/limit.ts"] }
  ])("keeps the references of the plan, $name", ({ kept, references }) =>
    Effect.gen(function* () {
      const fields = `- **What is needed** The text.\n- **References** ${references}\n- **Expected output** A word.`
      const { taskAgent } = yield* open([
        `## Task\n\n${fields}\n\n${refinementWith([read()])}`,
        resultSaying("It is known.")
      ])
      const { task } = yield* taskAgent.work(orderOf(new Task({ ...looking, references: [reference("src/other.ts")] })))
      expect(task.references.map(({ href }) => href)).toEqual(kept)
    })
  )
})
