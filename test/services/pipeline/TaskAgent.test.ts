import { assert, describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import { neededTokens } from "../../../src/domain/models/PromptSize.ts"
import { plainTask, Task } from "../../../src/domain/plan/Task.ts"
import { TaskFailure } from "../../../src/domain/plan/TaskResult.ts"
import { modelCallKey } from "../../../src/domain/runs/ActivityKey.ts"
import { layerRuleApprover } from "../../../src/plugins/check-tools/ruleApprover.ts"
import { CallsDeclined, type TaskOrder } from "../../../src/services/pipeline/TaskStage.ts"
import { definePlugin, tool } from "../../../src/services/tools/Plugin.ts"
import { briefing, openStages, type OpenStages } from "../../support/OpenStages.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { freeSkill, looksWith, refinementWith, resultSaying } from "../../support/TestRun.ts"
import { nodeTest } from "../../support/nodeTest.ts"

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

const codes = (all: ReadonlyArray<{ readonly code: string }>) => all.map(({ code }) => code)

/** What an answer is to be corrected for, what was repaired, which calls were made, and what was told to the model. */
const recordOf = ({ log, messages }: Effect.Success<ReturnType<typeof openStages>>) => {
  const events = log.events()
  return {
    rejected: events.flatMap((event) => (event.type === "answer.rejected" ? [codes(event.issues)] : [])),
    repairs: events.flatMap((event) => (event.type === "answer.repaired" ? codes(event.repairs) : [])),
    ran: events.flatMap((event) => (event.type === "tool.started" ? [event.id.uid] : [])),
    turns: events.filter((event) => event.type === "task.turn"),
    replies: messages.map((all) => all.at(-1) ?? "")
  }
}

type Answers = NonNullable<OpenStages["answers"]>

/** What comes of a task when the model gives these answers. */
const work = Effect.fnUntraced(function* (task: Task, answers: Answers, more: Partial<OpenStages> = {}) {
  const stages = yield* open(answers, more)
  const outcome = yield* stages.taskAgent.work(orderOf(task))
  return { ...stages, ...outcome, ...recordOf(stages) }
})

/** How a task fails when the model gives these answers. */
const fail = Effect.fnUntraced(function* (task: Task, answers: Answers, more: Partial<OpenStages> = {}) {
  const stages = yield* open(answers, more)
  const failure = yield* Effect.flip(stages.taskAgent.work(orderOf(task)))
  if (!(failure instanceof TaskFailure)) return assert.fail(String(failure))
  return { ...stages, failure, ...recordOf(stages) }
})

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

describe("TaskAgent", () => {
  nodeTest("makes calls at once, shows their outputs, and ends with the report", function* () {
    const { calls, log, messages, priorCalls, prompts, replies, result, turns } = yield* work(looking, [
      refinementWith([read(), read("src/other.ts")]),
      resultSaying("The limit is [5](src/limit.ts#L2).")
    ])
    expect(priorCalls?.map(({ call }) => call.uid)).toEqual(["turn-1/call-1", "turn-1/call-2"])
    expect([calls, result?.summary]).toEqual([[], "The limit is [5](src/limit.ts#L2)."])
    expect(log.events().flatMap((event) => (event.type === "model.started" ? [modelCallKey(event.call)] : []))).toEqual(
      ["round-1/turn/look-1/attempt-1", "round-1/turn/look-1/attempt-2"]
    )
    expect(turns).toMatchObject([{ turn: 1, changed: [], calls: [{ uid: "turn-1/call-1" }, {}] }])
    // The conversation only grows: what a server has read stays as it is.
    expect(new Set(prompts.map(({ system }) => system)).size).toBe(1)
    expect(messages[1]?.slice(0, -2)).toEqual(messages[0])
    expect(replies[1]).toContain("export const limit = 5")
  })

  nodeTest("offers tools through the interface when that is set, and answers each call with one message", function* () {
    const edit = { path: "src/limit.ts", old_text: "limit = 5", new_text: "limit = 10" }
    const { calls, prompts, requests } = yield* work(
      editing,
      [
        { text: "I look.", calls: [native("read_file", { path: "src/limit.ts" }, "a"), native("nothing", {}, "b")] },
        { text: "", calls: [native("edit_file", edit, "a")] },
        resultSaying("The limit is [10](src/limit.ts#L2).")
      ],
      { settings: { toolCalls: "native" } }
    )
    expect(calls).toMatchObject([{ name: "edit_file" }])
    expect(prompts[0]?.system).not.toContain("## Tools")
    expect(requests[0]?.tools).toEqual(expect.arrayContaining(["read_file", "edit_file"]))
    expect(requests.map(({ messages }) => messages.map(({ role }) => role).slice(2))).toEqual([
      [],
      ["assistant", "tool", "tool"],
      ["assistant", "tool", "tool", "assistant", "tool", "user"]
    ])
  })

  nodeTest("says which rules the project has, but no facts of it", function* () {
    const { taskAgent, prompts } = yield* open([refinementWith([read()]), resultSaying("It is known.")])
    const facts = { projectReadme: "Sells tea.", projectMap: "Main files.", environment: "- Shell: sh" }
    yield* taskAgent.work({
      ...orderOf(looking),
      briefing: { ...briefing, ...facts, projectDescription: "Use tabs." }
    })
    expect(prompts[0]?.system).toContain("## Project description\n\nUse tabs.")
    expect(prompts[0]?.system).not.toMatch(/Sells tea|Main files|Shell: sh/)
  })

  nodeTest("refuses a task whose skill does not exist", function* () {
    const { failure, prompts } = yield* fail(plainTask("Look 1", "unheard-of", "It.", "It."), [])
    const reason = 'There is no skill "unheard-of".'
    expect(failure).toEqual(new TaskFailure({ task: "Look 1", phase: "refinement", reason, skipped: false }))
    expect(prompts).toEqual([])
  })

  nodeTest("does what an answer asks for before it takes a report beside it", function* () {
    const early = `${refinementWith([read()])}\n\n${resultSaying("The limit is 7.")}`
    const { repairs, replies, result } = yield* work(looking, [early, resultSaying("The limit is 5.")])
    expect(result?.summary).toBe("The limit is 5.")
    expect(repairs).toContain("report-early")
    expect(replies[1]).toContain("export const limit = 5")
  })

  nodeTest("says of an empty section for calls what to write", function* () {
    const { rejected, replies } = yield* work(looking, ["## Tool Calls\n\nNone.\n", resultSaying("The limit is 5.")])
    expect(rejected).toEqual([["section-empty"]])
    expect(replies[1]).toContain('such as { "uid": "call-1", "name": "<tool>"')
    expect(replies[1]).toContain('write the report ("## Result summary")')
  })

  const useless = [1, 2, 3, 4, 5].map((at) => refinementWith([{ name: `fly_${at}`, arguments: {} }]))
  const look = refinementWith([read()])
  const invalid = { _tag: "NoValidAnswer", attempts: 5, repeated: false } as const
  const repeated = "the same call was made 3 times \\(limits\\.identicalCalls\\) and gave nothing new: .*read_file"
  const turns = { limits: { ...defaultLimits, turns: 2 } }
  /** Answers without a report, the phase in which they end the task, the reason and cause, and which calls ran. */
  const withoutReport = [
    [looking, [look, look, look], "execution", repeated, undefined, undefined],
    [looking, useless, "refinement", "no valid tool calls after 5 tries\\. Last issues: ", invalid, undefined],
    [looking, [look, ...useless], "execution", "no valid result after 5 tries\\.", invalid, ["read_file"]],
    [
      editing,
      [raised, look],
      "execution",
      ".*files\\)\\. Its changes of src/limit\\.ts were not kept",
      undefined,
      undefined,
      turns
    ]
  ] as const

  nodeTest("ends a task without a report in the phase that it has reached, and says why", function* () {
    for (const [task, answers, phase, reason, cause, ran, settings = {}] of withoutReport) {
      const { failure } = yield* fail(task, answers, { settings })
      expect([failure.phase, failure.ran?.map(({ call }) => call.name)]).toEqual([phase, ran])
      if (cause !== undefined) expect(failure.cause).toEqual(cause)
      expect(failure.reason).toMatch(new RegExp(`^${reason}`))
    }
  })

  nodeTest("makes the changes of the last answer that stand above its report, and says so before", function* () {
    const last = `${raised}\n\n## Result summary\n\nThe limit is 10.\n`
    const { files, replies } = yield* work(editing, [refinementWith([read()]), last], { settings: turns })
    expect(replies.at(-1)).toContain("Changes above it still count.")
    expect(files?.map(({ path }) => path)).toEqual(["src/limit.ts"])
  })

  nodeTest("lets a skill have fewer turns", function* () {
    const short = freeSkill
      .replace("---\n\n##", 'metadata:\n  task-conductor.turns: "2"\n---\n\n##')
      .replace("name: free", "name: short")
    const { failure, prompts, replies } = yield* fail(
      plainTask("Short 1", "short", "It.", "It."),
      [refinementWith([read()]), refinementWith([read("src/other.ts")]), resultSaying("Too late.")],
      { files: { ".task-conductor/skills/short/SKILL.md": short } }
    )
    expect([failure.phase, prompts.length]).toEqual(["execution", 2])
    expect(replies[1]).toContain("This is the last answer")
  })

  nodeTest("does not take what the model said itself for the source of a link", function* () {
    const wrong = resultSaying("It is as [the docs](https://example.com/never) say.")
    const { rejected, result } = yield* work(looking, [refinementWith([read()]), wrong, wrong, wrong])
    expect(rejected).toHaveLength(1)
    expect(result?.evidence).toMatchObject({ checked: 1, wrong: 1 })
  })

  nodeTest("fails a task whose required input no answer gives, and makes no change of it", function* () {
    const editor = wordSkill.replace('allowed-tools: ""', "allowed-tools: edit_file")
    const early = resultSaying("The limit is 10.")
    const { project, rejected } = yield* fail(
      saying,
      [raised, `${block("src/other.ts", "export {}", "export const x = 1")}\n${early}`, early],
      {
        settings: { limits: { ...defaultLimits, attempts: 1 } },
        files: { ".task-conductor/skills/typed/SKILL.md": editor }
      }
    )
    expect(rejected).toEqual([["input-missing"], ["input-missing"], ["input-missing"]])
    const fs = yield* FileSystem.FileSystem
    expect(yield* fs.readFileString(`${project}/src/limit.ts`)).toBe(files["src/limit.ts"])
  })

  nodeTest("keeps every prompt within a small window: what was done is folded, the request stays", function* () {
    const names = ["a", "b", "c", "d", "e", "f"]
    const { calls, messages, prompts } = yield* work(
      editing,
      [raised, ...names.map((name) => refinementWith([read(`src/${name}.ts`)])), resultSaying("The limit is 10.")],
      {
        files: Object.fromEntries(names.map((name) => [`src/${name}.ts`, `${long(name)}\n`])),
        settings: { contextWindow: 4096, limits: { ...defaultLimits, turns: 10 } }
      }
    )
    expect(calls).toEqual([raisedCall])
    const sizes = messages.map((all, index) => {
      const system = prompts[index]?.system ?? ""
      return neededTokens({ system, user: all.join("\n"), parts: [] })
    })
    expect(sizes.filter((size) => size > 4096)).toEqual([])
    const folded = messages.flatMap((all, index) => (all.length === 1 && index > 0 ? all : []))
    expect(folded.length).toBeGreaterThan(0)
    for (const text of folded) {
      expect(text).toContain("- **What is needed** Make the limit 10.")
      expect(text).toContain("## Done so far")
      expect(text).toContain("+export const limit = 10")
      expect(text).not.toContain('"edit_file"')
    }
  })
})

const replaced = (old_text: string, new_text: string) => ({ old_text, new_text })
const edited = (path: string, change: object) => refinementWith([{ name: "edit_file", arguments: { path, ...change } }])

const many = (before: string, after: string) => block("src/many.ts", before, after)

describe("the working copy of a task", () => {
  nodeTest("takes changes without a question, which later reads and searches see, and nothing else", function* () {
    const nobody = scriptedApprover({})
    const created = { name: "write_file", arguments: { path: "src/new.ts", content: "const fresh = 1\n" } }
    const { calls, project, ran, replies, turns } = yield* work(
      editing,
      [
        refinementWith([created]),
        raised,
        refinementWith([read("src/new.ts"), { name: "search_files", arguments: { pattern: "const" } }]),
        resultSaying("It is done.")
      ],
      { approver: nobody.layer, rules: [{ verdict: "allow", tool: "read_file" }] }
    )
    expect(calls).toEqual([raisedCall, { uid: "change-2", ...created }])
    expect([nobody.asked, ran]).toEqual([[], ["turn-3/call-1", "turn-3/call-2"]])
    expect(turns[1]).toMatchObject({ turn: 2, changed: ["src/limit.ts"], calls: [{ name: "edit_file" }] })
    expect(replies[2]).toContain(
      "### Changed: src/limit.ts\n\nAs you wrote it:\n\n- src/limit.ts: +1 -1, at lines 1 to 2; in limit\n"
    )
    for (const seen of ["const fresh = 1", "src/new.ts:1:", "export const limit = 10"])
      expect(replies[3]).toContain(seen)
    const fs = yield* FileSystem.FileSystem
    expect(yield* fs.exists(`${project}/src/new.ts`)).toBe(false)
    expect(yield* fs.readFileString(`${project}/src/limit.ts`)).toBe(files["src/limit.ts"])
  })

  nodeTest("takes the changes of an answer that fit, and asks only for the one that does not", function* () {
    const { calls, priorCalls, replies, result } = yield* work(editing, [
      `${raised}\n${block("src/other.ts", "export { nothing }", "export const other = 1")}\n${resultSaying("All is done.")}`,
      block("src/other.ts", "export {}", "export const other = 1"),
      resultSaying("Both are done.")
    ])
    expect(calls.map(({ arguments: given }) => [given["path"], given["new_text"]])).toEqual([
      ["src/limit.ts", "export const limit = 10"],
      ["src/other.ts", "export const other = 1"]
    ])
    // What was made up for is no longer told.
    expect([priorCalls, result?.summary]).toEqual([undefined, "Both are done."])
    const [, reply = ""] = replies
    expect(reply).toContain("- src/limit.ts: +1 -1, at lines 1 to 2; in limit\n")
    expect(reply).toContain(
      "ERROR (validation_failed): Nothing was changed. The old_text does not occur in src/other.ts."
    )
  })

  nodeTest("makes the changes of an answer before its calls", function* () {
    const { calls, replies } = yield* work(editing, [
      `${raised}\n\n${refinementWith([read()])}`,
      resultSaying("It is 10.")
    ])
    expect(calls.map(({ name }) => name)).toEqual(["edit_file"])
    expect(replies[1]).toMatch(/### Tool call read_file[^#]*2: export const limit = 10/)
  })

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
  const guesses: ReadonlyArray<(path: string) => string> = [
    (path) => block(path, "export const limit = 5", "export const limit = 10"),
    (path) => block(path, "export const limit = 7", "export const limit = 10"),
    (path) => block(path, "limit", "limits"),
    (path) => block(path, "  export const  limit = 5", "export const limit = 10"),
    (path) => edited(path, { edits: [replaced("5", "6"), replaced("9", "8")] }),
    (path) => `${path}\n\`\`\`ts\nexport const other = 1\n\`\`\``,
    (path) => refinementWith([{ name: "write_file", arguments: { path, content: "x" } }]),
    (path) => `{"remove": "${path}"}`,
    (path) => block(`src/../${path}`, "export const limit = 5", "export const limit = 10")
  ]
  for (const [why, path, more] of closed) {
    nodeTest(`tells nothing of a file that ${why}, whatever is guessed`, function* () {
      const different = new Set<string>()
      for (const guess of guesses) {
        const { calls, replies } = yield* work(editing, [guess(path), partly, partly], { ...more, approver: nobody })
        expect(calls).toEqual([])
        const [, reply = ""] = replies
        expect(reply).toContain("Permission denied")
        expect(reply).not.toMatch(/The limit\.|[Ll]ines? \d|stands|occurs/)
        // Each says the tool that was called.
        different.add(/Permission denied: .*? (?=(?:edit|remove|write)_file on)/.exec(reply)?.[0] ?? reply)
      }
      // Right and wrong guesses are answered alike.
      expect(different.size).toBe(1)
    })
  }

  nodeTest("tells of a file that a person allowed to be read, or whose change a rule allows", function* () {
    const wrong = block(".env", "KEY=2", "KEY=3")
    const secret = { ".env": "KEY=1\n" }
    const approver = scriptedApprover({ calls: ["once"] })
    const asked = yield* work(editing, [wrong, partly, partly], { files: secret, approver: approver.layer })
    expect(approver.asked.map(([item]) => [item?.tool, item?.targets])).toEqual([
      ["read_file", [`${asked.project}/.env`]]
    ])
    expect(asked.replies[1]).toContain("does not occur")
    const rules = [{ verdict: "allow", tool: "edit_file", pattern: ".env" }] as const
    const allowed = yield* work(editing, [wrong, partly, partly], { files: secret, rules })
    expect(allowed.replies[1]).toContain("does not occur")
  })

  nodeTest("moves a file, with changes at its new path, and removes another one", function* () {
    const { calls, replies } = yield* work(editing, [
      `{"move": "src/limit.ts", "to": "src/limits.ts"}\n\n${block("src/limits.ts", "export const limit = 5", "export const limit = 10")}`,
      refinementWith([{ name: "search_files", arguments: { pattern: "limit" } }]),
      '{"remove": "src/other.ts"}',
      resultSaying("The limit is 10.")
    ])
    // What is done at the new path comes after the move.
    expect(calls.map(({ arguments: given, name }) => [name, given])).toEqual([
      ["remove_file", { path: "src/other.ts" }],
      ["move_file", { path: "src/limit.ts", to: "src/limits.ts" }],
      ["edit_file", { path: "src/limits.ts", old_text: "export const limit = 5", new_text: "export const limit = 10" }]
    ])
    // The working copy has the file at its new path only.
    expect(replies[2]).toContain("src/limits.ts:2: export const limit = 10")
    expect(replies[2]).not.toContain("src/limit.ts:2")
  })

  nodeTest("moves nothing onto another file, and nothing that is not there or may not be read", function* () {
    const { calls, messages, priorCalls, rejected, replies } = yield* work(
      editing,
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
    expect(calls).toEqual([])
    // The report is sent back once, and none of the four is forgotten.
    expect(rejected).toEqual([["change-open", "change-open", "change-open", "change-open"]])
    expect(priorCalls?.map(({ call, result }) => [call.name, result.error_type])).toEqual([
      ["move_file", "validation_failed"],
      ["move_file", "not_found"],
      ["move_file", "permission_denied"],
      ["remove_file", "not_found"]
    ])
    expect(replies[1]).toContain("There is a file src/other.ts already, so src/limit.ts was not moved.")
    expect(replies[2]).toContain("There is no file at src/far.ts.")
    expect(messages.flat().join("\n")).not.toContain("secret")
  })

  nodeTest("replaces and shows nothing of a file outside that a link leads to", function* () {
    const fs = yield* FileSystem.FileSystem
    const outside = yield* fs.makeTempDirectoryScoped()
    yield* fs.writeFileString(`${outside}/far.txt`, "oldName of others\n")
    const { messages, project, taskAgent } = yield* open(
      ['{ "replace": "oldName", "with": "newName" }', resultSaying("It is renamed.")],
      { files: { "src/a.ts": "oldName()\n" } }
    )
    yield* fs.symlink(`${outside}/far.txt`, `${project}/src/far.txt`)
    const { calls } = yield* taskAgent.work(orderOf(editing))
    expect(calls.map(({ arguments: given }) => given["path"])).toEqual(["src/a.ts"])
    expect(messages.flat().join("\n")).not.toContain("of others")
  })

  nodeTest("never replaces a file by a block for a new one", function* () {
    const added = block("src/limit.ts", "", "export const added = 1")
    const { calls, replies } = yield* work(editing, [added, raised, resultSaying("The limit is 10.")])
    expect(calls).toEqual([raisedCall])
    const [, reply = ""] = replies
    expect(reply).toMatch(/src\/limit\.ts[^\n]* exists/)
    // What to write, and what the file holds.
    expect(reply).toContain(
      "src/limit.ts\n<<<<<<< OLD\nexport const limit = 5\n=======\nexport const limit = 5\n<the new lines>\n>>>>>>> NEW"
    )
    expect(reply).toContain("The 2 lines of src/limit.ts:\n1: // The limit.\n2: export const limit = 5")
  })

  nodeTest("shows nothing of a file that may not be read with a block that lacks its old text", function* () {
    const { messages, replies } = yield* work(
      editing,
      [block("private/b.ts", "", "added()"), resultSaying("No."), resultSaying("Partly done. It exists.")],
      {
        files: { "private/b.ts": "hidden()\n" },
        rules: [{ verdict: "deny", tool: "read_file", pattern: "private/**" }]
      }
    )
    expect(replies[1]).toContain("private/b.ts exists and holds text")
    expect(messages.flat().join("\n")).not.toContain("hidden()")
  })

  nodeTest("names once a file with several blocks that were made as written, and the block that failed", function* () {
    const { replies } = yield* work(
      editing,
      [
        [many("one()", "first()"), many("two()", "second()"), many("four()", "fourth()")].join("\n"),
        many("three()", "third()"),
        resultSaying("Done.")
      ],
      { files: { "src/many.ts": "one()\ntwo()\nthree()\n" } }
    )
    const [, reply = "", next = ""] = replies
    expect(reply.split("### Changed: src/many.ts").length).toBe(2)
    expect(reply).toContain("As you wrote it:\n\n- src/many.ts: +2 -2, at lines 1 to 3\n")
    expect(reply).toContain("### Not changed: src/many.ts\n\nThe block that replaces `four()`:\n\nERROR")
    // The next one shows what the next answer changed.
    expect(next).toContain("- src/many.ts: +1 -1, at lines 1 to 3\n")
  })

  nodeTest("holds nothing of a file that is denied or protected", function* () {
    const nobody = scriptedApprover({})
    const denied = ["src/other.ts", ".git/hooks/pre-commit", "../outside.txt"].map((path) => ({
      name: "write_file",
      arguments: { path, content: "changed\n" }
    }))
    const { calls, priorCalls } = yield* work(editing, [refinementWith(denied), partly, partly], {
      approver: nobody.layer,
      rules: [{ verdict: "deny", tool: "write_file", pattern: "src/other.ts" }],
      files: { ".git/config": "[core]\n" }
    })
    expect([calls, nobody.asked]).toEqual([[], []])
    expect(priorCalls?.map(({ result }) => result.error_type)).toEqual(denied.map(() => "permission_denied"))
  })

  nodeTest("takes no changes of a task that may change no file", function* () {
    const { project, taskAgent } = yield* open([
      `${raised}\n${resultSaying("The limit is 10.")}`,
      ...Array.from({ length: 5 }, () => raised)
    ])
    const reader = plainTask("Read 1", "read-code", "The limit.", "A number.")
    const ended = yield* Effect.result(taskAgent.work(orderOf(reader)))
    if (ended._tag === "Success") expect(ended.success.calls).toEqual([])
    const fs = yield* FileSystem.FileSystem
    expect(yield* fs.readFileString(`${project}/src/limit.ts`)).toBe(files["src/limit.ts"])
  })
})

describe("calls that do something outside of the working copy", () => {
  nodeTest("are asked about together in a turn, and made when they are approved", function* () {
    const rung: Array<string> = []
    const approver = scriptedApprover({ steps: ["step"] })
    const { calls, priorCalls, replies } = yield* work(
      acting,
      [refinementWith([ring("low"), read(), ring("high")]), resultSaying("It rang twice.")],
      { plugins: [bell(rung)], approver: approver.layer, rules: [{ verdict: "allow", tool: "read_file" }] }
    )
    expect(rung).toEqual(["low", "high"])
    expect(approver.asked.map((items) => items.map(({ call }) => call?.uid))).toEqual([
      ["turn-1/call-1", "turn-1/call-3"]
    ])
    expect(calls).toEqual([])
    expect(priorCalls?.map(({ call }) => call.uid)).toEqual(["turn-1/call-1", "turn-1/call-2", "turn-1/call-3"])
    expect(replies[1]).toContain("Rang high, 2 in all.")
  })

  nodeTest("end the task when they are declined before any is made, and are asked about anew each turn", function* () {
    for (const [steps, answers, made] of [
      [["decline"], [refinementWith([ring("low"), ring("high")])], []],
      [["step", "decline"], [refinementWith([ring("low")]), refinementWith([ring("high")])], ["low"]]
    ] as const) {
      const rung: Array<string> = []
      const approver = scriptedApprover({ steps })
      const { prompts, taskAgent } = yield* open(answers, { plugins: [bell(rung)], approver: approver.layer })
      expect(yield* Effect.flip(taskAgent.work(orderOf(acting)))).toEqual(new CallsDeclined({ by: "person" }))
      expect([rung, approver.asked.length, prompts.length]).toEqual([made, steps.length, answers.length])
    }
  })
})

describe("a first answer that is given", () => {
  nodeTest("gives the inputs of the task, so that the report needs none", function* () {
    const stages = yield* open([resultSaying("It is said.")], {
      files: { ".task-conductor/skills/typed/SKILL.md": wordSkill }
    })
    const given = { task: saying, inputs: [{ name: "word", value: "hello" }] as const, calls: [] }
    const { inputs } = yield* stages.taskAgent.work(orderOf(saying), given)
    expect([inputs, recordOf(stages).rejected]).toEqual([given.inputs, []])
    expect(stages.messages[0]?.join("\n")).toContain("- `word`: hello")
  })
})

describe("what an answer says of the task", () => {
  nodeTest("is taken where it is more exact; the planned name and skill stay", function* () {
    const fields =
      "- **Name** Other\n- **What is needed** The whole text.\n- **Skill** talk\n- **Expected output** Two."
    const { repairs, task } = yield* work(looking, [
      `## Task\n\n${fields}\n\n${looksWith([read()])}`,
      resultSaying("It is known.")
    ])
    expect(task).toEqual(plainTask("Look 1", "any", "The whole text.", "Two."))
    expect(repairs).toEqual(expect.arrayContaining(["name-kept", "skill-kept"]))
  })

  nodeTest("keeps the references of the plan, that it calls none and unless it lists others", function* () {
    for (const [references, kept] of [
      ["none", "src/other.ts"],
      ["[a](src/limit.ts)", "src/limit.ts"]
    ] as const) {
      const fields = `- **What is needed** The text.\n- **References** ${references}\n- **Expected output** A word.`
      const { task } = yield* work(new Task({ ...looking, references: [reference("src/other.ts")] }), [
        `## Task\n\n${fields}\n\n${refinementWith([read()])}`,
        resultSaying("It is known.")
      ])
      expect(task.references.map(({ href }) => href)).toEqual([kept])
    }
  })
})
