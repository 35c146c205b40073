/**
 * Servers that are compatible with the interface of OpenAI.
 */
import { definePlugin } from "../../plugin-kit.ts"
import { openAi } from "./OpenAiServer.ts"

export const openai = definePlugin({ name: "openai", providers: [openAi] })
