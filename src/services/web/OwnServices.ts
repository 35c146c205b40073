/**
 * The services that this program uses itself, such as the model server, and the addresses of this machine: a page must not
 * come from them, under whatever name they are reached.
 */
import * as Effect from "effect/Effect"
import * as Dns from "effect/net/Dns"
import * as NetAddress from "effect/net/NetAddress"
import { networkInterfaces } from "node:os"
import { canonicalAddress, isAddress, isLoopback } from "../../domain/web/NetworkAddress.ts"

export interface OwnService {
  /** `host:port`, as this program connects to it. */
  readonly target: string
  /** What it is, after "is the". */
  readonly what: string
  /** Known by its name alone, since its address may be shared with pages of others. */
  readonly isPublic?: boolean
}

export interface OwnServices {
  readonly services: ReadonlyArray<OwnService>
  /** The addresses of the network interfaces of this machine. */
  readonly interfaces: ReadonlyArray<string>
}

/** The addresses of this machine now. */
export const interfaceAddresses = (): ReadonlyArray<string> =>
  Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => canonicalAddress(address)))

/** The addresses of a host; the reason of the failure when it cannot be resolved. */
export const lookUp = (host: string): Effect.Effect<ReadonlyArray<string>, string, Dns.Dns> =>
  isAddress(host)
    ? Effect.succeed([host])
    : Dns.Dns.use((dns) => dns.lookup(host)).pipe(
        Effect.map((found) => found.map(NetAddress.formatIp)),
        Effect.mapError(({ reason }) => reason)
      )

/** True when the address leads to this machine. */
export const isOwnAddress = (address: string, { interfaces }: OwnServices): boolean =>
  isLoopback(address) || interfaces.includes(canonicalAddress(address))

const splitTarget = (target: string): readonly [host: string, port: string] => {
  const colon = target.lastIndexOf(":")
  return [target.slice(0, colon).replace(/^\[|\]$/g, ""), target.slice(colon + 1)]
}

/** The same host without the dot that may end it. */
const plainTarget = (target: string): string => target.toLowerCase().replace(/\.(?=:\d+$)/, "")

/** The service of this name and port, if it is one. */
export const serviceNamed = (target: string, { services }: OwnServices): OwnService | undefined =>
  services.find((one) => plainTarget(one.target) === plainTarget(target))

/** The service that is reached at one of these addresses on this port, if there is one. */
export const serviceAt = Effect.fnUntraced(function* (
  addresses: ReadonlyArray<string>,
  port: string,
  own: OwnServices
): Effect.fn.Return<{ readonly service: OwnService; readonly address: string } | undefined, never, Dns.Dns> {
  for (const service of own.services) {
    const [host, servicePort] = splitTarget(service.target)
    if (servicePort !== port || service.isPublic === true) continue
    const places = yield* Effect.orElseSucceed(lookUp(host), (): ReadonlyArray<string> => [])
    const isHere = places.some((place) => isOwnAddress(place, own))
    const known = new Set(places.map(canonicalAddress))
    const address = addresses.find((one) => known.has(canonicalAddress(one)) || (isHere && isOwnAddress(one, own)))
    if (address !== undefined) return { service, address }
  }
  return undefined
})
