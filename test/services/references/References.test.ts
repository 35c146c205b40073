import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { accessTarget } from "../../../src/domain/tools/Access.ts"
import { type Briefing, type BriefingParts, requestDocument } from "../../../src/domain/models/Briefing.ts"
import { readReference } from "../../../src/domain/grammar/ReferenceForm.ts"
import type { Reference } from "../../../src/domain/plan/Reference.ts"
import { Task } from "../../../src/domain/plan/Task.ts"
import { Step, TaskList } from "../../../src/domain/plan/TaskList.ts"
import { TaskResult } from "../../../src/domain/plan/TaskResult.ts"
import { Activities } from "../../../src/services/journal/Activities.ts"
import { PermissionDenied } from "../../../src/services/permissions/GateQuestion.ts"
import { Gate, type Permit } from "../../../src/services/permissions/Gate.ts"
import { ReadTexts } from "../../../src/services/permissions/ReadTexts.ts"
import { RunAnswers } from "../../../src/services/permissions/RunAnswers.ts"
import { References } from "../../../src/services/references/References.ts"
import { RunEvents } from "../../../src/services/runs/RunEvents.ts"
import { TokenCalibration } from "../../../src/services/models/TokenCalibration.ts"
import { RunSettings, type Settings } from "../../../src/services/runs/RunSettings.ts"
import { layerPublicWeb } from "../../../src/plugins/web/PublicWeb.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { makeProject } from "../../support/Project.ts"
import { taskFor } from "../../support/sampleTasks.ts"
import { serve } from "../../support/WebServer.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const parts: BriefingParts = {
  prompt: "Explain the shop",
  environment: "- Workspace: /shop",
  projectDescription: "# Shop\n\nSells tea.\n\n## Build\n\nRun make.\n\n## Test results\n\nGreen.",
  projectMap: "Main files: `src/main.ts`.",
  currentFile: { path: "src/main.ts", language: "typescript", text: "main()\n" },
  openFiles: []
}
const briefing: Briefing = { ...parts, requestDocument: requestDocument(parts) }

const anchor = (target: string): Reference => ({ kind: "anchor", title: target, href: `#${target}`, target })
const resultOf = (target: string): Reference => ({
  kind: "task_result",
  title: target,
  href: `#${target}-results`,
  target
})
const file = (target: string, narrowed: { heading?: string; lines?: { from: number; to: number } } = {}): Reference => {
  const { heading, lines } = narrowed
  const fragment = heading === undefined ? (lines === undefined ? "" : `#L${lines.from}-L${lines.to}`) : `#${heading}`
  return { kind: "file", title: "File", href: `${target}${fragment}`, target, ...narrowed }
}
const page = (target: string): Reference => ({ kind: "url", title: "Page", href: target, target })

const taskOf = (name: string, ...references: ReadonlyArray<Reference>): Task =>
  taskFor("read-code", "work", { name, references })

const finishedOf = (name: string, summary: string, document = `## Result summary\n\n${summary}\n`): TaskResult =>
  new TaskResult({ task: taskOf(name), calls: [], result: { summary, document } })

const listOf = (...steps: ReadonlyArray<readonly [Task, ...Array<Task>]>): TaskList =>
  new TaskList({
    goals: "Know the shop.",
    steps: steps.map((tasks, index) => new Step({ title: `Task section ${index + 1}`, tasks }))
  })

interface Setup {
  readonly settings?: Partial<Settings>
  readonly allowed?: ReadonlyArray<string>
  /** What the gate denies, by a part of the target. */
  readonly deny?: string
  /** What the gate was asked. */
  readonly asked?: Array<string>
}

const permit: Permit = {
  prepared: undefined,
  admit: () => Effect.void,
  denied: () => undefined,
  mayRead: () => Effect.succeed(true)
}

const gate = ({ asked = [], deny }: Setup) =>
  Layer.succeed(Gate)(
    Gate.of({
      authorize: ({ accesses: [access], task }) => {
        if (access === undefined) return Effect.die("not a reference")
        const target = accessTarget(access)
        asked.push(`${task}: ${access._tag} ${target}`)
        return deny !== undefined && target.includes(deny)
          ? Effect.fail(new PermissionDenied({ tool: "read_file", targets: [target], by: "person" }))
          : Effect.succeed(permit)
      },
      ask: () => Effect.die("not a question"),
      decide: (question) => Effect.succeed({ _tag: "Allow", question, rules: [], by: "risk" })
    })
  )

