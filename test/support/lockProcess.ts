/**
 * A process for tests of locks. `hold NAME FOLDER` takes a lock, says "held" and keeps it until stdin ends; `flood NAME`
 * opens 200 connections to the lock, writes to them and never closes one.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { connect } from "node:net"
import { takeLock } from "../../src/services/files/ProcessLock.ts"
import { lockAddress } from "./lockAddress.ts"

const [what, name = "", folder = ""] = process.argv.slice(2)

if (what === "hold") {
  const run = Effect.gen(function* () {
    yield* takeLock(name, { folder, runId: "held", what: "It" })
    console.log("held")
    process.stdin.resume()
    yield* Effect.promise(() => once(process.stdin, "end"))
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  await Effect.runPromise(run)
} else {
  for (let count = 0; count < 200; count += 1) {
    const socket = connect({ path: lockAddress(name), allowHalfOpen: true })
    socket.on("error", () => undefined)
    await once(socket, "connect")
    socket.write("\u0000garbage\n".repeat(1000))
  }
  console.log("flooded")
  setInterval(() => undefined, 1000)
}
