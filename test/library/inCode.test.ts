import { assert, describe, it } from "@effect/vitest"
import { pathToFileURL } from "node:url"
import {
  aiSdkModel,
  ask,
  check,
  type FunctionQuestion,
  type ModelFunction,
  openConversation,
  plan,
  resume,
  run,
  tool
} from "../../src/index.ts"
import { inOptionWords } from "../../src/library/ConductorError.ts"
import { check as checkAlone } from "../../src/check.ts"
import { librarySandbox } from "../support/fileSandbox.ts"
import { referenceServer } from "../support/McpServers.ts"

const sandbox = librarySandbox()
const project = `${sandbox.root}/project`
const alone = { project, configuration: false } as const
const base = { ...alone, keep: false }

sandbox.write("project/README.md", "# Weather\n")

/** What a promise is rejected with. */
const rejection = (promise: Promise<unknown>): Promise<Error & { readonly _tag?: string }> =>
  promise.then(
    (value) => Promise.reject(new Error(`nothing failed: ${JSON.stringify(value)}`)),
    (error: Error) => error
  )

const hello = tool({
  description: "Greets somebody by name.",
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  risk: "safe",
  effect: "pure",
  execute: async ({ name }) => `Hello ${name}!`
})

/** Calls the tool once, and answers with what it said. */
const greeter: ModelFunction = ({ messages }) => {
  const said = messages.find(({ role }) => role === "tool")
  return said === undefined
    ? { toolCalls: [{ name: "hello", arguments: { name: "Ada" } }] }
    : `The tool said: ${said.content}`
}

async function* pieces() {
  yield "Hello "
  yield "world, as you asked."
}

/** Gives these answers, one after another. */
const answers = (...all: ReadonlyArray<string>): ModelFunction => {
  const left = [...all]
  return () => left.shift() ?? "no more"
}

/** Calls the tool once, reports, and answers in JSON. */
const greetAndCount: ModelFunction = ({ messages }) => {
  const asked = messages.map(({ content }) => content).join("\n")
  if (asked.includes("Write one JSON value that fits this JSON schema")) return '{ "n": 7 }'
  if (!asked.includes("Hello Ada!")) return '```json\n{ "name": "hello", "arguments": { "name": "Ada" } }\n```'
  return "## Result summary\n\nThe tool said: Hello Ada!\n"
}

/** Answers with JSON that does not fit. */
const misfit: ModelFunction = ({ messages }) =>
  messages.some(({ content }) => content.includes("Write one JSON value"))
    ? '{ "n": "four" }'
    : "## Result summary\n\nThe number is four.\n"

const sayHello = (model: ModelFunction) => run({ ...base, prompt: "Say hello.", model }).report

const outputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const
const giveNumber = (model: ModelFunction) => ask({ ...alone, prompt: "Give a number.", model, outputSchema }).report

describe("a model that is a function", () => {
  it("gets messages and tools, and calls tools of the script", async () => {
    const asked: Array<FunctionQuestion> = []
    const { report } = ask({
      ...alone,
      toolCalls: "native",
      prompt: "Greet Ada.",
      model: (question) => {
        asked.push(question)
        return greeter(question)
      },
      tools: { hello }
    })
    const { answer, status } = await report
    assert.deepStrictEqual([status, answer.includes("Hello Ada!"), asked.length], ["done", true, 2])
    const [first, second] = asked
    assert.deepStrictEqual(
      [first?.messages.map(({ role }) => role), first?.signal instanceof AbortSignal],
      [["system", "user"], true]
    )
    const { description, parameters } = first?.tools.find(({ name }) => name === "hello") ?? {}
    assert.deepStrictEqual([description, parameters], [hello.description, hello.parameters as object])
    assert.deepStrictEqual(second?.messages.at(-2)?.toolCalls?.[0]?.name, "hello")
    assert.isTrue(second?.signal.aborted)
  })

  it("may answer piece by piece, and what it throws is the error of the model", async () => {
    const seen: Array<string> = []
    const spoken = ask({ ...alone, prompt: "Say hello.", model: pieces, onText: (piece) => seen.push(piece) })
    assert.strictEqual((await spoken.report).answer, "Hello world, as you asked.")
    assert.strictEqual(seen.join(""), "Hello world, as you asked.")
    const broken = await sayHello(() => {
      throw new Error("the key is wrong")
    })
    assert.strictEqual(broken.status, "unavailable")
    assert.match(broken.message, /^The function that answers for the model failed: the key is wrong$/m)
    const wrong = await sayHello(() => ({ txt: "hi" }) as never)
    assert.include(wrong.message, '{"txt":"hi"}, which is neither a text nor an object with text or toolCalls')
  })

  it("is stopped with the work: it is interrupted once it has begun, and else rejects with the reason", async () => {
    const stop = new AbortController()
    const stopped = run({
      ...base,
      prompt: "Say hello.",
      signal: stop.signal,
      model: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted")))
          stop.abort("no more time")
        })
    })
    assert.strictEqual((await stopped.report).status, "interrupted")
    const late = { prompt: "Say hello.", model: "embedded", signal: AbortSignal.abort("too late") }
    const early = [run({ ...base, ...late }).report, plan({ ...alone, ...late }).report]
    for (const error of await Promise.all(early.map(rejection))) {
      assert.deepStrictEqual([error.name, error.cause], ["AbortError", "too late"])
    }
  })
})

