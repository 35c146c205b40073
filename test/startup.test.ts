import { assert, describe, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { loadedWith } from "./support/sourceImports.ts"

const parsers = ["remark-parse", "unified", "yaml", "re2js", "jsonrepair"]
const models = ["effect/ai/", "services/models/", "services/providers/", "ollama/browser", "node:http", "node:https"]
const stages = [
  "effect/workflow/",
  "services/pipeline/",
  "services/conversation/",
  "services/tools/",
  "services/skills/"
]
const rare = ["effect/cluster/", "effect/sql/", "services/cluster/"]
const plugins = ["services/plugins/", "plugins/", "app/projectLayers"]

const server = ["services/providers/ollama/OllamaModel.ts"]

/** What a person or a program starts, the modules that are loaded for it, and what must not be among them. */
const starts = {
  "--help": {
    entries: ["main.ts"],
    without: [...parsers, ...models, ...stages, ...rare, ...plugins, "cli/run/", "services/journal/"]
  },
  check: {
    entries: ["main.ts", "cli/check/check.ts"],
    without: ["yaml", "re2js", ...models, ...stages, ...rare, ...plugins, "services/journal/"]
  },
  runs: {
    entries: ["main.ts", "cli/runs/runs.ts"],
    without: [...parsers, ...models, ...stages, ...rare, ...plugins]
  },
  show: {
    entries: ["main.ts", "cli/runs/show.ts"],
    without: [...parsers, ...models, ...stages, ...rare, ...plugins]
  },
  "run with the embedded model": {
    entries: ["main.ts", "cli/run/run.ts", "cli/run/runHandler.ts"],
    without: [
      "services/providers/ollama/OllamaServer",
      "services/providers/openai/OpenAiServer",
      "ollama/browser",
      ...rare
    ]
  },
  "run of the library with a model server": {
    entries: ["index.ts", "app/runs.ts", "services/pipeline/PipelineStages.ts", ...server],
    without: rare
  },
  "check in a project": {
    entries: ["main.ts", "cli/check/check.ts", "app/projectCheck.ts"],
    without: [
      "services/providers/ollama/OllamaServer",
      "services/providers/embedded/EmbeddedModel",
      "services/conversation/",
      ...rare
    ]
  },
  "the library": {
    entries: ["index.ts"],
    without: ["yaml", "effect/ai/", "effect/workflow/", "services/skills/", ...rare, "plugins/", "app/runs"]
  }
} as const

/** Which of the names, or of their beginnings, are among the modules. */
const found = (loaded: ReadonlySet<string>, names: ReadonlyArray<string>) =>
  [...loaded].filter((one) => names.some((name) => one === name || (one.startsWith(name) && /[/A-Z]/.test(name))))

describe("the start", () => {
  for (const [what, { entries, without }] of Object.entries(starts)) {
    it(`loads for ${what} only what it needs`, () => {
      assert.isTrue(entries.every((entry) => existsSync(new URL(`../src/${entry}`, import.meta.url))))
      assert.deepStrictEqual(found(loadedWith(entries), without), [])
    })
  }

  it("finds every name that the lists hold somewhere in the program", () => {
    const all = loadedWith([
      "main.ts",
      "app/worker.ts",
      "services/providers/ollama/OllamaModel.ts",
      "services/providers/ollama/OllamaServer.ts",
      "services/providers/openai/OpenAiServer.ts",
      "services/providers/embedded/EmbeddedModel.ts",
      "app/runs.ts",
      "app/conversation.ts",
      "domain/skills/YamlFrontMatter.ts",
      "cli/run/run.ts"
    ])
    const names = new Set(Object.values(starts).flatMap<string>(({ without }) => without))
    assert.deepStrictEqual(
      [...names].filter((name) => found(all, [name]).length === 0),
      []
    )
  })
})
