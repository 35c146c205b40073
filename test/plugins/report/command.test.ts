/** The page about a run whose model, tools and person say hostile things stays one page of known elements. */
import { beforeAll, describe, expect, it } from "vitest"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import rehypeParse from "rehype-parse"
import { unified } from "unified"
import { reportPage } from "../../../src/plugins/report/ReportPage.ts"
import { report, type RunReportPage, run } from "../../../src/index.ts"
import { ScriptedModel } from "../../../src/testing.ts"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { taskOf } from "../../support/LibraryWorld.ts"
import { stageName } from "../../support/stageName.ts"
import { freeSkill, planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"

const hostile = `</pre></code></details><script>alert(1)</script><img src=x onerror="alert(2)"> "' \u202egnp.exe\u0007 --> ]]> <!--`
const links = `[js](javascript:alert(1)) [data](data:text/html,x) [page](https://example.com/?a="b"&c=<d>) [notes](notes.md#L1)`

const sandbox = fileSandbox()
const project = join(sandbox.root, "project")
const stateFolder = join(sandbox.root, "home/.local/state/task-conductor")

const stageOf = (system: string, user: string): string => stageName({ system, user })

/** Rejected once; reads in one task, writes in another; a second round. */
const answers = () => {
  let plans = 0
  let rounds = 0
  return (system: string, user: string): string => {
    switch (stageOf(system, user)) {
      case "creation":
        return (plans += 1) === 1
          ? hostile
          : planOf([[{ name: 'Look "1" <b>', skill: "free" }], [{ name: "Write 1", skill: "free" }]])
      case "refinement":
        return taskOf(user) === "Write 1"
          ? refinementWith([{ name: "write_file", arguments: { path: "out.md", content: `${hostile}\n` } }])
          : refinementWith([{ name: "read_file", arguments: { path: "notes.md" } }])
      case "execution":
        return resultSaying(`Result of ${taskOf(user)}: ${hostile} ${links}`)
      case "iteration":
        return (rounds += 1) === 1 ? planOf([[{ name: "Look again 1", skill: "free" }]]) : planOf([])
      default:
        return `${links}\n\n${hostile}\n\n[first](#write-1-results)`
    }
  }
}

interface Node {
  readonly type: string
  readonly tagName?: string
  readonly properties?: Readonly<Record<string, unknown>>
  readonly children?: ReadonlyArray<Node>
}

const elements = (node: Node): ReadonlyArray<Node> => [
  ...(node.type === "element" ? [node] : []),
  ...(node.children ?? []).flatMap(elements)
]
const parsed = (page: string): ReadonlyArray<Node> => elements(unified().use(rehypeParse).parse(page) as Node)

let page: RunReportPage
let runId = ""
let all: ReadonlyArray<Node> = []
beforeAll(async () => {
  sandbox.write("project/notes.md", `${hostile}\n`)
  sandbox.write("project/.task-conductor/skills/free/SKILL.md", freeSkill)
  const answer = answers()
  const handle = run({
    prompt: `Look at this: ${hostile}`,
    project,
    stateFolder,
    allow: ["read_file"],
    approve: () => true,
    model: ScriptedModel.layer(({ system, user }) => answer(system, user))
  })
  runId = handle.runId
  await handle.report
  page = await report(runId, { stateFolder })
  all = parsed(page.html)
})

describe("the page of a report", () => {
  it("has known elements only, and nothing that acts or loads", () => {
    const names = new Set(all.map(({ tagName }) => tagName))
    const known =
      "html head meta title style body a header p span h1 h2 h3 h4 h5 h6 dl dt dd nav ul ol li main section details summary div pre code svg rect table thead tbody tr th td time strong em del br hr blockquote"
    expect([...names].filter((name) => !known.split(" ").includes(name ?? ""))).toEqual([])
    const properties = new Set(all.flatMap(({ properties = {} }) => Object.keys(properties)))
    expect([...properties].filter((name) => /^on|^src|^style$|^action|^xlink/i.test(name))).toEqual([])
    for (const text of ["url(", "@import", "\u202e", "\u0007"]) expect(page.html).not.toContain(text)
  })

  it("allows its own style and nothing else", () => {
    const style = /<style>([^]*?)<\/style>/.exec(page.html)?.[1] ?? ""
    const policy = all.find(({ properties }) => properties?.["httpEquiv"] !== undefined)?.properties?.["content"]
    const hash = createHash("sha256").update(style).digest("base64")
    expect(policy).toBe(`default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`)
  })

  it("links to what is on it, to files of the project, and to pages", () => {
    const ids = all.flatMap(({ properties }) => (properties?.["id"] === undefined ? [] : [String(properties["id"])]))
    expect(new Set(ids).size).toBe(ids.length)
    const hrefs = all.flatMap(({ properties, tagName }) => (tagName === "a" ? [String(properties?.["href"])] : []))
    const inside = hrefs.filter((href) => href.startsWith("#"))
    expect(inside.filter((href) => !ids.includes(href.slice(1)))).toEqual([])
    expect(inside).toContain("#task-write-1")
    const outside = new Set(hrefs.filter((href) => !href.startsWith("#")))
    expect([...outside].toSorted()).toEqual([
      `file://${project}/notes.md#L1`,
      "https://example.com/?a=%22b%22&c=%3Cd%3E"
    ])
  })

  it("names files as a person does, and keeps what a model was told as it was", () => {
    expect(page.html).toContain("<code>write_file</code> out.md")
    expect(page.html).toContain("<title>write_file out.md: ")
    expect(page.html).toContain("<li>out.md</li>")
    const words = page.html.replaceAll(/<pre\b[^]*?<\/pre>|<a href="[^"]*"|<dd>[^<]*<\/dd>/g, "")
    expect(words).not.toContain(project)
    expect(page.html).toContain(`Workspace: ${project}`)
    expect(reportPage(page.data, () => "", sandbox.root)).toContain("<dd>~/project</dd>")
  })

  it("shows hostile text as text", () => {
    expect(page.html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;")
    expect(page.html).toContain("\\u{202e}gnp.exe\\u{7}")
    expect(page.html).toContain('<span class="added">+&lt;/pre&gt;&lt;/code&gt;')
  })

  it("opens a task by its link: the anchor stands inside of what is folded", () => {
    const folded = all.filter(({ tagName }) => tagName === "details")
    const anchors = folded.flatMap(({ children = [] }) => children.map(({ properties }) => properties?.["id"]))
    const ofTasks = anchors.filter((id) => String(id).startsWith("task-"))
    expect(ofTasks).toEqual(["task-look-1-b", "task-write-1", "task-look-again-1"])
  })
})

it("the data of a report holds rounds, tasks with calls and approvals, the timeline and its critical path", () => {
  const { criticalPath, rounds, run: reported, spans, stages, tasks, usage } = page.data
  expect(reported).toMatchObject({ runId: runId, status: "done", project })
  expect(
    rounds.map(({ round, steps }) => [round, steps.flatMap((step) => step.tasks.map(({ change }) => change))])
  ).toEqual([
    [1, [undefined, undefined]],
    [2, ["new"]],
    [3, []]
  ])
  expect(
    tasks.map(({ approvals, calls, state }) => [state, calls.length, approvals.map(({ answer, by }) => [answer, by])])
  ).toEqual([
    ["finished", 1, []],
    ["finished", 1, [["step", "person"]]],
    ["finished", 1, []]
  ])
  expect(tasks[1]?.filesWritten).toEqual([join(project, "out.md")])
  expect(stages.map(({ call, issues }) => [call.stage, issues.length > 0]).slice(0, 2)).toEqual([
    ["plan", true],
    ["plan", false]
  ])
  expect(spans.filter(({ kind }) => kind === "model").length).toBe(usage.modelCalls)
  expect(criticalPath.spans.at(-1)?.stage).toBe("conclude")
})

describe("task-conductor report", () => {
  it("writes the page, and never over a file unless told to", async () => {
    const file = join(project, `report-${runId}.html`)
    const wrote = `Wrote report-${runId}.html. Open it in a browser.\n`
    expect(await sandbox.run(["report", "last"])).toEqual({ code: 0, stdout: "", stderr: wrote })
    expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual([page.html, 0o600])
    sandbox.write("project/mine.html", "mine")
    expect(await sandbox.run(["report", "last", "--output", "mine.html"])).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("mine.html exists. Use --overwrite to replace it")
    })
    const mine = () => readFileSync(join(project, "mine.html"), "utf8")
    expect(mine()).toBe("mine")
    expect((await sandbox.run(["report", "last", "-o", "mine.html", "--overwrite"])).code).toBe(0)
    expect(mine()).toBe(page.html)
    expect(await sandbox.run(["report", "last", "-o", "gone/a.html"])).toEqual({
      code: 1,
      stdout: "",
      stderr: "gone/a.html cannot be written. There is no such file or folder. Name another file with --output.\n"
    })
    expect(existsSync(join(project, "gone"))).toBe(false)
  })

  it("is written through no link out of the folder", async () => {
    sandbox.write("elsewhere/theirs.html", "theirs")
    symlinkSync("../elsewhere/theirs.html", join(project, "out.html"))
    symlinkSync(join(sandbox.root, "elsewhere/new.html"), join(project, "dangling.html"))
    symlinkSync("../elsewhere", join(project, "away"))
    for (const name of ["out.html", "dangling.html", "away/theirs.html", "away/new.html"]) {
      const { code, stderr } = await sandbox.run(["report", "last", "--overwrite", "-o", name])
      const why = "leads out of this folder through a link, to <root>/elsewhere/"
      expect([name, code, stderr]).toEqual([name, 2, expect.stringContaining(why)])
    }
    expect(readFileSync(join(sandbox.root, "elsewhere/theirs.html"), "utf8")).toBe("theirs")
    expect(readdirSync(join(sandbox.root, "elsewhere"))).toEqual(["theirs.html"])
  })

  it("prints the page or its data", async () => {
    const { stdout } = await sandbox.run(["report", runId, "--json"])
    const data: unknown = JSON.parse(stdout)
    expect(data).toMatchObject({
      run: { run_id: runId, exit_code: 0 },
      critical_path: { between_ms: expect.any(Number) },
      usage: { model_calls: expect.any(Number) }
    })
    expect(stdout).not.toContain("\u202e")
    expect((await sandbox.run(["report", runId, "-o", "-"])).stdout).toMatch(/^<!doctype html>/)
  })
})
