/** The packed product: no script runs at its installation, what it holds, and its bill of materials. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, posix } from "node:path"
import { bundledPackages, makeSbom } from "../scripts/sbom.ts"
import { needs } from "./support/needs.ts"
import { copyProduct, packFolder } from "./support/packedProduct.ts"
import { linksOf } from "./support/pageLinks.ts"

const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"))
interface Locked {
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}
const lock = join(import.meta.dirname, "../package-lock.json")
const locked = readJson(lock).packages as Readonly<Record<string, Locked>>
const bundled = bundledPackages()

const named = (packages: ReadonlyArray<{ readonly name: string; readonly version: string }>) =>
  packages.map(({ name, version }) => `${name} ${version}`).toSorted()

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

  it("brings one dependency, which has no script and none of its own; nor have runs on several machines one", () => {
    assert.deepStrictEqual(Object.keys(readJson(join(unpacked, "package.json")).dependencies), ["effect"])
    const { dependencies, hasInstallScript } = locked["node_modules/effect"] ?? {}
    assert.deepStrictEqual([hasInstallScript, Object.keys(dependencies ?? {})], [undefined, []])
    const installed = Object.entries(locked).filter(([, one]) => one.dev !== true && one.hasInstallScript === true)
    assert.deepStrictEqual(installed, [])
  })

  it("holds the licence of each package that is bundled, and a bill of materials with their versions and licences", () => {
    assert.deepStrictEqual(bundledPackages(join(unpacked, "dist")), bundled)
    for (const { name, text, version } of bundled)
      assert.isTrue(name !== "" && version !== "" && text.length >= 200, name)
    const { components } = makeSbom(bundled)
    assert.deepStrictEqual(named(components), named(bundled))
    for (const { licenses = [], name } of components) assert.isNotEmpty(licenses, name)
  })

  it("holds all that its pages link to", () => {
    const files = readdirSync(unpacked, { recursive: true, encoding: "utf8" })
    const there = new Set(files)
    /* Tests of skills hold plans, whose links are about the projects of these tests. */
    const pages = files.filter((file) => file.endsWith(".md") && !file.startsWith("skills/"))
    assert.isAbove(pages.length, 100)
    const dead = pages.flatMap((page) =>
      linksOf(readFileSync(join(unpacked, page), "utf8"))
        .map((target) => posix.normalize(posix.join(posix.dirname(page), target)).replace(/\/$/, ""))
        .filter((target) => !there.has(target))
        .map((target) => `${page} -> ${target}`)
    )
    assert.deepStrictEqual(dead, [])
  })
})