it("a run of a script that is resumed has the tools and the schema that are given again", async () => {
  const stop = new AbortController()
  const places = { ...alone, stateFolder: `${sandbox.root}/resumed`, tools: { hello } } as const
  const first = run({
    ...places,
    prompt: "Give a number.",
    skill: "use-program",
    outputSchema,
    signal: stop.signal,
    model: () =>
      new Promise(() => {
        stop.abort()
      })
  })
  assert.strictEqual((await first.report).status, "interrupted")
  const { message, status, value } = await resume(first.runId, { ...places, outputSchema, model: greetAndCount }).report
  const n: number | undefined = value?.n
  assert.deepStrictEqual([status, n], ["done", 7], message)
})

describe("a model of the AI SDK", () => {
  it.each(["v2", "v3", "v4"])("of the interface %s is asked with messages and tools in its form", async (version) => {
    const asked: Array<{ readonly prompt: ReadonlyArray<{ readonly role: string; readonly content: unknown }> }> = []
    const plain = version === "v2"
    const model = aiSdkModel({
      specificationVersion: version,
      modelId: "test",
      doGenerate: async (options: (typeof asked)[number]) => {
        asked.push(options)
        const isFirst = asked.length === 1
        return {
          content: isFirst
            ? [{ type: "tool-call", toolCallId: "c1", toolName: "hello", input: '{"name":"Ada"}' }]
            : [{ type: "text", text: "The tool greeted Ada." }],
          finishReason: plain ? "stop" : { unified: "stop", raw: undefined },
          usage: plain
            ? { inputTokens: 11, outputTokens: 7 }
            : { inputTokens: { total: 11 }, outputTokens: { total: 7 } }
        }
      }
    })
    const { report } = ask({ ...alone, toolCalls: "native", prompt: "Greet Ada.", model, tools: { hello } })
    const { answer, usage } = await report
    assert.deepStrictEqual([answer, usage.promptTokens, usage.answerTokens], ["The tool greeted Ada.", 22, 14])
    const [call, result] = asked.at(-1)?.prompt.slice(-2) ?? []
    assert.deepStrictEqual(call?.content, [
      { type: "tool-call", toolCallId: "c1", toolName: "hello", input: { name: "Ada" } }
    ])
    const parts = result?.content as ReadonlyArray<object> | undefined
    assert.deepInclude(parts?.[0], { type: "tool-result", toolName: "hello" })
  })
})

