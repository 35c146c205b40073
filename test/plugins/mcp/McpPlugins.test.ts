import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ApprovalItem } from "../../../src/domain/permissions/ApprovalItem.ts"
import { Policies } from "../../../src/services/permissions/Policies.ts"
import { createServer } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo } from "node:net"
import { makeCertificate } from "../../support/Certificate.ts"
import { liveTest } from "../../support/liveTest.ts"
import { messagesOf, scriptedServer, startsOf } from "../../support/McpServers.ts"
import { openMcp, withEnvironment } from "../../support/OpenMcp.ts"
import { makeFolder, putFiles } from "../../support/Project.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { serve } from "../../support/WebServer.ts"

/** Answers that are kept in a file. */
const kept = (file: string) => Policies.layer(file).pipe(Layer.provide(NodeServices.layer))

describe("a server that the project names", () => {
  liveTest("is not started when nobody can be asked, and what to do is said", function* () {
    const folder = yield* makeFolder
    const server = scriptedServer(folder)
    const { names, problems } = yield* openMcp({ file: { mcpServers: { s: server } } })
    const [problem = "", ...more] = problems
    const does = `Command: ${server.command}, ${server.args.map((argument) => `Argument: ${argument}`).join(", ")}, Folder: <project>`
    const denial = `needs approval and there is no terminal to ask on. Use --allow "start_server:s sha256:`
    assert.isTrue(
      problem.startsWith(
        `The server "s" is not used: the project names it, and it starts only when you trust it (${does}). Permission denied: start_server on s sha256:`
      ),
      problem
    )
    assert.include(problem, denial)
    assert.deepStrictEqual([names, startsOf(folder), more], [[], [], []])
  })

  liveTest("is started after a question with exactly what would run", function* () {
    const folder = yield* makeFolder
    const approver = scriptedApprover({ calls: ["once"] })
    const server = scriptedServer(folder)
    const { call, names, project } = yield* openMcp({
      file: {
        mcpServers: {
          s: { ...server, args: [...server.args, "${EXTRA:-none}"], env: { TOKEN: "${TOKEN}" }, cwd: "." }
        }
      },
      approver: approver.layer
    }).pipe(withEnvironment({ TOKEN: "secret-value" }))
    const [[item] = []] = approver.asked
    assert.deepStrictEqual(
      [item?.task, item?.tool, item?.risk, item?.details],
      [
        "Before the run",
        "start_server",
        "medium",
        [
          `Command: ${server.command}`,
          ...server.args.map((argument) => `Argument: ${argument}`),
          "Argument: none",
          "Environment: TOKEN=${TOKEN}",
          `Folder: ${project}`
        ]
      ]
    )
    assert.match(item?.targets[0] ?? "", /^s sha256:[0-9a-f]{64}$/)
    assert.notInclude(JSON.stringify(approver.asked), "secret-value")
    assert.deepStrictEqual([names, approver.asked.length], [["mcp__s__say"], 1])
    assert.strictEqual(yield* call("mcp__s__say", { text: "a" }), '1: {"text":"a"}')
  })

  liveTest("is trusted for exactly what was seen: arguments, environment and values of variables", function* () {
    const folder = yield* makeFolder
    const project = yield* makeFolder
    const policies = Layer.succeed(Policies)(yield* Effect.provide(Policies, Policies.layerMemory()))
    const server = scriptedServer(folder)
    const asked: Array<ReadonlyArray<ApprovalItem>> = []
    const start = Effect.fnUntraced(function* (
      entry: object,
      answers: ReadonlyArray<"remember" | "deny">,
      env: Readonly<Record<string, string>> = { MODE: "a" }
    ) {
      const approver = scriptedApprover({ calls: answers })
      yield* putFiles(project, { ".mcp.json": JSON.stringify({ mcpServers: { s: entry } }) })
      const opened = openMcp({ project, approver: approver.layer, policies })
      const { names } = yield* Effect.scoped(opened.pipe(withEnvironment(env)))
      asked.push(...approver.asked)
      return [names.length, approver.asked.length]
    })
    const entry = { ...server, env: { MODE: "${MODE}" } }
    assert.deepStrictEqual(yield* start(entry, ["remember"]), [1, 1])
    assert.deepStrictEqual(yield* start(entry, []), [1, 0])
    assert.deepStrictEqual(yield* start({ ...entry, args: [...server.args, "-x"] }, ["deny"]), [0, 1])
    assert.deepStrictEqual(yield* start({ ...entry, env: { MODE: "${MODE}", NODE_OPTIONS: "-r" } }, ["deny"]), [0, 1])
    assert.deepStrictEqual(yield* start(entry, ["deny"], { MODE: "b" }), [0, 1])
    assert.deepStrictEqual(yield* start({ ...server, env: { MODE: "a" } }, ["deny"]), [0, 1])
    assert.deepStrictEqual(yield* start(entry, []), [1, 0])
    assert.strictEqual(new Set(asked.map(([item]) => item?.targets[0])).size, 5)
  })

  liveTest("gives way to one of the same name that the user names, which starts without a question", function* () {
    const [folder, other] = [yield* makeFolder, yield* makeFolder]
    const { names, problems } = yield* openMcp({
      file: { mcpServers: { s: scriptedServer(folder) } },
      own: { s: scriptedServer(other) }
    })
    assert.deepStrictEqual([names, problems], [["mcp__s__say"], []])
    assert.deepStrictEqual([startsOf(folder).length, startsOf(other).length], [0, 1])
  })
})

