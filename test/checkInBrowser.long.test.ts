/**
 * `task-conductor/check` as a program for browsers has it: a bundler takes it from the built package, and the bundle finds in a
 * bare context of JavaScript and in Chromium what the sources find in Node.
 */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { createContext, runInContext } from "node:vm"
import { gzipSync } from "node:zlib"
import { build } from "rolldown"
import { check, fix, issuesForModel, spanOf, toSarif } from "../src/check.ts"
import { needs } from "./support/needs.ts"
import { fixturesOf } from "./support/randomDocuments.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const app = mkdtempSync(join(tmpdir(), "task-conductor-browser-"))
afterAll(() => rmSync(app, { recursive: true, force: true }))

/** What all of the functions say of a text. */
const program = `import { check, fix, issuesForModel, spanOf, toSarif } from "task-conductor/check"
globalThis.outcomeOf = (text, kind) => {
  const report = check(text, { kind })
  const spans = [...report.issues, ...report.repairs].map((finding) => spanOf(text, finding))
  const sarif = toSarif([{ path: "plan.md", text, report }])
  return JSON.stringify([report, spans, sarif, issuesForModel(report), fix(text, { kind })])
}`

type Kind = "task-list" | "result" | "refinement"

const outcomeOf = (text: string, kind: Kind): string => {
  const report = check(text, { kind })
  const spans = [...report.issues, ...report.repairs].map((finding) => spanOf(text, finding))
  const sarif = toSarif([{ path: "plan.md", text, report }])
  return JSON.stringify([report, spans, sarif, issuesForModel(report), fix(text, { kind })])
}

const textsOf = (kind: Kind) => fixturesOf(kind).map((text) => ({ kind, text }))

const texts = [
  { kind: "task-list" as const, text: readFileSync(join(root, "test/fixtures/checks/five-mistakes.md"), "utf8") },
  ...textsOf("task-list"),
  ...textsOf("result"),
  ...textsOf("refinement"),
  {
    kind: "result" as const,
    text: "## Result summary\n\nIt is &NotEqualTilde; &amp; &copy [a &rarr; b](src/a&amp;b.ts).\n"
  }
]

/** Bundles a program as the bundler of a web site would. */
const bundled = async (source: string): Promise<string> => {
  writeFileSync(join(app, "program.js"), source)
  const { output } = await build({
    cwd: app,
    input: "program.js",
    platform: "browser",
    write: false,
    onLog: (_, { message }) => assert.fail(message),
    output: { format: "iife", minify: true }
  })
  const [chunk] = output
  assert.deepStrictEqual([output.length, chunk.imports], [1, []])
  return chunk.code
}

const chromium = needs("chromium")

/** The document of a page after its scripts. */
const shownAt = async (address: string): Promise<string> => {
  const options = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${join(app, "profile")}`]
  const waiting = ["--virtual-time-budget=10000", "--dump-dom", address]
  const { stdout } = await promisify(execFile)("chromium", [...options, ...waiting], { maxBuffer: 100_000_000 })
  return stdout
}

let code: string

beforeAll(async () => {
  mkdirSync(join(app, "node_modules"), { recursive: true })
  symlinkSync(root, join(app, "node_modules/task-conductor"), "dir")
  code = await bundled(program)
})

it("is at most 120 kB when it is sent", () => {
  assert.isAtMost(gzipSync(code, { level: 9 }).length, 120_000)
})

it("needs nothing of Node, and of the web only URL", () => {
  assert.notMatch(code, /createRequire|(?:from|import|require)\W{0,3}node:/)
  const context = createContext({ URL })
  runInContext(code, context)
  assert.isAbove(texts.length, 10)
  for (const { kind, text } of texts) {
    const found = runInContext(`outcomeOf(${JSON.stringify(text)}, ${JSON.stringify(kind)})`, context)
    assert.strictEqual(found, outcomeOf(text, kind))
  }
})

it("checks skills too, with a reader of YAML that other programs do not load", async () => {
  const withSkills = await bundled(`import { checkSkill } from "task-conductor/check"
      globalThis.codes = checkSkill("---\\nname: read\\ndescription: Reads. Use it for code.\\n---\\n\\nTODO\\n", "read")
        .issues.map(({ code }) => code)`)
  assert.deepStrictEqual(
    [code, withSkills].map((one) => one.includes("BLOCK_FOLDED")),
    [false, true]
  )
  const context = createContext({ TextDecoder, TextEncoder, URL })
  runInContext(withSkills, context)
  assert.strictEqual(runInContext("codes.join()", context), "skill-placeholder")
})

it("finds in Chromium what it finds in Node", chromium, async () => {
  const page = join(app, "page.html")
  const data = JSON.stringify(texts).replaceAll("<", "\\u003c")
  writeFileSync(
    page,
    `<!doctype html><meta charset="utf-8"><pre></pre><script>${code.replaceAll("</script", "<\\/script")}</script><script>
        const outcomes = ${data}.map(({ kind, text }) => outcomeOf(text, kind))
        document.querySelector("pre").textContent = btoa(encodeURIComponent(JSON.stringify(outcomes)))
      </script>`
  )
  const written = /<pre>([^<]*)<\/pre>/.exec(await shownAt(pathToFileURL(page).href))?.[1] ?? ""
  const outcomes = JSON.parse(decodeURIComponent(atob(written))) as ReadonlyArray<string>
  assert.deepStrictEqual(
    outcomes,
    texts.map(({ kind, text }) => outcomeOf(text, kind))
  )
})

it("shows the issues of a plan at their lines on the page of the examples", chromium, async () => {
  const types = { ".html": "text/html", ".js": "text/javascript" }
  const server = createServer(({ url = "/" }, response) => {
    const path = join(root, url.endsWith("/") ? `${url}index.html` : url)
    if (!existsSync(path)) return void response.writeHead(404).end()
    response.setHeader("content-type", types[extname(path) as keyof typeof types] ?? "text/plain")
    response.end(readFileSync(path))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const shown = await shownAt(`http://127.0.0.1:${port}/examples/check-in-browser/`)
  server.close()
  assert.include(shown, "This plan is rejected: 3 issues, 0 repairs.")
  assert.deepStrictEqual(
    [...shown.matchAll(/<div class="issue">(\d+)<\/div>/g)].map(([, line]) => line),
    ["16", "21", "23"]
  )
  assert.include(shown, 'Line 16: "src/**/*.ts" is a pattern, not a file.')
})
