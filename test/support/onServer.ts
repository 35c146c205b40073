import * as Effect from "effect/Effect"
import type { Sandbox, StartOptions } from "./binary.ts"
import { FakeOllama, type FakeOllamaOptions } from "./FakeOllama.ts"
import type { Script } from "./FakeOllamaScript.ts"

type Served = FakeOllamaOptions & StartOptions & { readonly script?: Script }

/** Runs a command with a server of its own, which is `<server>` in what comes back; gives what that was asked, too. */
export const onServer = Effect.fnUntraced(function* (
  sandbox: Sandbox,
  words: ReadonlyArray<string>,
  { env = {}, script = () => "never", ...options }: Served = {}
) {
  const { chats, requests, url } = yield* FakeOllama.make(script, options)
  const all = { ...options, env: { OLLAMA_HOST: url, ...env } }
  const { code, stderr, stdout } = yield* Effect.promise(() => sandbox.run(words, all))
  const named = (text: string) => text.replaceAll(url, "<server>")
  return { code, stderr: named(stderr), stdout: named(stdout), chats, requests }
}, Effect.scoped)
