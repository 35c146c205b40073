/**
 * The process in the sandbox that forwards connections from its loopback interface to the proxy. Its stdin is a socket
 * to the program outside, over which each connection becomes an HTTP/2 stream. It closes its stdout to show that it
 * listens. It imports only modules of Node, because the sandbox shows no other file of the program.
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
