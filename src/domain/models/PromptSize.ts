/**
 * Measures a prompt before it is sent: its parts, their tokens, and advice if it exceeds the context window. Tokens are
 * estimated from characters, and TokenCounts learns the ratio from a server. A part of the window stays free for the
 * answer.
 */
import * as Schema from "effect/Schema"

/**
 * The size of one part of a filled prompt. `name` is the name of a placeholder, `instructions`, `references` or
 * `tool_outputs`.
 */
export interface PromptPart {
  readonly name: string
  readonly characters: number
}

/** A filled template. `lighter` is computed on demand, because most prompts fit. */
export interface FilledPrompt {
  readonly system: string
  readonly user: string
  /** The sizes of the parts, for the message about a prompt that is too large. */
  readonly parts?: ReadonlyArray<PromptPart>
  /** The same prompt without its dispensable parts. */
  readonly lighter?: FilledPrompt | undefined
}

/** The size of a part of a prompt, in estimated tokens. */
export const PartSize = Schema.Struct({ name: Schema.String, tokens: Schema.Int })
export type PartSize = typeof PartSize.Type

interface PartText {
  readonly title: string
  readonly remedy?: string
}

const skill: PartText = { title: "skill", remedy: "shorten the skill" }
const answerBefore: PartText = { title: "answer of the attempt before" }
const issues: PartText = { title: "issues of the attempt before" }
const references: PartText = { title: "references", remedy: "narrow the references or lower referenceBudget" }

const texts: Readonly<Record<string, PartText>> = {
  instructions: { title: "instructions" },
  skill_catalog: { title: "skill catalogue", remedy: "offer fewer skills" },
  user_prompt: { title: "your prompt", remedy: "put long text into a file and refer to it" },
  project_description: { title: "project description", remedy: "shorten AGENTS.md" },
  project_readme: { title: "README.md", remedy: "shorten README.md" },
  project_map: { title: "project map" },
  current_file: { title: "current file", remedy: "lower limits.currentFileLines or leave out --file" },
  open_files: { title: "open files", remedy: "name fewer files with --open" },
  skill_refinement: skill,
  skill_execution: skill,
  skill_input_requirements: skill,
  skill_inputs: skill,
  tool_instructions: { title: "tool instructions", remedy: "allow the skill fewer tools" },
  references,
  tool_outputs: { title: "tool calls and outputs", remedy: "split the task, so that it makes fewer calls" },
  task_data: { title: "task" },
  completed_tasks: { title: "results of finished tasks", remedy: "ask for less in one run" },
  failed_tasks: { title: "failed tasks" },
  outstanding_tasks: { title: "outstanding tasks", remedy: "ask for less in one run" },
  previous_proposal: answerBefore,
  previous_proposal_issues: issues,
  messages: { title: "messages", remedy: "start a new conversation, or put long text into a file and name it" },
  answers: { title: "answers", remedy: "start a new conversation" },
  call_outputs: { title: "tool outputs", remedy: "start a new conversation" },
  tools: { title: "descriptions of tools", remedy: "use fewer plugins" }
}

const textOf = (name: string): PartText => texts[name] ?? { title: name.replaceAll("_", " ") }

/**
 * Joins parts with the same name and adds up their sizes. The result is sorted by size, the largest part first, and has
 * no empty parts.
 */
export const addParts = (parts: ReadonlyArray<PromptPart>): ReadonlyArray<PromptPart> => {
  const sums = new Map<string, number>()
  for (const { characters, name } of parts) sums.set(name, (sums.get(name) ?? 0) + characters)
  const joined: Array<PromptPart> = []
  for (const [name, characters] of sums) if (characters > 0) joined.push({ name, characters })
  return joined.sort((a, b) => b.characters - a.characters)
}

/** The smallest window for a prompt of this size and its answer, rounded up to a multiple of 256 tokens. */
const leastWindow = (tokens: number): number => Math.ceil(Math.min(tokens + 2048, (tokens * 4) / 3) / 256) * 256

/** Says that the prompt exceeds the window, with its largest parts and a remedy. Sizes are in tokens. */
export const overflowText = (overflow: {
  readonly estimated: number
  readonly window: number
  readonly counted?: number
  readonly isRefused?: boolean
  readonly parts?: ReadonlyArray<PartSize>
}): string => {
  const { counted, estimated, isRefused = false, parts = [], window } = overflow
  const largest = parts.map(({ name, tokens }) => `${textOf(name).title} (${tokens})`).join(", ")
  const named = largest === "" ? "" : ` The largest parts are ${largest}.`
  if (counted !== undefined) {
    return `The prompt has about ${estimated} tokens and the model server read ${counted}: it dropped the rest, so its answer is not used. The server's window is smaller than contextWindow (${window}); set contextWindow to what it has.${named}`
  }
  const space = estimated > window ? "" : " It must hold the answer too."
  const remedy =
    parts.map(({ name }) => textOf(name).remedy).find((one) => one !== undefined) ?? "narrow the references"
  const enough = leastWindow(estimated)
  if (isRefused) {
    const size = window > 0 ? ` Its context window holds ${window} tokens and must hold the answer too.` : ""
    return `The model server refused the prompt of about ${estimated} tokens as too long.${size}${named} ${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}, or load the model with a larger window${enough > window ? `, at least ${enough} tokens,` : ""} and set contextWindow to it.`
  }
  const todo = `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}, or raise contextWindow${enough > window ? ` to at least ${enough}` : ""}.`
  return `The prompt needs about ${estimated} tokens, the context window holds ${window}.${space}${named} ${todo}`
}