const references = (root: string, setup: Setup = {}) =>
  References.layer.pipe(
    Layer.provide([Activities.layerUnsaved, RunEvents.layerSilent, TokenCalibration.layer]),
    Layer.provide([
      Workspace.layer(root),
      gate(setup),
      Layer.provide(ReadTexts.layer(0), RunAnswers.layer()),
      RunSettings.layer(setup.settings),
      layerPublicWeb({ allowed: setup.allowed ?? [] })
    ])
  )

const check = (
  root: string,
  list: TaskList,
  options: { finished?: ReadonlyArray<TaskResult>; budget?: number } & Setup = {}
) =>
  Effect.flatMap(References, (service) =>
    service.check(list, { briefing, finished: options.finished ?? [], budget: options.budget ?? 10_000 })
  ).pipe(Effect.provide(references(root, options)))

const wholeBlock = (
  root: string,
  task: Task,
  options: { finished?: ReadonlyArray<TaskResult>; budget?: number; whole?: number; changelog?: number } & Setup = {}
) =>
  Effect.flatMap(References, (service) =>
    service.block(task, {
      briefing,
      finished: options.finished ?? [],
      place: "",
      ...(options.budget === undefined
        ? {}
        : { budget: { parts: options.budget, whole: options.whole ?? 0, changelog: options.changelog } })
    })
  ).pipe(Effect.provide(references(root, options)))

const block = (...given: Parameters<typeof wholeBlock>) => Effect.map(wholeBlock(...given), ({ text }) => text)

/** The issues of one task with these references. */
const issuesOf = Effect.fnUntraced(function* (root: string, ...all: ReadonlyArray<Reference>) {
  const { issues } = yield* check(root, listOf([taskOf("Read 1", ...all)]))
  return issues.map(({ code, how, quote, what }) => [code, quote, what, how])
})

const shownAs = (target: string, text: string, fence = "```") =>
  `## Reference information for ${target}\n\nThe contents of #${target}\n\n${fence}markdown\n${text}\n${fence}\n\n`

const shownLines = (range: string, note: string, text: string) =>
  `## Reference information for File\n\nThe contents of a.txt#${range}\n\n(${note})\n\n\`\`\`text\n${text}\n\`\`\`\n\n`

