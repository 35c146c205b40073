/**
 * What users install: no script runs, all licences fit, every package is named with its reason, and the bill of materials is
 * complete. The packages themselves are those of the lock file.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundledPackages, makeSbom } from "../scripts/sbom.ts"
import { needs } from "./support/needs.ts"
import { copyProduct, packFolder } from "./support/packedProduct.ts"

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
const locked = readJson(join(root, "package-lock.json")).packages as Readonly<
  Record<
    string,
    {
      readonly dev?: boolean
      readonly hasInstallScript?: boolean
      readonly integrity?: string
      readonly license?: string
      readonly dependencies?: Readonly<Record<string, string>>
    }
  >
>
const bundled = bundledPackages()
/** With those that only task-conductor-cluster has. */
const allBundled = [...bundled, ...bundledPackages(join(root, "src/plugins/cluster/dist"))]

/** Licences that ask for no more than to be named, which the notices do. */
const permissive = new Set(["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Apache-2.0", "BlueOak-1.0.0"])

const folder = mkdtempSync(join(tmpdir(), "task-conductor-supply-"))
const unpacked = join(folder, "package")

afterAll(() => rmSync(folder, { recursive: true }))

describe("the packed product", needs("tar"), () => {
  beforeAll(() => {
    execFileSync("tar", ["-xzf", packFolder(copyProduct(folder), folder), "-C", folder])
  })

  it("has no script that an installation runs, and nothing that npm would build", () => {
    const { scripts } = readJson(join(unpacked, "package.json")) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    const run = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare", "prepublish"]
    assert.deepStrictEqual(
      run.filter((name) => name in scripts),
      []
    )
    const files = readdirSync(unpacked, { recursive: true, encoding: "utf8" })
    assert.deepStrictEqual(
      files.filter((file) => /(?:binding\.gyp|\.node|\.so|\.dylib|\.dll|\.exe)$/.test(file)),
      []
    )
    assert.isAbove(files.length, 100)
  })

  it("brings one dependency, which has no script and none of its own", () => {
    assert.deepStrictEqual(Object.keys(readJson(join(unpacked, "package.json")).dependencies), ["effect"])
    const { dependencies, hasInstallScript } = locked["node_modules/effect"] ?? {}
    assert.deepStrictEqual([hasInstallScript, Object.keys(dependencies ?? {})], [undefined, []])
  })

  it("has no install script in what comes with runs on several machines", () => {
    const installed = Object.entries(locked).filter(([, { dev }]) => dev !== true)
    assert.deepStrictEqual(
      installed.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path),
      []
    )
  })

  it("holds the licence of each package that is bundled", () => {
    assert.deepStrictEqual(bundledPackages(join(unpacked, "dist")), bundled)
    assert.deepStrictEqual(
      bundled
        .filter(({ name, text, version }) => name === "" || version === "" || text.length < 200)
        .map(({ name }) => name),
      []
    )
  })
})

describe("the packages", () => {
  it("say where they are at home, which links on the page of a registry need", () => {
    const { bugs, homepage = "", keywords = [], repository } = manifest
    for (const address of [homepage, bugs?.url ?? "", repository?.url?.replace(/^git\+/, "") ?? ""]) {
      assert.isTrue(URL.canParse(address), address)
    }
    assert.isAbove(keywords.length, 3)
  })

  it("have licences that fit to MIT", () => {
    assert.isAbove(bundled.length, 50)
    assert.deepStrictEqual(
      allBundled.filter(({ licence }) => !permissive.has(licence)),
      []
    )
  })

  it("are pinned, and the lock file has a sum of what users get", () => {
    const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies, ...ofCluster })
    assert.deepStrictEqual(
      versions.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)),
      []
    )
    const without = allBundled.filter(({ name }) => locked[`node_modules/${name}`]?.integrity === undefined)
    assert.deepStrictEqual(
      without.map(({ name }) => name),
      []
    )
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

  it("are all in the bill of materials, with version and licence", () => {
    const { components } = makeSbom(bundled)
    assert.deepStrictEqual(
      components.map(({ name, version }) => `${name} ${version}`).toSorted(),
      bundled.map(({ name, version }) => `${name} ${version}`).toSorted()
    )
    assert.deepStrictEqual(
      components.filter(({ licenses = [] }) => licenses.length === 0).map(({ name }) => name),
      []
    )
  })
})
