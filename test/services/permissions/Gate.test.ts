import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import type { CanonicalAccess } from "../../../src/domain/tools/Access.ts"
import { textHash } from "../../../src/services/files/Hash.ts"
import { redeem, approveCalls } from "../../../src/services/permissions/Gate.ts"
import { Policies } from "../../../src/services/permissions/Policies.ts"
import type { PreparedCall } from "../../../src/domain/tools/ToolCall.ts"
import { allow, deny, inTask, openGate, prepared, reading, writing } from "../../support/OpenGate.ts"
import { layerAllowAll, scriptedApprover } from "../../support/ScriptedApprover.ts"
import { untilQuiet } from "../../support/untilQuiet.ts"
import { questionOfAccess, questionOfCall } from "../../../src/services/permissions/GateQuestion.ts"

const denialOf = <A>(effect: Effect.Effect<A, { readonly message: string }>) =>
  Effect.map(Effect.flip(effect), (denied) => denied.message)

const fetching = (url: string) => prepared("fetch_url", "medium", [{ _tag: "FetchUrl", url }], { url })

/** The item for an access of a reference. */
const askedAbout = (tool: string, target: string, session = target) => ({
  task: "T",
  tool,
  risk: "medium",
  targets: [target],
  offers: { session: `${tool} for ${session}`, remember: `${tool} for ${target}` }
})

/** A call of an answer of the model. */
const ofReply = (reply: string) => ({ ...inTask("T"), reply })

const origin = "word-count@1.0.0"
const first = "a".repeat(64)
const second = "b".repeat(64)

/** A call of a tool that is not built in. */
const counting = (definition: string): PreparedCall => {
  const call = prepared("word_count", "medium", [{ _tag: "ReadFile", path: "/etc/hosts", inside: false }])
  return { ...call, info: { ...call.info, origin, definition } }
}

