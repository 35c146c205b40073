import { describe, expect, it } from "@effect/vitest"
import { jsonScripts, packageEntries } from "../../../src/domain/map/ProjectCommands.ts"

const scripts = (path: string, manifest: unknown, files: ReadonlyArray<string> = []) => {
  const text = typeof manifest === "string" ? manifest : JSON.stringify(manifest)
  return jsonScripts({ path, text, files: new Set(files) }).map(({ does, run }) => `${run} = ${does}`)
}

describe("jsonScripts", () => {
  it("names the scripts of a package without those that run by themselves", () => {
    const manifest = {
      scripts: {
        prepack: "x",
        postinstall: "x",
        prepare: "x",
        pretest: "x",
        test: "node --test",
        "build:all": "tsc -b",
        preview: "serve",
        posters: "draw"
      }
    }
    expect(scripts("package.json", manifest)).toEqual([
      "npm test = node --test",
      "npm run build:all = tsc -b",
      "npm run preview = serve",
      "npm run posters = draw"
    ])
  })

  it("takes the package manager from the manifest, else from the nearest lock file", () => {
    const manifest = { scripts: { test: "t", lint: "l" } }
    const runs = (path: string, files: ReadonlyArray<string>, more = {}) =>
      scripts(path, { ...manifest, ...more }, files).map((line) => line.split(" = ")[0])
    expect(runs("package.json", ["pnpm-lock.yaml"])).toEqual(["pnpm test", "pnpm run lint"])
    expect(runs("package.json", ["yarn.lock"])).toEqual(["yarn test", "yarn run lint"])
    expect(runs("package.json", ["bun.lock"])).toEqual(["bun run test", "bun run lint"])
    expect(runs("a/package.json", ["yarn.lock", "a/package-lock.json"])).toEqual(["npm test", "npm run lint"])
    expect(runs("a/package.json", ["yarn.lock"])).toEqual(["yarn test", "yarn run lint"])
    expect(runs("package.json", ["yarn.lock"], { packageManager: "pnpm@9.1.0" })[0]).toBe("pnpm test")
  })

  it("reads composer.json and deno.jsonc", () => {
    expect(
      scripts("composer.json", { scripts: { "post-install-cmd": "x", test: ["@lint", "phpunit"], lint: "phpcs" } })
    ).toEqual(["composer run test = @lint && phpunit", "composer run lint = phpcs"])
    const deno = '{ // tasks\n "tasks": { "check": "deno check .", "dev": { "command": "deno run a.ts" }, } }'
    expect(scripts("deno.jsonc", deno)).toEqual(["deno task check = deno check .", "deno task dev = deno run a.ts"])
  })

  it("passes over what is no script, and over names that are no single argument", () => {
    expect(
      scripts("package.json", {
        scripts: { ok: "1", none: null, count: 3, "two words": "x", "$(rm)": "x", "--flag": "x", "a`b": "x" }
      })
    ).toEqual(["npm run ok = 1"])
    for (const text of ["", "{", "[]", "null", '{"scripts": []}', '{"scripts": "x"}', "[".repeat(100_000)]) {
      expect(scripts("package.json", text)).toEqual([])
    }
  })
})

describe("packageEntries", () => {
  it("finds where a package begins, at any depth of its exports", () => {
    const manifest = {
      bin: { tool: "./bin/tool.js" },
      main: "lib/index.js",
      exports: { ".": { types: "./t.d.ts", default: "./lib/index.js" }, "./x": "./lib/x.js" }
    }
    expect(packageEntries(JSON.stringify(manifest))).toEqual(["bin/tool.js", "lib/index.js", "t.d.ts", "lib/x.js"])
    expect(packageEntries('{"bin": "./cli.js"}')).toEqual(["cli.js"])
    expect(packageEntries("no json")).toEqual([])
  })
})
