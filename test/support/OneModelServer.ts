/** The command line with a server that has one model and speaks like Ollama. */
import * as Effect from "effect/Effect"
import { scopedSandbox } from "./binary.ts"
import { inProcess } from "./inProcess.ts"
import { FakeOllama, type FakeServer } from "./FakeOllama.ts"
import { fakeModel, type FakeModel } from "./FakeOllamaPaths.ts"
import type { Script } from "./FakeOllamaScript.ts"
import { noonAnswer, testSkills } from "./TestRun.ts"
import { stageNameOf } from "./stageName.ts"

export const sandbox = Effect.map(
  scopedSandbox(Object.fromEntries(Object.entries(testSkills).map(([path, text]) => [`project/${path}`, text]))),
  inProcess
)

/** Does the work of one task. */
export const obedient: Script = ({ messages }) => noonAnswer(stageNameOf(messages))

export const cutOff = { thinking: "Let me see.", doneReason: "length" }

export const serve = (model: Partial<FakeModel>, options: { readonly port?: number; readonly script?: Script } = {}) =>
  FakeOllama.make(options.script ?? obedient, {
    models: [{ name: fakeModel, ...model }],
    ...(options.port === undefined ? {} : { port: options.port })
  })

export const windows = ({ chats }: FakeServer) => [...new Set(chats.map(({ options }) => options?.num_ctx))]
export const ask = ["run", "--model", fakeModel, "What time is it?"]
export const env = ({ url }: FakeServer) => ({ env: { OLLAMA_HOST: url } })
