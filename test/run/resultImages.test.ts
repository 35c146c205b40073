/**
 * Images that tools return, over a server that speaks like Ollama: a model that sees is shown them, others read that they were left out,
 * and they are kept with the run.
 */
import { assert, describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { openConversation, replay, report, resume, run } from "../../src/index.ts"
import { definePlugin, tool, ToolOutput } from "../../src/plugin-kit.ts"
import { liveTest } from "../support/liveTest.ts"
import { scopedSandbox } from "../support/binary.ts"
import { ollamaTask } from "../support/ExampleProject.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { type ChatBody, inOrder, type Script } from "../support/FakeOllamaScript.ts"
import { png } from "../support/pictures.ts"
import { freeSkill } from "../support/TestRun.ts"

const [seeing, blind] = ["seer:7b", "reader:7b"]
const models = [
  { name: seeing, capabilities: ["completion", "tools", "vision"] },
  { name: blind, capabilities: ["completion", "tools"] }
]

const shots = (names: ReadonlyArray<string> = ["page-1.png"]) =>
  definePlugin({
    name: "shots",
    tools: {
      shoot: tool({
        description: "Shoots the page.",
        parameters: { type: "object", properties: {} },
        risk: "safe",
        effect: "pure",
        execute: async () =>
          new ToolOutput({
            text: "The page.",
            images: names.map((name) => ({ name, mediaType: "image/png", data: png }))
          })
      })
    }
  })

const sandbox = scopedSandbox({ "project/.task-conductor/skills/free/SKILL.md": freeSkill })

const looking = ollamaTask("free", { name: "shoot", arguments: {} })

/** A run with one call, and what the server got. */
const looked = Effect.fnUntraced(function* (model: string, names?: ReadonlyArray<string>, script: Script = looking) {
  const { root } = yield* sandbox
  const server = yield* FakeOllama.make(script, { models })
  const options = {
    project: join(root, "project"),
    stateFolder: join(root, "state"),
    host: server.url,
    model,
    plugins: [shots(names)]
  }
  return { root, server, options, handle: run({ ...options, prompt: "How does the page look?" }) }
})

/** The first message with a reply of the program to calls. */
const replyIn = (chats: ReadonlyArray<ChatBody>) =>
  chats
    .flatMap(({ messages }) => messages)
    .find(({ content, role }) => role === "user" && content.startsWith("## Reply"))

const kept = /kept as (files\/[0-9a-f]{12}-page-1\.png)/

describe("an image of a result", () => {
  liveTest("is shown to a model that sees, kept with the run, and found by its report and replay", function* () {
    const { handle, options, root, server } = yield* looked(seeing)
    const { status } = yield* Effect.promise(() => handle.report)
    assert.strictEqual(status, "done")
    const reply = replyIn(server.chats)
    assert.deepStrictEqual(reply?.["images"], [png.toString("base64")])
    assert.include(reply?.content, "Image 1 of this message is page-1.png of `shoot`.")
    const [, path = ""] = kept.exec(reply?.content ?? "") ?? []
    assert.deepStrictEqual(readFileSync(join(root, "state/runs", handle.runId, path)), png)
    const results = yield* Effect.promise(async () => {
      const found = []
      for await (const event of handle.events) if (event.type === "tool.finished") found.push(event.result)
      return found
    })
    assert.deepInclude(results[0]?.files?.[0], { name: "page-1.png", mediaType: "image/png", isImage: true, path })

    const { plugins, stateFolder } = options
    const { data, html } = yield* Effect.promise(() => report(handle.runId, { stateFolder }))
    expect(data.tasks[0]?.calls[0]?.result?.files).toMatchObject([{ name: "page-1.png" }])
    const source = `src="data:image/png;base64,${png.toString("base64")}"`
    expect(html.replaceAll("&#x3D;", "=").replaceAll("&#61;", "=")).toContain(source)
    expect(html).toContain("img-src data:;")

    const replayed = Effect.promise(() => replay(handle.runId, { plugins, stateFolder }))
    expect((yield* replayed).differences).toEqual([])
    rmSync(join(root, "state/runs", handle.runId, "files"), { recursive: true })
    expect((yield* replayed).differences).toEqual([])
  })

  liveTest("is left out for a model that sees none, and beyond the fourth, with where it is kept", function* () {
    const unseen = yield* looked(blind)
    yield* Effect.promise(() => unseen.handle.report)
    const without = replyIn(unseen.server.chats)
    assert.isUndefined(without?.["images"])
    const why =
      /The image page-1\.png of `shoot` is left out: this model sees no images\. It is kept as files\/\S+-page-1\.png\./
    assert.match(without?.content ?? "", why)
    const { handle, server } = yield* looked(
      seeing,
      [1, 2, 3, 4, 5, 6].map((at) => `page-${at}.png`)
    )
    yield* Effect.promise(() => handle.report)
    const reply = replyIn(server.chats)
    const images = reply?.["images"] as ReadonlyArray<string>
    assert.isTrue(images.length >= 1 && images.length <= 4)
    assert.include(reply?.content, "The image page-6.png of `shoot` is left out: there is no room for it.")
  })

  liveTest("is shown again when the run is resumed, without another call", function* () {
    let isFirst = true
    const stalling: Script = (body, index) => {
      const hasReply = replyIn([body]) !== undefined
      if (!hasReply || !isFirst) return looking(body, index)
      isFirst = false
      return { text: "", hold: "never" }
    }
    const { handle, options, server } = yield* looked(seeing, undefined, stalling)
    yield* server.until(({ chats }) => replyIn(chats) !== undefined)
    yield* Effect.promise(() => handle.interrupt())
    const before = server.chats.length
    const { report } = resume(handle.runId, options)
    assert.strictEqual((yield* Effect.promise(() => report)).status, "done")
    assert.deepStrictEqual(replyIn(server.chats.slice(before))?.["images"], [png.toString("base64")])
  })
})

describe("an image of a result in a conversation", () => {
  liveTest("is shown while the message is answered, and not with later ones", function* () {
    const { root } = yield* sandbox
    const script = inOrder({ toolCalls: [{ id: "call_1", name: "shoot", arguments: {} }] }, "It is white.", "Yes.")
    const server = yield* FakeOllama.make(script, { models })
    const conversation = openConversation({
      project: join(root, "project"),
      stateFolder: join(root, "state"),
      host: server.url,
      model: seeing,
      plugins: [shots()],
      toolCalls: "native"
    })
    const { answer } = yield* Effect.promise(() => conversation.send("How does the page look?"))
    yield* Effect.promise(() => conversation.send("Really?"))
    yield* Effect.promise(conversation.close)
    assert.strictEqual(answer, "It is white.")
    const [, second, third] = server.chats.map(({ messages }) => messages)
    const last = second?.slice(-2).map(({ images, role }) => [role, images])
    assert.deepStrictEqual<unknown>(last, [
      ["tool", undefined],
      ["user", [png.toString("base64")]]
    ])
    assert.isTrue(third?.every(({ images }) => images === undefined))
  })
})
