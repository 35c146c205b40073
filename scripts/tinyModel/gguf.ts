/**
 * Writes GGUF version 3 files: metadata, the list of tensors, and their aligned data.
 */

/** A value of the metadata with its type. */
export type GgufValue =
  | { readonly type: "uint32" | "float32"; readonly value: number }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "strings"; readonly value: ReadonlyArray<string> }
  | { readonly type: "int32s"; readonly value: ReadonlyArray<number> }

/** A tensor of 32-bit floats; values of the first dimension are adjacent. */
export interface GgufTensor {
  readonly name: string
  readonly dimensions: ReadonlyArray<number>
  readonly data: Float32Array
}

export const ggufAlignment = 32

/** Type numbers of the format. */
const code = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const i32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}

const f32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}

const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

const string = (text: string): Buffer => {
  const bytes = Buffer.from(text, "utf8")
  return Buffer.concat([u64(bytes.length), bytes])
}

const array = (type: number, items: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat([u32(code.array), u32(type), u64(items.length), ...items])

const valueBytes = (given: GgufValue): Buffer => {
  switch (given.type) {
    case "uint32":
      return Buffer.concat([u32(code.uint32), u32(given.value)])
    case "float32":
      return Buffer.concat([u32(code.float32), f32(given.value)])
    case "bool":
      return Buffer.concat([u32(code.bool), Buffer.of(given.value ? 1 : 0)])
    case "string":
      return Buffer.concat([u32(code.string), string(given.value)])
    case "strings":
      return array(code.string, given.value.map(string))
    case "int32s":
      return array(code.int32, given.value.map(i32))
  }
}

const aligned = (size: number): number => Math.ceil(size / ggufAlignment) * ggufAlignment

const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)])

/** Little-endian floats on any machine. */
const dataBytes = (data: Float32Array): Buffer => {
  const bytes = Buffer.alloc(data.length * 4)
  data.forEach((value, index) => bytes.writeFloatLE(value, index * 4))
  return padded(bytes)
}

/** The tensor type number of 32-bit floats. */
const floatTensor = 0

export const writeGguf = (
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: ReadonlyArray<GgufTensor>
): Buffer => {
  const entries = Object.entries(metadata).map(([key, value]) => Buffer.concat([string(key), valueBytes(value)]))
  let offset = 0
  const infos = tensors.map(({ data, dimensions, name }) => {
    const sizes = dimensions.map(u64)
    const info = Buffer.concat([string(name), u32(sizes.length), ...sizes, u32(floatTensor), u64(offset)])
    offset += aligned(data.length * 4)
    return info
  })
  const head = [Buffer.from("GGUF"), u32(3), u64(tensors.length), u64(entries.length), ...entries, ...infos]
  return Buffer.concat([padded(Buffer.concat(head)), ...tensors.map(({ data }) => dataBytes(data))])
}
