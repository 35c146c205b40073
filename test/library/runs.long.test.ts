import { describe, expect } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { outputJson } from "../../src/domain/text/Json.ts"
import { fork, LockTaken, replay, resume, type ResumeOptions, run, runs, showRun, showTask } from "../../src/index.ts"
import { definePlugin, tool } from "../../src/plugin-kit.ts"
import { ScriptedModel } from "../../src/testing.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import type { ChatBody } from "../support/FakeOllamaScript.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import { changeJournal } from "../support/Journals.ts"
import { freeSkill } from "../support/TestRun.ts"
import { stageOf, taskOf, plan, answerTo, makeWorld, failureOf } from "../support/LibraryWorld.ts"
import { liveTest } from "../support/liveTest.ts"

/** The library runs from its sources here, the command line from a build. */
const anyBuild = (json: string): string => json.replaceAll(/("replayed_by":\s*)"[^"]*"/g, '$1""')

/** The system part, and everything that was said to the model behind it. */
const saidTo = ([system, ...others]: ChatBody["messages"]): ReadonlyArray<string> => [
  system?.content ?? "",
  others.flatMap(({ content, role }) => (role === "user" ? [content] : [])).join("\n")
]

/** A server whose model does the plan, and says nothing in the second task until it is freed. */
const makeServer = Effect.gen(function* () {
  let isHeld = true
  const server = yield* FakeOllama.make(({ messages }) => {
    const [system = "", user = ""] = saidTo(messages)
    const isSecond = stageOf(system, user) === "execution" && taskOf(user) === "Look 2"
    return isSecond && isHeld ? { text: "never", hold: "never" } : answerTo(system, user)
  })
  /** The tasks whose execution was asked for, in order. */
  const executed = (): ReadonlyArray<string> =>
    server.chats.flatMap(({ messages }) => {
      const [system = "", user = ""] = saidTo(messages)
      return stageOf(system, user) === "execution" ? [taskOf(user)] : []
    })
  return {
    server,
    executed,
    held: server.until(() => executed().includes("Look 2")),
    free: () => {
      isHeld = false
    }
  }
})

const plain = (text: string): unknown => JSON.parse(text) as unknown

liveTest(
  "a run of the command line that is killed goes on in the library, which shows what the command line shows",
  function* () {
    const { cli, project, start, stateFolder } = yield* makeWorld
    const { executed, free, held, server } = yield* makeServer
    /* This process has another home folder than the command line, so that the journal is not proven to be its own. */
    const mine = { stateFolder, project, host: server.url }
    const words = ["run", "--model", fakeModel, "--allow", "get_current_time", "Do it."]
    const { child, ended } = start(words, { env: { OLLAMA_HOST: server.url } })
    yield* held
    const [{ pid, runId = "", standing } = {}] = yield* Effect.promise(() => runs({ stateFolder }))
    expect([standing, pid]).toEqual(["running", child.pid])
    const refused = yield* Effect.promise(() => failureOf(resume(runId, mine).report))
    expect([refused instanceof LockTaken, (refused as LockTaken).holder?.pid]).toEqual([true, child.pid])
    child.kill("SIGKILL")
    yield* Effect.promise(() => ended)
    expect((yield* Effect.promise(() => runs({ stateFolder })))[0]?.standing).toBe("unfinished")
    free()

    const handle = resume(runId, { ...mine, allow: ["get_current_time"] })
    const report = yield* Effect.promise(() => handle.report)
    expect([report.status, report.answer, report.runId, handle.runId]).toEqual(["done", "The answer.", runId, runId])
    expect(executed()).toEqual(["Look 1", "Look 2", "Look 2"])

    const shown = yield* Effect.all([
      cli("runs", "--json"),
      cli("show", runId, "--json"),
      cli("show", runId, "--task", "look 1", "--json"),
      cli("replay", runId, "--json")
    ])
    const given = yield* Effect.promise(() =>
      Promise.all([
        runs({ stateFolder }),
        showRun(runId, { stateFolder }),
        showTask(runId, "look 1", { stateFolder }),
        replay(runId, { stateFolder })
      ])
    )
    const root = stateFolder.slice(0, stateFolder.indexOf("/home/"))
    expect(plain(anyBuild(outputJson(given).replaceAll(root, "<root>")))).toEqual(
      shown.map(({ stdout }) => plain(anyBuild(stdout)))
    )
    expect([given[0][0]?.standing, given[1].answer, given[2].task, given[3].same]).toEqual([
      "done",
      "The answer.",
      "Look 1",
      true
    ])
  }
)

