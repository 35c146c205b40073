/**
 * A registry of packages on the loopback: it serves what is installed in node_modules as npm expects it, so that
 * `npm install` really installs without the internet.
 */
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { tarballOf } from "./Tarball.ts"

interface Manifest {
  readonly name: string
  readonly version: string
}

export interface Registry {
  readonly url: string
  /** The tarballs that were asked for. */
  readonly served: ReadonlyArray<string>
  readonly close: () => void
}

/** Folders below `root` of everything that is installed, several versions of one package too. */
const installedFolders = (root: string): ReadonlyArray<string> => {
  const lock = JSON.parse(readFileSync(join(root, "node_modules/.package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, unknown>>
  }
  return Object.keys(lock.packages)
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(join(folder, "package.json")))
}

/** Serves the packages that are installed below `root`, and those in more folders. */
export const startRegistry = async (root: string, ...more: ReadonlyArray<string>): Promise<Registry> => {
  const versions = new Map<string, Map<string, { readonly manifest: Manifest; readonly folder: string }>>()
  for (const folder of [...installedFolders(root), ...more]) {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest
    const known = versions.get(manifest.name) ?? new Map()
    versions.set(manifest.name, known.set(manifest.version, { manifest, folder }))
  }
  const served: Array<string> = []
  const packed = new Map<string, ReturnType<typeof tarballOf>>()
  const tarball = (folder: string) => {
    const known = packed.get(folder) ?? tarballOf(folder)
    packed.set(folder, known)
    return known
  }
  const server = createServer((request, response) => {
    const [name = "", version] = decodeURIComponent(request.url ?? "/")
      .slice(1)
      .split("/-/")
    const known = versions.get(name)
    if (known === undefined) {
      response.writeHead(404).end("{}")
    } else if (version === undefined) {
      const all = [...known].map(([text, { folder, manifest }]) => {
        /* Yarn takes no package without its hash. */
        const shasum = createHash("sha1").update(tarball(folder)).digest("hex")
        const dist = { tarball: `http://${request.headers.host}/${name}/-/${text}`, shasum }
        return [text, { ...manifest, dist }] as const
      })
      const latest = all.at(-1)?.[0]
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ name, "dist-tags": { latest }, versions: Object.fromEntries(all) }))
    } else {
      served.push(`${name}@${version}`)
      response.end(tarball(known.get(version)?.folder ?? ""))
    }
  })
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening)
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, served, close: () => server.close().closeAllConnections() }
}
