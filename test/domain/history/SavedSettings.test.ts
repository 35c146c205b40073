import { describe, expect, it } from "@effect/vitest"
import { Configuration } from "../../../src/domain/configuration/Configuration.ts"
import { countedSettings } from "../../../src/domain/history/SavedSettings.ts"
import { leavesMachine } from "../../../src/app/providers.ts"

/** A value of every setting that there is. */
const everything: Required<Configuration> = {
  $schema: "x",
  model: "qwen3:8b",
  host: "http://elsewhere.example:11434",
  openaiBaseUrl: "http://elsewhere.example:8080/v1",
  contextWindow: 8192,
  parallel: 2,
  plans: 2,
  limits: { rounds: 3 },
  referenceBudget: 1000,
  allow: ["run_command", "write_file"],
  deny: ["fetch_url"],
  bell: false,
  notice: "bell",
  hooks: { "run-end": ["touch a"] },
  keepAlive: "30m",
  think: true,
  toolCalls: "native",
  modelToolCalls: { "qwen3:8b": "native" },
  lookBack: false,
  sampling: { temperature: 0 },
  stages: { plan: { think: false } },
  fetchAllow: ["127.0.0.1:80"],
  plugins: ["./plugin.js"],
  tools: { touch: { description: "Touches.", command: ["touch", "a"] } },
  checks: ["npm test"],
  askFirst: true,
  sandbox: { mode: "off" } as never,
  commandEnvironment: ["LANG"],
  mcpServers: { evil: { command: "touch", args: ["a"] } as never },
  saveConversations: true,
  keepClusterRuns: { days: 30 },
  secrets: { API_KEY: { file: "keys/api" } }
}

const harmless =
  "askFirst contextWindow deny keepAlive limits lookBack model modelToolCalls parallel plans referenceBudget sampling stages " +
  "think toolCalls"

/** The names of the settings that count, in the order of the alphabet. */
const counted = (isOwn: boolean) => Object.keys(countedSettings(everything, isOwn, leavesMachine)).toSorted()

describe("of the settings in a journal count", () => {
  it("those that send nothing anywhere and run no code, when anybody may have written it", () => {
    expect(counted(false)).toEqual(harmless.split(" "))
  })

  it("servers and plugins as well, when its person wrote it, and never what permits something", () => {
    expect(counted(true)).toEqual(`${harmless} checks host openaiBaseUrl plugins`.split(" ").toSorted())
    expect(
      Object.keys(Configuration.fields)
        .filter((key) => !counted(true).includes(key))
        .join(" ")
    ).toBe(
      "$schema allow bell notice hooks fetchAllow tools secrets sandbox commandEnvironment mcpServers " +
        "saveConversations keepClusterRuns"
    )
  })

  it.each(["gpt-oss:120b-cloud", "qwen3-coder:480b-CLOUD", "glm-4.6:cloud", "x-cloud", "openai:gpt-5"])(
    "no hosted model, when anybody may have written it: %s",
    (model) => {
      expect(countedSettings({ model }, false, leavesMachine)).toEqual({})
      expect(countedSettings({ model }, true, leavesMachine)).toEqual({ model })
    }
  )

  it("no hosted model of a stage either", () => {
    const stages = { plan: { model: "gpt-oss:120b-cloud", think: true }, refine: { model: "qwen3:8b" } }
    expect(countedSettings({ stages }, false, leavesMachine).stages).toEqual({
      plan: { think: true },
      refine: { model: "qwen3:8b" }
    })
    expect(countedSettings({ stages }, true, leavesMachine).stages).toEqual(stages)
  })
})
