/**
 * The sampling that the makers of model families recommend. It applies if neither the user nor the Modelfile sets any
 * sampling.
 */
import type { Sampling } from "./Generation.ts"

interface Family {
  /** Matches names of models and architectures in lower case. */
  readonly names: RegExp
  /** The sampling of answers without thoughts. `thinking` is for answers with thoughts, if different. */
  readonly sampling: Sampling
  readonly thinking?: Sampling
  /** The web page with the recommendation. */
  readonly source: string
}

/** The known families. The first that matches a name is used. */
export const families: ReadonlyArray<Family> = [
  {
    names: /deepseek-?r1/,
    sampling: { temperature: 0.6, topP: 0.95 },
    source: "https://huggingface.co/deepseek-ai/DeepSeek-R1"
  },
  {
    names: /qwen3-?coder/,
    sampling: { temperature: 0.7, topP: 0.8, topK: 20, repeatPenalty: 1.05 },
    source: "https://huggingface.co/Qwen/Qwen3-Coder-30B-A3B-Instruct"
  },
  {
    names: /qwen-?3/,
    sampling: { temperature: 0.7, topP: 0.8, topK: 20, minP: 0 },
    // The model cards of Qwen 3.5 and later recommend these values for precise work, and other values for chat.
    thinking: { temperature: 0.6, topP: 0.95, topK: 20, minP: 0 },
    source: "https://huggingface.co/Qwen/Qwen3-8B"
  },
  {
    names: /\bqwq/,
    sampling: { temperature: 0.6, topP: 0.95, topK: 40, minP: 0 },
    source: "https://huggingface.co/Qwen/QwQ-32B"
  },
  {
    names: /qwen-?2/,
    sampling: { temperature: 0.7, topP: 0.8, topK: 20, repeatPenalty: 1.05 },
    source: "https://huggingface.co/Qwen/Qwen2.5-7B-Instruct/blob/main/generation_config.json"
  },
  { names: /gpt-?oss/, sampling: { temperature: 1, topP: 1 }, source: "https://github.com/openai/gpt-oss" },
  {
    names: /magistral/,
    sampling: { temperature: 0.7, topP: 0.95 },
    source: "https://huggingface.co/mistralai/Magistral-Small-2506"
  },
  {
    names: /devstral|mistral-?small/,
    sampling: { temperature: 0.15 },
    source: "https://huggingface.co/mistralai/Mistral-Small-3.2-24B-Instruct-2506"
  },
  {
    names: /mistral-?nemo/,
    sampling: { temperature: 0.3 },
    source: "https://huggingface.co/mistralai/Mistral-Nemo-Instruct-2407"
  },
  {
    names: /gemma-?(?:3|4)/,
    sampling: { temperature: 1, topP: 0.95, topK: 64, minP: 0 },
    source: "https://huggingface.co/google/gemma-3-27b-it/blob/main/generation_config.json"
  },
  {
    names: /glm-?4/,
    sampling: { temperature: 1, topP: 0.95 },
    source: "https://huggingface.co/zai-org/GLM-4.6"
  },
  {
    names: /deepseek-?v3/,
    sampling: { temperature: 0.3 },
    source: "https://huggingface.co/deepseek-ai/DeepSeek-V3-0324"
  },
  {
    names: /llama-?(?:3|4)/,
    sampling: { temperature: 0.6, topP: 0.9 },
    source: "https://huggingface.co/meta-llama/Llama-3.1-8B-Instruct/blob/main/generation_config.json"
  }
]

/** The recommended sampling for these names. Undefined for an unknown family. */
export const familySampling = (names: string, thinks: boolean): Sampling | undefined => {
  const lower = names.toLowerCase().replaceAll("_", "-")
  const family = families.find((one) => one.names.test(lower))
  return family === undefined ? undefined : thinks ? (family.thinking ?? family.sampling) : family.sampling
}
