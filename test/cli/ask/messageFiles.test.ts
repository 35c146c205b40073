import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { onServer } from "../../support/onServer.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { png as picture } from "../../support/pictures.ts"
import { FakeOpenAi, fakeOpenAiModel } from "../../support/FakeOpenAi.ts"
import { liveTest } from "../../support/liveTest.ts"

const sandbox = fileSandbox()

sandbox.write("project/src/server.ts", "/** The port. */\nexport const serverPort = 8042\nexport const host = 1\n")
sandbox.write("project/shot.png", picture)
sandbox.write("project/fake.png", "no picture")
sandbox.write("outside.txt", "SECRET")
sandbox.write(
  "project/.task-conductor/commands/where.md",
  "---\ndescription: Finds\n---\nWhere is $ARGUMENTS? See @fake.png"
)
sandbox.write("config/task-conductor/commands/mine.md", "My own: $ARGUMENTS")
sandbox.write("project/.task-conductor/commands/mine.md", "Of the project.")
symlinkSync(join(sandbox.root, "outside.txt"), join(sandbox.root, "project/.task-conductor/commands/leak.md"))

const models = [
  { name: fakeModel, capabilities: ["completion", "tools"] },
  { name: "seer:7b", capabilities: ["completion", "tools", "vision"] }
]

/** Asks on the command line; gives what came back and the messages that the server got, without the system prompt. */
const asking = (args: ReadonlyArray<string>, model = fakeModel) =>
  onServer(sandbox, ["ask", "--model", model, ...args], { script: () => "It is so.", models }).pipe(
    Effect.map(({ chats, ...ended }) => ({ ...ended, sent: chats.map(({ messages }) => messages.slice(1)) }))
  )

describe("files in messages", () => {
  liveTest("sends the lines that are named, and the message without the sign", function* () {
    const { code, sent, stderr } = yield* asking(["What is @src/server.ts#L2-L3 for, me@example.org?"])
    assert.strictEqual(code, 0, stderr)
    const content = sent[0]?.[0]?.content ?? ""
    assert.include(content, "The contents of src/server.ts#L2-L3\n")
    assert.include(content, "2: export const serverPort = 8042\n3: export const host = 1\n")
    assert.match(content, /What is src\/server\.ts#L2-L3 for, me@example\.org\?$/)
  })

  liveTest("says that a file is not there, and sends the message", function* () {
    const { code, sent, stderr } = yield* asking(["What is @src/servr.ts and @types/node?"])
    assert.strictEqual(code, 0, stderr)
    assert.include(stderr, "There is no file src/servr.ts in the project, so it is not sent. Nearest: @src/server.ts.")
    assert.strictEqual(sent[0]?.[0]?.content, "What is @src/servr.ts and @types/node?")
  })

  liveTest("sends nothing of a file outside of the project that nobody allowed, and no message then", function* () {
    const { code, sent, stderr } = yield* asking(["What is @../outside.txt?"])
    assert.deepStrictEqual([code === 0, sent], [false, []], stderr)
    assert.include(stderr, "outside.txt")
  })

  liveTest("sends pictures to a model that sees, by name and by flag", function* () {
    const { code, sent, stderr } = yield* asking(["What is in @shot.png?"], "seer:7b")
    assert.strictEqual(code, 0, stderr)
    assert.deepStrictEqual(sent[0]?.[0], {
      role: "user",
      content: "What is in shot.png?",
      images: [picture.toString("base64")]
    })
    const flagged = yield* asking(["--image", "shot.png", "What is this?"], "seer:7b")
    assert.deepStrictEqual(flagged.sent[0]?.[0]?.["images"], [picture.toString("base64")])
  })

  liveTest(
    "says which model sees when the chosen one does not, and what is no picture, missing or too large",
    function* () {
      const rows = [
        [["What is in @shot.png?"], fakeModel, `"${fakeModel}" sees no pictures. Installed models that do: seer:7b.`],
        [
          ["--image", "fake.png", "What?"],
          "seer:7b",
          "fake.png is no picture of a kind that models see: PNG, JPEG, GIF"
        ],
        [["--image", "none.png", "What?"], "seer:7b", "none.png"],
        [["--image", "shot.png", "What?"], "seer:7b", "larger than 20 bytes", '{ "limits": { "readFileBytes": 20 } }']
      ] as const
      for (const [args, model, said, settings = "{}"] of rows) {
        sandbox.write("project/task-conductor.json", settings)
        const { code, sent, stderr } = yield* asking(args, model)
        assert.deepStrictEqual([code, sent], [1, []])
        assert.include(stderr, said)
      }
      sandbox.write("project/task-conductor.json", "{}")
    }
  )

  liveTest("sends pictures to an OpenAI-compatible server in its form", function* () {
    const server = yield* FakeOpenAi.make(() => "A dot.")
    const { code, stderr } = yield* Effect.promise(() =>
      sandbox.run(["ask", "--model", `openai:${fakeOpenAiModel}`, "--image", "shot.png", "What is this?"], {
        env: { OPENAI_BASE_URL: server.url }
      })
    )
    assert.strictEqual(code, 0, stderr)
    assert.deepStrictEqual(server.chats[0]?.messages[1]?.content as unknown, [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${picture.toString("base64")}` } }
    ])
  })
})

liveTest(
  "own commands are messages of ask and prompts of run; a project's shows no files and takes no name of the user",
  function* () {
    const asked = yield* asking(["/where the port"])
    assert.strictEqual(asked.sent[0]?.[0]?.content, "Where is the port? See @fake.png", asked.stderr)
    const own = yield* asking(["/mine this"])
    assert.strictEqual(own.sent[0]?.[0]?.content, "My own: this")
    const leak = yield* asking(["/leak"])
    assert.strictEqual(leak.sent[0]?.[0]?.content, "/leak")
    const planned = yield* Effect.promise(() => sandbox.run(["plan", "--model", "embedded", "/where serverPort"]))
    assert.include(planned.stdout, "Where is serverPort? See @fake.png", planned.stderr)
  }
)
