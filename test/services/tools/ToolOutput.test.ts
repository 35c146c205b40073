/** Images and files that tools return: what the result says of them, where they are kept, and what is refused. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { ToolOutput } from "../../../src/domain/tools/ToolOutput.ts"
import { filesIn, filesInMemory, type KeptFiles } from "../../../src/services/files/KeptFiles.ts"
import { noteSecret } from "../../../src/services/runs/KnownSecrets.ts"
import type { CallLimits } from "../../../src/services/tools/CallLimits.ts"
import { openTools } from "../../support/OpenTools.ts"
import { png } from "../../support/pictures.ts"
import { makeFolder } from "../../support/Project.ts"
import { acting } from "../../support/actingPlugin.ts"
import { liveTest } from "../../support/liveTest.ts"

type Parts = ConstructorParameters<typeof ToolOutput>[0]

const shoot = Effect.fnUntraced(function* (
  output: unknown,
  more: { kept?: KeptFiles; limits?: Partial<CallLimits> } = {}
) {
  const { run } = yield* openTools({ plugins: [acting(async () => output)], ...more })
  return yield* run("act")
})

const parts = (given: Parts) => new ToolOutput(given)

describe("a result with images and files", () => {
  liveTest("names them with type and size, and keeps them in a folder that only the user can read", function* () {
    const folder = yield* makeFolder
    const rows = "a,b\n1,2\n"
    const { data, files } = yield* shoot(
      parts({
        text: "Two rows.",
        images: [
          { mediaType: "image/png", data: png },
          { name: "b.png", mediaType: "image/png", data: png.toString("base64") }
        ],
        files: [{ name: "rows.csv", mediaType: "text/csv", data: Buffer.from(rows) }]
      }),
      { kept: yield* filesIn(folder) }
    )
    const [first, second, third] = files ?? []
    expect(data).toBe(
      [
        "Two rows.",
        `[image image-1.png: image/png, ${png.length} bytes, kept as ${first?.path}]`,
        `[image b.png: image/png, ${png.length} bytes, kept as ${second?.path}]`,
        `[file rows.csv: text/csv, 8 bytes, kept as ${third?.path}]`
      ].join("\n")
    )
    expect(third?.path ?? "").toMatch(/^files\/[0-9a-f]{12}-rows\.csv$/)
    expect([first?.isImage, third?.isImage]).toStrictEqual([true, undefined])
    expect(readFileSync(join(folder, third?.path ?? ""), "utf8")).toBe(rows)
    expect(readFileSync(join(folder, first?.path ?? ""))).toStrictEqual(png)
    expect(statSync(join(folder, third?.path ?? "")).mode & 0o077).toBe(0)
  })

  liveTest("says that nothing is kept where there is no place for it", function* () {
    const file = { name: "a.bin", mediaType: "application/octet-stream", data: new Uint8Array([255, 1]) }
    const { data } = yield* shoot(parts({ text: "", files: [file] }))
    expect(data).toBe("[file a.bin: application/octet-stream, 2 bytes, not kept]")
  })

  liveTest("takes an image of a kind that models do not see for a file", function* () {
    const images = [{ mediaType: "image/svg+xml; charset=utf-8", data: Buffer.from("<svg/>") }]
    const { files } = yield* shoot(parts({ text: "A drawing.", images }))
    expect(files?.[0]).toMatchObject({ name: "image-1.svg", mediaType: "image/svg+xml" })
    expect(files?.[0]?.isImage).toBeUndefined()
  })

  liveTest("keeps names within their folder, and no secret of a plugin in texts", function* () {
    noteSecret("key-of-a-plugin-in-a-file")
    const kept = yield* filesInMemory
    const data = Buffer.from("the key-of-a-plugin-in-a-file")
    const { files = [] } = yield* shoot(
      parts({ text: "", files: [{ name: "../../.ssh/my\u001b[31m key", mediaType: "text/plain", data }] }),
      { kept }
    )
    expect(files[0]?.name ?? "").toMatch(/^\w[\w .-]*$/)
    expect(Buffer.from((yield* kept.read(files[0]!)) ?? []).toString()).toBe("the [redacted]")
  })

  liveTest("counts its text as output", function* () {
    const { error_message, error_type } = yield* shoot(parts({ text: "x".repeat(11) }), {
      limits: { toolOutputBytes: 10 }
    })
    expect(error_type).toBe("output_limit")
    expect(error_message).toContain("has 11 bytes, 10 are allowed (limits.toolOutputBytes)")
  })

  const small = { name: "a.txt", mediaType: "text/plain", data: Buffer.from("a") }
  liveTest("is refused when a file is too large, or there are too many", function* () {
    const limits = { toolFileBytes: 3 }
    const exact = yield* shoot(parts({ text: "", files: [{ ...small, data: Buffer.from("abc") }] }), { limits })
    expect(exact.success).toBe(true)
    const large = yield* shoot(parts({ text: "", files: [{ ...small, data: Buffer.from("abcd") }] }), { limits })
    expect([large.error_type, large.error_message]).toStrictEqual([
      "output_limit",
      "The tool act returned a.txt with 4 bytes, 3 are allowed (limits.toolFileBytes); nothing of it was kept."
    ])
    const most = yield* shoot(parts({ text: "", files: Array.from({ length: 20 }, () => small) }))
    expect(most.files ?? []).toHaveLength(20)
    const many = yield* shoot(parts({ text: "", files: Array.from({ length: 21 }, () => small) }))
    expect(many.error_message).toBe(
      "The tool act returned 21 images and files, 20 are allowed; nothing of it was kept."
    )
  })

  liveTest("that is not well formed is a fault of the tool", function* () {
    const shape = 'A "ToolOutput" has a "text" and lists of "images" and "files".'
    const mediaType = 'Each of its images and files has a "mediaType" such as "image/png".'
    const wrong: ReadonlyArray<readonly [unknown, string]> = [
      [parts({ text: 1 as never }), shape],
      [parts({ text: "", images: "a" as never }), shape],
      [parts({ text: "", files: [null as never] }), mediaType],
      [parts({ text: "", files: [{ ...small, mediaType: "png" }] }), mediaType],
      [
        parts({ text: "", files: [{ ...small, name: 3 as never }] }),
        'Each of its images and files has a "name" that is text.'
      ],
      [
        parts({ text: "", files: [{ ...small, data: "no base64!" }] }),
        'Each of its images and files has its bytes or their base64 as "data".'
      ]
    ]
    for (const [output, why] of wrong) {
      const { error_message, error_type } = yield* shoot(output)
      expect(error_type).toBe("internal_error")
      expect(error_message).toBe(
        `The tool act returned images or files in an invalid form. ${why} This is a fault of the tool.`
      )
    }
  })

  liveTest("may be of a copy of the class", function* () {
    const { data } = yield* shoot({ _tag: "ToolOutput", text: "One.", images: [], files: [small] })
    expect(data).toBe("One.\n[file a.txt: text/plain, 1 byte, not kept]")
  })
})
