import { type AnswerShape, AnswerWatch, type Unrecoverable } from "../../src/domain/documents/AnswerWatch.ts"

/** What stops an answer that comes in pieces of this size. */
export const watchAnswer = (text: string, shape?: AnswerShape, size = 37): Unrecoverable | undefined => {
  const answer = new AnswerWatch(shape)
  for (let from = 0; from < text.length; from += size) {
    const found = answer.text(text.slice(from, from + size))
    if (found !== undefined) return found
  }
  return undefined
}