describe("the answer of a script that gives a schema", () => {
  /** A Standard Schema as zod makes them: it knows more than its JSON schema says. */
  const even = {
    "~standard": {
      version: 1,
      vendor: "test",
      types: undefined as unknown as {
        readonly input: { readonly n: number }
        readonly output: { readonly n: number }
      },
      validate: (value: unknown) => {
        const { n } = value as { readonly n: number }
        return n % 2 === 0 ? { value: { n } } : { issues: [{ message: "must be even", path: ["n"] }] }
      },
      jsonSchema: {
        input: () => ({ type: "object", properties: { n: { type: "integer" } }, required: ["n"] }),
        output: () => ({ type: "object", properties: { n: { type: "integer" } }, required: ["n"] })
      }
    }
  } as const

  it("is typed, and held against the whole schema", async () => {
    const model = answers('{ "n": 3 }', '{ "n": 4 }')
    const { value } = await ask({ ...alone, prompt: "Give an even number.", model, outputSchema: even }).report
    const n: number | undefined = value?.n
    assert.strictEqual(n, 4)
  })

  it("is typed by a JSON schema, and has no value when there is no answer", async () => {
    const { value } = await giveNumber(answers('{ "n": 5 }', '{ "n": 5 }'))
    const n: number | undefined = value?.n
    assert.strictEqual(n, 5)
    assert.isUndefined((await giveNumber(answers("a", "b", "c", "d", "e", "f"))).value)
  })

  it("says in the report of a run what does not fit", async () => {
    const order = { ...base, prompt: "Give a number.", skill: "summarize" }
    const { events, report } = run({ ...order, model: misfit, outputSchema })
    const { issues, status } = await report
    assert.deepStrictEqual([status, issues.some(({ what }) => what.includes('"n"'))], ["failed", true])
    for await (const event of events) {
      if (event.type === "run.finished") assert.notInclude(event.report.message, "--")
    }
  })
})

describe("a script with a configuration of its own", () => {
  it("gets neither that of the user nor that of the project", async () => {
    sandbox.write("config/task-conductor/config.json", '{ "model": "nothing-such", "limits": { "attempts": "many" } }')
    sandbox.write("project/task-conductor.json", '{ "broken": true }')
    const { status } = await run({ ...base, prompt: "Where is Weather?", model: "embedded" }).report
    assert.strictEqual(status, "done")
    const inCode = { model: "embedded", deny: ["read_file"] }
    const { taskList } = await plan({ project, prompt: "Where is it?", configuration: inCode }).report
    assert.strictEqual(taskList.tasks.length, 1)
    const wrong = { ...base, prompt: "x", model: "embedded", configuration: { modle: "x" } as never }
    assert.include((await rejection(run(wrong).report)).message, '"modle"')
    const read = await rejection(run({ project, keep: false, prompt: "x", model: "embedded" }).report)
    assert.strictEqual(read._tag, "ConfigurationError")
    sandbox.write("config/task-conductor/config.json", "{}")
    sandbox.write("project/task-conductor.json", "{}")
  })

  it("has skills from a folder of its own", async () => {
    sandbox.write(
      "skills/greet-people/SKILL.md",
      "---\nname: greet-people\ndescription: Greets people. Use it when somebody is to be greeted.\nallowed-tools: hello\n---\n\nGreet everybody by name.\n"
    )
    const skills = pathToFileURL(`${sandbox.root}/skills/`)
    const order = { ...base, prompt: "Greet Ada.", skill: "greet-people" }
    const unknown = await rejection(run({ ...order, model: greeter }).report)
    assert.strictEqual(unknown._tag, "UnknownSkill")
    const systems: Array<string> = []
    const { report } = run({
      ...order,
      skills,
      tools: { hello },
      model: ({ messages }) => {
        systems.push(messages.map(({ content }) => content).join("\n"))
        return "## Result summary\n\nGreeted.\n"
      }
    })
    await report
    assert.isTrue(systems.some((text) => text.includes("Greet everybody by name.")))
  })

  it("has MCP servers of its own", async () => {
    const { answer, message } = await ask({
      ...alone,
      prompt: "Say heron.",
      mcpServers: { own: referenceServer },
      allow: ["mcp__own__echo"],
      toolCalls: "native",
      model: ({ messages }) => {
        const result = messages.find(({ role }) => role === "tool")
        return result === undefined
          ? { toolCalls: [{ name: "mcp__own__echo", arguments: { message: "heron" } }] }
          : `The server said: ${result.content}`
      }
    }).report
    assert.include(answer, "Echo: heron", message)
  })
})

