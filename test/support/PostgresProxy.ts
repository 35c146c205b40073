/**
 * A proxy on the loopback before a PostgreSQL server, which knows enough of the wire protocol to fail what is sent: chosen
 * statements, found by their verb and table, get an error of the server, or lose their answer after they were committed;
 * connections are delayed, frozen, cut and refused. Nothing else is changed.
 */
import * as Effect from "effect/Effect"
import { connect, createServer, type NetConnectOpts, type Socket } from "node:net"

/** What a statement does to a table; `select` also stands for tables that are only joined. Others have no table: `commit`. */
interface StatementPart {
  readonly verb: string
  readonly table: string
}

const partPattern =
  /\b(?:(insert)\s+into|(?<!for\s)(?<!do\s)(update)|(delete)\s+from|from|join)\s+(?:only\s+)?"?([\w.]+)"?/gi

/** What a statement does, by what it names; the statements of its `WITH` as well. */
const partsOf = (sql: string): ReadonlyArray<StatementPart> => {
  const parts = [...sql.matchAll(partPattern)].map(([, insert, update, remove, table = ""]) => ({
    verb: (insert ?? update ?? remove ?? "select").toLowerCase(),
    table: table.toLowerCase()
  }))
  const verb = /^\s*(\w+)/.exec(sql)?.[1]?.toLowerCase() ?? ""
  return parts.length > 0 ? parts : [{ verb, table: "" }]
}

/** What happens to statements. */
interface StatementFault {
  /** Only statements that name this table, or do this; all when absent. */
  readonly table?: string
  readonly verb?: string
  /**
   * The SQLSTATE that the server answers instead of carrying them out; the connection ends when it is one that ends it.
   * `lost`: the server carries them out and commits, but the connection is cut before its answer arrives.
   * `hole`: from this statement on nothing passes on its connection any more, in both directions, and neither end learns of it.
   */
  readonly with: string
  /** How often; without end when absent. */
  readonly times?: number
  /** Only this text; any when absent. */
  readonly sql?: string
  /** So many that fit are carried out before. */
  readonly after?: number
}

interface PendingFault extends StatementFault {
  left: number
  before: number
}

const fits = ({ sql, table, verb }: StatementFault, text: string, parts: ReadonlyArray<StatementPart>): boolean =>
  (sql === undefined || sql === text) &&
  parts.some((part) => (table === undefined || part.table === table) && (verb === undefined || part.verb === verb))

const isCommit = (sql: string): boolean => /^\s*commit\b/i.test(sql)

/** Codes after which there is no session any more. */
const endsSession = (code: string): boolean => code.startsWith("08") || code.startsWith("57P")

const messageOf = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/**
 * A query at which the server itself fails with a code, so that a transaction which is under way fails as well. One whose commit fails
 * is over.
 */
const failingQuery = (code: string, isCommit: boolean): Buffer => {
  const fail = `DO $$BEGIN RAISE EXCEPTION 'injected ${code}' USING ERRCODE = '${code}'; END$$`
  return messageOf("Q", Buffer.from(`${isCommit ? "ROLLBACK; " : ""}${fail}\0`))
}

/** What a server says last in a session that it ends. */
const fatalError = (code: string): Buffer =>
  messageOf("E", Buffer.from(`SFATAL\0VFATAL\0C${code}\0Minjected ${code}\0\0`))

/** Cuts a stream into messages; `take` gets each whole one with its type, empty for the first ones of a client. */
const makeCutter = (isTyped: () => boolean, take: (type: string, message: Buffer) => void) => {
  let rest: Buffer = Buffer.alloc(0)
  return (data: Buffer): void => {
    rest = Buffer.concat([rest, data])
    for (;;) {
      const at = isTyped() ? 1 : 0
      if (rest.length < at + 4) return
      const size = at + rest.readInt32BE(at)
      if (rest.length < size) return
      const message = rest.subarray(0, size)
      rest = rest.subarray(size)
      take(at === 1 ? String.fromCharCode(message[0] ?? 0) : "", message)
    }
  }
}

/** The texts of a message that end with a zero byte, from its beginning. */
const textsOf = (message: Buffer, count: number): ReadonlyArray<string> =>
  message.subarray(5).toString("latin1").split("\0", count)

/** In place of a length: a request for an encrypted connection, which is denied here. */
const encryptionRequests = new Set([80_877_103, 80_877_104])

/** What becomes of the answer to a request; `fatal` is what is said instead, before the session ends. */
type Answer = "passed" | "lost" | { readonly fatal: Buffer }

/** What the proxy does to a connection. */
interface Strikes {
  readonly choose: (sql: string) => StatementFault | undefined
  /** How long requests take to the server, in ms. */
  readonly delay: () => number
  /** Sockets on which nothing passes any more. */
  readonly holes: Set<Socket>
}

