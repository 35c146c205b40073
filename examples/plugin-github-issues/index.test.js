// @ts-check
import assert from "node:assert/strict"
import { createServer } from "node:http"
import { after, test } from "node:test"
import { checkPlugin, runTool } from "task-conductor/testing"

const plugin = new URL("./index.js", import.meta.url)

/** @type {Array<{ method: string | undefined, url: string | undefined, token: string | undefined }>} */
const requests = []
let status = 200
const issue = { number: 3, title: "It rains", state: "open", labels: [{ name: "bug" }], body: "For days." }

const server = createServer((request, response) => {
  const { headers, method, url } = request
  requests.push({ method, url, token: headers.authorization })
  response.writeHead(status, { "content-type": "application/json" })
  const closed = { ...issue, state: "closed" }
  const listed = [issue, { ...issue, number: 4, pull_request: {} }]
  const single = method === "POST" ? { html_url: "https://github.example/3#1" } : issue
  response.end(JSON.stringify(method === "PATCH" ? closed : url?.includes("/issues/") === true ? single : listed))
})
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)))
after(() => server.close())

const address = server.address()
const host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`
const config = { repository: "you/weather", api: `http://${host}` }
const secrets = { GITHUB_TOKEN: "for-the-test" }

/** @param {string} name @param {Record<string, string | number>} args @param {Array<string>} allow */
const call = (name, args, allow) => runTool(plugin, name, args, { config, secrets, allow })

test("is a plugin that the host accepts", async () => {
  assert.deepEqual(await checkPlugin(plugin, { config, secrets }), [])
})

test("says that the token is missing", async () => {
  const problems = await checkPlugin(plugin, { config })
  assert.match(problems.join("\n"), /GITHUB_TOKEN/)
})

test("lists issues without pull requests", async () => {
  const { data, error_message } = await call("list_issues", {}, [`list_issues:${host}`])
  assert.deepEqual(
    [data, error_message],
    [{ issues: [{ number: 3, title: "It rains", state: "open", labels: ["bug"] }], more: false }, null]
  )
  assert.deepEqual(requests.at(-1), {
    method: "GET",
    url: "/repos/you/weather/issues?state=open&per_page=100&page=1",
    token: "Bearer for-the-test"
  })
})

test("closes an issue only when its target is allowed too", async () => {
  const before = requests.length
  assert.equal((await call("close_issue", { number: 3 }, [`close_issue:${host}`])).error_type, "permission_denied")
  assert.equal(requests.length, before)
  const { data } = await call("close_issue", { number: 3 }, [`close_issue:${host}`, "close_issue:issue:you/weather#*"])
  assert.deepEqual(data, { number: 3, title: "It rains", state: "closed", labels: ["bug"] })
  assert.equal(requests.at(-1)?.method, "PATCH")
})

test("comments on an issue only after a question of its own", async () => {
  const args = { number: 3, text: "It will end." }
  const denied = await call("comment_issue", args, [`comment_issue:${host}`])
  assert.equal(denied.error_type, "permission_denied")
  assert.equal(requests.at(-1)?.method, "GET")
  const { data } = await call("comment_issue", args, [`comment_issue:${host}`, "comment_issue:comment:you/weather#*"])
  assert.deepEqual(data, { number: 3, url: "https://github.example/3#1" })
  assert.equal(requests.at(-1)?.method, "POST")
})

test("says what GitHub does not have", async () => {
  status = 404
  const { error_message, error_type } = await call("close_issue", { number: 9 }, ["close_issue"])
  status = 200
  assert.deepEqual([error_type, error_message], ["not_found", "GitHub does not have issue 9."])
})
