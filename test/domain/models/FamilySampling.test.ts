import { assert, it } from "@effect/vitest"
import { families, familySampling } from "../../../src/domain/models/FamilySampling.ts"
import { Sampling } from "../../../src/domain/models/Generation.ts"
import * as Schema from "effect/Schema"

it.each([
  ["qwen3:8b qwen3 Qwen3 Qwen3 8B", false, 0.7],
  ["hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M", true, 0.6],
  ["qwen3-coder:30b", true, 0.7],
  ["openai:gpt-oss-20b-mxfp4.gguf", true, 1],
  ["mine:latest gptoss", false, 1],
  ["devstral:24b llama", false, 0.15],
  ["Mistral-Small-3.2-24B-Instruct-2506-Q4_K_M.gguf", false, 0.15],
  ["gemma3:4b gemma3", false, 1],
  ["my-notes gemma4", false, 1],
  ["glm-4.7-flash", true, 1],
  ["deepseek-r1:8b qwen3", true, 0.6],
  ["llama3.2:3b llama", false, 0.6],
  ["Meta-Llama-3.1-8B-Instruct.Q4_K_M.gguf", false, 0.6]
])("knows the family of %s", (names, thinks, temperature) => {
  assert.strictEqual(familySampling(names, thinks)?.temperature, temperature)
})

it.each(["granite4:micro granite", "my-llama llama", "embedded", "phi4"])("knows nothing of %s", (names) => {
  assert.isUndefined(familySampling(names, false))
})

it("has values that can be sent, and says where they come from", () => {
  for (const { sampling, source, thinking = {} } of families) {
    assert.isTrue(Schema.is(Sampling)(sampling))
    assert.isTrue(Schema.is(Sampling)(thinking))
    assert.match(source, /^https:\/\//)
  }
})
