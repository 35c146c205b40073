/**
 * Instructions of a project that lead elsewhere, and those above the project.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { readDescriptions } from "../../../src/services/files/Descriptions.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { makeProject } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

type Files = Readonly<Record<string, string>>

/** Files of a project, what is shown of them by path, the nearest first, notes, and the files that are worked on. */
type Variant = readonly [what: string, Files, shown: Files, notes?: ReadonlyArray<RegExp>, near?: ReadonlyArray<string>]

const tabs = "Always use tabs."
const rules = { "docs/rules.md": tabs }
const shop = { "README.md": "Shop" }
const agents = (text: string) => ({ "AGENTS.md": text })
const claude = (text: string) => ({ "CLAUDE.md": text })

const holding = (path: string, why: string) =>
  RegExp(`^AGENTS\\.md is not part of the prompts: it holds only the path ${path}, which ${why}\\.$`)
const importing = (path: string, why: string) => RegExp(`^AGENTS\\.md imports ${path}, which ${why}\\.$`)
const gone = "is not there"
const leadsOut = "leads out of the project"
const isSecret = "has a name that looks like a secret"
const isSame = "is the file itself"
const toPath = /leads to docs\/a\.md, which holds only a path, too: b\.md/
const round = [/^AGENTS\.md is not .* leads to CLAUDE\.md/, /^CLAUDE\.md is not .* leads to AGENTS\.md/]
const nested = /^a\.md imports b\.md, which is not followed: AGENTS\.md imports the file itself\.$/

const outside = "@../a.md\n@~/.claude/me.md\n@/etc/hosts"
const outsidePaths = ["../a.md", "~/.claude/me.md", "/etc/hosts"]
const quoted = "```\n@docs/rules.md\n```\n`@docs/rules.md`"
const sentence = "See @docs/rules.md for style."
const apart = `${sentence}\n\n(From docs/rules.md:)\n\n${tabs}`
const web = { "web/AGENTS.md": "../AGENTS.md", "api/AGENTS.md": "Api.\n@../AGENTS.md" }

const copilot = { ".github/copilot-instructions.md": "y" }

const variants: ReadonlyArray<Variant> = [
  ["AGENTS.md is first", { ...agents("# Rules\n"), ...claude("x"), ...shop }, agents("# Rules")],
  ["CLAUDE.md stands for an empty one", { ...agents(" \n"), ...claude("x"), ...shop }, claude("x")],
  ["other instructions are before a README", { ...copilot, ...shop }, copilot],
  ["a README of the project is the last", { ...shop, "src/README.md": "no" }, shop],
  ["another text is none", { "readme.txt": "x", "src/README.md": "no" }, {}],
  ["a path alone is followed", { ...agents("CLAUDE.md"), ...claude(tabs) }, agents(tabs)],
  ["a path in a folder is followed", { ...agents("docs/rules.md\n"), ...rules }, agents(tabs)],
  ["a path with a blank is followed", { ...agents("docs/my rules.md"), "docs/my rules.md": tabs }, agents(tabs)],
  ["a word that is no file is a text", agents("Use tabs"), agents("Use tabs")],
  ["a path to nothing is named", agents("docs/gone.md"), {}, [holding("docs/gone.md", gone)]],
  ["a path out of the project is named", { ...agents("../o/A.md"), ...shop }, shop, [holding("../o/A.md", leadsOut)]],
  ["a path to a secret is named", { ...agents("c/.env"), "c/.env": "KEY=1" }, {}, [holding("c/.env", isSecret)]],
  ["a path to a path is named", { ...agents("docs/a.md"), "docs/a.md": "b.md", "docs/b.md": tabs }, {}, [toPath]],
  ["two files that name each other are named", { ...agents("CLAUDE.md"), ...claude("AGENTS.md") }, {}, round],
  ["a file that names itself is named", agents("AGENTS.md"), {}, [holding("AGENTS.md", isSame)]],
  ["an import is read in its place", { ...claude("R:\n@docs/rules.md\nE."), ...rules }, claude(`R:\n${tabs}\nE.`)],
  ["an import in a sentence stands at the end", { ...claude(sentence), ...rules }, claude(apart)],
  ["a path leads to imports", { ...agents("CLAUDE.md"), ...claude("@docs/rules.md"), ...rules }, agents(tabs)],
  [
    "an import starts at its own folder",
    { "web/AGENTS.md": "@rules.md", "web/rules.md": tabs, ...shop },
    { "web/AGENTS.md": tabs, ...shop },
    [],
    ["web/a.ts"]
  ],
  ["an import that is not there is named", agents("@x.md"), agents("@x.md"), [importing("x.md", gone)]],
  [
    "imports out of the project are named",
    agents(outside),
    agents(outside),
    outsidePaths.map((path) => importing(path, leadsOut))
  ],
  [
    "an import of a secret is named",
    { ...agents("@.env"), ".env": "K=1" },
    agents("@.env"),
    [importing(".env", isSecret)]
  ],
  [
    "an import of an import is named",
    { ...agents("@a.md"), "a.md": "F.\n@b.md", "b.md": tabs },
    agents("F.\n@b.md"),
    [nested]
  ],
  ["an import of itself is named", agents("@AGENTS.md"), agents("@AGENTS.md"), [importing("AGENTS.md", isSame)]],
  ["an @ in code is no import", { ...agents(quoted), ...rules }, agents(quoted)],
  ["a package is no import", agents("Use @effect/vitest."), agents("Use @effect/vitest.")],
  [
    "what leads to a file that is shown is not shown again",
    { ...agents(tabs), ...web },
    { "api/AGENTS.md": web["api/AGENTS.md"], ...agents(tabs) },
    [],
    ["web/a.ts", "api/b.ts"]
  ]
]

