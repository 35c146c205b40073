import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { entryPoints, isCore, misplacement, roomOf, rooms } from "./support/rooms.ts"
import { importsOf, type SourceModule, sourceModules } from "./support/sourceImports.ts"
import { shapesOf } from "./support/sourceShapes.ts"

const modules = sourceModules()
const paths = new Set(modules.map((module) => module.path))

const textOf = (path: string): string => readFileSync(new URL(`../src/${path}`, import.meta.url), "utf8")

/** Every import that breaks a rule, as `from -> to`. */
const arrows = (breaks: (from: SourceModule, target: string) => boolean): ReadonlyArray<string> =>
  modules.flatMap((from) =>
    from.imports.filter(({ target }) => breaks(from, target)).map(({ target }) => `${from.path} -> ${target}`)
  )

/** The first cycle that is reachable from a module, type imports included and late ones not, as the path around it. */
const cycles = (): ReadonlyArray<string> => {
  const byPath = new Map(modules.map((module) => [module.path, module]))
  const done = new Set<string>()
  const found: Array<string> = []
  const visit = (path: string, trail: ReadonlyArray<string>): void => {
    const start = trail.indexOf(path)
    if (start !== -1) {
      found.push([...trail.slice(start), path].join(" -> "))
      return
    }
    if (done.has(path)) return
    for (const { isLate = false, target } of byPath.get(path)?.imports ?? []) {
      if (!isLate && byPath.has(target)) visit(target, [...trail, path])
    }
    done.add(path)
  }
  for (const { path } of modules) visit(path, [])
  return found
}

/** Shapes of the core with more than ten members. */
const wideShapes: Readonly<Record<string, string>> = {
  Configuration: "a file of the user",
  Limits: "a part of a file of the user",
  fields: "a server in a file of the user, with the keys of other programs",
  Skill: "a file of the user",
  CheckOutcome: "a record of journals and events",
  TaskOutcome: "a record of journals",
  ApprovalItem: "a record of events and of the question that every approver gets",
  Briefing: "a record of journals",
  RunReport: "what a run prints and returns",
  CanonicalAccess: "a record of journals and events, of which answers keep the hash",
  RunSummary: "what a list of runs prints and returns",
  TaskEvidence: "what the evidence of a task prints and returns",
  MessageOrder: "what a message and its conversation give to the agent"
}

const isNode = (target: string) => target.startsWith("node:") || target.startsWith("@effect/platform-node")

