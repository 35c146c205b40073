import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { openConversation, run } from "../../src/index.ts"
import { ScriptedModel } from "../../src/testing.ts"
import { librarySandbox } from "../support/fileSandbox.ts"

const sandbox = librarySandbox()
const project = `${sandbox.root}/project`

sandbox.write("project/README.md", "# Weather\n\nA small weather service.\n")
sandbox.write("project/src/server.ts", "/** The port of the server. */\nexport const serverPort = 8042\n")

/** A model that writes a file when it is told to, and says what came of it. */
const writer = ScriptedModel.layer((_prompt, _index, { messages }) => {
  const last = messages.at(-1)
  if (/### (?:Changed|Tool call)/.test(JSON.stringify(last))) return "That is all."
  return JSON.stringify(last).includes("Write")
    ? { text: "", calls: [{ name: "write_file", arguments: { path: "notes.md", content: "# Notes\n" } }] }
    : { text: "", calls: [{ name: "read_file", arguments: { path: "README.md" } }] }
})

/** A conversation that waits for the answer to its question, and holds the lock on its project meanwhile. */
const holding = async () => {
  rmSync(`${project}/notes.md`, { force: true })
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<boolean>()
  const conversation = openConversation({
    project,
    model: writer,
    approve: () => {
      asked.resolve()
      return answer.promise
    }
  })
  const sent = conversation.send("Write it.")
  await asked.promise
  return { answer: answer.resolve, close: () => conversation.close(), runId: conversation.runId, sent }
}

describe("a conversation beside others", () => {
  it("waits to change something until another has changed its project, says for whom, and goes on reading", async () => {
    const first = await holding()
    const second = openConversation({ project, model: writer, allow: ["write_file", "read_file"] })
    assert.strictEqual((await second.send("Read it.")).status, "done")
    const question = { project, model: "embedded", allow: ["read_file"], prompt: "Where is the port?" }
    assert.strictEqual((await run(question).report).status, "done")
    const waits = Promise.withResolvers<string>()
    void (async () => {
      for await (const event of second.events) {
        if (event.type === "message" && event.text.includes("Waiting until")) waits.resolve(event.text)
      }
    })()
    const later = second.send("Write it.")
    assert.match(
      await waits.promise,
      new RegExp(`is being changed by conversation ${first.runId} \\(pid ${process.pid}, since [^)]+\\)\\. Waiting`)
    )
    assert.isFalse(existsSync(`${project}/notes.md`))
    first.answer(true)
    assert.strictEqual((await first.sent).status, "done")
    assert.strictEqual((await later).status, "done")
    assert.strictEqual(readFileSync(`${project}/notes.md`, "utf8"), "# Notes\n")
    await Promise.all([first.close(), second.close()])
  })
})