describe("a run with parts in code", () => {
  liveTest("names its model in-code, and is replayed also where an earlier version called it otherwise", function* () {
    const { order, stateFolder } = yield* makeWorld
    const first = run(order())
    yield* Effect.promise(() => first.report)
    const named = yield* Effect.promise(async () => {
      for await (const event of first.events) if (event.type === "run.started") return event.model
      return ""
    })
    const played = yield* Effect.promise(() => replay(first.runId, { stateFolder }))
    expect([named, played.differences]).toEqual(["in-code", []])

    const file = join(stateFolder, "runs", first.runId, "journal.jsonl")
    const earlier = changeJournal(readFileSync(file, "utf8"), (json) =>
      json.replace('"model":"in-code"', '"model":"embedded"')
    )
    expect(earlier).toContain('"model":"embedded"')
    writeFileSync(file, earlier)
    const ofEarlier = yield* Effect.promise(() => replay(first.runId, { stateFolder }))
    expect(ofEarlier.differences).toEqual([])
    const { allow = [], model = "", project = "" } = order()
    const resumed = yield* Effect.promise(() => resume(first.runId, { stateFolder, project, allow, model }).report)
    expect([resumed.status, resumed.answer]).toEqual(["done", "The answer."])
  })

  liveTest("goes on only with the tools, servers and skills that it was begun with", function* () {
    const { order, stateFolder, write } = yield* makeWorld
    const greet = tool({
      description: "Greets. Use it in tests.",
      parameters: { type: "object", properties: {} },
      risk: "safe",
      effect: "pure",
      execute: async () => "Hello."
    })
    const horn = makeHorn()
    write("skills/in-code/SKILL.md", freeSkill.replace("name: free", "name: in-code"))
    const skills = pathToFileURL(join(stateFolder, "../../../../skills/"))
    const parts = { tools: { greet }, plugins: [horn.plugin], skills }
    const first = run(order({ ...parts, plan: plan.replaceAll("free", "in-code") }))
    const begun = yield* Effect.promise(() => first.report)
    expect([begun.status, begun.message]).toEqual(["done", ""])
    const { allow = [], model = "" } = order()
    const missing =
      `The run ${first.runId}: it was begun with what is missing now: sound_horn of horn ("plugins"); ` +
      'greet in "tools"; the skill in-code ("skills"). Go on with it where these are.'
    const refused = [
      resume(first.runId, { stateFolder, allow, model }),
      fork(first.runId, { stateFolder, allow, model, from: "Look 2" })
    ]
    for (const { events, report } of refused) {
      expect(((yield* Effect.promise(() => failureOf(report))) as Error).message).toBe(missing)
      const seen = yield* Effect.promise(() => failureOf(events[Symbol.asyncIterator]().next()))
      expect(seen).toBeInstanceOf(Error)
    }
    const again = yield* Effect.promise(
      () => fork(first.runId, { stateFolder, allow, model, ...parts, from: "Look 2" }).report
    )
    expect(again.status).toBe("done")
  })
})

/** A tool that changes something it does not name; the first call of it never ends. */
const makeHorn = () => {
  let calls = 0
  const begun = Promise.withResolvers<void>()
  const sound = tool({
    description: "Sounds a horn. Use it in tests.",
    parameters: Schema.Struct({}),
    risk: "medium",
    effect: "once",
    example: {},
    execute: () =>
      Effect.suspend(() => {
        calls += 1
        begun.resolve()
        return calls === 1 ? Effect.never : Effect.succeed("sounded")
      })
  })
  const plugin = definePlugin({ name: "horn", tools: Effect.succeed({ sound_horn: sound }) })
  return { plugin, begun: begun.promise, calls: () => calls }
}

liveTest(
  "a call in doubt is decided by the function of the caller, and stops the run when there is none",
  function* () {
    const { order, stateFolder } = yield* makeWorld
    const begin = Effect.fnUntraced(function* () {
      const horn = makeHorn()
      const more = {
        allow: ["sound_horn"],
        model: ScriptedModel.layer(({ system, user }) => answerTo(system, user, "sound_horn")),
        plugins: [horn.plugin]
      }
      const first = run(order({ ...more, skill: "free" }))
      yield* Effect.promise(() => horn.begun)
      yield* Effect.promise(first.interrupt)
      return { ...horn, runId: first.runId, options: { stateFolder, ...more } satisfies ResumeOptions }
    })

    const parked = yield* begin()
    const stopped = yield* Effect.promise(() => resume(parked.runId, parked.options).report)
    expect([stopped.status, parked.calls()]).toEqual(["not_permitted", 1])
    expect(stopped.message).toContain("was begun before the run broke off, and only you can say whether it happened")

    const asked: Array<string> = []
    const decided = yield* Effect.promise(
      () =>
        resume(parked.runId, {
          ...parked.options,
          arbitrate: ({ task, tool: name, warnings = [] }) => {
            asked.push(`${task}: ${name}: ${warnings.join(" ")}`)
            return "done"
          }
        }).report
    )
    expect([decided.status, parked.calls(), asked]).toEqual([
      "done",
      1,
      ["free 1: sound_horn: The run broke off during this call, so it is unknown whether the call happened."]
    ])
  }
)
