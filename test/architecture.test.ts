import { assert, describe, it } from "@effect/vitest"
import { importsOf, type SourceModule, sourceModules } from "./support/sourceImports.ts"

const modules = sourceModules()
const paths = new Set(modules.map((module) => module.path))

/** Rooms in the order of the arrow: a module may import from its own room and from those before it. */
const rooms = ["domain", "services", "plugins", "doors"]
const roomOf = (path: string): number => {
  const index = rooms.indexOf(path.split("/")[0] ?? "")
  return index === -1 ? rooms.indexOf("doors") : index
}

/** Every import that breaks a rule, as `from -> to`. */
const arrows = (breaks: (from: SourceModule, target: string) => boolean): ReadonlyArray<string> =>
  modules.flatMap((from) =>
    from.imports.filter(({ target }) => breaks(from, target)).map(({ target }) => `${from.path} -> ${target}`)
  )

/** The first cycle of value imports that is reachable from a module, as the path around it. */
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
    for (const { isType, target } of byPath.get(path)?.imports ?? []) {
      if (!isType && byPath.has(target)) visit(target, [...trail, path])
    }
    done.add(path)
  }
  for (const { path } of modules) visit(path, [])
  return found
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
      { target: "services/A.ts", isType: true },
      { target: "domain/B.ts", isType: true },
      { target: "services/D.ts", isType: false },
      { target: "services/E.ts", isType: false },
      { target: "services/F.ts", isType: false },
      { target: "services/G.ts", isType: false }
    ])
    assert.isAbove(modules.length, 20)
  })

  it("points every arrow from the doors to the domain", () => {
    assert.deepStrictEqual(
      arrows((from, target) => paths.has(target) && roomOf(target) > roomOf(from.path)),
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

  it("has no cycle of value imports", () => {
    assert.deepStrictEqual(cycles(), [])
  })

  it("has no file over 250 lines", () => {
    assert.deepStrictEqual(
      modules.filter((module) => module.lines > 250).map((module) => `${module.path}: ${module.lines}`),
      []
    )
  })
})
