/** The web: pages as text for tools and references, and the tool `fetch_url`. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { definePlugin, ToolLimits } from "../../plugin-kit.ts"

export const web = definePlugin({
  name: "web",
  web: (options) =>
    Layer.unwrap(
      Effect.map(
        Effect.promise(() => import("./PublicWeb.ts")),
        ({ layerPublicWeb }) => layerPublicWeb(options)
      )
    ),
  tools: Effect.gen(function* () {
    const { fetchSeconds } = yield* ToolLimits
    const { fetchUrl } = yield* Effect.promise(() => import("./FetchUrl.ts"))
    return { fetch_url: fetchUrl(fetchSeconds) }
  })
})
