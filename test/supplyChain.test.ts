/**
 * The packages that users install: all licences fit, and every package is named with its reason. supplyChain.long.test.ts packs the
 * product.
 */
import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundledPackages } from "../scripts/sbom.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"))
const manifest = readJson(join(root, "package.json")) as {
  readonly homepage?: string
  readonly bugs?: { readonly url?: string }
  readonly repository?: { readonly url?: string }
  readonly keywords?: ReadonlyArray<string>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}
/** What task-conductor-cluster installs. */
const { dependencies: ofCluster = {} } = readJson(join(root, "src/plugins/cluster/package.json")) as {
  readonly dependencies?: Readonly<Record<string, string>>
}
interface Locked {
  readonly integrity?: string
  readonly license?: string
}
const locked = readJson(join(root, "package-lock.json")).packages as Readonly<Record<string, Locked>>
const bundled = bundledPackages()
/** With those that only task-conductor-cluster has. */
const allBundled = [...bundled, ...bundledPackages(join(root, "src/plugins/cluster/dist"))]

/** Licences that ask for no more than to be named, which the notices do. */
const permissive = new Set(["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Apache-2.0", "BlueOak-1.0.0"])

it("say where they are at home, which links on the page of a registry need", () => {
  const { bugs, homepage = "", keywords = [], repository } = manifest
  for (const address of [homepage, bugs?.url ?? "", repository?.url?.replace(/^git\+/, "") ?? ""]) {
    assert.isTrue(URL.canParse(address), address)
  }
  assert.isAbove(keywords.length, 3)
})

it("have licences that fit to MIT", () => {
  assert.isAbove(bundled.length, 50)
  for (const { licence, name } of allBundled) assert.isTrue(permissive.has(licence), `${name}: ${licence}`)
})

it("are pinned, and the lock file has a sum of what users get", () => {
  const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies, ...ofCluster })
  for (const [name, version] of versions) assert.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, name)
  for (const { name } of allBundled) assert.isDefined(locked[`node_modules/${name}`]?.integrity, name)
})

it("are named with their reason in docs/internals/supply-chain.md", () => {
  const page = readFileSync(join(root, "docs/internals/supply-chain.md"), "utf8")
  const named = new Map(
    Array.from(page.matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([\w.-]+) \|$/gm), ([, a = "", , c = ""]) => [a, c])
  )
  const chosen = { ...manifest.dependencies, ...manifest.devDependencies }
  const shipped = allBundled.filter(({ name }) => name in chosen).map(({ licence, name }) => [name, licence])
  const installed = Object.keys(ofCluster).map((name) => [name, locked[`node_modules/${name}`]?.license])
  assert.deepStrictEqual([...named].toSorted(), [...shipped, ...installed].toSorted())
})