liveTest(
  "a tool that a person allowed asks again when its server describes it differently, and not when it is the same",
  function* () {
    const folder = yield* makeFolder
    const file = `${yield* makeFolder}/policies.json`
    const open = Effect.fnUntraced(function* (server: object, answer: "remember" | "deny", stored = kept(file)) {
      const approver = scriptedApprover({ calls: [answer] })
      const opened = yield* openMcp({ own: { s: server }, rules: [], policies: stored, approver: approver.layer })
      const definition = opened.registry.find("mcp__s__say")?.definition ?? ""
      return { ...opened, approver, definition, say: (text: string) => opened.call("mcp__s__say", { text }) }
    })
    const changing = scriptedServer(folder, "changes")
    const remembered = yield* Effect.scoped(
      Effect.gen(function* () {
        const { approver, definition, policies, say } = yield* open(changing, "remember")
        yield* say("a")
        yield* say("b")
        return { definition, asked: approver.asked.length, rules: yield* policies.rules }
      })
    )
    const rule = { verdict: "allow", tool: "mcp__s__say" } as const
    assert.strictEqual(remembered.asked, 1)
    assert.deepInclude(remembered.rules[0], { ...rule, pin: { origin: "mcp:s", definition: remembered.definition } })
    const { approver, definition, say } = yield* open(changing, "deny")
    assert.notStrictEqual(definition, remembered.definition)
    const calls = () => messagesOf(folder).filter((one) => one === "tools/call").length
    const before = calls()
    const message = "Permission denied: a person denied mcp__s__say."
    assert.deepStrictEqual(yield* say("a"), ["permission_denied", message])
    assert.deepStrictEqual([approver.asked.length, calls()], [1, before])
    assert.match(approver.asked[0]?.[0]?.warnings?.join() ?? "", /^The tool has changed since it was allowed on \d{4}-/)

    const same = scriptedServer(yield* makeFolder)
    const known = yield* Effect.scoped(Effect.map(open(same, "deny"), (opened) => opened.definition))
    const pinned = Policies.layerMemory([{ ...rule, pin: { origin: "mcp:s", definition: known } }])
    assert.strictEqual(yield* (yield* open(same, "deny", pinned)).say("a"), '2: {"text":"a"}')
  }
)

describe("the tools of servers", () => {
  liveTest("are held to our rules one by one", function* () {
    const own = { s: scriptedServer(yield* makeFolder, "poor tools") }
    const { problems, registry } = yield* openMcp({ own })
    const shown = registry.tools
      .filter(({ origin }) => origin === "mcp:s")
      .map(({ description, effect, name, risk }) => [name, risk, effect, description.length])
    assert.deepStrictEqual(shown, [
      ["mcp__s__say", "medium", "once", 12],
      ["mcp__s__erase", "high", "once", 7],
      ["mcp__s__look", "medium", "once", 6],
      ["mcp__s__long", "medium", "once", 2000]
    ])
    assert.include(registry.find("mcp__s__long")?.description, "Long.\\u{1b}[2Jzzz")
    const expected: ReadonlyArray<readonly [string, string]> = [
      ["array", "it is not well formed: "],
      ["Say!", "another tool of the server has the name mcp__s__say, too."],
      ["???", "its name cannot become the name of a tool."],
      ["broken", "the schema of its parameters cannot be read: "],
      ["huge", "the schema of its parameters has more than 65536 characters."]
    ]
    const starts = expected.map(([tool, why]) => `The tool "${tool}" of the server "s" is left out: ${why}`)
    assert.deepStrictEqual(
      problems.map((problem, index) => problem.slice(0, starts[index]?.length)),
      starts
    )
  })

  liveTest("cannot have the names of those of another server", function* () {
    const [one, other] = [yield* makeFolder, yield* makeFolder]
    const { names, problems } = yield* openMcp({
      own: { "my-server": scriptedServer(one), my_server: scriptedServer(other) }
    })
    assert.deepStrictEqual(names, ["mcp__my_server__say"])
    assert.deepStrictEqual(problems, [
      'The server "my_server" is not used: its tools would have the names of those of "my-server". Rename one of the two.'
    ])
    assert.deepStrictEqual(startsOf(other), [])
  })
})

