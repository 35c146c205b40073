/**
 * Scripts with which the stand-ins for model servers do what real ones do with a small model: they count tokens, refuse what is
 * too long and what a model cannot do, think, call tools, and keep to a schema.
 */
import type { CompletionBody, OpenAiScript } from "./FakeOpenAi.ts"
import type { ChatBody, Script } from "./FakeOllamaScript.ts"
import { planOf, resultSaying } from "./TestRun.ts"

export const toolsModel = "tiny-tools"
export const thinkingModel = "tiny-thinking"
export const plainModel = "tiny-plain"

interface Asked {
  readonly model: string
  readonly texts: ReadonlyArray<string>
  readonly mostTokens: number
  readonly window: number
  readonly wantsThoughts: boolean | undefined
  readonly hasTools: boolean
  readonly mustCall: boolean
  readonly hasFormat: boolean
}

/** What a good model writes in a stage of a run; nothing for any other prompt. */
export const documentOf = (system: string): string | undefined => {
  switch (/^# Stage: (\w+)$/m.exec(system)?.[1]) {
    case "creation":
      return planOf([[{ name: "Look 1", skill: "search-code" }]])
    case "task":
      return resultSaying("Noon.")
    case "iteration":
      return planOf([])
    case "conclusion":
      return "It is at noon."
    default:
      return undefined
  }
}

/** What a server says: a text, or why there is none. */
interface Told {
  readonly refused?: string
  readonly tooLong?: number
  readonly text?: string
  readonly thinking?: string
  readonly isCut?: boolean
  readonly promptTokens?: number
  readonly answerTokens?: number
  readonly called?: { readonly city: string }
}

/** True for a form of an answer that describes a call: the text of such an answer is a call. */
const isCallForm = (format: unknown): boolean => JSON.stringify(format ?? {}).includes('"get_weather"')

/** Four characters are a token of the prompt, one word a token of the answer. */
const said = (asked: Asked): Told => {
  const { hasFormat, hasTools, model, mostTokens, mustCall, texts, wantsThoughts, window } = asked
  const promptTokens = Math.ceil(texts.join("").length / 4)
  const document = documentOf(texts[0] ?? "")
  if (model === plainModel && wantsThoughts === true) return { refused: `"${model}" does not support thinking` }
  if (model === plainModel && hasTools)
    return { refused: `registry.ollama.ai/library/${model}:latest does not support tools` }
  if (document === undefined && promptTokens > window) return { tooLong: promptTokens }
  const thinks = model === thinkingModel && wantsThoughts !== false
  const full = document ?? (hasFormat ? '{"verdict":"yes","sure":true}' : "one two three four five six ".repeat(200))
  const words = full.match(/\s*\S+/g) ?? []
  const most =
    document === undefined && !hasFormat ? Math.min(mostTokens, Math.max(window - promptTokens, 1)) : Infinity
  const text = mustCall ? "" : words.slice(0, most).join("")
  return {
    text,
    isCut: !mustCall && words.length > most,
    promptTokens,
    answerTokens: Math.min(most, words.length),
    ...(thinks ? { thinking: "Let me think." } : {}),
    ...(mustCall ? { called: { city: "Rome" } } : {})
  }
}

/** Calls that the checks leave, and those with which they fill a queue, by the length of their answers. */
const [endless, queued] = [3000, 200]

/** The prompt that begins a run which is there to lose its server. */
const losesServer = ({ messages }: Pick<CompletionBody, "messages">): boolean =>
  messages[0]?.content?.includes("# Stage: creation") === true &&
  messages.some(({ content }) => /does it move\?|Where is the meeting/.test(content ?? ""))

/** Knows the calls that get no end of an answer: endless ones, and the first that loses its server with this prompt. */
const makeLeftOpen = (leaves: () => void) => {
  const left = new Set<string>()
  return (body: Pick<CompletionBody, "messages">, mostTokens: number): boolean => {
    const prompt = JSON.stringify(body.messages)
    const isLeft = mostTokens === endless || (losesServer(body) && !left.has(prompt))
    left.add(prompt)
    if (isLeft) leaves()
    return isLeft
  }
}

/** As Ollama answers; `leaves` is called for each call that is left open. */
export const conformingOllama = (leaves = () => {}): Script => {
  const isLeft = makeLeftOpen(leaves)
  return (body: ChatBody, index) => {
    const most = Number(body.options?.["num_predict"])
    if (most === queued && index % 3 === 0)
      return { status: 503, error: "server busy, please try again.  maximum pending requests exceeded" }
    const told = said({
      model: body.model,
      texts: body.messages.map(({ content }) => content),
      mostTokens: most,
      window: body.options?.num_ctx ?? 4096,
      wantsThoughts: body["think"] as boolean | undefined,
      hasTools: body["tools"] !== undefined,
      mustCall: isCallForm(body["format"]),
      hasFormat: body["format"] !== undefined
    })
    if (told.refused !== undefined) return { status: 400, error: told.refused }
    if (told.text === undefined) return { status: 400, error: "the input length exceeds the context length" }
    const { called, isCut = false, thinking = "", text, promptTokens = 0, answerTokens = 0 } = told
    return {
      text,
      thinking,
      promptTokens,
      answerTokens,
      doneReason: isCut ? "length" : "stop",
      ...(called === undefined ? {} : { toolCalls: [{ name: "get_weather", arguments: called }] }),
      ...(isLeft(body, most) ? { holdAfter: { lines: 5, latch: "never" } } : {})
    }
  }
}

/** As llama.cpp's server answers, in a window of 4096 tokens. */
export const conformingOpenAi = (window: number, leaves = () => {}): OpenAiScript => {
  const isLeft = makeLeftOpen(leaves)
  return (body: CompletionBody, index) => {
    const most = body.max_tokens ?? 0
    if (most === queued && index % 3 === 0) return { status: 503, error: "no slot available" }
    if (!body.model.startsWith("tiny")) return { status: 404, error: `model '${body.model}' not found` }
    const effort = body["reasoning_effort"]
    const told = said({
      model: body.model,
      texts: body.messages.map(({ content }) => content ?? ""),
      mostTokens: most,
      window,
      wantsThoughts: effort === undefined ? undefined : effort !== "none",
      hasTools: body["tools"] !== undefined,
      mustCall: body["tool_choice"] === "required",
      hasFormat: body["response_format"] !== undefined
    })
    if (told.refused !== undefined) return { status: 400, error: told.refused }
    if (told.text === undefined) {
      const message = `request (${told.tooLong} tokens) exceeds the available context size (${window} tokens), try increasing it`
      const sizes = { n_prompt_tokens: told.tooLong, n_ctx: window }
      return { status: 400, body: { error: { code: 400, message, type: "exceed_context_size_error", ...sizes } } }
    }
    const { answerTokens = 0, called, isCut = false, promptTokens = 0, text, thinking = "" } = told
    return {
      text,
      thinking,
      promptTokens,
      answerTokens,
      ...(called === undefined
        ? { finish: isCut ? "length" : "stop" }
        : { toolCalls: [{ id: "call_1", name: "get_weather", arguments: JSON.stringify(called) }] }),
      ...(isLeft(body, most) ? { holdAfter: { events: 5, latch: "never" } } : {})
    }
  }
}
