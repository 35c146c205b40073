/**
 * Scripts for the fake server: who gets which reply.
 */
import type { Reply } from "./FakeOllamaReply.ts"

/** The body of a request to /api/chat. */
export interface ChatBody {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string; readonly [key: string]: unknown }>
  readonly options?: { readonly num_ctx?: number; readonly [key: string]: unknown }
  readonly [key: string]: unknown
}

/** What the server answers to the request with this number, counted from 0; a string is the text of an answer. */
export type Script = (body: ChatBody, index: number) => Reply | string

/** When: a word that occurs in any message, or a test on the messages. Then: a reply, or a script for it. */
export type Case = readonly [
  when: string | ((messages: ChatBody["messages"]) => boolean),
  then: Reply | string | Script
]

/** The first case that fits answers. A request that fits none is refused with status 500, which quotes its last message. */
export const match =
  (...cases: ReadonlyArray<Case>): Script =>
  (body, index) => {
    const found = cases.find(([when]) =>
      typeof when === "string" ? body.messages.some(({ content }) => content.includes(when)) : when(body.messages)
    )
    if (found === undefined) {
      return { status: 500, error: `no scripted reply for: ${body.messages.at(-1)?.content.slice(0, 200) ?? ""}` }
    }
    return typeof found[1] === "function" ? found[1](body, index) : found[1]
  }

/** Gives the replies one after another, the last one again and again. */
export const inOrder = (...replies: readonly [Reply | string, ...ReadonlyArray<Reply | string>]): Script => {
  let next = 0
  return () => replies[Math.min(next++, replies.length - 1)] ?? replies[0]
}
