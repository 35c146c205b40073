/**
 * Instructions of a project that lead elsewhere, and those above the project.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { readDescriptions } from "../../../src/services/files/Descriptions.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { makeProject } from "../../support/Project.ts"

interface Variant {
  readonly files: Readonly<Record<string, string>>
  /** The texts that are shown, the nearest first, with their paths. */
  readonly shown: Readonly<Record<string, string>>
  readonly notes?: ReadonlyArray<string | RegExp>
  readonly near?: ReadonlyArray<string>
}

const tabs = "Always use tabs."
const left = "AGENTS.md is not part of the prompts: it holds only the path"

const variants: Readonly<Record<string, Variant>> = {
  "a path alone is followed": {
    files: { "AGENTS.md": "CLAUDE.md", "CLAUDE.md": tabs },
    shown: { "AGENTS.md": tabs }
  },
  "a path in a folder is followed": {
    files: { "AGENTS.md": "docs/rules.md\n", "docs/rules.md": tabs },
    shown: { "AGENTS.md": tabs }
  },
  "a path with a blank is followed when there is the file": {
    files: { "AGENTS.md": "docs/my rules.md", "docs/my rules.md": tabs },
    shown: { "AGENTS.md": tabs }
  },
  "a word that is no file is a text": { files: { "AGENTS.md": "Use tabs" }, shown: { "AGENTS.md": "Use tabs" } },
  "a path to nothing is named": {
    files: { "AGENTS.md": "docs/gone.md" },
    shown: {},
    notes: [`${left} docs/gone.md, which is not there.`]
  },
  "a path out of the project is named": {
    files: { "AGENTS.md": "../other/AGENTS.md", "README.md": "Shop" },
    shown: { "README.md": "Shop" },
    notes: [`${left} ../other/AGENTS.md, which leads out of the project.`]
  },
  "a path to a secret is never followed": {
    files: { "AGENTS.md": "config/.env", "config/.env": "KEY=1" },
    shown: {},
    notes: [`${left} config/.env, which has a name that looks like a secret.`]
  },
  "a path to a path is named": {
    files: { "AGENTS.md": "docs/a.md", "docs/a.md": "b.md", "docs/b.md": tabs },
    shown: {},
    notes: [/leads to docs\/a\.md, which holds only a path, too: b\.md/]
  },
  "two files that name each other are named": {
    files: { "AGENTS.md": "CLAUDE.md", "CLAUDE.md": "AGENTS.md" },
    shown: {},
    notes: [/^AGENTS\.md is not .* leads to CLAUDE\.md/, /^CLAUDE\.md is not .* leads to AGENTS\.md/]
  },
  "a file that names itself is named": {
    files: { "AGENTS.md": "AGENTS.md" },
    shown: {},
    notes: [`${left} AGENTS.md, which is the file itself.`]
  },
  "an import is read in its place": {
    files: { "CLAUDE.md": "Rules:\n@docs/rules.md\nEnd.", "docs/rules.md": tabs },
    shown: { "CLAUDE.md": `Rules:\n${tabs}\nEnd.` }
  },
  "an import in a sentence stands at the end": {
    files: { "CLAUDE.md": "See @docs/rules.md for style.", "docs/rules.md": tabs },
    shown: { "CLAUDE.md": `See @docs/rules.md for style.\n\n(From docs/rules.md:)\n\n${tabs}` }
  },
  "a path alone leads to a file with imports": {
    files: { "AGENTS.md": "CLAUDE.md", "CLAUDE.md": "@docs/rules.md", "docs/rules.md": tabs },
    shown: { "AGENTS.md": tabs }
  },
  "an import starts at its own folder": {
    files: { "web/AGENTS.md": "@rules.md", "web/rules.md": tabs, "README.md": "Shop" },
    near: ["web/a.ts"],
    shown: { "web/AGENTS.md": tabs, "README.md": "Shop" }
  },
  "an import that is not there is named": {
    files: { "AGENTS.md": "Rules.\n@docs/gone.md" },
    shown: { "AGENTS.md": "Rules.\n@docs/gone.md" },
    notes: ["AGENTS.md imports docs/gone.md, which is not there."]
  },
  "imports out of the project are named": {
    files: { "AGENTS.md": "@../a.md\n@~/.claude/me.md\n@/etc/hosts" },
    shown: { "AGENTS.md": "@../a.md\n@~/.claude/me.md\n@/etc/hosts" },
    notes: [
      "AGENTS.md imports ../a.md, which leads out of the project.",
      "AGENTS.md imports ~/.claude/me.md, which leads out of the project.",
      "AGENTS.md imports /etc/hosts, which leads out of the project."
    ]
  },
  "an import of a secret is named": {
    files: { "AGENTS.md": "@.env", ".env": "KEY=1" },
    shown: { "AGENTS.md": "@.env" },
    notes: ["AGENTS.md imports .env, which has a name that looks like a secret."]
  },
  "an import of an import is named": {
    files: { "AGENTS.md": "@a.md", "a.md": "First.\n@b.md", "b.md": tabs },
    shown: { "AGENTS.md": "First.\n@b.md" },
    notes: ["a.md imports b.md, which is not followed: AGENTS.md imports the file itself."]
  },
  "an import of itself is named": {
    files: { "AGENTS.md": "Rules.\n@AGENTS.md" },
    shown: { "AGENTS.md": "Rules.\n@AGENTS.md" },
    notes: ["AGENTS.md imports AGENTS.md, which is the file itself."]
  },
  "an @ in code is no import": {
    files: { "AGENTS.md": "```\n@docs/rules.md\n```\n`@docs/rules.md`", "docs/rules.md": tabs },
    shown: { "AGENTS.md": "```\n@docs/rules.md\n```\n`@docs/rules.md`" }
  },
  "a package is no import": {
    files: { "AGENTS.md": "Use @effect/vitest for tests." },
    shown: { "AGENTS.md": "Use @effect/vitest for tests." }
  },
  "what leads to a file that is shown is not shown again": {
    files: { "AGENTS.md": tabs, "web/AGENTS.md": "../AGENTS.md", "api/AGENTS.md": "Api.\n@../AGENTS.md" },
    near: ["web/a.ts", "api/b.ts"],
    shown: { "api/AGENTS.md": "Api.\n@../AGENTS.md", "AGENTS.md": tabs }
  }
}

