/**
 * Counts the members of the shapes that a module declares, for the architecture test: interfaces, type literals (the shapes of
 * services among them) and structs of a schema.
 */
import { parseAst } from "rolldown/parseAst"

/** A shape, by the name of what declares it. */
export interface SourceShape {
  readonly name: string
  readonly members: number
}

type AstNode = Readonly<Record<string, unknown>> & { readonly type: string }

const isNode = (value: unknown): value is AstNode =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const nodesIn = (value: unknown): ReadonlyArray<AstNode> => (Array.isArray(value) ? value : [value]).filter(isNode)

const identifierOf = (value: unknown): string | undefined =>
  isNode(value) && typeof value.name === "string" ? value.name : undefined

/** True for a field such as `seconds: Schema.Finite`. */
const isSchemaField = ({ value }: AstNode): boolean => JSON.stringify(value ?? null).includes('"name":"Schema"')

/** How many members a node declares as a shape. */
const membersAt = (node: AstNode): number | undefined => {
  if (node.type === "TSInterfaceDeclaration" && isNode(node.body)) return nodesIn(node.body.body).length
  if (node.type === "TSTypeLiteral") return nodesIn(node.members).length
  const fields = node.type === "ObjectExpression" ? nodesIn(node.properties) : []
  return fields.some(isSchemaField) ? fields.length : undefined
}

/** The object of such a call holds alternatives, not members. */
const isUnion = (node: AstNode): boolean =>
  node.type === "CallExpression" && isNode(node.callee) && identifierOf(node.callee.property) === "TaggedUnion"

/** Every shape that a text declares. */
export const shapesOf = (text: string): ReadonlyArray<SourceShape> => {
  const shapes: Array<SourceShape> = []
  const visit = (node: AstNode, owner: string, isCases: boolean): void => {
    const name = identifierOf(node.id) ?? identifierOf(node.key) ?? owner
    const members = isCases ? undefined : membersAt(node)
    if (members !== undefined) shapes.push({ name, members })
    for (const child of Object.values(node).flatMap(nodesIn)) visit(child, name, isUnion(node))
  }
  visit(parseAst(text, { lang: "ts" }) as unknown as AstNode, "", false)
  return shapes
}
