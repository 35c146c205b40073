/**
 * Which addresses are out on the internet. Everything else (this machine, the local network, cloud metadata, what is
 * reserved) is not to be fetched on a model's word. Judged on the number, never on the spelling.
 */
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"

type Octets = ReadonlyArray<number>

/** An address block: its first address and how many leading bits count. */
interface Block {
  readonly octets: Octets
  readonly bits: number
}

const octetsOf = (address: NetAddress.IpAddress): Octets =>
  NetAddress.isIpv4Address(address) ? NetAddress.ipv4ToOctets(address) : NetAddress.ipv6ToOctets(address)

const block = (text: string): Block => {
  const [address = "", bits = ""] = text.split("/")
  return { octets: octetsOf(NetAddress.ipFromStringUnsafe(address)), bits: Number(bits) }
}

const isIn = (octets: Octets, { bits, octets: start }: Block): boolean =>
  start.every((first, index) => {
    const counted = Math.min(8, Math.max(0, bits - index * 8))
    return (first ^ (octets[index] ?? 0)) >> (8 - counted) === 0
  })

/** Not global: the special-purpose registry of IANA, multicast, and two addresses that clouds use for metadata. */
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
].map(block)

/** All that is handed out of IPv6, and the parts of it that are special. */
const openV6 = block("2000::/3")
const closedV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].map(block)

/** IPv6 spellings of an IPv4 address, which stands in the last four octets: mapped, and translated by NAT64. */
const carriersOfV4 = ["::ffff:0:0/96", "64:ff9b::/96"].map(block)

const isOpen = (octets: Octets): boolean => {
  if (octets.length === 4) return !closedV4.some((closed) => isIn(octets, closed))
  if (carriersOfV4.some((carrier) => isIn(octets, carrier))) return isOpen(octets.slice(12))
  return isIn(octets, openV6) && !closedV6.some((closed) => isIn(octets, closed))
}

/** True when the text is an IPv4 or IPv6 address that is global unicast. 6to4 and Teredo are not. */
export const isGlobalUnicast = (address: string): boolean =>
  Result.match(NetAddress.ipFromString(address), {
    onFailure: () => false,
    onSuccess: (parsed) => isOpen(octetsOf(parsed))
  })

/** True when the text is an address rather than a name. */
export const isAddress = (host: string): boolean => Result.isSuccess(NetAddress.ipFromString(host))