describe("work of a script", () => {
  it("rejects when no server names its model, and has a report once it has one", async () => {
    const order = { ...base, host: "http://127.0.0.1:1", prompt: "Hello.", limits: { serverWaitSeconds: 1 } }
    const error = await rejection(run(order).report)
    assert.deepStrictEqual([error._tag, error.message.includes("127.0.0.1:1")], ["ModelError", true])
    const { message, status } = await run({ ...order, model: "qwen3:8b" }).report
    assert.deepStrictEqual([status, message.includes("127.0.0.1:1")], ["unavailable", true])
  })

  it("leaves no listener at the signal, and no rejection when only its events are read", async () => {
    const stop = new AbortController()
    let listeners = 0
    const { addEventListener, removeEventListener } = stop.signal
    stop.signal.addEventListener = (...given: Parameters<typeof addEventListener>) => {
      listeners += 1
      addEventListener.apply(stop.signal, given)
    }
    stop.signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => {
      listeners -= 1
      removeEventListener.apply(stop.signal, given)
    }
    const rejections: Array<unknown> = []
    const note = (reason: unknown) => void rejections.push(reason)
    process.on("unhandledRejection", note)
    const { events } = run({ ...base, prompt: "x", nonsense: 1, signal: stop.signal } as never)
    const error = await rejection(
      (async () => {
        for await (const _ of events);
      })()
    )
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off("unhandledRejection", note)
    assert.include(error.message, "nonsense")
    assert.deepStrictEqual([listeners, rejections], [0, []])
  })

  it("rejects a message whose answer breaks off, and goes on", async () => {
    const conversation = openConversation({ ...alone, model: () => "An answer about nothing at all." })
    const broken = await rejection(
      conversation.send("hi", () => {
        throw new Error("boom")
      })
    )
    assert.include(broken.message, "boom")
    assert.include((await conversation.send("hi")).answer, "An answer")
    await conversation.close()
  })

  it("names options where the program names flags, and leaves commands as they are", () => {
    assert.deepStrictEqual(
      [
        "Try a larger model (--model).",
        "Use --yes to approve beforehand, or --allow write_file.",
        "Choose one, for example --model qwen3:8b.",
        "The check prettier --check . fails with the changes: a.ts",
        "The check tsc --project tsconfig.json fails. eslint --plugin x",
        "look at them, or accept such an end with --accept-unverified."
      ].map(inOptionWords),
      [
        'Try a larger model ("model").',
        'Use "approve" to approve beforehand, or "allow" write_file.',
        'Choose one, for example "model" qwen3:8b.',
        "The check prettier --check . fails with the changes: a.ts",
        "The check tsc --project tsconfig.json fails. eslint --plugin x",
        'look at them, or accept such an end with "acceptUnverified".'
      ]
    )
  })

  it("says why a model of the AI SDK gave no answer", async () => {
    const model = aiSdkModel({
      specificationVersion: "v3",
      modelId: "test",
      doGenerate: async () => ({
        content: [],
        finishReason: { unified: "content-filter", raw: "SAFETY" },
        usage: { inputTokens: {}, outputTokens: {} }
      })
    })
    const { message, status } = await run({ ...base, prompt: "x", model }).report
    assert.deepStrictEqual([status, message.includes('ended with "content-filter"')], ["unavailable", true], message)
  })
})

describe("what a script gives", () => {
  it("is refused at the call when a JSON schema is broken, with the place and what is there", async () => {
    const parameters = { type: "object", properties: 5 } as never
    const fault = '"properties" must be an object of schemas'
    const asAnswer = await rejection(run({ ...base, prompt: "x", model: "embedded", outputSchema: parameters }).report)
    assert.include(asAnswer.message, `"outputSchema": ${fault}.`)
    const tools = { hello: { ...hello, parameters } }
    const asInput = await rejection(run({ ...base, prompt: "x", model: "embedded", tools }).report)
    assert.include(asInput.message, '"tools": its tool "hello" is not well formed: "parameters" is a JSON schema')
    assert.include(asInput.message, fault)
  })

  it("is refused when its folder of skills is not there", async () => {
    const skills = pathToFileURL(`${sandbox.root}/no-skills/`)
    const missing = await rejection(run({ ...base, prompt: "x", model: "embedded", skills }).report)
    assert.strictEqual(missing._tag, "ConfigurationError")
    assert.include(missing.message, `"skills": its skills are left out: there is no folder ${sandbox.root}/no-skills`)
  })
})

it("check is the same function in both entry points, and refuses a bare name of a kind", () => {
  const result = "## Result summary\n\nDone.\n"
  for (const one of [check, checkAlone]) {
    assert.strictEqual(one(result, { kind: "result" }).verdict, "accepted")
    assert.throws(() => one(result, "result" as never), /check\(text, \{ kind: "result" \}\)/)
  }
})
