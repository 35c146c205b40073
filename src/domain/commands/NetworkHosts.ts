/**
 * The list of hosts that commands may reach. Entries are `registry.npmjs.org`, `*.pypi.org` for all names below it, or
 * `localhost:8080` for one port.
 */
import * as Schema from "effect/Schema"

const label = "[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"

export const NetworkHost = Schema.String.check(
  Schema.isPattern(
    new RegExp(`^(?:(?:\\*\\.)?${label}(?:\\.${label})*(?::[0-9]{1,5})?|\\[[0-9a-fA-F:.]+\\]:[0-9]{1,5})$`),
    {
      expected: 'the name of a host, "*." before a name for all hosts below it, or "host:port"'
    }
  )
)

/** The network setting: everything, nothing, or these hosts. */
export type NetworkReach = boolean | ReadonlyArray<string>

/** The listed hosts; undefined if the whole network is allowed or forbidden. */
export const listedHosts = (network: NetworkReach): ReadonlyArray<string> | undefined =>
  typeof network === "boolean" ? undefined : network

/** The allowed ports of a host without a listed port. */
const usualPorts: ReadonlySet<number> = new Set([80, 443])

const plain = (host: string): string => host.toLowerCase().replace(/\.$/, "")

/**
 * How the list covers a host and port.
 * - `exact`: an entry names exactly this host and this port. The host may then have a private address.
 * - `public`: an entry names the host without a port, or with a `*`. The host must have a public address.
 * - Undefined: no entry covers the host and port. An entry without a port covers only the usual ports.
 */
export const coverage = (list: ReadonlyArray<string>, host: string, port: number): "exact" | "public" | undefined => {
  const name = plain(host)
  const covered = list.map(plain).flatMap((one) => {
    const [, listed = one, digits] = /^(.*):(\d+)$/.exec(one) ?? []
    const isNamed = listed.startsWith("*.") ? name.endsWith(listed.slice(1)) : name === listed.replace(/^\[|\]$/g, "")
    if (!isNamed || (digits === undefined ? !usualPorts.has(port) : Number(digits) !== port)) return []
    return [digits === undefined || listed.startsWith("*.") ? ("public" as const) : ("exact" as const)]
  })
  return covered.find((one) => one === "exact") ?? covered[0]
}

export const asListed = (host: string, port: number): string => {
  const written = host.includes(":") ? `[${host}]` : plain(host)
  return usualPorts.has(port) ? written : `${written}:${port}`
}

/** The proxy's port in the sandbox. It is free, because every command has its own network. */
export const proxyPort = 3128

/**
 * The environment variables for the proxy. Connections to the machine itself bypass the proxy, because a command may
 * start servers and connect to them. If `list`, the allowed hosts, contains a name of this machine, this name uses the
 * proxy, too.
 */
export const proxyVariables = (list: ReadonlyArray<string>): Readonly<Record<string, string>> => {
  const proxy = `http://127.0.0.1:${proxyPort}`
  const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"].filter(
    (host) => !list.some((one) => plain(one).startsWith(`${host}:`))
  )
  const direct = loopbackHosts.map((host) => host.replace(/^\[|\]$/g, "")).join(",")
  return {
    ...Object.fromEntries(["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"].map((name) => [name, proxy])),
    no_proxy: direct,
    NO_PROXY: direct,
    /** Without this, Node ignores the other variables. */
    NODE_USE_ENV_PROXY: "1"
  }
}
