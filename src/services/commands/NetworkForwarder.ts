/**
 * The process in the sandbox that takes connections to the proxy: listens on the loopback, where the sandbox has a network of
 * its own, and passes each connection on as a stream of HTTP/2 through its stdin, a socket to the program outside. Closes its
 * stdout when it listens. It imports nothing but Node, since the sandbox shows this file alone.
 */
import { closeSync } from "node:fs"
import { connect } from "node:http2"
import { createServer, Socket } from "node:net"
import { pipeline } from "node:stream"

const session = connect("http://sandbox", { createConnection: () => new Socket({ fd: 0 }) })
session.on("error", () => process.exit(1))

const server = createServer({ allowHalfOpen: true }, (socket) => {
  const stream = session.request({ ":method": "POST", ":path": "/" })
  pipeline(socket, stream, () => undefined)
  pipeline(stream, socket, () => undefined)
})
server.listen(Number(process.argv[2]), "127.0.0.1", () => closeSync(1))
