/**
 * The prompt of an editor as text: what was typed, with the paths of files that it names, and the text of those that it
 * brings along.
 */
import type { ContentBlock } from "@agentclientprotocol/sdk"
import { isAbsolute, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { fenced } from "../../domain/markdown/PromptBlock.ts"

/** A path below the project; another address as it is. */
const nameOf = (uri: string, project: string): string => {
  if (!uri.startsWith("file:") || URL.parse(uri) === null) return uri
  const path = fileURLToPath(uri)
  const within = relative(project, path)
  return within === "" || within === ".." || within.startsWith(`..${sep}`) || isAbsolute(within) ? path : within
}

export interface PromptText {
  /** What was typed, with the paths. */
  readonly prompt: string
  /** The texts that were brought along. */
  readonly material: string
}

/** Nothing for a prompt with a part that was never offered, such as an image. */
export const promptText = (blocks: ReadonlyArray<ContentBlock>, project: string): PromptText | undefined => {
  let prompt = ""
  const material: Array<string> = []
  for (const block of blocks) {
    if (block.type === "text") prompt += block.text
    else if (block.type === "resource_link") prompt += `\`${nameOf(block.uri, project)}\``
    else if (block.type === "resource" && "text" in block.resource) {
      const name = nameOf(block.resource.uri, project)
      prompt += `\`${name}\``
      material.push(`\`${name}\` in the editor:\n\n${fenced(block.resource.text, "")}`)
    } else return undefined
  }
  return { prompt, material: material.join("\n\n") }
}