/** Why a server of the user is not used. */
const problemOf = Effect.fnUntraced(function* (entry: object) {
  const { problems } = yield* openMcp({ own: { s: entry } })
  return problems.map((problem) => problem.replaceAll(/127\.0\.0\.1:\d+/g, "HOST"))
})

describe("an address", () => {
  const notUsed = 'The server "s" is not used: '

  liveTest("is not followed to another one, and what it asks for is said", function* () {
    const visited: Array<string | undefined> = []
    const port = yield* serve((request, response) => {
      visited.push(`${request.url} ${request.headers["x-key"]}`)
      if (request.url === "/moved") return void response.writeHead(307, { location: "/other" }).end()
      response.writeHead(401, { "content-type": "text/plain" }).end("no")
    })
    const address = (path: string) => ({ url: `http://127.0.0.1:${port}${path}`, headers: { "X-Key": "k" } })
    const [moved = ""] = yield* problemOf(address("/moved"))
    assert.isTrue(moved.startsWith(`${notUsed}MCP HTTP request failed.`), moved)
    assert.deepStrictEqual(yield* problemOf(address("/closed")), [
      `${notUsed}it asks for authorization (status 401). Add the credentials to "headers".`
    ])
    assert.deepStrictEqual(visited, ["/moved k", "/closed k"])
  })

  liveTest("that nobody answers at, or that is none, is said", function* () {
    const [refused = ""] = yield* problemOf({ url: "http://127.0.0.1:1/mcp" })
    assert.isTrue(refused.startsWith(`${notUsed}MCP HTTP request failed.`), refused)
    const port = yield* Effect.scoped(serve(() => {}))
    assert.deepStrictEqual(yield* problemOf({ url: `http://127.0.0.1:${port}/mcp?key=k` }), [
      `${notUsed}it cannot be reached at HOST (ECONNREFUSED). Start it, or correct "url".`
    ])
    const [unknown = ""] = yield* problemOf({ url: "http://nowhere.invalid/mcp" })
    assert.match(unknown, /it cannot be reached at nowhere\.invalid \(E[A-Z_]+\)\. Start it, or correct "url"\.$/)
    assert.deepStrictEqual(yield* problemOf({ url: "file:///etc/passwd" }), [
      `${notUsed}"url" must be an http or https URL, and is "file:///etc/passwd".`
    ])
  })
})

describe("a server at an address that is not used, with the reason", () => {
  const { certificate, key } = makeCertificate("IP:127.0.0.1")
  for (const [what, server, scheme, says] of [
    [
      "a certificate of an authority that is not trusted",
      createSecureServer({ cert: certificate, key }),
      "https",
      /a server answers at HOST, but its certificate is signed by an authority that is not trusted .*NODE_EXTRA_CA_CERTS/
    ],
    [
      "an address that takes no requests, such as one of the old transport",
      createServer((_, response) => response.writeHead(405).end()),
      "http",
      /nothing speaks streamable HTTP at its address \(status 405\)\..*the old transport "sse" is not supported/
    ]
  ] as const) {
    liveTest(what, function* () {
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done))),
        () => Effect.sync(() => (server.closeAllConnections(), server.close()))
      )
      const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
      assert.match((yield* problemOf({ url })).join(), says)
    })
  }
})

liveTest("what a project names is left out with file, place and what to do, and the rest stays", function* () {
  const folder = yield* makeFolder
  const { names, problems } = yield* openMcp({
    file: {
      mcpServers: {
        s: scriptedServer(folder),
        typo: { comand: "x" },
        unset: { command: "x", env: { A: "${TC_NOT_SET}", B: "${TC_NOT_SET_EITHER}" } },
        "???": { command: "x" },
        gone: { command: "./no-such-program" }
      }
    },
    approver: scriptedApprover({ calls: ["once", "once"] }).layer
  })
  assert.deepStrictEqual(names, ["mcp__s__say"])
  assert.deepStrictEqual(
    problems.map((problem) => problem.replace(/^<project>\/\.mcp\.json:1:\d+/, "PLACE")),
    [
      'PLACE: unknown key "mcpServers.typo.comand". Nearest: command.',
      'The server "unset" is not used: the environment has no TC_NOT_SET, TC_NOT_SET_EITHER. Set TC_NOT_SET, TC_NOT_SET_EITHER, or write ${TC_NOT_SET:-default}.',
      'The server "???" is not used: its name must have 1 to 50 ASCII letters or digits. Rename it.',
      `The server "gone" is not used: there is no program "./no-such-program", or no folder <project>. Install it, or correct the entry.`
    ]
  )
})
