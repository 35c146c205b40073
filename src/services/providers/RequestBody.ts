/**
 * The body of a request to a model server.
 */
import type { FilledPrompt } from "../../domain/models/PromptSize.ts"

/** What a model is asked: its messages as JSON, and what else a request says of its answer. */
export interface Question {
  readonly messages: string
  readonly more?: object
}

export const promptQuestion = ({ system, user }: FilledPrompt): Question => ({
  messages: JSON.stringify([
    { role: "system", content: system },
    { role: "user", content: user }
  ])
})

/** The body with the messages of a question, and what else a request says; what is undefined is left out. */
export const requestBody = (
  { messages }: Question,
  request: { readonly model: string; readonly [key: string]: unknown }
): string => `{"messages":${messages},${JSON.stringify(request).slice(1)}`
