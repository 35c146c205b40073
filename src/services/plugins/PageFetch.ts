/**
 * The pages a tool may fetch: those it declared and the gate granted for its call. Made anew for every call by the tool
 * registry; authors import it from "task-conductor/plugin".
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ToolFailure } from "../../domain/tools/ToolFailure.ts"
import type { Page } from "../web/WebFetch.ts"

export class PageFetch extends Context.Service<
  PageFetch,
  {
    /**
     * The page at a URL that the call was granted. Every redirect is judged by the gate before it is followed; neither
     * cookies nor credentials are sent.
     */
    get(url: string): Effect.Effect<Page, ToolFailure>
  }
>()("task-conductor/services/plugins/PageFetch") {}