describe("architecture", () => {
  it("finds imports of every form", () => {
    const text = [
      'import * as Effect from "effect/Effect"',
      'import type { A } from "./A.ts"',
      'import {\n  type B,\n  type C\n} from "../domain/B.ts"',
      'import { type D, d } from "./D.ts"',
      'import "./E.ts"',
      'export * from "./F.ts"',
      'const lazy = () => import("./G.ts")'
    ].join("\n")
    assert.deepStrictEqual(importsOf("services/X.ts", text), [
      { target: "effect/Effect", isType: false },
      { target: "services/A.ts", isType: true, names: ["A"] },
      { target: "domain/B.ts", isType: true, names: [] },
      { target: "services/D.ts", isType: false, names: ["d"] },
      { target: "services/E.ts", isType: false },
      { target: "services/F.ts", isType: false },
      { target: "services/G.ts", isType: false, isLate: true }
    ])
    assert.isAbove(modules.length, 20)
  })

  it("has every file in a room, and only entry points in src itself", () => {
    const loose = modules.map(({ path }) => path).filter((path) => !path.includes("/"))
    assert.deepStrictEqual(loose, ["check.ts", "effect.ts", "index.ts", "main.ts", "plugin-kit.ts", "testing.ts"])
    const homeless = modules.filter(({ path }) => roomOf(path) !== entryPoints && !rooms.includes(roomOf(path)))
    assert.deepStrictEqual(
      homeless.map(({ path }) => path),
      []
    )
  })

  it("imports from the same room or from an earlier one, types included", () => {
    const misplaced = modules.flatMap(({ imports, path }) =>
      imports.flatMap(({ target }) => (paths.has(target) ? (misplacement(path, target) ?? []) : []))
    )
    assert.deepStrictEqual(misplaced, [])
  })

  it("says where an import that is misplaced belongs", () => {
    assert.isUndefined(misplacement("domain/plan/Task.ts", "domain/text/Slug.ts"))
    assert.isUndefined(misplacement("index.ts", "cli/taskConductor.ts"))
    assert.include(
      misplacement("services/files/ProcessLock.ts", "services/pipeline/Pipeline.ts"),
      "services/files comes before"
    )
    assert.strictEqual(
      misplacement("domain/text/Slug.ts", "domain/plan/Task.ts"),
      "domain/text/Slug.ts imports domain/plan/Task.ts: domain/text comes before domain/plan. Move what both need to domain/text or to a room before it, or move domain/text/Slug.ts to domain/plan or to a room after it."
    )
    assert.include(misplacement("cli/run/run.ts", "library/runs.ts"), "cli/run/run.ts imports library/runs.ts")
    assert.include(misplacement("plugin-kit.ts", "app/runs.ts"), "plugin-kit.ts comes before app")
  })

  it("has features that know the core and not each other, and a core that knows them by one list", () => {
    assert.isUndefined(misplacement("plugins/tools/ReadFile.ts", "plugin-kit.ts"))
    assert.isUndefined(misplacement("plugins/report/command.ts", "kit/runs.ts"))
    assert.include(
      misplacement("plugins/tools/ReadFile.ts", "domain/text/TextPart.ts"),
      "Export there what the feature needs"
    )
    assert.include(misplacement("cli/run/run.ts", "kit/terminal.ts"), "cli/run comes before kit")
    assert.include(misplacement("plugin-kit.ts", "plugins/tools/ReadFile.ts"), "imports no feature")
    assert.include(misplacement("services/pipeline/Pipeline.ts", "plugins/web/PublicWeb.ts"), "imports no feature")
    assert.include(misplacement("app/layers.ts", "plugins/mcp/index.ts"), "imports no feature")
    assert.include(misplacement("plugins/web/index.ts", "plugins/tools/index.ts"), "the core only")
    assert.isUndefined(misplacement("app/features.ts", "plugins/mcp/index.ts"))
    assert.include(misplacement("plugins/web/PublicWeb.ts", "services/pipeline/Pipeline.ts"), "what packages can")
    assert.isUndefined(misplacement("library/runs.ts", "plugins/replay/RunDifference.ts"))
  })

  it("has a kit of exports of the core, each of which a feature uses", () => {
    const features = modules
      .filter(({ path }) => path.startsWith("plugins/"))
      .map(({ path }) => textOf(path))
      .join("\n")
    const unused = modules
      .filter(({ path }) => path.startsWith("kit/"))
      .flatMap(({ path }) => {
        const text = textOf(path)
        const exports = /^export (?:type )?\{([^}]*)\} from "[^"]+"\n/gm
        assert.strictEqual(
          text
            .replace(/\/\*.*?\*\//gs, "")
            .replace(exports, "")
            .trim(),
          "",
          path
        )
        const names = [...text.matchAll(exports)].flatMap(([, list = ""]) => list.match(/(?!type\b)\b\w+/g) ?? [])
        return names.filter((name) => !new RegExp(`\\b${name}\\b`).test(features)).map((name) => `${path}: ${name}`)
      })
    assert.deepStrictEqual(unused, [])
  })

  it("has a core that is not larger than it has to be", () => {
    const lines = modules.reduce((sum, { codeLines, path }) => (isCore(roomOf(path)) ? sum + codeLines : sum), 0)
    assert.isAtMost(lines, 63_600)
  })

  it("counts the members of shapes of every form", () => {
    const text = [
      "interface A<T> { readonly a: T; b(): void }",
      "type B = Pick<A<{ a: 1 }>, 'a'> | { readonly a: 1 }",
      'class C extends Context.Service<C, { readonly a: 1; readonly b: 2 }>()("C") {}',
      "const D = Schema.Struct({ a: Schema.Int, b: key(Schema.String, 'b'), c: E })",
      "const E = Schema.TaggedUnion({ F: { a: Schema.Int }, G: {}, H: {} })",
      "const none = { a: 1, b: 2 }"
    ].join("\n")
    assert.deepStrictEqual(
      shapesOf(text).map(({ members, name }) => `${name} ${members}`),
      ["A 2", "B 1", "B 1", "C 2", "D 3", "F 1"]
    )
  })

  it("has shapes of at most ten members in the core, but for records and files", () => {
    const wide = modules
      .filter(({ path }) => isCore(roomOf(path)))
      .flatMap(({ path }) => shapesOf(textOf(path)))
      .filter(({ members }) => members > 10)
      .filter(({ name }) => wideShapes[name] === undefined)
    assert.deepStrictEqual(wide, [])
  })

  it("gives built-in tools no package that a plugin need not have", () => {
    assert.deepStrictEqual(
      arrows((from, target) => {
        const isAllowed = paths.has(target) || /^effect\/[A-Z]\w+$/.test(target)
        return from.path.startsWith("plugins/tools/") && !isAllowed
      }),
      []
    )
  })

  it("keeps Node out of the domain", () => {
    assert.deepStrictEqual(
      arrows((from, target) => from.path.startsWith("domain/") && isNode(target)),
      []
    )
  })

  it("imports Effect module by module", () => {
    const barrels = /^(effect|@effect\/[\w-]+|effect\/(ai|cli|http|process|sql|cluster|workflow|testing))$/
    assert.deepStrictEqual(
      arrows((_, target) => barrels.test(target)),
      []
    )
  })

  it("has no cycle", () => {
    assert.deepStrictEqual(cycles(), [])
  })

  it("exports no type name twice", () => {
    const places = new Map<string, Array<string>>()
    for (const { path } of modules) {
      const text = textOf(path)
      for (const [, name = ""] of text.matchAll(/^export (?:abstract )?(?:interface|class|type) ([A-Z]\w*)/gm)) {
        places.set(name, [...(places.get(name) ?? []), path])
      }
    }
    assert.deepStrictEqual(
      [...places].filter(([, all]) => all.length > 1),
      []
    )
  })

  it("has files that can be read at once: longer ones are listed as a warning", () => {
    const long = modules.filter((module) => module.codeLines > 370)
    if (long.length > 0)
      console.warn(long.map(({ codeLines, path }) => `${path} has ${codeLines} lines of code.`).join("\n"))
    assert.isBelow(long.length, modules.length / 50)
  })
})
