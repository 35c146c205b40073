/**
 * Reads the names that a module declares, for the lint rules: bindings with the lines in which they are alive, and members of
 * types. A binding is alive from its declaration to its last use in its scope; a member of a type, and an export, always.
 */
import { parseAst } from "rolldown/parseAst"

/** A declared name. `lines` is how many lines it is alive. */
export interface Declaration {
  readonly name: string
  readonly line: number
  readonly lines: number
}

/** A comment before a declaration, with the words that the declaration itself says. */
export interface DeclarationComment {
  readonly text: string
  readonly line: number
  readonly names: ReadonlyArray<string>
}

export interface ModuleDeclarations {
  readonly declarations: ReadonlyArray<Declaration>
  readonly comments: ReadonlyArray<DeclarationComment>
}

interface AstNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

interface Binding {
  readonly name: string
  readonly start: number
  readonly isExported: boolean
  lastUse: number
}

type Scope = Map<string, Binding>

const isNode = (value: unknown): value is AstNode =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const nodesIn = (value: unknown): ReadonlyArray<AstNode> => (Array.isArray(value) ? value : [value]).filter(isNode)

const childrenOf = (node: AstNode): ReadonlyArray<AstNode> => Object.values(node).flatMap(nodesIn)

const identifierOf = (value: unknown): string | undefined =>
  isNode(value) && typeof value.name === "string" ? value.name : undefined

/** The identifiers that a pattern binds: `{ a, b: [c, ...d] }` binds three. */
const boundBy = (pattern: unknown): ReadonlyArray<AstNode> => {
  if (!isNode(pattern)) return []
  switch (pattern.type) {
    case "Identifier":
      return [pattern]
    case "ObjectPattern":
      return nodesIn(pattern.properties).flatMap((property) => boundBy(property.value ?? property.argument))
    case "ArrayPattern":
      return nodesIn(pattern.elements).flatMap(boundBy)
    case "AssignmentPattern":
      return boundBy(pattern.left)
    case "RestElement":
      return boundBy(pattern.argument)
    default:
      return []
  }
}

const functions = new Set([
  "ArrowFunctionExpression",
  "FunctionExpression",
  "FunctionDeclaration",
  "TSFunctionType",
  "TSMethodSignature"
])

const blocks = new Set([
  "Program",
  "BlockStatement",
  "ForStatement",
  "ForOfStatement",
  "ForInStatement",
  "CatchClause",
  "SwitchStatement"
])

const exported = new Set(["ExportNamedDeclaration", "ExportDefaultDeclaration"])

/** The identifiers that a statement of a scope declares. */
const declaredBy = (statement: AstNode): ReadonlyArray<AstNode> => {
  if (exported.has(statement.type) && isNode(statement.declaration)) return declaredBy(statement.declaration)
  if (statement.type === "VariableDeclaration") {
    return nodesIn(statement.declarations).flatMap(({ id }) => boundBy(id))
  }
  return statement.type === "FunctionDeclaration" ? boundBy(statement.id) : []
}

/** What a node that opens a scope declares in it. */
const declaredIn = (node: AstNode): ReadonlyArray<readonly [AstNode, boolean]> => {
  if (functions.has(node.type))
    return nodesIn(node.params)
      .flatMap(boundBy)
      .map((id) => [id, false] as const)
  const statements = [node.body, node.init, node.left].flatMap(nodesIn).filter(({ type }) => type !== "BlockStatement")
  const cases = nodesIn(node.cases).flatMap(({ consequent }) => nodesIn(consequent))
  return [
    ...boundBy(node.type === "CatchClause" ? node.param : undefined).map((id) => [id, false] as const),
    ...[...statements, ...cases].flatMap((statement) =>
      declaredBy(statement).map((id) => [id, exported.has(statement.type)] as const)
    )
  ]
}

/** A key names a member, not a binding: `{ key: value }`, `object.key`. */
const keyOf = (node: AstNode): unknown => {
  if (node.computed === true) return undefined
  if (node.type === "MemberExpression") return node.property
  return node.type === "Property" && node.shorthand === true ? undefined : node.key
}

const members = new Set(["TSPropertySignature", "TSMethodSignature", "PropertyDefinition", "MethodDefinition"])

/** What the declaration that begins a node is called, with the names of its parameters. */
const namesAt = (node: AstNode): ReadonlyArray<string> => {
  if (exported.has(node.type)) return isNode(node.declaration) ? namesAt(node.declaration) : []
  if (node.type === "VariableDeclaration") return nodesIn(node.declarations).flatMap(namesAt)
  const name = identifierOf(node.id) ?? identifierOf(node.key)
  const parameters = [node, node.init, node.value]
    .filter(isNode)
    .flatMap(({ params }) => nodesIn(params).flatMap(boundBy))
  return name === undefined ? [] : [name, ...parameters.flatMap((id) => identifierOf(id) ?? [])]
}

const literals = new Set(["Literal", "TemplateElement"])

/** The declarations of a text, and the comments that stand directly before one. */
export const declarationsOf = (text: string): ModuleDeclarations => {
  const declarations: Array<Declaration> = []
  const namesByStart = new Map<number, ReadonlyArray<string>>()
  const quoted: Array<AstNode> = []
  const lineEnds = [...text.matchAll(/\n/g)].map(({ index }) => index)
  const lineAt = (offset: number): number => {
    const line = lineEnds.findIndex((end) => end >= offset)
    return (line === -1 ? lineEnds.length : line) + 1
  }

  const visit = (node: AstNode, scopes: ReadonlyArray<Scope>): void => {
    if (literals.has(node.type)) quoted.push(node)
    const names = namesAt(node)
    if (names.length > 0 && !namesByStart.has(node.start)) namesByStart.set(node.start, names)
    const name = identifierOf(node)
    const use = name === undefined ? undefined : scopes.findLast((scope) => scope.has(name))?.get(name ?? "")
    if (use !== undefined && node.type === "Identifier") use.lastUse = Math.max(use.lastUse, node.start)
    const member = members.has(node.type) ? identifierOf(node.key) : undefined
    if (member !== undefined) declarations.push({ name: member, line: lineAt(node.start), lines: Infinity })

    const opensScope = functions.has(node.type) || blocks.has(node.type)
    const bindings = opensScope
      ? declaredIn(node).flatMap(([id, isExported]): ReadonlyArray<Binding> => {
          const bound = identifierOf(id)
          return bound === undefined ? [] : [{ name: bound, start: id.start, isExported, lastUse: id.start }]
        })
      : []
    const inner = opensScope ? [...scopes, new Map(bindings.map((binding) => [binding.name, binding]))] : scopes
    const key = keyOf(node)
    for (const child of childrenOf(node)) if (child !== key) visit(child, inner)
    for (const { isExported, lastUse, name: bound, start } of bindings) {
      const line = lineAt(start)
      declarations.push({ name: bound, line, lines: isExported ? Infinity : lineAt(lastUse) - line + 1 })
    }
  }
  visit(parseAst(text, { lang: "ts" }) as unknown as AstNode, [])

  const comments = [...text.matchAll(/\/\*.*?\*\/|(?:\/\/[^\n]*\n\s*)+/gs)].flatMap((match) => {
    if (quoted.some(({ end, start }) => start <= match.index && match.index < end)) return []
    const next = match.index + match[0].length
    const names = namesByStart.get(next + (/^\s*/.exec(text.slice(next))?.[0].length ?? 0))
    return names === undefined ? [] : [{ text: match[0], line: lineAt(match.index), names }]
  })
  return { declarations, comments }
}
