import { describe, expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import type { CanonicalAccess } from "../../../src/domain/tools/Access.ts"
import type { CallAnswer } from "../../../src/domain/permissions/Answer.ts"
import type { Rule } from "../../../src/domain/permissions/Permission.ts"
import type { RememberedRule } from "../../../src/domain/permissions/PolicyFormat.ts"
import { textHash } from "../../../src/services/files/Hash.ts"
import { approveCalls } from "../../../src/services/permissions/Gate.ts"
import { questionOfCall } from "../../../src/services/permissions/GateQuestion.ts"
import { Policies } from "../../../src/services/permissions/Policies.ts"
import type { PreparedCall } from "../../../src/domain/tools/ToolCall.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { allow, deny, inTask, openGate, prepared, reading, writing } from "../../support/OpenGate.ts"
import { layerAllowAll, scriptedApprover } from "../../support/ScriptedApprover.ts"
import { untilQuiet } from "../../support/untilQuiet.ts"

const page = (url: string): CanonicalAccess => ({ _tag: "FetchUrl", url })
const file = (path: string, inside = true): CanonicalAccess => ({ _tag: "ReadFile", path, inside })
const fetching = (url: string) => prepared("fetch_url", "medium", [page(url)], { url })

const rememberedAt = "1970-01-01T00:00:00.000Z"
const origin = "word-count@1.0.0"
const first = "a".repeat(64)
const second = "b".repeat(64)

/** A call of a tool that is not built in. */
const counting = (definition: string): PreparedCall => {
  const call = prepared("word_count", "medium", [file("/etc/hosts", false)])
  return { ...call, info: { ...call.info, origin, definition } }
}

type Asked = PreparedCall | CanonicalAccess
interface Given {
  readonly answers?: ReadonlyArray<CallAnswer>
  readonly rules?: ReadonlyArray<Rule>
  readonly remembered?: ReadonlyArray<RememberedRule>
}

/** What comes of calls one after another: "allowed" or "denied by ..." without a question, "yes" or "no" after one. */
const outcomesOf = Effect.fnUntraced(function* (
  calls: (root: string) => ReadonlyArray<Asked>,
  { answers = [], remembered = [], rules = [] }: Given
) {
  const approver = scriptedApprover({ calls: answers })
  const open = yield* openGate({ approver: approver.layer, options: () => ({ rules }), remembered })
  const outcomes = yield* Effect.forEach(calls(open.root), (call) =>
    Effect.gen(function* () {
      const before = approver.asked.length
      const result = yield* Effect.result(open.authorize(call))
      if (approver.asked.length > before) return Result.isSuccess(result) ? "yes" : "no"
      return Result.isSuccess(result) ? "allowed" : `denied by ${result.failure.by}`
    })
  )
  return { ...open, items: approver.asked.flat(), outcomes }
})

const rows: ReadonlyArray<
  readonly [name: string, given: Given, calls: (root: string) => ReadonlyArray<Asked>, outcomes: ReadonlyArray<string>]
> = [
  ["lets a safe call pass", {}, () => [prepared("get_current_time", "safe")], ["allowed"]],
  ["reads references inside the project", {}, (root) => [file(`${root}/README.md`)], ["allowed"]],
  [
    "allows by a flag, by a pattern, and by what is remembered",
    { rules: [allow("read_file", "src/*"), allow("t")], remembered: [allow("fetch_url", "https://example.com/")] },
    (root) => [reading(`${root}/src/a.ts`), prepared("t", "high"), fetching("https://example.com/")],
    ["allowed", "allowed", "allowed"]
  ],
  [
    "follows for references the rules of read_file and fetch_url",
    {
      answers: ["deny"],
      rules: [allow("read_file", "/etc/hosts"), deny("read_file", "src/**"), allow("fetch_url", "https://a.b/**")]
    },
    (root) => [file("/etc/hosts", false), page("https://a.b/c/d"), file(`${root}/src/a.ts`), page("https://a.bc/d")],
    ["allowed", "allowed", "denied by rule", "no"]
  ],
  [
    "asks each time when the answer is once",
    { answers: ["once", "deny"] },
    (root) => [reading(`${root}/README.md`), reading(`${root}/README.md`)],
    ["yes", "no"]
  ],
  [
    "remembers a call of high risk for the session only",
    { answers: ["remember"] },
    (root) => [writing(`${root}/README.md`, "new\n"), writing(`${root}/README.md`, "new\n")],
    ["yes", "allowed"]
  ],
  [
    "allows a tool of a plugin by a flag whatever its definition",
    { rules: [allow("word_count", "/etc/*")] },
    () => [counting(first)],
    ["allowed"]
  ]
]

describe("Gate.authorize", () => {
  for (const [name, given, calls, outcomes] of rows) {
    nodeTest(name, function* () {
      expect((yield* outcomesOf(calls, given)).outcomes).toStrictEqual(outcomes)
    })
  }

  nodeTest("allows a tool to read every everyday file of the project for the session, and nothing else", function* () {
    const { items, outcomes, policies, root } = yield* outcomesOf(
      (folder) => [
        reading(`${folder}/README.md`),
        reading(`${folder}/src/a.ts`),
        file(`${folder}/README.md`),
        reading(`${folder}/.env`),
        reading("/etc/hosts", false),
        prepared("other", "medium", [file(`${folder}/README.md`)])
      ],
      { answers: ["session", "once", "once", "once"] }
    )
    expect(outcomes).toStrictEqual(["yes", "allowed", "allowed", "yes", "yes", "yes"])
    expect(items[0]?.offers).toStrictEqual({
      session: "read_file for every file of the project that does not look like a secret",
      remember: `read_file for ${root}/README.md`,
      always: ["read_file", "read_file:README.md"]
    })
    expect(yield* policies.rules).toStrictEqual([])
  })

  nodeTest("allows fetching from one host over https for the session, and nothing else", function* () {
    const long = fetching(`https://example.com/?d=${"x".repeat(256)}`)
    const { items, outcomes } = yield* outcomesOf(
      () => [
        fetching("https://example.com/a"),
        fetching("https://example.com/b?q=1"),
        page("https://example.com/c"),
        fetching("https://www.example.com/a"),
        fetching("https://example.com:8443/a"),
        fetching("http://example.com/a"),
        long,
        long
      ],
      { answers: ["session", "once", "once", "once", "session", "once"] }
    )
    expect(outcomes).toStrictEqual(["yes", "allowed", "allowed", "yes", "yes", "yes", "yes", "yes"])
    expect(items.at(-1)?.offers).toStrictEqual({})
    expect(items.at(-1)?.warnings).toStrictEqual([
      "Sends 260 characters of data in the address. This is asked each time."
    ])
  })

  nodeTest("asks about no other call of an answer after a no to one of its calls", function* () {
    const approver = scriptedApprover({ calls: ["once", "deny", "once"] })
    const { answers, gate, log, root } = yield* openGate({
      approver: approver.layer,
      options: () => ({ rules: [allow("fetch_url")] })
    })
    const authorize = (reply: string, call: PreparedCall) =>
      gate.authorize(questionOfCall({ ...inTask("T"), reply }, call))
    const calls = Array.from({ length: 40 }, (_, at) => reading(`/elsewhere/${at}`, false))
    const asked = yield* Effect.forEach(calls, (call) => Effect.exit(authorize("one", call)), {
      concurrency: "unbounded"
    })
    expect([
      asked.filter(({ _tag }) => _tag === "Success").length,
      approver.asked.length,
      (yield* answers.denials).length
    ]).toStrictEqual([1, 2, 39])
    const later = yield* Effect.flip(authorize("one", writing(`${root}/README.md`, "new\n")))
    const why = /denied another call of this answer, so write_file on \S+ was not made and not asked about/
    expect(later.message).toMatch(why)
    /* What a rule allows is not made either. */
    yield* Effect.flip(authorize("one", fetching("https://example.com/")))
    yield* authorize("two", calls[2]!)
    expect(log.events().filter(({ type }) => type === "approval.requested").length).toBe(3)
  })

  nodeTest("says why it asks again about a file that somebody changed", function* () {
    const approver = scriptedApprover({ steps: ["step"], calls: ["once", "once"] })
    const { authorize, gate, root } = yield* openGate({ approver: approver.layer })
    const change = (found: string, content: string) =>
      prepared("write_file", "high", [{ _tag: "WriteFile", path: `${root}/README.md`, inside: true, content, found }])
    const tasks = [{ task: "T", gatedBy: "risk" as const, calls: [change("old", "new\n")] }]
    yield* approveCalls(gate, { title: "Task section 1", planKey: "plan", tasks })
    yield* authorize(change("somebody", "new\n"))
    yield* authorize(change(textHash("new\n"), "newer\n"))
    expect(approver.asked.map(([item]) => item?.warnings)).toStrictEqual([
      undefined,
      ["You allowed a change of README.md before, and the file has changed since."],
      undefined
    ])
  })

  nodeTest("denies by nobody without a terminal and keeps the denial", function* () {
    const { answers, denial, root } = yield* openGate({})
    const denied = yield* denial(reading(`${root}/README.md`))
    expect([denied.by, denied.forModel, denied.message]).toStrictEqual([
      "nobody",
      `Permission denied: the settings of the user do not allow read_file on ${root}/README.md. Go on without it.`,
      `Permission denied: read_file on ${root}/README.md needs approval and there is no terminal to ask on. Use --allow "read_file:${root}/README.md".`
    ])
    expect(yield* answers.denials).toStrictEqual([denied])
  })

  nodeTest("names in a denial who denied, and the third one by a person ends the task", function* () {
    const { denial, root } = yield* openGate({
      approver: scriptedApprover({ calls: ["deny", "deny", "deny"] }).layer,
      options: () => ({ rules: [deny("read_file", "src/**")] })
    })
    const denials = yield* Effect.forEach([1, 2, 3, 4], (text) => denial(writing(`${root}/README.md`, `${text}`)))
    expect(denials.map(({ by, endsTask, times }) => [by, endsTask, times])).toStrictEqual(
      [1, 2, 3, 3].map((times) => ["person", times === 3, times])
    )
    const messages = [denials[0], denials[3], yield* denial(reading(`${root}/src/a.ts`))].map((one) => one?.message)
    expect(messages).toStrictEqual([
      `Permission denied: a person denied write_file on ${root}/README.md.`,
      `Permission denied: a person denied write_file on ${root}/README.md 3 times, so the task ends.`,
      `Permission denied: a rule denies read_file on ${root}/src/a.ts.`
    ])
  })

  nodeTest("publishes the question and the answer with the hash of the call", function* () {
    const { authorize, log, root } = yield* openGate({ approver: scriptedApprover({ calls: ["once", "once"] }).layer })
    const call = writing(`${root}/README.md`, "new\n")
    yield* authorize(call, "Edit 1")
    yield* authorize(writing(`${root}/README.md`, "newer\n"), "Edit 1")
    const [requested, answered, other] = log.events()
    if (requested?.type !== "approval.requested" || other?.type !== "approval.requested") return expect.fail("no event")
    const { hash } = requested
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(other.hash).not.toBe(hash)
    const item = {
      task: "Edit 1",
      tool: "write_file",
      risk: "high",
      targets: [`${root}/README.md`],
      call: call.call,
      preview: [`--- ${root}/README.md`, `+++ ${root}/README.md`, "@@ -1 +1 @@", "-old", "+new"].join("\n"),
      diff: "--- README.md\n+++ README.md\n@@ -1 +1 @@\n-old\n+new\n",
      words: {
        does: "edit README.md (+1 -1)",
        consequence: "Changes a file of the project, and nothing else.",
        isCalm: true,
        names: ["README.md"]
      },
      offers: { session: "exactly this call", always: ["write_file:README.md"] }
    } as const
    expect(requested).toStrictEqual({ type: "approval.requested", scope: "call", title: "Edit 1", hash, items: [item] })
    expect(answered).toStrictEqual({ type: "approval.answered", scope: "call", hash, answer: "once", by: "person" })
  })

  nodeTest("asks each time before a file changes that programs run by themselves", function* () {
    const { items, log, outcomes, policies } = yield* outcomesOf(
      (root) => [
        ...[1, 2, 3].map(() => writing(`${root}/.github/workflows/ci.yml`, "on: push\n")),
        writing(`${root}/.husky/pre-push`, "npm test\n")
      ],
      { answers: ["session", "remember", "once"], rules: [allow("write_file"), allow("write_file", ".husky/pre-push")] }
    )
    expect(outcomes).toStrictEqual(["yes", "yes", "yes", "allowed"])
    const warnings = ["Programs run or read this file automatically. This is asked each time."]
    for (const item of items) expect(item).toEqual(expect.objectContaining({ offers: {}, risk: "high", warnings }))
    expect(yield* policies.rules).toStrictEqual([])
    const text = "A call of high risk is never remembered: write_file is allowed for this run only."
    expect(log.events()).toContainEqual({ type: "message", level: "warning", text })
  })

  nodeTest("warns of a host in other letters and of scripts that npm runs", function* () {
    const { items } = yield* outcomesOf(
      (root) => [
        fetching("https://xn--80ak6aa92e.com/"),
        writing(`${root}/package.json`, '{ "scripts": { "prepare": "sh x" } }'),
        writing(`${root}/package.json`, '{ "version": "1.0.0" }')
      ],
      { answers: ["once", "once", "once"] }
    )
    const host =
      "The host xn--80ak6aa92e.com is written \u0430\u0440\u0440\u04cf\u0435.com and may look like another one."
    expect(items.map(({ warnings }) => warnings)).toStrictEqual([
      [host],
      ["It changes scripts that npm runs."],
      undefined
    ])
  })

  nodeTest("asks for secret-like names, for what lies outside and for fetches, as the tools do", function* () {
    const { items, root } = yield* outcomesOf(
      (folder) => [file(`${folder}/.env`), file("/etc/hosts", false), page("https://example.com/")],
      { answers: ["once", "once", "deny"] }
    )
    expect(
      items.map(({ personOnly, risk, targets, tool, words }) => [words?.does, personOnly, tool, risk, targets])
    ).toStrictEqual([
      ["read .env", true, "read_file", "medium", [`${root}/.env`]],
      ["read /etc/hosts", true, "read_file", "medium", ["/etc/hosts"]],
      ["fetch https://example.com/", undefined, "fetch_url", "medium", ["https://example.com/"]]
    ])
  })

  nodeTest("refuses writes outside the project and to control paths, whatever rules and people say", function* () {
    const { answers, authorize, denial, log, root } = yield* openGate({
      approver: layerAllowAll,
      options: (folder) => ({
        rules: [allow("write_file")],
        protectedPaths: [`${folder}/a/../state`, `${folder}/policies.json`]
      })
    })
    const outside = `would write outside the project ${root}, which nothing can allow; start with --project in a folder that holds it to work there.`
    const control = "would change what controls git or this program, which nothing can allow."
    const inside = [
      ".git/hooks/pre-commit",
      ".git",
      ".task-conductor/skills/x/SKILL.md",
      "state",
      "state/1/a",
      "policies.json"
    ]
    const cases: ReadonlyArray<[path: string, inside: boolean, reason: string]> = [
      ["/etc/passwd", false, outside],
      [`${root}-old/a`, false, outside],
      ...inside.map((path): [string, boolean, string] => [`${root}/${path}`, true, control])
    ]
    for (const [path, isInside, reason] of cases) {
      const { by, message } = yield* denial(writing(path, "x", isInside))
      expect([by, message]).toStrictEqual(["rule", `Permission denied: write_file on ${path} ${reason}`])
    }
    yield* authorize(writing(`${root}/state-machine.ts`, "x"))
    expect([(yield* answers.denials).length, log.events()]).toStrictEqual([cases.length, []])
  })
})

/** The rules that are remembered after this call. */
const rulesAfter = (call: (root: string) => PreparedCall) =>
  Effect.gen(function* () {
    const { outcomes, policies, root } = yield* outcomesOf((folder) => [call(folder)], { answers: ["remember"] })
    expect(outcomes).toStrictEqual(["yes"])
    return JSON.parse(JSON.stringify(yield* policies.rules).replaceAll(`${root}/`, ""))
  })

describe("an answer that is to be remembered", () => {
  nodeTest("names the tool and its target exactly, and the definition of a tool that is not built in", function* () {
    const pin = { origin, definition: first }
    expect(yield* rulesAfter(() => prepared("t", "medium"))).toStrictEqual([{ ...allow("t"), rememberedAt }])
    expect(yield* rulesAfter((root) => reading(`${root}/a*`))).toStrictEqual([
      { ...allow("read_file", "a\\*"), rememberedAt }
    ])
    expect(yield* rulesAfter(() => counting(first))).toStrictEqual([
      { ...allow("word_count", "/etc/hosts"), rememberedAt, pin }
    ])
  })

  nodeTest("is asked for again when the definition of the tool has changed", function* () {
    const entry = { ...allow("word_count", "/etc/hosts"), rememberedAt }
    const { items, outcomes, policies } = yield* outcomesOf(() => [counting(first), counting(second)], {
      answers: ["remember"],
      remembered: [{ ...entry, pin: { origin, definition: first } }]
    })
    expect(outcomes).toStrictEqual(["allowed", "yes"])
    expect(items.map((item) => [item.origin, item.warnings])).toStrictEqual([
      [origin, ["The tool has changed since it was allowed on 1970-01-01."]]
    ])
    expect(yield* policies.rules).toStrictEqual([{ ...entry, pin: { origin, definition: second } }])
  })

  nodeTest("holds for the session, and says so, when the policy file cannot be used", function* () {
    const fs = yield* FileSystem.FileSystem
    const { authorize, log, root } = yield* openGate({
      approver: scriptedApprover({ calls: ["remember"] }).layer,
      policies: (folder) => Policies.layer(`${folder}/policies.json`)
    })
    yield* fs.writeFileString(`${root}/policies.json`, "{}")
    for (const _ of [1, 2]) yield* authorize(reading(`${root}/README.md`))
    const text = `The remembered permissions in ${root}/policies.json are not used: line 1, column 1: "version": Missing key. Fix the file, or remove it. The answer counts for this run.`
    expect(log.events().at(-1)).toStrictEqual({ type: "message", level: "warning", text })
    expect(yield* fs.readFileString(`${root}/policies.json`)).toBe("{}")
  })
})

describe("questions at the same time", () => {
  const asking = Effect.fnUntraced(function* (answers: ReadonlyArray<CallAnswer>, names: ReadonlyArray<string>) {
    const answered = yield* Deferred.make<void>()
    const approver = scriptedApprover({ calls: answers }, Deferred.await(answered))
    const { authorize, root } = yield* openGate({ approver: approver.layer })
    const fibers = yield* Effect.forEach(names, (name) => Effect.forkChild(authorize(reading(`${root}/${name}`), name)))
    yield* untilQuiet
    expect(approver.asked.length).toBe(1)
    yield* Deferred.succeed(answered, undefined)
    yield* Effect.forEach(fibers, Fiber.join)
    return approver.asked.map((items) => items[0]?.targets[0]?.replace(`${root}/`, ""))
  })

  nodeTest("are asked one after the other, and not what was allowed while the question waited", function* () {
    expect(yield* asking(["once", "once"], ["README.md", "src/a.ts"])).toStrictEqual(["README.md", "src/a.ts"])
    expect(yield* asking(["session"], ["README.md", "README.md"])).toStrictEqual(["README.md"])
  })

  nodeTest("go on with the next when one is interrupted", function* () {
    let open = 0
    const approver = scriptedApprover(
      { calls: ["once"] },
      Effect.suspend(() => (open++ === 0 ? Effect.never : Effect.void))
    )
    const { answers, authorize, root } = yield* openGate({ approver: approver.layer })
    const waiting = yield* Effect.forkChild(authorize(reading(`${root}/README.md`)))
    yield* untilQuiet
    yield* Fiber.interrupt(waiting)
    yield* authorize(reading(`${root}/README.md`))
    expect(yield* answers.denials).toStrictEqual([])
  })
})
