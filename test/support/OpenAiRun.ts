/** The command line with a server of the API of OpenAI. */
import {
  type CompletionBody,
  FakeOpenAi,
  type FakeOpenAiOptions,
  fakeOpenAiModel,
  type OpenAiScript
} from "./FakeOpenAi.ts"
import type { FakeServerOf } from "./FakeServer.ts"
import { noonAnswer } from "./TestRun.ts"
import { stageNameOf } from "./stageName.ts"

/** Does the work of one task. */
export const obedient: OpenAiScript = ({ messages }) => noonAnswer(stageNameOf(messages))

export const key = "sk-hush-1234567890"
export const model = `openai:${fakeOpenAiModel}`
export const ask = ["--model", model, "What time is it?"]
export const env = ({ url }: FakeServerOf<CompletionBody>) => ({ env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } })
export const serve = (script: OpenAiScript = obedient, options: FakeOpenAiOptions = {}) =>
  FakeOpenAi.make(script, { key, ...options })
