/**
 * Writes `dist/sbom.cdx.json`, a CycloneDX list of the published package's parts: the output of `npm sbom` without
 * development packages. Downloads nothing.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** A bundled package, or one installed beside the bundle. */
export interface ShippedPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
  /** The text of its licence; may be empty. */
  readonly text: string
}

const head = /^(\S+) (\S+) \(([^)]*)\)\n?/

/** The bundled packages, from the notices that the build writes. */
export const bundledPackages = (dist = join(root, "dist")): ReadonlyArray<ShippedPackage> => {
  const texts = readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("LICENSES.txt"))
    .flatMap((file) => readFileSync(join(dist, file), "utf8").split(`\n\n${"-".repeat(80)}\n\n`))
  return [...new Set(texts.map((text) => text.trim()))].toSorted().map((text) => {
    const [first = "", name = "", version = "", licence = ""] = head.exec(text) ?? []
    return { name, version, licence, text: text.slice(first.length).trim() }
  })
}

interface Component {
  readonly "bom-ref": string
  readonly name: string
  readonly version: string
  readonly licenses?: ReadonlyArray<object>
}

interface Bom {
  readonly components: ReadonlyArray<Component>
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn?: ReadonlyArray<string> }>
  readonly metadata: { readonly component: { readonly "bom-ref": string } }
}

/** The bill of materials of the published package. */
export const makeSbom = (shipped: ReadonlyArray<ShippedPackage>): Bom => {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--silent"]
  const all = JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 100_000_000 })) as Bom
  const wanted = new Set(shipped.map(({ name, version }) => `${name}@${version}`))
  const components = all.components.filter(({ "bom-ref": ref }) => wanted.has(ref.split("|")[0] ?? ""))
  const kept = new Set([all.metadata.component["bom-ref"], ...components.map((one) => one["bom-ref"])])
  const dependencies = all.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ dependsOn = [], ref }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }))
  return { ...all, components, dependencies }
}

if (import.meta.main) {
  const bom = makeSbom(bundledPackages())
  writeFileSync(join(root, "dist/sbom.cdx.json"), `${JSON.stringify(bom, null, 2)}\n`)
  console.log(`dist/sbom.cdx.json: ${bom.components.length} packages`)
}
