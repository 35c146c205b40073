/** Requests one answer of the model server with `fetch`, without streaming. */
import { model } from "../Workload.ts"

export interface Message {
  readonly role: "system" | "user" | "assistant"
  readonly content: string
}

export const fetchAnswer = async (url: string, messages: ReadonlyArray<Message>): Promise<string> => {
  const response = await fetch(`${url}/api/chat`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, stream: false, messages })
  })
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`)
  const { message } = (await response.json()) as { readonly message: Message }
  return message.content
}