const read = (root: string, near: ReadonlyArray<string> = []) =>
  Effect.flatMap(Workspace, (workspace) =>
    readDescriptions(workspace, { near, above: true, mayRead: () => Effect.succeed(true) })
  ).pipe(Effect.provide(Workspace.layer(root)))

const paths = (root: string, near: ReadonlyArray<string> = []) =>
  Effect.map(read(root, near), (found) => found.files.map(({ path }) => path))

layer(NodeServices.layer)("instructions of a project", (it) => {
  describe("that lead elsewhere", () => {
    for (const [name, { files, near = [], notes = [], shown }] of Object.entries(variants)) {
      it.effect(name, () =>
        Effect.gen(function* () {
          const found = yield* read(yield* makeProject(files), near)
          expect(Object.fromEntries(found.files.map(({ path, text }) => [path, text]))).toEqual(shown)
          expect(found.notes).toHaveLength(notes.length)
          for (const [index, note] of notes.entries()) {
            if (typeof note === "string") expect(found.notes[index]).toBe(note)
            else expect(found.notes[index]).toMatch(note)
          }
        })
      )
    }
  })

  describe("that is a folder of a repository", () => {
    const files = {
      "AGENTS.md": "Root rules.",
      "packages/AGENTS.md": "Rules of packages.",
      "packages/web/README.md": "Web",
      "packages/web/src/AGENTS.md": tabs
    }

    it.effect("are read up to the repository, the nearest first", () =>
      Effect.gen(function* () {
        const root = yield* makeProject(files)
        mkdirSync(join(root, ".git"))
        expect(yield* paths(join(root, "packages/web"), ["src/a.ts"])).toEqual([
          "src/AGENTS.md",
          "README.md",
          "../AGENTS.md",
          "../../AGENTS.md"
        ])
      })
    )

    it.effect("are not read above the repository, nor where there is none", () =>
      Effect.gen(function* () {
        const root = yield* makeProject(files)
        expect(yield* paths(join(root, "packages/web"))).toEqual(["README.md"])
        mkdirSync(join(root, "packages/.git"))
        expect(yield* paths(join(root, "packages/web"))).toEqual(["README.md", "../AGENTS.md"])
        mkdirSync(join(root, "packages/web/.git"))
        expect(yield* paths(join(root, "packages/web"))).toEqual(["README.md"])
      })
    )

    it.effect("import no file of the repository outside the project into those of the project", () =>
      Effect.gen(function* () {
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
    )
  })
})
