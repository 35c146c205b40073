import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RequestListener } from "node:http"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"
import type { Rule } from "../../../src/domain/permissions/Permission.ts"
import { Activities } from "../../../src/services/journal/Activities.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { layerPublicWeb } from "../../../src/plugins/web/PublicWeb.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools } from "../../support/OpenTools.ts"
import { serve } from "../../support/WebServer.ts"

interface World {
  readonly rules?: ReadonlyArray<Rule>
  readonly approver?: Layer.Layer<Approver>
  readonly activities?: Layer.Layer<Activities>
}

/** A run that may reach the server of the test, and `fetch_url` on paths of it. */
const openPages = Effect.fnUntraced(function* (handler: RequestListener, world: World = {}) {
  const port = yield* serve(handler)
  const web = layerPublicWeb({ allowed: [`127.0.0.1:${port}`] })
  const opened = yield* openTools({ ...world, web })
  const fetch = (path: string, more: Arguments = {}) =>
    opened.run("fetch_url", { url: `http://127.0.0.1:${port}${path}`, ...more })
  return { ...opened, port, fetch }
})

const ruleForA: Rule = { verdict: "allow", tool: "fetch_url", pattern: "http://127.0.0.1:*/a" }

const page =
  (text: string, contentType = "text/plain"): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { "content-type": contentType }).end(text)
  }

describe("fetch_url", () => {
  nodeTest("returns address, title and main content of a page, and JSON as it is", function* () {
    const html = '<title>Tea</title><nav>Menu</nav><p>Mint. <a href="/b">More</a>'
    const { fetch, port } = yield* openPages(page(html, "text/html"))
    assert.deepStrictEqual((yield* fetch("/a#part")).data, {
      url: `http://127.0.0.1:${port}/a`,
      title: "Tea",
      text: `# Tea\n\nMint. [More](http://127.0.0.1:${port}/b)`
    })
    const json = yield* openPages(page('{ "a": 1 }', "application/json"))
    const { data } = yield* json.fetch("/")
    assert.deepStrictEqual(data, { url: `http://127.0.0.1:${json.port}/`, text: '{ "a": 1 }' })
  })

  nodeTest("returns a long page in parts that fit together, and says how to read on", function* () {
    const lines = Array.from({ length: 2000 }, (_, index) => `line ${index} 👩‍💻`)
    const whole = lines.join("\n")
    const { fetch } = yield* openPages(page(whole))
    const read: Array<string> = []
    for (let start = 0; ;) {
      const { text } = (yield* fetch("/", { start })).data as { text: string }
      assert.isAtMost(text.length, 12_100)
      const [, part = "", from, to, length, more] =
        /^([^]*)\n\n\(Characters (\d+) to (\d+) of (\d+)\. (.*)\.\)$/.exec(text) ?? []
      assert.deepStrictEqual([from, length], [String(start), String(whole.length)])
      read.push(part)
      if (more === "This is the end") break
      start = Number(to)
      assert.strictEqual(more, `Read on with start ${start}`)
    }
    assert.strictEqual(read.length, 3)
    assert.strictEqual(read.join("\n"), whole)
  })

  nodeTest("takes the size that was asked for, within bounds", function* () {
    const { fetch } = yield* openPages(page("a".repeat(100)))
    assert.deepInclude((yield* fetch("/", { start: 90, max_characters: 5 })).data, {
      text: "aaaaa\n\n(Characters 90 to 95 of 100. Read on with start 95.)"
    })
    const beyond = yield* fetch("/", { start: 100 })
    assert.deepStrictEqual(
      [beyond.error_type, beyond.error_message],
      ["validation_failed", "The text of the page has 100 characters; none begins at 100."]
    )
    assert.strictEqual((yield* fetch("/", { max_characters: 60_001 })).error_type, "validation_failed")
    assert.strictEqual((yield* fetch("/", { start: -1 })).error_type, "validation_failed")
  })

  nodeTest("asks for every address, also for the ones that a page leads to", function* () {
    const requested: Array<string | undefined> = []
    const world = { approver: Approver.layerDenyAll, rules: [ruleForA] }
    const { answers, fetch, port } = yield* openPages((request, response) => {
      requested.push(request.url)
      response.writeHead(302, { location: "/b?d=secret" }).end()
    }, world)
    assert.strictEqual((yield* fetch("/c")).error_type, "permission_denied")
    assert.deepStrictEqual(requested, [])
    const { error_message, error_type } = yield* fetch("/a")
    assert.strictEqual(error_type, "permission_denied")
    assert.include(error_message, `do not allow fetch_url on http://127.0.0.1:${port}/b?d=secret`)
    assert.deepStrictEqual(requested, ["/a"])
    assert.lengthOf(yield* answers.denials, 2)
  })

  nodeTest("fails as it was denied, without an outcome to keep, when a page leads where it may not go", function* () {
    const kept: Array<string> = []
    const activities = yield* Effect.provide(Activities, Activities.layerUnsaved)
    const watched = Activities.of({
      ...activities,
      run: (activity) =>
        activities.run({
          ...activity,
          execute: Effect.onExit(activity.execute, (exit) => Effect.sync(() => void kept.push(exit._tag)))
        })
    })
    const { fetch } = yield* openPages((_request, response) => response.writeHead(302, { location: "/b" }).end(), {
      approver: Approver.layerDenyAll,
      rules: [ruleForA],
      activities: Layer.succeed(Activities)(watched)
    })
    assert.strictEqual((yield* fetch("/a")).error_type, "permission_denied")
    assert.deepStrictEqual(kept, ["Failure"])
  })
})
