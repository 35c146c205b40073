import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { ConversationMessage } from "../../../src/domain/models/ConversationMessage.ts"
import {
  conversationFolder,
  lastConversation,
  saveConversation,
  addToHistory,
  readMessageHistory
} from "../../../src/services/conversation/ConversationStore.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const token = `ghp_${"a1B2".repeat(9)}`

const messages: ReadonlyArray<ConversationMessage> = [
  { role: "user", content: `Is ${token} or hunter2hunter2 a secret?` },
  { role: "assistant", content: "Yes.", thinking: "They want to know", calls: [] }
]

const id = (number: number): string => `20261122-1000${String(number).padStart(2, "0")}-aaaa`

const makePlace = Effect.gen(function* () {
  const state = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
  return { state, project: "/home/you/project", secrets: ["hunter2hunter2"] }
})

describe("conversations that are kept", () => {
  nodeTest("are private, without secrets and thoughts, and come back", function* () {
    const fs = yield* FileSystem.FileSystem
    const place = yield* makePlace
    yield* saveConversation(place, { runId: "20261122-100000-aaaa", model: "qwen3:8b", messages })
    const folder = yield* conversationFolder(place)
    const file = `${folder}/20261122-100000-aaaa.json`
    assert.strictEqual((yield* fs.stat(file)).mode & 0o777, 0o600)
    assert.strictEqual((yield* fs.stat(folder)).mode & 0o777, 0o700)
    assert.deepStrictEqual((yield* lastConversation(place)).messages, [
      { role: "user", content: "Is [redacted] or [redacted] a secret?" },
      { role: "assistant", content: "Yes.", thinking: "", calls: [] }
    ])
    const other = yield* Effect.flip(lastConversation({ ...place, project: "/home/you/other" }))
    assert.match(other.message, /^There is no conversation about \/home\/you\/other to continue\./)
  })

  nodeTest("are pruned; the one used last is the last; unreadable ones and parts are passed over", function* () {
    const fs = yield* FileSystem.FileSystem
    const place = yield* makePlace
    const folder = yield* conversationFolder(place)
    for (let number = 0; number < 25; number += 1) {
      yield* saveConversation(place, { runId: id(number), model: `m${number}`, messages })
      yield* fs.utimes(`${folder}/${id(number)}.json`, number + 1, number + 1)
    }
    assert.strictEqual((yield* fs.readDirectory(folder)).length, 20)
    yield* saveConversation(place, { runId: id(10), model: "m10", messages })
    yield* fs.writeFileString(`${folder}/${id(30)}.json`, "{")
    yield* fs.writeFileString(`${folder}/${id(31)}.json.x.tmp`, "{")
    assert.strictEqual((yield* lastConversation(place)).model, "m10")
  })

  nodeTest("have a history of messages, which is private, without secrets, and shortened", function* () {
    const fs = yield* FileSystem.FileSystem
    const place = yield* makePlace
    assert.deepStrictEqual(yield* readMessageHistory(place), [])
    yield* addToHistory(place, `two\nlines with ${token}`)
    yield* addToHistory(place, "x".repeat(20_001))
    const file = `${yield* conversationFolder(place)}/messages.jsonl`
    assert.strictEqual((yield* fs.stat(file)).mode & 0o777, 0o600)
    assert.deepStrictEqual(yield* readMessageHistory(place), ["two\nlines with [redacted]"])
    yield* fs.writeFileString(file, Array.from({ length: 1200 }, (_, index) => `"${index}"\n`).join("") + '"cut o')
    const kept = yield* readMessageHistory(place)
    assert.deepStrictEqual([kept.length, kept[0], kept.at(-1)], [500, "700", "1199"])
    assert.strictEqual((yield* fs.readFileString(file)).split("\n").length, 501)
  })
})