describe("the references of a task", () => {
  nodeTest("shows each kind in its shape, in the order of the task", function* () {
    const root = yield* makeProject({
      "src/main.ts": "const a = `b`\n",
      "docs/use.md": "# Use\n\n## Start\n\nRun it.\n\n## Stop\n\nEnd it.\n"
    })
    const port = yield* serve((_request, response) =>
      response.writeHead(200, { "content-type": "text/plain" }).end("page")
    )
    const task = taskOf(
      "Read 2",
      anchor("build"),
      resultOf("read-1"),
      file("src/main.ts"),
      file("docs/use.md", { heading: "start" }),
      page(`http://127.0.0.1:${port}/`)
    )
    const document = "## Result summary\n\nFound it.\n\n## Details\n\nThe text to write."
    const finished = [finishedOf("Read 1", "Found it.", document)]
    expect(yield* block(root, task, { finished, allowed: [`127.0.0.1:${port}`] })).toBe(
      [
        "## Reference information for build\n\nThe contents of #build\n\n```markdown\nRun make.\n```\n\n",
        `## Reference information for read-1\n\nThe contents of #read-1-results\n\n\`\`\`markdown\n${document}\n\`\`\`\n\n`,
        "## Reference information for File\n\nThe contents of src/main.ts\n\n```typescript\n1: const a = `b`\n```\n\n",
        "## Reference information for File\n\nThe contents of docs/use.md#start\n\n(Lines 5 to 5 of 9.)\n\n```markdown\n5: Run it.\n```\n\n",
        `## Reference information for Page\n\nThe contents of http://127.0.0.1:${port}/\n\n\`\`\`text\npage\n\`\`\`\n\n`
      ].join("")
    )
  })

  nodeTest("resolves the headings that the host gives and those of the project description", function* () {
    const root = yield* makeProject({})
    const of = (target: string) => block(root, taskOf("Read 1", anchor(target)))
    expect(yield* of("user-prompt")).toBe(shownAs("user-prompt", "```text\nExplain the shop\n```", "````"))
    expect(yield* of("environment")).toBe(shownAs("environment", "- Workspace: /shop"))
    expect(yield* of("current-file")).toBe(
      shownAs("current-file", "Path: src/main.ts\n\n```typescript\n1: main()\n```", "````")
    )
    expect(yield* of("project-map")).toBe(shownAs("project-map", "Main files: `src/main.ts`."))
    expect(yield* of("shop")).toBe(
      shownAs("shop", "Sells tea.\n\n#### Build\n\nRun make.\n\n#### Test results\n\nGreen.")
    )
    const above = "(They stand above, under `## Project description`.)"
    expect(yield* of("project-description")).toContain(`The contents of #project-description\n\n${above}`)
  })

  nodeTest("narrows a file to lines, and one line to what is around it", function* () {
    const code = "const a = 1\n\nfunction b() {\n  one()\n  two()\n}\n"
    const root = yield* makeProject({ "a.txt": "1\n2\n3\n4\n", "b.ts": code, "c.txt": "x\n".repeat(90) })
    const of = (path: string, from: number, to: number) =>
      block(root, taskOf("Read 1", file(path, { lines: { from, to } })))
    expect(yield* of("a.txt", 2, 3)).toBe(shownLines("L2-L3", "Lines 2 to 3 of 4.", "2: 2\n3: 3"))
    expect(yield* of("a.txt", 3, 90)).toBe(shownLines("L3-L90", "Lines 3 to 4 of 4.", "3: 3\n4: 4"))
    const whole = "```typescript\n3: function b() {\n4:   one()\n5:   two()\n6: }\n```"
    expect(yield* of("b.ts", 5, 5)).toContain(`(Lines 3 to 6 of 6, around line 5.)\n\n${whole}`)
    expect(yield* of("b.ts", 4, 5)).toContain(`(Lines 3 to 6 of 6, around the lines 4 to 5.)\n\n${whole}`)
    expect(yield* of("c.txt", 50, 50)).toContain("(Lines 40 to 60 of 90, around line 50.)\n\n```text\n40: x\n")
  })

  nodeTest("asks the gate for the canonical target, once for what is referred to twice", function* () {
    const fs = yield* FileSystem.FileSystem
    const outside = yield* makeProject({ "notes.txt": "outside" })
    const root = yield* makeProject({ ".env": "KEY=1" })
    yield* fs.symlink(`${outside}/notes.txt`, `${root}/link.txt`)
    const asked: Array<string> = []
    const task = taskOf("Read 1", file("link.txt"), file("link.txt"), file(".env"))
    expect(yield* block(root, task, { asked })).toContain("```text\n1: outside\n```")
    expect(asked).toEqual([`Read 1: ReadFile ${outside}/notes.txt`, `Read 1: ReadFile ${root}/.env`])
  })

  nodeTest("fetches a page once per run and asks for every task and redirect", function* () {
    const root = yield* makeProject({})
    const requested: Array<string | undefined> = []
    const port = yield* serve((request, response) => {
      requested.push(request.url)
      if (request.url === "/a") response.writeHead(302, { location: "/b" }).end()
      else response.writeHead(200, { "content-type": "text/plain" }).end("page")
    })
    const asked: Array<string> = []
    const url = `http://127.0.0.1:${port}/`
    yield* Effect.gen(function* () {
      const service = yield* References
      const setup = { briefing, finished: [], place: "" } as const
      yield* Effect.forEach(["One", "Two"], (name) => service.block(taskOf(name, page(`${url}a`)), setup), {
        concurrency: 2
      })
    }).pipe(Effect.provide(references(root, { asked, allowed: [`127.0.0.1:${port}`] })))
    expect(requested).toEqual(["/a", "/b"])
    expect(asked.toSorted()).toEqual([`One: FetchUrl ${url}a`, `One: FetchUrl ${url}b`, `Two: FetchUrl ${url}a`])
  })

  nodeTest("fails with the reason when a file or result is gone since the check, or the gate denies", function* () {
    const root = yield* makeProject({ "b.txt": "", ".env": "KEY=1" })
    const failure = (reference: Reference) => Effect.flip(block(root, taskOf("Read 2", reference), { deny: ".env" }))
    expect(yield* Effect.all([file("a.txt"), resultOf("read-1"), file(".env")].map(failure))).toMatchObject([
      { message: 'The reference a.txt cannot be used: There is no file "a.txt". One of these may be meant: b.txt.' },
      { message: expect.stringContaining('cannot be used: There is no task whose result is "#read-1-results".') },
      { message: `The reference .env cannot be used: Permission denied: a person denied read_file on ${root}/.env.` }
    ])
  })

  nodeTest("shows parts of what is too long instead of failing, and says so", function* () {
    const long = Array.from({ length: 20_000 }, (_, index) =>
      index % 100 === 0 ? `export function part${index / 100}() {` : `  step${index}()`
    )
    const root = yield* makeProject({ "a.ts": `${long.join("\n")}\n`, "b.txt": "short\n" })
    const task = new Task({ ...taskOf("Read 2", file("a.ts"), file("b.txt")), whatIsNeeded: "See step12345." })
    const text = yield* block(root, task, { budget: 6000 })
    expect(text.length).toBeLessThanOrEqual(6000)
    expect(text).toMatch(
      /\(There is room for a part: lines (?:\d+(?: to \d+)?, )+.* of 20000, \d+ % of the file\. `read_file` with/
    )
    expect(text).toContain("12346:   step12345()")
    expect(text).toContain("1: export function part0() {")
    expect(text).toContain("```text\n1: short\n```")
  })

  nodeTest("begins a long changelog with its newest release, where an entry goes", function* () {
    const old = Array.from({ length: 300 }, (_, index) => `- Fix part${index}.`)
    const root = yield* makeProject({ "CHANGES.md": `# Log\n\n## 2.0\n\n- Add.\n\n## 1.0\n\n${old.join("\n")}\n` })
    const task = new Task({ ...taskOf("Write 1", file("CHANGES.md")), whatIsNeeded: "Fix `part250` again." })
    const text = yield* block(root, task, { budget: 2000 })
    expect(text).toMatch(/\n1: # Log\n2:\n3: ## 2.0\n4:\n5: - Add\./)
    expect(text).toContain("- Fix part250.")
    const few = yield* block(root, task, { budget: 20_000, whole: 20_000, changelog: 600 })
    expect(few).toMatch(/\n1: # Log\n2:\n3: ## 2.0\n4:\n5: - Add\./)
    expect(few.length).toBeLessThan(1000)
  })

  nodeTest("shows all references whole where there is room, and parts of them with one line more", function* () {
    const lines = Array.from({ length: 60 }, (_, index) => `const value${index} = ${index}`)
    const root = yield* makeProject({ "a.ts": `${lines.join("\n")}\n`, "b.ts": `${lines.join("\n")}\n` })
    const task = taskOf("Read 1", file("a.ts"), file("b.ts"))
    const long = yield* block(root, task)
    // What the notes of cut references would take is left free.
    const whole = long.length + 2 * 280
    expect(yield* block(root, task, { budget: 1500, whole })).toBe(long)
    expect(yield* block(root, task, { budget: 1500, whole: whole - 100 })).toContain("There is room for a part")
  })

  nodeTest("shows all lines that are meant, and of a long declaration around them a few more", function* () {
    const lines = ["import os", "", "def long(", "    path", "):"].concat(
      Array.from({ length: 150 }, (_, index) => `    step_${index}(path, "some more words")`),
      ["    return path", "", "def other():", "    pass"]
    )
    const root = yield* makeProject({ "a.py": `${lines.join("\n")}\n` })
    const task = taskOf("Read 1", file("a.py", { lines: { from: 60, to: 75 } }))
    const { cut, text } = yield* wholeBlock(root, task, { budget: 1700 })
    expect(cut).toEqual([])
    for (let at = 60; at <= 75; at++) expect(text).toContain(`\n${at}:     step_${at - 6}(path`)
    for (const line of ["def long(", "return path", "def other"]) expect(text).not.toContain(line)
    expect(text).toMatch(/lines .* of 159, around the lines 60 to 75, \d+ % of the file\./)
  })

  nodeTest(
    "only names files when a longer prompt leaves each less than says something, or that the model knows",
    function* () {
      const root = yield* makeProject({ "a.txt": "line\n".repeat(500), "b.txt": "line\n".repeat(500) })
      const task = taskOf("Read 2", file("a.txt"), file("b.txt"), resultOf("read-1"))
      const { within } = yield* wholeBlock(root, task, { finished: [finishedOf("Read 1", "The summary.")] })
      const [few, known] = [within(2000, () => false), within(4000, (path) => path === "a.txt")]
      expect(within(4000, () => false)).toContain("1: line")
      expect(few).not.toContain("1: line")
      expect(few).toContain("(There is no room for the contents of a.txt, b.txt: read what you need of them.)")
      expect(few).toContain("The summary.")
      expect(known).toContain("(There is no room for the contents of a.txt: read what you need of them.)")
      expect(known).toContain("The contents of b.txt\n\n(There is room for a part")
    }
  )

  nodeTest("keeps the summary of a long result, and cuts the rest by its words", function* () {
    const root = yield* makeProject({})
    const sections = Array.from({ length: 40 }, (_, index) => `### Part ${index}\n\n${"word ".repeat(40)}\n`)
    const document = `## Result summary\n\nThe summary.\n\n## Details\n\n${sections.join("\n")}\n### Teapot\n\nThe teapot.`
    const task = new Task({ ...taskOf("Read 2", resultOf("read-1")), whatIsNeeded: "Describe the teapot." })
    const text = yield* block(root, task, { finished: [finishedOf("Read 1", "The summary.", document)], budget: 2500 })
    expect(text.length).toBeLessThanOrEqual(2500)
    expect(text).toContain("The summary.")
    expect(text).toContain("### Teapot\n\nThe teapot.")
    expect(text).toMatch(/\(\d+ lines left out\)/)
  })
})

describe("the check of references", () => {
  nodeTest.each([
    ["C#/x.md", "C%23/x.md", "C#/x.md"],
    ["C#/x.md#L2", "C%23/x.md#L2", "C#/x.md"],
    ["C%23/x.md#L2", "C%23/x.md#L2", "C#/x.md"],
    ["/C#/x.md#L2", "C%23/x.md#L2", "C#/x.md"],
    ["docs/a#b.md", "docs/a%23b.md", "docs/a#b.md"],
    ["docs/a#b#c.md#L1", "docs/a%23b%23c.md#L1", "docs/a#b#c.md"],
    ["docs/a.md#b", "docs/a.md%23b", "docs/a.md#b"],
    ["docs/plain.md#part", "docs/plain.md#part", "docs/plain.md"],
    ["/docs/plain.md#L2", "docs/plain.md#L2", "docs/plain.md"]
  ] as const)("finds the longest path of a link that exists: %s", function* ([href, strict, target]) {
    const text = "# A\n\n## Part\n\nb\n"
    const names = ["C#/x.md", "docs/a#b.md", "docs/a#b#c.md", "docs/a.md", "docs/a.md#b", "docs/plain.md"]
    const root = yield* makeProject(Object.fromEntries(names.map((name) => [name, text])))
    const form = readReference("File", href)
    const reference = form._tag === "Plain" ? form.reference : undefined
    if (reference === undefined) return expect.fail(`${href} is no reference`)
    const { issues, list } = yield* check(root, listOf([taskOf("Read 1", reference)]))
    expect(issues).toEqual([])
    expect(list.tasks[0]?.references[0]).toMatchObject({ href: strict, target })
  })

  nodeTest("mends what can be meant in one way only", function* () {
    const root = yield* makeProject({ "src/x.ts": "a\nb\n", "src/my x.ts": "a\n", "src/my_y.ts": "a\n" })
    const list = listOf(
      [taskOf("Read 1")],
      [
        taskOf(
          "Read 2",
          { kind: "file", title: "Y", href: "src/my\\_y.ts", target: "src/my\\_y.ts" },
          file("/src/x.ts", { lines: { from: 1, to: 2 } }),
          { kind: "file", title: "My", href: "file:///src/my%20x.ts", target: "/src/my x.ts" },
          anchor("read-1"),
          anchor("Project_Description"),
          resultOf("READ--1"),
          resultOf("test")
        )
      ]
    )
    const { issues, list: mended, repairs } = yield* check(root, list)
    expect(issues).toEqual([])
    expect(mended.tasks[1]?.references).toEqual([
      { kind: "file", title: "Y", href: "src/my_y.ts", target: "src/my_y.ts" },
      { ...file("src/x.ts", { lines: { from: 1, to: 2 } }) },
      { kind: "file", title: "My", href: "src/my%20x.ts", target: "src/my x.ts" },
      { ...resultOf("read-1"), title: "read-1" },
      { ...anchor("project-description"), title: "Project_Description" },
      { ...resultOf("read-1"), title: "READ--1" },
      { ...anchor("test-results"), title: "test" }
    ])
    const where = { section: "Task section 2", task: "Read 2", field: "References" }
    expect(repairs).toEqual(
      [
        ["src/my\\_y.ts", "src/my_y.ts"],
        ["/src/x.ts#L1-L2", "src/x.ts#L1-L2"],
        ["file:///src/my%20x.ts", "src/my%20x.ts"],
        ["#read-1", "#read-1-results"],
        ["#Project_Description", "#project-description"],
        ["#READ--1-results", "#read-1-results"]
      ].map(([from, to]) => ({ code: "reference-target", where, message: `Read the reference "${from}" as "${to}".` }))
    )
  })

  nodeTest("names headings and tasks when one does not exist, or exists too late", function* () {
    const root = yield* makeProject({})
    const list = listOf(
      [taskOf("Read 1", anchor("read-1"), anchor("enviroment"))],
      [taskOf("Read 3", resultOf("red-1"), anchor("read-3"))]
    )
    const { issues } = yield* check(root, list)
    expect(issues.map(({ code, how, what }) => [code, what, how])).toEqual([
      [
        "reference-order",
        '"#read-1" is the result of "Read 1", which is not in an earlier section.',
        "Move the task into a later section, or leave the reference out."
      ],
      [
        "reference-heading-unknown",
        'There is no heading "#enviroment" in the request and no task of that name.',
        "One of these may be meant: #environment."
      ],
      [
        "reference-task-unknown",
        'There is no task whose result is "#red-1-results".',
        expect.stringMatching(/^One of these may be meant: #read-1-results, /)
      ],
      [
        "reference-order",
        '"#read-3" is the result of "Read 3", which is not in an earlier section.',
        "Move the task into a later section, or refer to #read-1-results."
      ]
    ])
  })

  nodeTest("does not repeat what the reader of the list says", function* () {
    const root = yield* makeProject({})
    const href = "mailto:a@b.example"
    const unknown: Reference = { kind: "unknown", title: "Mail", href, target: href }
    const list = listOf([taskOf("Read 1", resultOf("read-2"), unknown), taskOf("Read 2")])
    expect(yield* check(root, list)).toEqual({ list, issues: [], repairs: [] })
    expect((yield* Effect.flip(block(root, taskOf("Read 1", unknown)))).message).toBe(
      'The reference mailto:a@b.example cannot be used: "mailto:a@b.example" is not a valid reference. Use a heading such ' +
        "as #project-description, a result such as #research-1-results, the path of a file, or an http(s) URL."
    )
  })

  nodeTest("names what is there instead of a file, in a form that can be written as it stands", function* () {
    const names = ["src/a.ts", "src/b.ts", "one/a.ts", "c#notes.md", "my file.ts"]
    const root = yield* makeProject({
      ...Object.fromEntries(names.map((name) => [name, ""])),
      "lib/main.ts": "x\n",
      "docs/use.md": "# Start\n\nx\n",
      "img.png": "\0"
    })
    yield* (yield* FileSystem.FileSystem).makeDirectory(`${root}/empty`)
    const other = "Correct the reference or leave it out."
    const rows: ReadonlyArray<readonly [Reference, code: string, what: string, how: string]> = [
      [file("src"), "folder", '"src" is a folder with 2 files, and a reference', "such as src/a.ts, src/b.ts."],
      [file("one"), "folder", '"one" is a folder with 1 file, and a reference', "such as one/a.ts."],
      [file("empty"), "unreadable", `${root}/empty is a folder, not a file. It holds no files itself.`, other],
      [file("src/*.ts"), "glob", "a pattern, and a reference is one file. It matches 2 files.", "src/a.ts, src/b.ts."],
      [file("one/*.ts"), "glob", "It matches 1 file.", "such as one/a.ts."],
      [file("src/main.ts"), "missing", 'There is no file "src/main.ts".', "One of these may be meant: lib/main.ts,"],
      [file("c"), "missing", 'There is no file "c".', "One of these may be meant: c%23notes.md."],
      [file("my file"), "missing", 'There is no file "my file".', "One of these may be meant: my%20file.ts."],
      [file("lib/main.ts", { lines: { from: 5, to: 9 } }), "lines", "lines that lib/main.ts does", "lines 1 to 1."],
      [file("docs/use.md", { heading: "strat" }), "heading-unknown", '"#strat"', "meant: docs/use.md#start."],
      [file("lib/main.ts", { heading: "start" }), "heading-unknown", '"#start"', "such as lib/main.ts#L1-L50."],
      [file("img.png"), "unreadable", `${root}/img.png is not text: it is binary.`, other],
      [file("a\0b"), "unreadable", 'The path "a\\u0000b" holds a NUL character.', other],
      [page("http://me:secret@a.example/"), "url", "Cannot fetch http://a.example/: a URL must not hold", other]
    ]
    const issues = yield* issuesOf(root, ...rows.map(([reference]) => reference))
    expect(issues).toEqual(
      rows.map(([{ href }, code, what, how]) => [
        `reference-${code}`,
        href,
        expect.stringContaining(what),
        expect.stringContaining(how)
      ])
    )
  })

  nodeTest("asks nothing and opens nothing outside; what is outside only has to exist", function* () {
    const outside = yield* makeProject({ "big.txt": "x".repeat(5000) })
    const root = yield* makeProject({ ".env": "x".repeat(5000) })
    const asked: Array<string> = []
    const task = taskOf(
      "Read 1",
      file(`${outside}/big.txt`),
      file(".env"),
      file(`${outside}/none.txt`),
      page("http://10.0.0.1/")
    )
    const { issues, repairs } = yield* check(root, listOf([task]), { asked, budget: 100 })
    expect(issues.map(({ code, quote }) => [code, quote])).toEqual([["reference-missing", `${outside}/none.txt`]])
    expect([asked, repairs]).toEqual([[], []])
  })

  nodeTest("names the largest references and narrower forms when not even parts of all have room", function* () {
    const numbered = Array.from({ length: 300 }, (_, index) => `line ${index + 100}\n`).join("")
    const guide = `# Guide\n\n## Start\n\n${"s".repeat(50)}\n\n## Rest\n\n${"r".repeat(3000)}\n`
    const root = yield* makeProject({ "big.txt": numbered, "guide.md": guide, "small.txt": "small\n" })
    const task = taskOf("Read 1", file("small.txt"), file("guide.md"), file("big.txt"), file("big.txt"))
    expect((yield* check(root, listOf([task]), { budget: 3000 })).issues).toEqual([])
    const { issues } = yield* check(root, listOf([task]), { budget: 1500 })
    expect(issues).toEqual([
      {
        code: "references-too-large",
        where: { section: "Task section 1", task: "Read 1", field: "References" },
        what: "The references have 5787 characters in total; 1500 are allowed. The largest are guide.md (3081), big.txt (2700), small.txt (6).",
        how: "Narrow them, for example to guide.md#start or big.txt#L1-L50. Leave out what is not needed, or split the task."
      }
    ])
  })

  nodeTest("measures the whole result of a finished task, and nothing of one that is to come", function* () {
    const root = yield* makeProject({})
    const finished = [finishedOf("Old task", "short", "d".repeat(50))]
    const list = listOf([taskOf("Read 1")], [taskOf("Read 2", resultOf("read-1"), resultOf("old-task"))])
    const codes = (budget: number) =>
      Effect.map(check(root, list, { finished, budget }), ({ issues }) => issues.map(({ code }) => code))
    expect(yield* codes(50)).toEqual([])
    expect(yield* codes(49)).toEqual(["references-too-large"])
  })
})
