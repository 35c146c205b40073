import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { processSandbox } from "../../support/fileSandbox.ts"
import { program } from "../../support/binary.ts"
import { conductAt } from "../../support/ConductorTerminal.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { needsTerminal } from "../../support/PseudoTerminal.ts"
import { liveTest } from "../../support/liveTest.ts"

const sandbox = processSandbox()

sandbox.write("project/README.md", "# Weather\n\nA small weather service.\n")
sandbox.write("project/src/server.ts", "export const serverPort = 8042\n")
sandbox.write("project/src/my notes.md", "Notes.\n")
sandbox.write("config/task-conductor/config.json", '{ "notice": "osc777" }')

const open = (url: string, args: string, env: Readonly<Record<string, string>> = {}, columns = 100) =>
  conductAt(sandbox, args, { env: { OLLAMA_HOST: url, ...env }, columns })

const talk = `ask --model ${fakeModel}`

const saidIn = (messages: ReadonlyArray<{ readonly role: string; readonly content: string }> = []) =>
  messages.filter(({ role }) => role === "user").map(({ content }) => content)

describe("keys of ask", needsTerminal, () => {
  liveTest("completes files, commands and their arguments with Tab", function* () {
    const server = yield* FakeOllama.make(() => "It is so.")
    const { screen, type, until } = yield* open(server.url, talk)
    yield* until(/commands\.\n>/)
    /* What is there is looked up while the user types. */
    type("see @RE")
    yield* until(/see @RE$/)
    while (!screen().endsWith("see @README.md")) {
      type("\t")
      yield* Effect.sleep("200 millis")
    }
    type("#L1 and @sr\t")
    yield* until(/and @src\/$/m)
    type("se\t")
    yield* until(/and @src\/server\.ts$/m)
    type("\r")
    yield* until(/done: 1 model call[^]*\n>$/)
    const [sent = ""] = saidIn(server.chats[0]?.messages)
    assert.include(sent, "# Weather")
    assert.include(sent, "serverPort = 8042")
    assert.match(sent, /see README\.md#L1 and src\/server\.ts$/)
    type("/model qw\t")
    yield* until(/> \/model qwen3:8b$/m)
    type("\u0015/tools on read\t")
    yield* until(/> \/tools on read_file$/m)
  })

  liveTest("searches the messages before with Ctrl-R, and gives the line to the editor with Ctrl-G", function* () {
    const server = yield* FakeOllama.make((_body, index) => `Answer ${index + 1}.`)
    const editor = `${process.execPath} ${sandbox.root}/editor.js`
    sandbox.write(
      "editor.js",
      'const fs = require("fs"); const file = process.argv.at(-1); fs.writeFileSync(file, fs.readFileSync(file, "utf8") + "\\nfrom the editor\\n")'
    )
    const { screen, type, until } = yield* open(server.url, talk, { EDITOR: editor, VISUAL: "" })
    for (const [index, message] of ["about apples", "about pears"].entries()) {
      yield* until(/\n>$/)
      type(`${message}\r`)
      yield* until(new RegExp(`Answer ${index + 1}\\.[^]*\\n>$`))
    }
    type("draft\u0012")
    yield* until(/search ""/)
    type("ABOUT")
    yield* until(/search "ABOUT": about pears$/m)
    type("\u0012")
    yield* until(/search "ABOUT": about apples$/m)
    type("\u0012")
    yield* until(/search "ABOUT", no more matches/)
    type("\u0007")
    yield* until(/\n> draft$/m)
    type("\u0015\u0012app")
    yield* until(/search "app": about apples$/m)
    type("\u0005 again\r")
    yield* until(/Answer 3\.[^]*\n>$/)
    type("first\u0007")
    yield* until(/> first\n\| from the editor$/m)
    type("\r")
    yield* until(/Answer 4\.[^]*\n>$/)
    type("/edit \r")
    yield* until(/Answer 5\.[^]*\n>$/)
    assert.deepStrictEqual(saidIn(server.chats.at(-1)?.messages).slice(2), [
      "about apples again",
      "first\nfrom the editor",
      "\nfrom the editor"
    ])
    assert.notInclude(screen(), "error")
  })

  liveTest("runs a command behind !, and the model sees its output with the next message", function* () {
    const server = yield* FakeOllama.make(() => "I see.")
    const { type, until } = yield* open(server.url, talk)
    yield* until(/commands\.\n>/)
    type("!cat README.md | tr a-z A-Z\r")
    yield* until(/Wants to run a command[^]*Allow\?/)
    type("y")
    yield* until(/A SMALL WEATHER SERVICE\.[^]*\n>$/)
    type("What was that?\r")
    yield* until(/I see\.[^]*\n>$/)
    const [sent = ""] = saidIn(server.chats[0]?.messages)
    assert.match(
      sent,
      /^The user ran `cat README\.md \| tr a-z A-Z` in the project:[^]*A SMALL WEATHER[^]*What was that\?$/
    )
    type("!touch made.txt\r")
    yield* until(/touch made\.txt[^]*Allow\?$/)
    type("n")
    yield* until(/The command was not run\.\n>$/)
  })

  liveTest("shows what is typed during an answer as queued, sends it afterwards, and keeps it at Ctrl-C", function* () {
    const server = yield* FakeOllama.make((_body, index) =>
      index === 0 || index === 2
        ? { text: "This goes on and on.", holdAfter: { lines: 3, latch: `answer ${index}` } }
        : `Answer ${index + 1}.`
    )
    const { screen, type, until } = yield* open(server.url, talk)
    yield* until(/commands\.\n>/)
    type("slowly\r")
    yield* until(/Ctrl-C stops the answer/)
    type("and then\r")
    yield* until(/queued: and then/)
    type("half a mess")
    yield* until(/queued: and then\n> half a mess/)
    yield* server.release("answer 0")
    yield* until(/> and then\n[^]*Answer 2\.\ndone: [^\n]*\n> half a mess$/)
    type("age\r")
    yield* until(/Ctrl-C stops the answer/)
    type("never sent\r")
    yield* until(/queued: never sent/)
    type("\u0003")
    yield* until(/stopped: 1 model call[^]*\n> never sent$/)
    assert.strictEqual(server.chats.length, 3)
    assert.deepStrictEqual(saidIn(server.chats[2]?.messages), ["slowly", "and then", "half a message"])
    assert.notMatch(screen(), /and then\n[^>\n]*and then\n[^>\n]*and then/)
  })

  liveTest("lists conversations, goes on with one, shortens it, and shows its end with --continue", function* () {
    const server = yield* FakeOllama.make((_body, index) => `Answer ${index + 1} with many words.`)
    const { type, until } = yield* open(server.url, `${talk}; ${process.execPath} ${program} ${talk} --continue`)
    yield* until(/commands\.\n>/)
    type("About the first talk\r")
    yield* until(/Answer 1[^]*\n>$/)
    type("/clear\r")
    yield* until(/^\n?Started a new conversation\. Permissions stay\.\n>$/)
    type("About the second talk\r")
    yield* until(/Answer 2[^]*\n>$/)
    type("/sessions\r")
    yield* until(
      / 1 {2}today [^\n]*1 message {2}About the second talk\n 2 {2}today [^\n]*1 message {2}About the first talk\n/
    )
    type("/sessions 2\r")
    yield* until(/> About the first talk\nAnswer 1 with many words\.\nThe conversation goes on from here\.\n>$/)
    type("And more\r")
    yield* until(/Answer 3[^]*\n>$/)
    assert.deepStrictEqual(saidIn(server.chats[2]?.messages), ["About the first talk", "And more"])
    type("/compact\r")
    yield* until(/Shortened from about \d+ to \d+ tokens\. Your messages and the answers stay\.\n>$/)
    type("/sessions 99\r")
    yield* until(/There is no conversation "99"/)
    type("/exit\r")
    yield* until(/> And more\nAnswer 3 with many words\.\nContinuing the conversation: 2 messages of yours so far\./)
  })
})

describe("keys during a run", needsTerminal, () => {
  liveTest("are not echoed and do not reach the shell; Ctrl-C stops the run", function* () {
    const server = yield* FakeOllama.make(() => ({ text: "This goes on.", holdAfter: { lines: 2, latch: "never" } }))
    const { screen, type, until } = yield* open(server.url, `run --model ${fakeModel} "Do it"`)
    yield* until(/Ctrl-C stops/)
    type("rm -rf nothing\r")
    yield* Effect.sleep("400 millis")
    assert.notInclude(screen(), "rm -rf")
    type("\u0003")
    yield* until(/ended with 130/)
    type("after\r")
    yield* until(/got after/)
    assert.notInclude(screen(), "rm -rf")
  })
})