layer(NodeServices.layer)("Gate", (it) => {
  describe("authorize", () => {
    it.effect("asks about no other call of an answer after a no to one of its calls", () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ calls: ["once", "deny", "once"] })
        const { answers, gate, log, root } = yield* openGate({
          approver: approver.layer,
          options: () => ({ rules: [allow("fetch_url")] })
        })
        const calls = Array.from({ length: 40 }, (_, at) => reading(`/elsewhere/${at}`, false))
        const asked = yield* Effect.forEach(
          calls,
          (call) => Effect.exit(gate.authorize(questionOfCall(ofReply("one"), call))),
          {
            concurrency: "unbounded"
          }
        )
        assert.deepStrictEqual(
          [
            asked.filter(({ _tag }) => _tag === "Success").length,
            approver.asked.length,
            (yield* answers.denials).length
          ],
          [1, 2, 39]
        )
        const later = yield* denialOf(
          gate.authorize(questionOfCall(ofReply("one"), writing(`${root}/README.md`, "new\n")))
        )
        assert.match(later, /denied another call of this answer, so write_file on \S+ was not made and not asked about/)
        /* What a rule allows is not made either. */
        yield* Effect.flip(gate.authorize(questionOfCall(ofReply("one"), fetching("https://example.com/"))))
        yield* gate.authorize(questionOfCall(ofReply("two"), calls[2]!))
        assert.strictEqual(log.events().filter(({ type }) => type === "approval.requested").length, 3)
      })
    )

    it.effect("says why it asks again about a file that somebody changed", () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ steps: ["step"], calls: ["once", "once"] })
        const { gate, root } = yield* openGate({ approver: approver.layer })
        const change = (found: string, content: string) =>
          prepared("write_file", "high", [
            { _tag: "WriteFile", path: `${root}/README.md`, inside: true, content, found }
          ])
        const title = { title: "Task section 1", planKey: "plan" }
        yield* approveCalls(gate, {
          ...title,
          tasks: [{ task: "T", gatedBy: "risk", calls: [change("old", "new\n")] }]
        })
        yield* gate.authorize(questionOfCall(inTask("T"), change("somebody", "new\n")))
        yield* gate.authorize(questionOfCall(inTask("T"), change(textHash("new\n"), "newer\n")))
        assert.deepStrictEqual(
          approver.asked.map(([item]) => item?.warnings),
          [undefined, ["You allowed a change of README.md before, and the file has changed since."], undefined]
        )
      })
    )

    it.effect("lets a safe call pass without a question", () =>
      Effect.gen(function* () {
        const { answers, gate, log } = yield* openGate({})
        const call = prepared("get_current_time", "safe")
        assert.strictEqual((yield* gate.authorize(questionOfCall(inTask("T"), call))).prepared, call)
        assert.deepStrictEqual(log.events(), [])
        assert.deepStrictEqual(yield* answers.denials, [])
      })
    )

    it.effect("makes permits that are used up once", () =>
      Effect.gen(function* () {
        const { gate } = yield* openGate({})
        const permit = yield* gate.authorize(questionOfCall(inTask("T"), prepared("get_current_time", "safe")))
        assert.isFalse(redeem({ ...permit }))
        assert.isTrue(redeem(permit))
        assert.isFalse(redeem(permit))
      })
    )

    it.effect("denies by nobody without a terminal and keeps the denial", () =>
      Effect.gen(function* () {
        const { answers, gate, root } = yield* openGate({})
        const denied = yield* Effect.flip(gate.authorize(questionOfCall(inTask("T"), reading(`${root}/README.md`))))
        assert.deepStrictEqual(
          [denied.by, denied.forModel, denied.message],
          [
            "nobody",
            `Permission denied: the settings of the user do not allow read_file on ${root}/README.md. Go on without it.`,
            `Permission denied: read_file on ${root}/README.md needs approval and there is no terminal to ask on. Use --allow "read_file:${root}/README.md".`
          ]
        )
        assert.deepStrictEqual(yield* answers.denials, [denied])
      })
    )

    it.effect("allows by a flag, by a pattern, and by what is remembered", () =>
      Effect.gen(function* () {
        const { gate, log, root } = yield* openGate({
          options: () => ({ rules: [allow("read_file", "src/*"), allow("t")] }),
          remembered: [allow("fetch_url", "https://example.com/")]
        })
        yield* gate.authorize(questionOfCall(inTask("T"), reading(`${root}/src/a.ts`)))
        yield* gate.authorize(questionOfCall(inTask("T"), prepared("t", "high")))
        const fetched: CanonicalAccess = { _tag: "FetchUrl", url: "https://example.com/" }
        yield* gate.authorize(questionOfCall(inTask("T"), prepared("fetch_url", "medium", [fetched])))
        assert.deepStrictEqual(log.events(), [])
      })
    )

    it.effect("lets deny win over allow without a question", () =>
      Effect.gen(function* () {
        const { gate, log, root } = yield* openGate({
          approver: layerAllowAll,
          options: () => ({ rules: [allow("read_file"), deny("read_file", "src/**")] })
        })
        assert.strictEqual(
          yield* denialOf(gate.authorize(questionOfCall(inTask("T"), reading(`${root}/src/a.ts`)))),
          `Permission denied: a rule denies read_file on ${root}/src/a.ts.`
        )
        yield* gate.authorize(questionOfCall(inTask("T"), reading(`${root}/README.md`)))
        assert.deepStrictEqual(log.events(), [])
      })
    )

    it.effect("asks each time when the answer is once", () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ calls: ["once", "deny"] })
        const { gate, root } = yield* openGate({ approver: approver.layer })
        yield* gate.authorize(questionOfCall(inTask("T"), reading(`${root}/README.md`)))
        assert.strictEqual(
          yield* denialOf(gate.authorize(questionOfCall(inTask("T"), reading(`${root}/README.md`)))),
          `Permission denied: a person denied read_file on ${root}/README.md.`
        )
        assert.strictEqual(approver.asked.length, 2)
      })
    )

    it.effect("publishes the question and the answer with the hash of the call", () =>
      Effect.gen(function* () {
        const { gate, log, root } = yield* openGate({ approver: scriptedApprover({ calls: ["once", "once"] }).layer })
        const call = writing(`${root}/README.md`, "new\n")
        yield* gate.authorize(questionOfCall(inTask("Edit 1"), call))
        yield* gate.authorize(questionOfCall(inTask("Edit 1"), writing(`${root}/README.md`, "newer\n")))
        const [requested, answered, other] = log.events()
        assert.isTrue(requested?.type === "approval.requested" && other?.type === "approval.requested")
        if (requested?.type !== "approval.requested" || other?.type !== "approval.requested") return
        assert.match(requested.hash, /^[0-9a-f]{64}$/)
        assert.notStrictEqual(other.hash, requested.hash)
        assert.deepStrictEqual(requested, {
          type: "approval.requested",
          scope: "call",
          title: "Edit 1",
          hash: requested.hash,
          items: [
            {
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
            }
          ]
        })
        assert.deepStrictEqual(answered, {
          type: "approval.answered",
          scope: "call",
          hash: requested.hash,
          answer: "once",
          by: "person"
        })
      })
    )

    it.effect("allows a tool to read every everyday file of the project for the session, and nothing else", () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ calls: ["session", "once", "once", "once"] })
        const { gate, policies, root } = yield* openGate({ approver: approver.layer })
        yield* gate.authorize(questionOfCall(inTask("T"), reading(`${root}/README.md`)))
        yield* gate.authorize(questionOfCall(inTask("U"), reading(`${root}/src/a.ts`)))
        yield* gate.authorize(
          questionOfAccess(inTask("U"), { _tag: "ReadFile", path: `${root}/README.md`, inside: true })
        )
        assert.strictEqual(approver.asked.length, 1)
        assert.deepStrictEqual(approver.asked[0]?.[0]?.offers, {
          session: "read_file for every file of the project that does not look like a secret",
          remember: `read_file for ${root}/README.md`,
          always: ["read_file", "read_file:README.md"]
        })
        yield* gate.authorize(questionOfCall(inTask("T"), reading(`${root}/.env`)))
        yield* gate.authorize(questionOfCall(inTask("T"), reading("/etc/hosts", false)))
        yield* gate.authorize(
          questionOfCall(inTask("T"), prepared("other", "medium", reading(`${root}/README.md`).accesses))
        )
        assert.strictEqual(approver.asked.length, 4)
        assert.deepStrictEqual(yield* policies.rules, [])
      })
    )

    it.effect("allows fetching from one host over https for the session, and nothing else", () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ calls: ["session", "once", "once", "once", "session", "once"] })
        const { gate } = yield* openGate({ approver: approver.layer })
        yield* gate.authorize(questionOfCall(inTask("T"), fetching("https://example.com/a")))
        yield* gate.authorize(questionOfCall(inTask("T"), fetching("https://example.com/b?q=1")))
        yield* gate.authorize(questionOfAccess(inTask("T"), { _tag: "FetchUrl", url: "https://example.com/c" }))
        assert.strictEqual(approver.asked.length, 1)
        yield* gate.authorize(questionOfCall(inTask("T"), fetching("https://www.example.com/a")))
        yield* gate.authorize(questionOfCall(inTask("T"), fetching("https://example.com:8443/a")))
        yield* gate.authorize(questionOfCall(inTask("T"), fetching("http://example.com/a")))
        const long = fetching(`https://example.com/?d=${"x".repeat(256)}`)
        yield* gate.authorize(questionOfCall(inTask("T"), long))
        yield* gate.authorize(questionOfCall(inTask("T"), long))
        assert.strictEqual(approver.asked.length, 6)
        assert.deepStrictEqual(approver.asked.at(-1)?.[0]?.offers, {})
        assert.deepStrictEqual(approver.asked.at(-1)?.[0]?.warnings, [
          "Sends 260 characters of data in the address. This is asked each time."
        ])
      })
    )

    it.effect("binds an answer for the session to the exact call when the risk is high", () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ calls: ["session", "deny"] })
        const { gate, root } = yield* openGate({ approver: approver.layer })
        yield* gate.authorize(questionOfCall(inTask("T"), writing(`${root}/README.md`, "new\n")))
        yield* gate.authorize(questionOfCall(inTask("U"), writing(`${root}/README.md`, "new\n")))
        yield* Effect.flip(gate.authorize(questionOfCall(inTask("T"), writing(`${root}/README.md`, "else\n"))))
        assert.strictEqual(approver.asked.length, 2)
      })
    )

    it.effect("asks each time before a file changes that programs run by themselves", () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ calls: ["session", "remember", "once"] })
        const { gate, log, policies, root } = yield* openGate({
          approver: approver.layer,
          options: () => ({ rules: [allow("write_file"), allow("write_file", ".husky/pre-push")] })
        })
        const workflow = writing(`${root}/.github/workflows/ci.yml`, "on: push\n")
        yield* gate.authorize(questionOfCall(inTask("T"), workflow))
        yield* gate.authorize(questionOfCall(inTask("T"), workflow))
        yield* gate.authorize(questionOfCall(inTask("T"), workflow))
        assert.deepStrictEqual<unknown>(
          approver.asked.flat().map(({ offers, risk, warnings }) => ({ offers, risk, warnings })),
          Array.from({ length: 3 }, () => ({
            offers: {},
            risk: "high",
            warnings: ["Programs run or read this file automatically. This is asked each time."]
          }))
        )
        assert.deepStrictEqual(yield* policies.rules, [])
        assert.deepStrictEqual(
          log.events().flatMap((event) => (event.type === "message" ? [event.text] : [])),
          ["A call of high risk is never remembered: write_file is allowed for this run only."]
        )
        yield* gate.authorize(questionOfCall(inTask("T"), writing(`${root}/.husky/pre-push`, "npm test\n")))
      })
    )

    it.effect("warns of a host in other letters and of scripts that npm runs", () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ calls: ["once", "once", "once"] })
        const { gate, root } = yield* openGate({ approver: approver.layer })
        yield* gate.authorize(questionOfCall(inTask("T"), fetching("https://xn--80ak6aa92e.com/")))
        yield* gate.authorize(
          questionOfCall(inTask("T"), writing(`${root}/package.json`, '{ "scripts": { "prepare": "sh x" } }'))
        )
        yield* gate.authorize(questionOfCall(inTask("T"), writing(`${root}/package.json`, '{ "version": "1.0.0" }')))
        assert.deepStrictEqual(
          approver.asked.flat().map(({ warnings }) => warnings),
          [
            [
              "The host xn--80ak6aa92e.com is written \u0430\u0440\u0440\u04cf\u0435.com and may look like another one."
            ],
            ["It changes scripts that npm runs."],
            undefined
          ]
        )
      })
    )

    describe("a tool that is not built in", () => {
      it.effect("is remembered by its definition and asks again when it has changed", () =>
        Effect.gen(function* () {
          const approver = scriptedApprover({ calls: ["remember", "remember"] })
          const { gate, policies } = yield* openGate({ approver: approver.layer })
          yield* gate.authorize(questionOfCall(inTask("T"), counting(first)))
          yield* gate.authorize(questionOfCall(inTask("T"), counting(first)))
          const entry = { ...allow("word_count", "/etc/hosts"), rememberedAt: "1970-01-01T00:00:00.000Z" }
          assert.deepStrictEqual(yield* policies.rules, [{ ...entry, pin: { origin, definition: first } }])
          const { gate: next, policies: kept } = yield* openGate({
            approver: approver.layer,
            remembered: yield* policies.rules
          })
          yield* next.authorize(questionOfCall(inTask("T"), counting(second)))
          assert.deepStrictEqual(
            approver.asked.flat().map((item) => [item.origin, item.warnings]),
            [
              [origin, undefined],
              [origin, ["The tool has changed since it was allowed on 1970-01-01."]]
            ]
          )
          assert.deepStrictEqual(yield* kept.rules, [{ ...entry, pin: { origin, definition: second } }])
        })
      )

      it.effect("is not allowed by an entry without a definition, but denied by one for another definition", () =>
        Effect.gen(function* () {
          const approver = scriptedApprover({ calls: ["once"] })
          const { gate } = yield* openGate({
            approver: approver.layer,
            remembered: [allow("word_count", "/etc/hosts")]
          })
          yield* gate.authorize(questionOfCall(inTask("T"), counting(first)))
          assert.strictEqual(approver.asked.length, 1)
          const { gate: denying } = yield* openGate({
            remembered: [{ ...deny("word_count"), pin: { origin: "other@1.0.0", definition: second } }]
          })
          assert.strictEqual(
            (yield* Effect.flip(denying.authorize(questionOfCall(inTask("T"), counting(first))))).by,
            "rule"
          )
        })
      )

      it.effect("is allowed by a flag whatever its definition", () =>
        Effect.gen(function* () {
          const { gate, log } = yield* openGate({ options: () => ({ rules: [allow("word_count", "/etc/*")] }) })
          yield* gate.authorize(questionOfCall(inTask("T"), counting(first)))
          assert.deepStrictEqual(log.events(), [])
        })
      )
    })

    it.effect("asks no more when a person has declined the same effect three times", () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ calls: ["deny", "deny", "deny", "once"] })
        const { gate, root } = yield* openGate({ approver: approver.layer })
        const denials = yield* Effect.forEach(["1\n", "2\n", "3\n", "4\n"], (content) =>
          Effect.flip(gate.authorize(questionOfCall(inTask("T"), writing(`${root}/README.md`, content))))
        )
        assert.deepStrictEqual<unknown>(
          denials.map(({ by, endsTask, times }) => ({ by, endsTask, times })),
          [1, 2, 3, 3].map((times) => ({ by: "person", endsTask: times === 3, times }))
        )
        assert.strictEqual(
          denials[3]?.message,
          `Permission denied: a person denied write_file on ${root}/README.md 3 times, so the task ends.`
        )
        assert.strictEqual(approver.asked.length, 3)
        yield* gate.authorize(questionOfCall(inTask("T"), writing(`${root}/src/a.ts`, "4\n")))
      })
    )

    it.effect("allows a tool whose calls name no target for the session, with any arguments", () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ calls: ["session", "deny"] })
        const { gate } = yield* openGate({ approver: approver.layer })
        yield* gate.authorize(questionOfCall(inTask("T"), prepared("t", "medium", [], { a: "1" })))
        yield* gate.authorize(questionOfCall(inTask("T"), prepared("t", "medium", [], { a: "2" })))
        yield* Effect.flip(gate.authorize(questionOfCall(inTask("T"), prepared("u", "medium", [], { a: "1" }))))
        assert.strictEqual(approver.asked.length, 2)
      })
    )

    it.effect("lets a run that only reads change nothing, whatever rules and people say", () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({})
        const { gate, root } = yield* openGate({
          approver: approver.layer,
          options: () => ({ rules: [allow("write_file", "**"), allow("read_file")], readOnly: true })
        })
        const { message } = yield* Effect.flip(gate.authorize(questionOfCall(inTask("T"), writing(`${root}/a`, "new"))))
        assert.include(message, "would change something, and this run only reads")
        yield* gate.authorize(questionOfCall(inTask("T"), reading(`${root}/a`)))
        assert.deepStrictEqual(approver.asked, [])
      })
    )

    it.effect("remembers a tool whose calls name no target, and nothing of high risk", () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ calls: ["remember", "deny"] })
        const { gate, policies } = yield* openGate({ approver: approver.layer })
        yield* gate.authorize(questionOfCall(inTask("T"), prepared("t", "medium", [], { a: "1" })))
        const rule = { verdict: "allow" as const, tool: "t", rememberedAt: "1970-01-01T00:00:00.000Z" }
        assert.deepStrictEqual(yield* policies.rules, [rule])
        const { gate: next } = yield* openGate({ remembered: [rule] })
        yield* next.authorize(questionOfCall(inTask("T"), prepared("t", "medium", [], { a: "2" })))
        yield* Effect.flip(next.authorize(questionOfCall(inTask("T"), prepared("u", "medium"))))
      })
    )

    it.effect("remembers exactly the tool and the target, also when the name holds a star", () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ calls: ["remember"] })
        const { gate, policies, root } = yield* openGate({ approver: approver.layer })
        yield* gate.authorize(questionOfCall(inTask("T"), reading(`${root}/a*`)))
        const rule = { ...allow("read_file", `${root}/a\\*`), rememberedAt: "1970-01-01T00:00:00.000Z" }
        assert.deepStrictEqual(yield* policies.rules, [rule])
        const { gate: next } = yield* openGate({ remembered: [rule] })
        yield* next.authorize(questionOfCall(inTask("T"), reading(`${root}/a*`)))
        yield* Effect.flip(next.authorize(questionOfCall(inTask("T"), reading(`${root}/abc`))))
      })
    )

    const notRemembered: ReadonlyArray<[name: string, call: (root: string) => PreparedCall, text: string]> = [
      [
        "a call of high risk",
        (root) => writing(`${root}/README.md`, "new\n"),
        "A call of high risk is never remembered: write_file is allowed for this run only."
      ]
    ]
    for (const [name, call, text] of notRemembered) {
      it.effect(`allows ${name} for the session when the answer is remember, and says so`, () =>
        Effect.gen(function* () {
          const approver = scriptedApprover({ calls: ["remember"] })
          const { gate, log, policies, root } = yield* openGate({ approver: approver.layer })
          yield* gate.authorize(questionOfCall(inTask("T"), call(root)))
          yield* gate.authorize(questionOfCall(inTask("T"), call(root)))
          assert.deepStrictEqual(yield* policies.rules, [])
          assert.deepStrictEqual(log.events().at(-1), { type: "message", level: "warning", text })
        })
      )
    }

    it.effect("allows for the session and says so when the policy file cannot be used", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const approver = scriptedApprover({ calls: ["remember"] })
        const { gate, log, root } = yield* openGate({
          approver: approver.layer,
          policies: (folder) => Policies.layer(`${folder}/policies.json`)
        })
        yield* fs.writeFileString(`${root}/policies.json`, "{}")
        yield* gate.authorize(questionOfCall(inTask("T"), reading(`${root}/README.md`)))
        yield* gate.authorize(questionOfCall(inTask("T"), reading(`${root}/README.md`)))
        assert.deepStrictEqual(log.events().at(-1), {
          type: "message",
          level: "warning",
          text: `The remembered permissions in ${root}/policies.json are not used: line 1, column 1: "version": Missing key. Fix the file, or remove it. The answer counts for this run.`
        })
        assert.strictEqual(yield* fs.readFileString(`${root}/policies.json`), "{}")
      })
    )

    it.effect("asks two questions one after the other", () =>
      Effect.gen(function* () {
        const answered = yield* Deferred.make<void>()
        const approver = scriptedApprover({ calls: ["once", "once"] }, Deferred.await(answered))
        const { gate, root } = yield* openGate({ approver: approver.layer })
        const first = yield* Effect.forkChild(gate.authorize(questionOfCall(inTask("T"), reading(`${root}/README.md`))))
        const second = yield* Effect.forkChild(gate.authorize(questionOfCall(inTask("T"), reading(`${root}/src/a.ts`))))
        yield* untilQuiet
        assert.strictEqual(approver.asked.length, 1)
        yield* Deferred.succeed(answered, undefined)
        yield* Fiber.join(first)
        yield* Fiber.join(second)
        assert.deepStrictEqual(
          approver.asked.map((items) => items[0]?.targets),
          [[`${root}/README.md`], [`${root}/src/a.ts`]]
        )
      })
    )

    it.effect("does not ask again for what was allowed while the question waited", () =>
      Effect.gen(function* () {
        const answered = yield* Deferred.make<void>()
        const approver = scriptedApprover({ calls: ["session"] }, Deferred.await(answered))
        const { gate, root } = yield* openGate({ approver: approver.layer })
        const first = yield* Effect.forkChild(gate.authorize(questionOfCall(inTask("T"), reading(`${root}/README.md`))))
        const second = yield* Effect.forkChild(
          gate.authorize(questionOfCall(inTask("U"), reading(`${root}/README.md`)))
        )
        yield* untilQuiet
        yield* Deferred.succeed(answered, undefined)
        yield* Fiber.join(first)
        yield* Fiber.join(second)
        assert.strictEqual(approver.asked.length, 1)
      })
    )

    it.effect("lets the next question be asked when one is interrupted", () =>
      Effect.gen(function* () {
        let open = 0
        const approver = scriptedApprover(
          { calls: ["once"] },
          Effect.suspend(() => (open++ === 0 ? Effect.never : Effect.void))
        )
        const { answers, gate, root } = yield* openGate({ approver: approver.layer })
        const first = yield* Effect.forkChild(gate.authorize(questionOfCall(inTask("T"), reading(`${root}/README.md`))))
        yield* untilQuiet
        yield* Fiber.interrupt(first)
        yield* gate.authorize(questionOfCall(inTask("T"), reading(`${root}/README.md`)))
        assert.deepStrictEqual(yield* answers.denials, [])
      })
    )
  })

  describe("refusals", () => {
    it.effect("refuses writes outside the project and to control paths, whatever rules and people say", () =>
      Effect.gen(function* () {
        const { answers, gate, log, root } = yield* openGate({
          approver: layerAllowAll,
          options: (folder) => ({
            rules: [allow("write_file")],
            protectedPaths: [`${folder}/state`, `${folder}/policies.json`]
          })
        })
        const outside = `would write outside the project ${root}, which nothing can allow; start with --project in a folder that holds it to work there.`
        const control = "would change what controls git or this program, which nothing can allow."
        const cases: ReadonlyArray<[path: string, inside: boolean, reason: string]> = [
          ["/etc/passwd", false, outside],
          [`${root}-old/a`, false, outside],
          [`${root}/.git/hooks/pre-commit`, true, control],
          [`${root}/.git`, true, control],
          [`${root}/.task-conductor/skills/x/SKILL.md`, true, control],
          [`${root}/state/runs/1/journal.jsonl`, true, control],
          [`${root}/policies.json`, true, control]
        ]
        for (const [path, inside, reason] of cases) {
          assert.strictEqual(
            yield* denialOf(gate.authorize(questionOfCall(inTask("T"), writing(path, "x", inside)))),
            `Permission denied: write_file on ${path} ${reason}`
          )
        }
        yield* gate.authorize(questionOfCall(inTask("T"), writing(`${root}/state-machine.ts`, "x")))
        assert.deepStrictEqual(
          (yield* answers.denials).map((denied) => denied.by),
          cases.map(() => "rule")
        )
        assert.deepStrictEqual(log.events(), [])
      })
    )
  })

  describe("authorizeReference", () => {
    it.effect("reads inside the project without a question", () =>
      Effect.gen(function* () {
        const { gate, log, root } = yield* openGate({})
        yield* gate.authorize(
          questionOfAccess(inTask("T"), { _tag: "ReadFile", path: `${root}/README.md`, inside: true })
        )
        assert.deepStrictEqual(log.events(), [])
      })
    )

    it.effect("asks for secret-like names, for what lies outside and for fetches, as the tools that do the same", () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ calls: ["once", "once", "deny"] })
        const { gate, root } = yield* openGate({ approver: approver.layer })
        yield* gate.authorize(questionOfAccess(inTask("T"), { _tag: "ReadFile", path: `${root}/.env`, inside: true }))
        yield* gate.authorize(questionOfAccess(inTask("T"), { _tag: "ReadFile", path: "/etc/hosts", inside: false }))
        yield* Effect.flip(
          gate.authorize(questionOfAccess(inTask("T"), { _tag: "FetchUrl", url: "https://example.com/" }))
        )
        const shown = approver.asked.flat()
        assert.deepStrictEqual(
          shown.map(({ offers, personOnly, words }) => [words?.does, offers?.always, personOnly]),
          [
            ["read .env", ["read_file:.env"], true],
            ["read /etc/hosts", ["read_file:/etc/hosts"], true],
            [
              "fetch https://example.com/",
              ["fetch_url:https://example.com/**", "fetch_url:https://example.com/"],
              undefined
            ]
          ]
        )
        assert.deepStrictEqual<unknown>(
          shown.map(({ offers, risk, targets, task, tool }) => ({
            task,
            tool,
            risk,
            targets,
            offers: { session: offers?.session, remember: offers?.remember }
          })),
          [
            askedAbout("read_file", `${root}/.env`),
            askedAbout("read_file", "/etc/hosts"),
            askedAbout("fetch_url", "https://example.com/", "https://example.com")
          ]
        )
      })
    )

    it.effect("follows the rules of read_file and fetch_url", () =>
      Effect.gen(function* () {
        const { answers, gate, root } = yield* openGate({
          options: () => ({
            rules: [allow("read_file", "/etc/hosts"), deny("read_file", "src/**"), allow("fetch_url", "https://a.b/**")]
          })
        })
        yield* gate.authorize(questionOfAccess(inTask("T"), { _tag: "ReadFile", path: "/etc/hosts", inside: false }))
        yield* gate.authorize(questionOfAccess(inTask("T"), { _tag: "FetchUrl", url: "https://a.b/c/d" }))
        yield* Effect.flip(
          gate.authorize(questionOfAccess(inTask("T"), { _tag: "ReadFile", path: `${root}/src/a.ts`, inside: true }))
        )
        yield* Effect.flip(gate.authorize(questionOfAccess(inTask("T"), { _tag: "FetchUrl", url: "https://a.bc/d" })))
        assert.deepStrictEqual(
          (yield* answers.denials).map((denied) => denied.by),
          ["rule", "nobody"]
        )
      })
    )
  })
})
