/**
 * Builds the system call filter of the sandbox, as a BPF program for seccomp. The mounts of the sandbox already hide
 * everything that has a path. The filter blocks what has no path: sockets to other programs of the machine (Unix,
 * virtual machines, devices), and the kernel's key store.
 */

/** Numbers that differ between processors. `socket` and `refused` are system calls. */
interface Calls {
  /** The value of AUDIT_ARCH. */
  readonly arch: number
  readonly socket: number
  /**
   * Blocked calls: `io_uring_setup` and `socketcall` can create sockets, and `add_key`, `request_key` and `keyctl`
   * reach the key store.
   */
  readonly refused: ReadonlyArray<number>
}

/**
 * The system call numbers by Node's name of the processor: first for its 64-bit programs, then for its 32-bit programs.
 */
const processors: Readonly<Record<string, ReadonlyArray<Calls>>> = {
  x64: [
    { arch: 0xc000003e, socket: 41, refused: [425, 248, 249, 250] },
    { arch: 0x40000003, socket: 359, refused: [425, 286, 287, 288, 102] }
  ],
  arm64: [
    { arch: 0xc00000b7, socket: 198, refused: [425, 217, 218, 219] },
    { arch: 0x40000028, socket: 281, refused: [425, 309, 310, 311, 102] }
  ]
}

/** Socket families that the network namespace isolates: IPv4, IPv6, and kernel queries about them. */
const internet = [2, 10]
const kernel = 16
const unix = 1

const load = (offset: number) => [0x20, 0, 0, offset] as const
/** Continues if the loaded value equals `value`; otherwise skips `skip` instructions. */
const unlessEqual = (value: number, skip: number) => [0x15, 0, skip, value] as const
const unlessAtLeast = (value: number, skip: number) => [0x35, 0, skip, value] as const
const allow = [0x06, 0, 0, 0x7fff0000] as const
const refuse = (errno: number) => [0x06, 0, 0, 0x00050000 + errno] as const
type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number]

const [offsetOfCall, offsetOfArch, offsetOfFirstArgument] = [0, 4, 16]
const [notPermitted, noSuchCall, noSuchFamily] = [1, 38, 97]
/** System calls with this number or a higher one are in the x32 form, which has its own numbers. */
const firstX32 = 0x40000000

const blockOf = ({ refused, socket }: Calls, families: ReadonlyArray<number>): ReadonlyArray<Instruction> => [
  load(offsetOfCall),
  unlessAtLeast(firstX32, 1),
  refuse(noSuchCall),
  ...refused.flatMap((nr) => [unlessEqual(nr, 1), refuse(noSuchCall)]),
  [0x15, 1, 0, socket],
  allow,
  load(offsetOfFirstArgument),
  ...families.flatMap((family) => [unlessEqual(family, 1), allow]),
  refuse(noSuchFamily)
]

/**
 * The filter for a processor, by Node's name; undefined for an unknown one. Pairs of connected sockets are always
 * allowed: they reach no other program. `network` is false if no namespace isolates the network.
 */
export const socketFilter = (processor: string, unixSockets: boolean, network = true): Uint8Array | undefined => {
  const calls = processors[processor]
  if (calls === undefined) return undefined
  const families = [...(unixSockets ? [unix] : []), ...(network ? internet : []), kernel]
  const all: Array<Instruction> = []
  for (const one of calls) {
    const block = blockOf(one, families)
    all.push(load(offsetOfArch), unlessEqual(one.arch, block.length), ...block)
  }
  all.push(refuse(notPermitted))
  const bytes = new DataView(new ArrayBuffer(all.length * 8))
  all.forEach(([code, jumpTrue, jumpFalse, value], index) => {
    bytes.setUint16(index * 8, code, true)
    bytes.setUint8(index * 8 + 2, jumpTrue)
    bytes.setUint8(index * 8 + 3, jumpFalse)
    bytes.setUint32(index * 8 + 4, value, true)
  })
  return new Uint8Array(bytes.buffer)
}