const carry = (near: Socket, far: Socket, { choose, delay, holes }: Strikes): void => {
  const end = (): void => {
    near.destroy()
    far.destroy()
  }
  const statements = new Map<string, string>()
  const portals = new Map<string, string>()
  /** For requests that are not answered yet, in order. */
  const expected: Array<Answer> = []
  let hasBegun = false
  let batch: Array<Buffer> = []
  let executed: Array<string> = []
  let sent = Promise.resolve()
  let isHole = false

  const send = (data: Buffer): void => {
    const wait = delay()
    sent = sent.then(async () => {
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      far.write(data)
    })
  }
  /** Sends what was gathered up to here, or what fails in its place. */
  const request = (): void => {
    const fault = executed.map(choose).find((one) => one !== undefined)
    if (fault?.with === "hole") {
      isHole = true
      for (const socket of [near, far]) {
        socket.pause()
        holes.add(socket)
      }
    }
    if (isHole) return
    const isSent = fault === undefined || fault.with === "lost"
    if (fault === undefined) expected.push("passed")
    else if (isSent) expected.push("lost")
    else expected.push(endsSession(fault.with) ? { fatal: fatalError(fault.with) } : "passed")
    send(isSent ? Buffer.concat(batch) : failingQuery(fault.with, executed.some(isCommit)))
    batch = []
    executed = []
  }
  const takeNear = makeCutter(
    () => hasBegun,
    (type, message) => {
      if (type === "") {
        if (encryptionRequests.has(message.readInt32BE(4))) return void near.write("N")
        hasBegun = true
        /* The server says that it is ready after the start of a session as well. */
        expected.push("passed")
        return send(message)
      }
      batch.push(message)
      const [first = "", second = ""] = textsOf(message, 2)
      if (type === "Q") executed.push(first)
      if (type === "P") statements.set(first, second)
      if (type === "B") portals.set(first, statements.get(second) ?? "")
      if (type === "E") executed.push(portals.get(first) ?? "")
      if (type === "Q" || type === "S") request()
      /* Others are not a part of a request. */ else if (!"PBDEC".includes(type)) send(Buffer.concat(batch.splice(0)))
    }
  )
  let held: Array<Buffer> = []
  let isLosing = false
  const takeFar = makeCutter(
    () => true,
    (type, message) => {
      const answer = expected[0] ?? "passed"
      isLosing ||= answer === "lost"
      held.push(message)
      if (type === "Z") {
        expected.shift()
        if (typeof answer === "object") {
          near.end(answer.fatal)
          far.destroy()
          return
        }
        /* Within a transaction it is the answer to its end that gets lost. */
        if (isLosing && message[5] === "I".charCodeAt(0)) end()
      } else if (isLosing || typeof answer === "object") return
      near.write(Buffer.concat(held))
      held = []
    }
  )
  near.on("data", takeNear).on("close", end).on("error", end)
  far
    .on("data", takeFar)
    .on("close", () => near.end())
    .on("error", end)
}

/** A proxy before a server at this address; it ends with the scope. */
export const makePostgresProxy = (server: NetConnectOpts) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      const faults = new Set<PendingFault>()
      const holes = new Set<Socket>()
      let isFrozen = false
      let isRefusing = false
      let delay = 0
      const seen = new Map<string, number>()
      const choose = (sql: string): StatementFault | undefined => {
        seen.set(sql, (seen.get(sql) ?? 0) + 1)
        if (faults.size === 0) return undefined
        const parts = partsOf(sql)
        const fitting = [...faults].filter((one) => fits(one, sql, parts))
        const fault = fitting.find(({ before, left }) => before === 0 && left > 0)
        for (const one of fitting) if (one.before > 0) one.before -= 1
        if (fault !== undefined) fault.left -= 1
        return fault
      }
      const listener = createServer((near) => {
        if (isRefusing) return void near.destroy()
        const far = connect(server)
        for (const socket of [near, far]) {
          sockets.add(socket)
          socket.on("close", () => sockets.delete(socket))
        }
        carry(near, far, { choose, delay: () => delay, holes })
        if (isFrozen) for (const socket of [near, far]) socket.pause()
      })
      await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve))
      const address = listener.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const cut = (): void => {
        for (const socket of sockets) socket.destroy()
      }
      return {
        url: `postgres://tester@127.0.0.1:${port}/postgres`,
        /** Lets statements fail until what it returns is called, or as often as it says. */
        fail: (fault: StatementFault): (() => void) => {
          const pending = { ...fault, left: fault.times ?? Infinity, before: fault.after ?? 0 }
          faults.add(pending)
          return () => void faults.delete(pending)
        },
        /** How often each statement was sent so far. */
        seen: (): ReadonlyMap<string, number> => seen,
        /** Ends all connections. */
        cut,
        /** What is sent while it is frozen waits, in both directions; `isOn` is false when it goes on. */
        freeze: (isOn: boolean): void => {
          isFrozen = isOn
          for (const socket of sockets) {
            if (isOn || holes.has(socket)) socket.pause()
            else socket.resume()
          }
        },
        /** Ends all connections and takes no new ones; `isOn` is false when it takes them again. */
        refuse: (isOn: boolean): void => {
          isRefusing = isOn
          if (isOn) cut()
        },
        /** Nothing passes on the connections of now any more, and neither end learns of it; new ones work. */
        forget: (): void => {
          for (const socket of sockets) {
            socket.pause()
            holes.add(socket)
          }
        },
        /** How long each request takes to the server, in ms. */
        slow: (milliseconds: number): void => void (delay = milliseconds),
        end: (): void => {
          cut()
          listener.close()
        }
      }
    }),
    ({ end }) => Effect.sync(end)
  )

export type PostgresProxy = Effect.Success<ReturnType<typeof makePostgresProxy>>
