/**
 * Lets a sandboxed command reach only the hosts that the user lists. An HTTP proxy in this process receives the
 * command's connections as HTTP/2 over one stream. It checks each address with the rules for web pages, and connects to
 * exactly that address.
 */
import * as NodeSink from "@effect/platform-node/NodeSink"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as PlatformError from "effect/PlatformError"
import * as dns from "node:dns/promises"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import * as http from "node:http"
import { createServer } from "node:http2"
import * as net from "node:net"
import { networkInterfaces, tmpdir } from "node:os"
import * as path from "node:path"
import { Duplex, pipeline } from "node:stream"
import { canonicalAddress, isAddress, notPublic } from "../../domain/commands/NetworkAddress.ts"
import type { Channel } from "./ChildRun.ts"
import { asListed, coverage } from "../../domain/commands/NetworkHosts.ts"

export const interfaceAddresses = (): ReadonlyArray<string> =>
  Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => canonicalAddress(address)))

export interface NetworkProxy {
  readonly channel: Channel
  /** The refused hosts, written as in the user's list. */
  readonly refused: ReadonlySet<string>
  readonly close: () => void
}

const onError = (cause: unknown) =>
  PlatformError.systemError({
    _tag: "Unknown",
    module: "NetworkProxy",
    method: "channel",
    ...(cause instanceof Error ? { description: cause.message } : {})
  })

class Refused extends Error {}

const statusOf = (error: unknown): number => (error instanceof Refused ? 403 : 502)
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Joins two connections in both directions. When one ends, its remaining data is still written. Node's `pipeline` would
 * drop this data.
 */
const joinBoth = (a: Duplex, b: Duplex): void => {
  for (const [from, to] of [
    [a, b],
    [b, a]
  ] as const) {
    from.pipe(to)
    from.on("close", () => to.end())
    from.on("error", () => to.destroy())
  }
}

/** Connects to listed hosts only. Keeps lists of refused hosts and of open connections. */
const makeDialler = (list: ReadonlyArray<string>) => {
  const refused = new Set<string>()
  const dialled = new Set<net.Socket>()
  const refuse = (host: string, port: number, why: string): never => {
    const name = asListed(host, port)
    refused.add(name)
    throw new Refused(`The sandbox refused ${name}: ${why}.\n`)
  }

  const dial = async (host: string, port: number): Promise<net.Socket> => {
    const covered = coverage(list, host, port)
    if (covered === undefined) return refuse(host, port, "sandbox.network does not list it")
    const addresses = isAddress(host) ? [host] : (await dns.lookup(host, { all: true })).map(({ address }) => address)
    const why = covered === "exact" ? undefined : notPublic(addresses, interfaceAddresses())
    if (why !== undefined) {
      refused.add(`${host}:${port}`)
      throw new Refused(`The sandbox refused ${host}: ${why}.\n`)
    }
    let problem: unknown
    for (const address of addresses) {
      const socket = net.connect({ host: address, port })
      dialled.add(socket)
      socket.on("close", () => dialled.delete(socket))
      try {
        await new Promise<void>((resolve, reject) => void socket.once("connect", resolve).once("error", reject))
        return socket
      } catch (error) {
        problem = error
        socket.destroy()
      }
    }
    throw problem
  }

  return { dial, dialled, refused }
}

type Dial = ReturnType<typeof makeDialler>["dial"]

/** The host of a URL, without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "")

const proxyServer = (dial: Dial): http.Server => {
  const server = http.createServer(async (request, response) => {
    const fail = (status: number, text: string) =>
      response.writeHead(status, { "content-type": "text/plain" }).end(text)
    const url = URL.parse(request.url ?? "")
    if (url?.protocol !== "http:") return fail(400, "This is a proxy for HTTP and HTTPS.\n")
    try {
      const port = Number(url.port === "" ? 80 : url.port)
      const socket = await dial(hostOf(url), port)
      const headers: http.OutgoingHttpHeaders = { ...request.headers, host: url.host, connection: "close" }
      for (const name of ["proxy-authorization", "proxy-connection"]) delete headers[name]
      const { method = "GET" } = request
      const target = `${url.pathname}${url.search}`
      const forwarded = http.request({ createConnection: () => socket, method, path: target, headers })
      forwarded.on("response", (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        pipeline(answer, response, () => undefined)
      })
      forwarded.on("error", () => response.destroy())
      pipeline(request, forwarded, () => undefined)
    } catch (error) {
      fail(statusOf(error), textOf(error))
    }
  })
  server.on("connect", async (request: http.IncomingMessage, client: Duplex, head: Buffer) => {
    client.on("error", () => undefined)
    const url = URL.parse(`tcp://${request.url ?? ""}`)
    try {
      if (url === null || url.port === "") throw new Refused("Name a host and a port.\n")
      const socket = await dial(hostOf(url), Number(url.port))
      client.write("HTTP/1.1 200 Connection established\r\n\r\n")
      socket.write(head)
      joinBoth(client, socket)
    } catch (error) {
      client.end(`HTTP/1.1 ${statusOf(error)} Refused\r\nContent-Type: text/plain\r\n\r\n${textOf(error)}`)
    }
  })
  return server
}

export const openProxy = async (list: ReadonlyArray<string>): Promise<NetworkProxy> => {
  const { dial, dialled, refused } = makeDialler(list)
  const server = proxyServer(dial)
  const tunnel = createServer()
  tunnel.on("sessionError", () => undefined)
  tunnel.on("stream", (stream) => {
    stream.on("error", () => undefined)
    stream.respond({ ":status": 200 })
    /** An HTTP/2 stream mixes up the order of strings and buffers, so it gets only buffers. */
    server.emit("connection", Duplex.from({ readable: stream, writable: stream }))
  })
  /**
   * Node's HTTP/2 needs a real socket, so one is created in a private folder. The folder is removed at once, so that
   * nobody else can connect.
   */
  const folder = await mkdtemp(path.join(tmpdir(), "task-conductor-"))
  try {
    const file = path.join(folder, "proxy")
    await once(tunnel.listen(file), "listening")
    const outer = net.connect(file)
    outer.on("error", () => undefined)
    await once(outer, "connect")
    return {
      channel: {
        input: NodeStream.fromReadable({ evaluate: () => outer, onError }),
        output: NodeSink.fromWritable({ evaluate: () => outer, onError })
      },
      refused,
      close: () => {
        outer.destroy()
        /** A server may keep connections open after the command. */
        for (const socket of dialled) socket.destroy()
        tunnel.close()
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