const read = (root: string, near: ReadonlyArray<string> = []) =>
  Effect.flatMap(Workspace, (workspace) =>
    readDescriptions(workspace, { near, above: true, mayRead: () => Effect.succeed(true) })
  ).pipe(Effect.provide(Workspace.layer(root)))

const paths = (root: string, near: ReadonlyArray<string> = []) =>
  Effect.map(read(root, near), (found) => found.files.map(({ path }) => path))

describe("instructions of a project", () => {
  describe("that lead elsewhere", () => {
    for (const [what, files, shown, notes = [], near = []] of variants) {
      nodeTest(what, function* () {
        const found = yield* read(yield* makeProject(files), near)
        expect(Object.fromEntries(found.files.map(({ path, text }) => [path, text]))).toEqual(shown)
        expect(found.notes).toEqual(notes.map((note) => expect.stringMatching(note)))
      })
    }
  })

  nodeTest("do not leave the project through a link, and are not read in folders without work", function* () {
    const root = yield* makeProject({ "README.md": "Shop", "a/AGENTS.md": "A", "d/AGENTS.md": "D" })
    symlinkSync(join(yield* makeProject({ "AGENTS.md": "secret" }), "AGENTS.md"), join(root, "AGENTS.md"))
    const { files, notes } = yield* read(root, ["d/x.ts"])
    expect(files.map(({ path }) => path)).toEqual(["d/AGENTS.md", "README.md"])
    expect(notes).toEqual(["AGENTS.md is not part of the prompts: it leads out of the project."])
  })

  describe("that is a folder of a repository", () => {
    const files = {
      "AGENTS.md": "Root rules.",
      "packages/AGENTS.md": "Rules of packages.",
      "packages/web/README.md": "Web",
      "packages/web/src/AGENTS.md": tabs
    }

    nodeTest("are read up to the repository, the nearest first", function* () {
      const root = yield* makeProject(files)
      mkdirSync(join(root, ".git"))
      expect(yield* paths(join(root, "packages/web"), ["src/a.ts"])).toEqual([
        "src/AGENTS.md",
        "README.md",
        "../AGENTS.md",
        "../../AGENTS.md"
      ])
    })

    nodeTest("are not read above the repository, nor where there is none", function* () {
      const root = yield* makeProject(files)
      expect(yield* paths(join(root, "packages/web"))).toEqual(["README.md"])
      mkdirSync(join(root, "packages/.git"))
      expect(yield* paths(join(root, "packages/web"))).toEqual(["README.md", "../AGENTS.md"])
      mkdirSync(join(root, "packages/web/.git"))
      expect(yield* paths(join(root, "packages/web"))).toEqual(["README.md"])
    })

    nodeTest("import no file of the repository outside the project into those of the project", function* () {
      const root = yield* makeProject({
        "docs/a.md": tabs,
        "AGENTS.md": "@docs/a.md",
        "web/AGENTS.md": "@../docs/a.md"
      })
      mkdirSync(join(root, ".git"))
      const found = yield* read(join(root, "web"))
      expect(found.files).toEqual([
        { path: "AGENTS.md", text: "@../docs/a.md" },
        { path: "../AGENTS.md", text: tabs }
      ])
      expect(found.notes).toEqual(["AGENTS.md imports ../docs/a.md, which leads out of the project."])
    })
  })
})