/** The average length of a token in characters, and the factor by which an estimate may be too low. */
export interface TokenScale {
  readonly charactersPerToken: number
  readonly margin: number
}

/** The scale before a server has counted a prompt. Common languages and code have about four characters per token. */
export const assumedScale: TokenScale = { charactersPerToken: 4, margin: 1.15 }

/**
 * The assumed number of characters per token for each script, as in current tokenizers. Used until a server has counted
 * a prompt.
 */
const scripts: ReadonlyArray<readonly [script: RegExp, charactersPerToken: number]> = [
  [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, 1.45],
  [/[\p{Script=Hangul}\p{Script=Thai}]/gu, 1.5],
  [/[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}]/gu, 3],
  /* Punctuation, operators and digits, of which code and data have many. */
  [/["'{}[\]()<>:;,=+*/\\|&%$#@!?.0-9-]/g, 1.6]
]

/**
 * A text with at least this many characters per token is prose or common code. For such a text, the assumed margin is
 * large enough.
 */
const prose = 3.3

/** The scale for this text before a server has counted any prompt. */
export const scaleOfText = (text: string): TokenScale => {
  let tokens = 0
  let others = text.length
  for (const [script, charactersPerToken] of scripts) {
    const found = text.match(script)?.length ?? 0
    tokens += found / charactersPerToken
    others -= found
  }
  const charactersPerToken = text.length / (tokens + Math.max(0, others) / 4.5)
  return charactersPerToken < prose ? { ...assumedScale, charactersPerToken } : assumedScale
}

const tokensOf = (characters: number, scale: TokenScale): number => Math.ceil(characters / scale.charactersPerToken)

/** Estimates the tokens of a text from its length in characters. */
export const estimateTokens = (text: string, scale = assumedScale): number => tokensOf(text.length, scale)

/** The estimated tokens of the system part and the user part. */
export const estimatePrompt = (prompt: FilledPrompt, scale = assumedScale): number =>
  estimateTokens(prompt.system, scale) + estimateTokens(prompt.user, scale)

/** The estimated tokens of a prompt, plus a margin because the estimate may be too low. */
export const neededTokens = (prompt: FilledPrompt, scale = assumedScale): number =>
  Math.ceil(estimatePrompt(prompt, scale) * scale.margin)

/** The three largest parts of a prompt, in estimated tokens. */
export const largestParts = ({ parts = [] }: FilledPrompt, scale = assumedScale): ReadonlyArray<PartSize> =>
  parts.slice(0, 3).map(({ characters, name }) => ({ name, tokens: tokensOf(characters, scale) }))

/** The tokens that stay free for the answer: a quarter of the window, at most 2048. */
export const answerReserve = (window: number): number => Math.min(2048, Math.floor(window / 4))

/** For parts of a prompt that the model did not ask for, a larger window counts as this many tokens. */
const largestUnasked = 8192

/**
 * The window, in tokens, that limits what a prompt shows unasked: parts of files and the README. If the real window is
 * larger, the rest is for what the model asks for.
 */
export const unaskedWindow = (window: number): number => Math.min(window, largestUnasked)

/** The characters that certainly fit `tokens` tokens. */
export const charactersIn = (tokens: number, scale = assumedScale): number =>
  Math.max(0, Math.floor((tokens / scale.margin) * scale.charactersPerToken))

/** True if the prompt and its answer fit the window. */
export const fitsWindow = (prompt: FilledPrompt, window: number, scale = assumedScale): boolean =>
  neededTokens(prompt, scale) + answerReserve(window) <= window

/** The prompt if it fits the window, otherwise its form without dispensable parts. */
export const fittingPrompt = (prompt: FilledPrompt, window: number, scale = assumedScale): FilledPrompt =>
  fitsWindow(prompt, window, scale) ? prompt : (prompt.lighter ?? prompt)

export const charactersOf = ({ system, user }: FilledPrompt): number => system.length + user.length

/** How many more characters fit beside `characters`; 0 if the window is full. */
export const charactersBeside = (window: number, characters: number, scale = assumedScale): number =>
  Math.max(0, charactersIn(window - answerReserve(window), scale) - (characters + 2 * scale.charactersPerToken))

/** How many more characters fit beside this prompt; 0 if the window is full. */
export const charactersLeft = (window: number, prompt: FilledPrompt, scale = assumedScale): number =>
  charactersBeside(window, charactersOf(prompt), scale)
