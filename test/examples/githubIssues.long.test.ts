/** The example `plugin-github-issues`, packed and installed. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { eventsOf, ollamaTask, testedExample } from "../support/ExampleProject.ts"
import type { Ended } from "../support/binary.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import { type FakeServerOf, startFakeServer } from "../support/FakeServer.ts"
import { liveTest } from "../support/liveTest.ts"

const name = "task-conductor-plugin-github-issues"
const token = "ghp-token-that-nobody-may-see"

/** What the API answers; a title quotes the token, as servers quote what they refuse. */
const issue = { number: 3, title: `It rains on ${token}`, state: "open", labels: [{ name: "bug" }] }

const openGitHub = startFakeServer({
  chatPath: "/none",
  answer: ({ method, path }) => {
    if (method === "POST") return { status: 200, body: { html_url: "https://github.example/3#1" } }
    return { status: 200, body: path.includes("/issues/") ? issue : [issue] }
  },
  chat: () => ({})
})

const installed = testedExample("plugin-github-issues")

type Call = Parameters<typeof ollamaTask>[1]

const listing: Call = { name: "list_issues", arguments: { state: "open" } }
const commenting: Call = { name: "comment_issue", arguments: { number: 3, text: "It will end." } }

/** A project that names the plugin, a model that makes the call, and a server of GitHub. */
const openWorld = Effect.fnUntraced(function* (call: Call) {
  const github = yield* openGitHub
  const { url } = yield* FakeOllama.make(ollamaTask("triage-issues", call))
  const config = { repository: "you/weather", api: github.url }
  installed().write("app/task-conductor.json", JSON.stringify({ plugins: [[name, config]] }))
  return { env: { OLLAMA_HOST: url, GITHUB_TOKEN: token }, github, host: new URL(github.url).host }
})

const trust = `load_plugin:${name} *`

const run = (env: Readonly<Record<string, string>>, ...allow: ReadonlyArray<string>) =>
  Effect.promise(() => {
    const rules = [trust, ...allow].flatMap((rule) => ["--allow", rule])
    return installed().conduct(["run", "--json", "--model", fakeModel, ...rules, "Which issues are open?"], env).ended
  })

/** A script of the library that prints what it is asked, and approves it. */
const approving = (prompt: string, env: Readonly<Record<string, string>>) =>
  Effect.promise(() => {
    const options = { prompt, model: fakeModel, allow: [trust] }
    const script = `import { run } from "task-conductor"
      const approve = (request) => { console.log(JSON.stringify({ asked: request })); return true }
      await run({ ...${JSON.stringify(options)}, approve }).report`
    return installed().start(process.execPath, ["--input-type=module", "-e", script], env).ended
  })

/** The requests that the server got, without those of npm. */
const methodsOf = ({ requests }: FakeServerOf<unknown>) => requests.map(({ method }) => method)

const resultOf = (ending: Ended) => eventsOf(ending).find(({ type }) => type === "tool.finished")?.["result"]

/** Everything that runs have kept. */
const keptText = (): string =>
  readdirSync(join(installed().root, "home"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name: file, parentPath }) => readFileSync(join(parentPath, file), "utf8"))
    .join("\n")

describe("the plugin github-issues", () => {
  liveTest("lists issues once its host is allowed, with its own skill, and never shows the token", function* () {
    const { env, github, host } = yield* openWorld(listing)
    const ending = yield* run(env, `list_issues:${host}`)
    expect(resultOf(ending)).toMatchObject({
      success: true,
      data: { issues: [{ number: 3, title: "It rains on [redacted]" }], more: false }
    })
    expect(eventsOf(ending).some(({ type }) => type === "tool.progress")).toBe(true)
    expect(github.requests[0]?.headers.authorization).toBe(`Bearer ${token}`)
    expect(ending.stdout + ending.stderr).not.toContain(token)
    const kept = keptText()
    expect(kept).toContain("[redacted]")
    expect(kept).not.toContain(token)
  })

  liveTest("shows the text of a comment and the title of its issue before the comment is posted", function* () {
    const { env, github, host } = yield* openWorld(commenting)
    const { stderr, stdout } = yield* approving("Answer on issue 3.", env)
    expect(stderr).toBe("")
    const questions = stdout.split("\n").filter((line) => line.startsWith("{"))
    expect(questions).toHaveLength(2)
    expect(questions[0]).toContain(host)
    expect(questions[1]).toContain("comment on issue 3 of you/weather on GitHub")
    expect(questions[1]).toContain('"details":["Issue: It rains on [redacted]","","It will end."]')
    expect(stdout).not.toContain(token)
    expect(methodsOf(github)).toEqual(["GET", "POST"])
  })
})
