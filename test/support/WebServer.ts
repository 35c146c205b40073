/**
 * An HTTP server on the loopback for one test.
 */
import * as Effect from "effect/Effect"
import * as http from "node:http"

/** Starts a server on a free port; stops it, and what still hangs on it, with the scope. */
export const serve = (handler: http.RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly server: http.Server }>((resume) => {
      const server = http.createServer(handler)
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed({ port: typeof address === "object" ? (address?.port ?? 0) : 0, server }))
      })
    }),
    ({ server }) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(Effect.map(({ port }) => port))
