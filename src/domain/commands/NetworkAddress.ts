/** Decides which addresses belong to private networks or to this machine, so that their URLs are not fetched. */
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"

const isInSome = (networks: ReadonlyArray<IpNetwork.IpNetwork>, address: NetAddress.IpAddress): boolean =>
  networks.some((network) => IpNetwork.contains(network, address))

/** Addresses that are not global: IANA's special-purpose registry, multicast, and two cloud metadata services. */
const closedV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3"
].map(IpNetwork.fromStringUnsafe)

/** Public IPv6 addresses are in `openV6`, but not in `closedV6`. */
const openV6 = [IpNetwork.fromStringUnsafe("2000::/3")]
const closedV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].map(IpNetwork.fromStringUnsafe)

/** IPv6 addresses with an IPv4 address in their last four bytes: mapped, or translated by NAT64. */
const carriersOfV4 = ["::ffff:0:0/96", "64:ff9b::/96"].map(IpNetwork.fromStringUnsafe)

const thisMachine = ["127.0.0.0/8", "0.0.0.0/8", "::1/128", "::/128"].map(IpNetwork.fromStringUnsafe)

const withoutCarrier = (address: NetAddress.IpAddress): NetAddress.IpAddress =>
  !NetAddress.isIpv4Address(address) && isInSome(carriersOfV4, address)
    ? NetAddress.ipv4FromBytesUnsafe(Uint8Array.from(NetAddress.ipv6ToOctets(address).slice(12)))
    : address

const isOpen = (given: NetAddress.IpAddress): boolean => {
  const address = withoutCarrier(given)
  return NetAddress.isIpv4Address(address)
    ? !isInSome(closedV4, address)
    : isInSome(openV6, address) && !isInSome(closedV6, address)
}

/** The canonical spelling of an address. Other text stays unchanged. */
export const canonicalAddress = (address: string): string =>
  Result.match(NetAddress.ipFromString(address.replace(/%.*$/, "")), {
    onFailure: () => address,
    onSuccess: (found) => NetAddress.formatIp(withoutCarrier(found))
  })

/** True for an address that means the machine itself on every machine, such as `127.0.0.1` or `0.0.0.0`. */
export const isLoopback = (address: string): boolean =>
  Result.match(NetAddress.ipFromString(canonicalAddress(address)), {
    onFailure: () => false,
    onSuccess: (found) => isInSome(thisMachine, found)
  })

/** True for a global unicast IPv4 or IPv6 address. False for 6to4 and Teredo. */
export const isGlobalUnicast = (address: string): boolean =>
  Result.match(NetAddress.ipFromString(address), { onFailure: () => false, onSuccess: isOpen })

/** True for a loopback address, or one of this machine's `interfaces`. */
export const isOwnAddress = (address: string, interfaces: ReadonlyArray<string>): boolean =>
  isLoopback(address) || interfaces.includes(canonicalAddress(address))

/** Why a host with these addresses is not public; undefined for a public host. */
export const notPublic = (addresses: ReadonlyArray<string>, interfaces: ReadonlyArray<string>): string | undefined => {
  const internal = addresses.find((address) => !isGlobalUnicast(address))
  if (internal !== undefined) return `${internal} is not on the public internet`
  const own = addresses.find((address) => isOwnAddress(address, interfaces))
  return own === undefined ? undefined : `${own} is an address of this machine`
}

/** True for an address, false for a name. */
export const isAddress = (host: string): boolean => Result.isSuccess(NetAddress.ipFromString(host))

/** The configured exceptions for hosts, each as `host:port`. */
interface FetchExceptions {
  /** Private hosts that may be fetched. */
  readonly allowed: ReadonlyArray<string>
  /** Hosts that are never fetched, such as the model server. */
  readonly denied: ReadonlyArray<string>
}

export const portOf = ({ port, protocol }: URL): string => (port === "" ? (protocol === "https:" ? "443" : "80") : port)

/** `host:port`, with the scheme's default port, and brackets around IPv6. */
export const hostAndPort = (url: URL): string => `${url.hostname}:${portOf(url)}`

/** `localhost` and its subdomains mean this machine, whatever a name server answers. */
const isLocalName = (host: string): boolean => /^(?:.+\.)?localhost\.?$/i.test(host)

/** Why a URL is never fetched, as a clause about the URL, with advice for the user. Undefined if it may be fetched. */
export const unfetchable = (text: string, { allowed, denied }: FetchExceptions): string | undefined => {
  const url = URL.parse(text)
  if (url === null) return undefined
  const target = hostAndPort(url)
  if (allowed.includes(target)) return undefined
  const host = url.hostname.replace(/^\[|\]$/g, "")
  const isPrivate = isLocalName(host) || (isAddress(host) && !isGlobalUnicast(host))
  const why = denied.includes(target)
    ? "is an address of the model server"
    : isPrivate
      ? "is not on the public internet"
      : undefined
  return why === undefined
    ? undefined
    : `${why}, which no answer can allow; to permit it, list ${target} under fetchAllow in your user configuration`
}
