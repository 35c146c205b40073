/**
 * The prompt that a plan file was made for. It is the person's own text again when the person runs that file.
 */
import { outline } from "../markdown/Outline.ts"
import { slugOf } from "../text/Slug.ts"

const fence = /^(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n?\1\s*$/

/** The text under `## Original prompt`, without a fence around it; nothing when the plan has none. */
export const originalPrompt = (markdown: string): string | undefined => {
  const section = outline(markdown).find(({ title }) => slugOf(title.replace(/:\s*$/, "")) === "original-prompt")
  const body = section?.body ?? ""
  const text = (fence.exec(body)?.[2] ?? body).trim()
  return text === "" ? undefined : text
}
