/**
 * The body of a request to a model server. Messages are JSON before the body is put together, so that the system part of a
 * prompt, which most calls share, is not escaped in every call.
 */
import type { FilledPrompt } from "../../domain/models/PromptSize.ts"
import { quotedText } from "../../domain/text/QuotedText.ts"

/** What a model is asked: its messages as JSON, and what else a request says of its answer. */
export interface Question {
  readonly messages: string
  readonly more?: object
}

export const promptQuestion = ({ system, user }: FilledPrompt): Question => ({
  messages: `[{"role":"system","content":${quotedText(system)}},{"role":"user","content":${JSON.stringify(user)}}]`
})

/** The body with the messages of a question, and what else a request says; what is undefined is left out. */
export const requestBody = (
  { messages }: Question,
  request: { readonly model: string; readonly [key: string]: unknown }
): string => `{"messages":${messages},${JSON.stringify(request).slice(1)}`
