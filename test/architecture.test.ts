import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { entryPoints, isCore, misplacement, roomOf, rooms } from "./support/rooms.ts"
import { type SourceModule, sourceModules } from "./support/sourceImports.ts"
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

it("sees imports of every form", () => {
  const all = modules.flatMap(({ imports }) => imports)
  assert.isAbove(modules.length, 20)
  for (const [isType, isLate] of [
    [false, undefined],
    [true, undefined],
    [false, true]
  ])
    assert.isTrue(all.some((one) => one.isType === isType && one.isLate === isLate))
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

it.each([
  ["domain/text/Slug.ts", "domain/plan/Task.ts", "domain/text comes before domain/plan. Move what both need to"],
  ["cli/run/run.ts", "kit/terminal.ts", "cli/run comes before kit"],
  ["plugin-kit.ts", "app/runs.ts", "plugin-kit.ts comes before app"],
  ["services/pipeline/Pipeline.ts", "plugins/web/PublicWeb.ts", "imports no feature"],
  ["plugins/web/index.ts", "plugins/tools/index.ts", "the core only"],
  ["plugins/tools/ReadFile.ts", "domain/text/TextPart.ts", "Export there what the feature needs"],
  ["plugins/web/PublicWeb.ts", "services/pipeline/Pipeline.ts", "what packages can"],
  ["app/features.ts", "plugins/mcp/index.ts", ""],
  ["plugins/tools/ReadFile.ts", "plugin-kit.ts", ""]
])("says of %s and %s where the import belongs: %s", (from, target, why) => {
  if (why === "") assert.isUndefined(misplacement(from, target))
  else assert.include(misplacement(from, target), why)
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
      const rest = text.replace(/\/\*.*?\*\//gs, "").replace(exports, "")
      assert.strictEqual(rest.trim(), "", path)
      const names = [...text.matchAll(exports)].flatMap(([, list = ""]) => list.match(/(?!type\b)\b\w+/g) ?? [])
      return names.filter((name) => !new RegExp(`\\b${name}\\b`).test(features)).map((name) => `${path}: ${name}`)
    })
  assert.deepStrictEqual(unused, [])
})

it("has a core that is not larger than it has to be", () => {
  const lines = modules.reduce((sum, { codeLines, path }) => (isCore(roomOf(path)) ? sum + codeLines : sum), 0)
  assert.isAtMost(lines, 63_600)
})

it("has shapes of at most ten members in the core, but for records and files", () => {
  const core = modules.filter(({ path }) => isCore(roomOf(path)))
  const wide = core.flatMap(({ path }) => shapesOf(textOf(path))).filter(({ members }) => members > 10)
  assert.deepStrictEqual(
    wide.filter(({ name }) => wideShapes[name] === undefined),
    []
  )
  assert.sameMembers([...new Set(wide.map(({ name }) => name))], Object.keys(wideShapes))
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
