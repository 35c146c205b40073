import { assert, describe } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import * as AiTool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { Approvals, Conductor, Journal, Models, Tools } from "../../src/effect.ts"
import { ScriptedModel } from "../../src/testing.ts"
import { librarySandbox } from "../support/fileSandbox.ts"
import { liveTest } from "../support/liveTest.ts"

const sandbox = librarySandbox()
const project = `${sandbox.root}/project`
const settings = { project, model: "embedded", allow: ["read_file"] }
const held = Journal.folder(`${sandbox.root}/held`)
const prompt = "Where is the port of the server defined?"

sandbox.write("project/README.md", "# Weather\n\nA small weather server.\n")
sandbox.write("project/src/server.ts", "/** The port of the server. */\nexport const serverPort = 8042\n")

/** A service of the program, which its tool uses. */
class Greeting extends Context.Service<Greeting, { readonly words: string }>()("test/Greeting") {}

/** Answers a conversation: calls a tool, and says what came back. */
const caller = (name: string) =>
  ScriptedModel.layer((_, index, { messages }) =>
    index === 0
      ? { text: "", calls: [{ name, arguments: {} }] }
      : `The tool said: ${JSON.stringify(messages.at(-1)?.content)}`
  )

describe("a conductor", () => {
  liveTest("runs a prompt to its report, with events for any number of readers", () =>
    Effect.gen(function* () {
      const conductor = yield* Conductor
      const run = yield* conductor.run(prompt)
      const early = yield* Effect.forkChild(Stream.runCollect(run.events))
      const report = yield* run.report
      assert.strictEqual(report.status, "done", report.message)
      assert.include(report.answer, "src/server.ts")
      const [first, second] = [yield* Fiber.join(early), yield* Stream.runCollect(run.events)]
      const kept = first.filter(({ type }) => type !== "model.progress")
      assert.deepStrictEqual([kept[0]?.type, kept.at(-1)?.type], ["run.started", "run.finished"])
      assert.deepStrictEqual(second, kept)
    }).pipe(Effect.scoped, Effect.provide(Conductor.layer(settings)))
  )

  liveTest("hides the spans of its own work from the tracer of the program, unless they are asked for", function* () {
    const names: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        names.push(options.name)
        return new Tracer.NativeSpan(options)
      }
    })
    const runWith = (spans: boolean) =>
      Conductor.use(({ run }) => Effect.flatMap(run(prompt), ({ report }) => report)).pipe(
        Effect.scoped,
        Effect.provide(Conductor.layer({ ...settings, spans })),
        Effect.withTracer(tracer)
      )
    yield* runWith(false)
    assert.deepStrictEqual(names, [])
    yield* runWith(true)
    assert.include(names, "beginRun")
  })

  liveTest("fails with an error of its union when work cannot begin, and says what to do in options", () =>
    Effect.gen(function* () {
      const conductor = yield* Conductor
      const unknown = yield* Effect.flip(conductor.run({ prompt, skill: "sumarize" }))
      assert.strictEqual(unknown._tag, "UnknownSkill")
      const elsewhere = yield* Effect.flip(
        Effect.scoped(Conductor.use(({ run }) => run(prompt))).pipe(
          Effect.provide(Conductor.layer({ ...settings, project: `${project}/none` }))
        )
      )
      assert.strictEqual(elsewhere._tag, "WorkspaceError")
      assert.include(elsewhere.message, 'Give the project folder with "project"')
    }).pipe(Effect.scoped, Effect.provide(Conductor.layer(settings)))
  )

  liveTest(
    "interrupts a run when its scope closes; it has a report all the same, and another conductor resumes it",
    () =>
      Effect.gen(function* () {
        const conductor = yield* Conductor
        const stopped = yield* Effect.scoped(
          Effect.gen(function* () {
            const run = yield* conductor.run(prompt)
            yield* Stream.runHead(Stream.filter(run.events, ({ type }) => type === "stage.started"))
            return run
          })
        )
        assert.strictEqual((yield* stopped.report).status, "interrupted")
        const resumed = Conductor.use(({ resume }) => Effect.flatMap(resume(stopped.runId), ({ report }) => report))
        const report = yield* Effect.scoped(resumed).pipe(
          Effect.provide(Conductor.layer(settings).pipe(Layer.provide(held)))
        )
        assert.strictEqual(report.status, "done", report.message)
      }).pipe(
        Effect.provide(
          Conductor.layer({ project }).pipe(Layer.provide([Models.function(() => new Promise(() => undefined)), held]))
        )
      )
  )

  liveTest("takes a toolkit of effect/ai, whose handlers use services, and asks who answers", () => {
    const Greet = AiTool.make("greet", { description: "Greets.", success: Schema.String })
    const kit = Toolkit.make(Greet)
    const asked: Array<string> = []
    const handlers = kit.toLayer(Effect.map(Greeting, ({ words }) => ({ greet: () => Effect.succeed(words) })))
    return Effect.gen(function* () {
      const conductor = yield* Conductor
      const { answers, report } = yield* conductor.ask({ messages: ["What does the tool say?", "Thanks."] })
      assert.strictEqual((yield* report).status, "done")
      assert.include((yield* answers)[0]?.answer, "good evening")
      assert.deepStrictEqual(asked, ["greet"])
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Conductor.layer({ project }).pipe(
          Layer.provide([
            Tools.toolkit(kit, handlers),
            Models.layer(caller("greet")),
            Approvals.functions({
              approve: ({ items }) => {
                asked.push(...items.map((item) => item.tool))
                return true
              }
            })
          ]),
          Layer.provide(Layer.succeed(Greeting)({ words: "good evening" }))
        )
      )
    )
  })

  liveTest("holds a conversation open, plans, and checks", () =>
    Effect.gen(function* () {
      const conductor = yield* Conductor
      const planned = yield* conductor.plan(prompt)
      const { markdown } = yield* planned.report
      assert.strictEqual((yield* conductor.check(markdown)).verdict, "accepted")
      assert.strictEqual((yield* conductor.check("## Tasks")).verdict, "rejected")
      const talk = yield* conductor.converse({})
      const pieces: Array<string> = []
      const answer = yield* talk.send(prompt, (piece) => pieces.push(piece))
      assert.strictEqual(pieces.join(""), answer.answer)
      assert.strictEqual((yield* talk.close).status, "done")
      assert.strictEqual((yield* Effect.flip(talk.send("Once more?")))._tag, "ConversationClosed")
    }).pipe(Effect.scoped, Effect.provide(Conductor.layer(settings)))
  )

  liveTest("saves nothing with a journal in memory", () =>
    Effect.gen(function* () {
      const conductor = yield* Conductor
      const run = yield* conductor.run(prompt)
      assert.strictEqual((yield* run.report).status, "done")
      const error = yield* Effect.flip(conductor.resume(run.runId))
      assert.strictEqual(error._tag, "ConfigurationError")
      assert.include(error.message, "Journal.folder(path)")
    }).pipe(Effect.scoped, Effect.provide(Conductor.layer(settings).pipe(Layer.provide(Journal.memory))))
  )
})
