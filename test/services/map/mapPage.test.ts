/**
 * The example in docs/reference/what-a-model-sees.md: the page shows what a model gets for the project that is made here.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { mapTokens } from "../../../src/domain/map/ProjectMap.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { mostMapped, readProjectMap } from "../../../src/services/map/MapReader.ts"
import { makePrograms } from "../../support/Programs.ts"
import { makeProject } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const page = readFileSync(new URL("../../../docs/reference/what-a-model-sees.md", import.meta.url), "utf8")

const shop = {
  "README.md": "# Shop",
  "package.json": JSON.stringify({
    main: "src/index.ts",
    scripts: { test: "vitest run", "check:types": "tsc --noEmit", lint: "eslint .", deploy: "scripts/deploy.sh" }
  }),
  "src/index.ts": "export { Till, openTill } from './till.ts'",
  "src/till.ts": "export class Till {}\nexport const openTill = () => new Till()",
  "src/prices/vat.ts": "",
  "src/prices/rounding.ts": "",
  "test/till.test.ts": "",
  "worker/Makefile": "test:\n\tgo test ./...\n",
  "worker/go.mod": "module worker",
  "worker/main.go": "package main",
  ".env": "TOKEN=1"
}

/** The fenced block after this line of the page. */
const blockAfter = (line: string): string => page.split(`${line}\n\n\`\`\`markdown\n`)[1]?.split("\n```")[0] ?? ""

describe("docs/reference/what-a-model-sees.md", () => {
  nodeTest("shows the map as a model gets it", function* () {
    const root = yield* makeProject(shop)
    const searchPath = yield* makePrograms(["npm", "npx", "make", "go"])
    const mapFor = (window: number) =>
      readProjectMap(window, () => Effect.succeed(true), searchPath).pipe(Effect.provide(Workspace.layer(root)))
    expect(blockAfter("With a window of 4,096 tokens:")).toBe(yield* mapFor(4096))
  })

  it("names the sizes that are used", () => {
    for (const window of [2048, 4096, 8192, 32_768]) {
      expect(page).toContain(`| ${window.toLocaleString("en-US")} | ${mapTokens(window).toLocaleString("en-US")} |`)
    }
    expect(page).toContain(`${mostMapped.toLocaleString("en-US")} files and folders`)
  })
})
