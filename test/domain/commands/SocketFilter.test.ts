/**
 * The filter of system calls, run by a small interpreter of its instructions.
 */
import { assert, describe, it } from "@effect/vitest"
import { socketFilter } from "../../../src/domain/commands/SocketFilter.ts"

interface Call {
  readonly arch: number
  readonly nr: number
  readonly argument?: number
}

/** What the kernel would do: `allow`, or the number of the error. */
const judge = (program: Uint8Array, { arch, argument = 0, nr }: Call): "allow" | number => {
  const view = new DataView(program.buffer)
  let value = 0
  for (let at = 0; at * 8 < program.length; at += 1) {
    const code = view.getUint16(at * 8, true)
    const k = view.getUint32(at * 8 + 4, true)
    if (code === 0x20) value = k === 0 ? nr : k === 4 ? arch : argument
    else if (code === 0x06) return k === 0x7fff0000 ? "allow" : k - 0x50000
    else {
      const holds = code === 0x15 ? value === k : value >= k
      at += view.getUint8(at * 8 + (holds ? 2 : 3))
    }
  }
  throw new Error("the program ends without a verdict")
}

const [x64, i386, arm64, arm] = [0xc000003e, 0x40000003, 0xc00000b7, 0x40000028]
const [noSuchFamily, noSuchCall, notPermitted] = [97, 38, 1]

const makers = [
  ["x64", x64, 41],
  ["x64", i386, 359],
  ["arm64", arm64, 198],
  ["arm64", arm, 281]
] as const

describe("the filter of system calls", () => {
  for (const [processor, arch, socket] of makers) {
    it(`lets only sockets of the network be made, by call ${socket} of ${arch.toString(16)}`, () => {
      const program = socketFilter(processor, false) ?? new Uint8Array()
      const verdicts = (families: ReadonlyArray<number>) =>
        families.map((argument) => judge(program, { arch, nr: socket, argument }))
      assert.deepStrictEqual(verdicts([2, 10, 16]), ["allow", "allow", "allow"])
      const others = new Set(verdicts([0, 1, 3, 9, 15, 17, 29, 31, 38, 40, 44, 45, 0xffffffff]))
      assert.deepStrictEqual([...others], [noSuchFamily])
      assert.strictEqual(judge(program, { arch, nr: 425 }), noSuchCall)
    })
  }

  it("lets no socket of the network be made where nothing keeps it apart", () => {
    const program = socketFilter("x64", false, false) ?? new Uint8Array()
    const verdicts = [1, 2, 10, 16].map((argument) => judge(program, { arch: x64, nr: 41, argument }))
    assert.deepStrictEqual(verdicts, [noSuchFamily, noSuchFamily, noSuchFamily, "allow"])
  })

  it("lets Unix sockets be made when the user says so, and nothing else more", () => {
    const program = socketFilter("x64", true) ?? new Uint8Array()
    assert.strictEqual(judge(program, { arch: x64, nr: 41, argument: 1 }), "allow")
    assert.strictEqual(judge(program, { arch: x64, nr: 41, argument: 40 }), noSuchFamily)
    assert.strictEqual(judge(program, { arch: x64, nr: 425 }), noSuchCall)
  })

  it("refuses other ways to the same: forms of the calls with other numbers, other processors, kept keys", () => {
    const program = socketFilter("x64", false) ?? new Uint8Array()
    assert.strictEqual(judge(program, { arch: x64, nr: 0x40000000 + 41, argument: 1 }), noSuchCall)
    assert.strictEqual(judge(program, { arch: i386, nr: 102, argument: 1 }), noSuchCall)
    for (const arch of [arm64, arm, 0, 0xc00000f3]) assert.strictEqual(judge(program, { arch, nr: 41 }), notPermitted)
    for (const nr of [248, 249, 250]) assert.strictEqual(judge(program, { arch: x64, nr }), noSuchCall)
  })

  it("lets everything else pass, connected pairs of sockets included", () => {
    const program = socketFilter("x64", false) ?? new Uint8Array()
    for (const nr of [0, 1, 42, 53, 59, 231, 424, 426, 435]) {
      assert.strictEqual(judge(program, { arch: x64, nr, argument: 1 }), "allow", String(nr))
    }
  })

  it("is not there for a processor whose calls are not known", () => {
    for (const one of ["riscv64", "ppc64", "s390x", "ia32"]) assert.isUndefined(socketFilter(one, false))
  })
})
