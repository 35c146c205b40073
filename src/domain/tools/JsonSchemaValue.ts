/**
 * Computes the TypeScript type of values from a JSON schema literal. Only types, properties, items and enums are
 * understood; everything else is any JSON.
 */
import type { Json } from "effect/Schema"

type Named<Schema> = Schema extends { readonly properties: infer Properties } ? Properties : object

type Required<Schema> = Schema extends { readonly required: infer Names extends ReadonlyArray<unknown> }
  ? Names[number]
  : never

type ObjectValue<Schema> = {
  readonly [Name in keyof Named<Schema> as Name extends Required<Schema> ? Name : never]: JsonSchemaValue<
    Named<Schema>[Name]
  >
} & {
  readonly [Name in keyof Named<Schema> as Name extends Required<Schema> ? never : Name]?: JsonSchemaValue<
    Named<Schema>[Name]
  >
}

/** The type of the values that a JSON schema literal accepts. */
export type JsonSchemaValue<Schema> = Schema extends { readonly enum: infer Choices extends ReadonlyArray<unknown> }
  ? Choices[number]
  : Schema extends { readonly type: "string" }
    ? string
    : Schema extends { readonly type: "integer" | "number" }
      ? number
      : Schema extends { readonly type: "boolean" }
        ? boolean
        : Schema extends { readonly type: "array" }
          ? ReadonlyArray<Schema extends { readonly items: infer Items } ? JsonSchemaValue<Items> : Json>
          : Schema extends { readonly type: "object"; readonly properties: object }
            ? ObjectValue<Schema>
            : Schema extends { readonly type: "object" }
              ? { readonly [name: string]: Json }
              : Json
