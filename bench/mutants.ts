/**
 * Makes small changes of a source file that a test should notice: a comparison at its boundary, an inverted condition,
 * a larger number. Does not change types, imports, logs and sentences: no decision depends on them.
 */
import { parseAst } from "rolldown/parseAst"

export interface Mutant {
  readonly file: string
  readonly start: number
  readonly end: number
  readonly text: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const childrenOf = (node: Node): ReadonlyArray<Node> => Object.values(node).flat().filter(isNode)

const operators: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "&&": "||",
  "||": "&&"
}

const methods: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  startsWith: "endsWith",
  endsWith: "startsWith",
  find: "findLast",
  findLast: "find"
}

/** Methods with a string argument on which a decision depends. */
const searches = new Set(["includes", "startsWith", "endsWith", "has", "indexOf", "lastIndexOf", "split"])

/** True for prose, such as a message or a part of a prompt. */
const isSentence = ({ quasis }: Node): boolean =>
  (quasis as ReadonlyArray<{ readonly value: { readonly raw: string } }>).some(({ value }) =>
    /[A-Za-z]{2,} |\s[A-Za-z]{2,}/.test(value.raw)
  )

const isIgnored = (node: Node): boolean =>
  (node.type.startsWith("TS") && !/^TS(?:As|NonNull|Satisfies)/.test(node.type)) ||
  node.type === "ImportDeclaration" ||
  (node.type === "TemplateLiteral" && isSentence(node))

const isText = ({ type, value }: Node): boolean =>
  type === "TemplateLiteral" || (type === "Literal" && typeof value === "string")

/** The mutants of a source in order. */
export const mutantsOf = (file: string, source: string): ReadonlyArray<Mutant> => {
  const mutants: Array<Mutant> = []
  const replace = ({ end, start }: Pick<Node, "end" | "start">, text: string) =>
    mutants.push({ file, start, end, text })
  const textOf = ({ end, start }: Node): string => source.slice(start, end)

  const operator = (node: Node): void => {
    const [left, right] = [node["left"] as Node, node["right"] as Node]
    const other = operators[String(node["operator"])]
    if (other === undefined || (node["operator"] === "+" && [left, right].some(isText))) return
    const at = source.indexOf(String(node["operator"]), left.end)
    replace({ start: at, end: at + String(node["operator"]).length }, other)
  }

  const condition = (test: Node): void => {
    const isMutated =
      test.type === "UnaryExpression" || (test.type === "BinaryExpression" && /[!=]==/.test(textOf(test)))
    if (!isMutated) replace(test, `!(${textOf(test)})`)
  }

  const literal = (node: Node): void => {
    const { value } = node
    if (typeof value === "boolean") replace(node, String(!value))
    if (typeof value === "number")
      replace(node, String(Number.isInteger(value) && value < 100 ? value + 1 : value * 1.2))
  }

  const call = ({ arguments: given, callee }: Node): void => {
    const { property } = callee as Node
    if ((callee as Node).type !== "MemberExpression" || !isNode(property)) return
    const name = String(property["name"])
    const other = methods[name]
    if (other !== undefined) replace(property, other)
    const [text] = given as ReadonlyArray<Node>
    if (searches.has(name) && text?.type === "Literal" && text["value"] !== "" && isText(text)) replace(text, '""')
  }

  /** Removes an element with the comma beside it. In a table, removes each element once, otherwise only the last. */
  const elements = (all: ReadonlyArray<Node>): void => {
    const isTable = all.every(({ type }) => type === "Literal")
    for (const [index, element] of all.entries()) {
      const [before, next] = [all[index - 1], all[index + 1]]
      if (before !== undefined && (isTable || next === undefined)) replace({ start: before.end, end: element.end }, "")
      else if (isTable && next !== undefined) replace({ start: element.start, end: next.start }, "")
    }
  }

  const visit = (node: Node): void => {
    if (isIgnored(node)) return
    if (node.type === "BinaryExpression" || node.type === "LogicalExpression") operator(node)
    if (node.type === "IfStatement" || node.type === "ConditionalExpression") condition(node["test"] as Node)
    if (node.type === "UnaryExpression" && node["operator"] === "!") replace(node, textOf(node["argument"] as Node))
    if (node.type === "Literal") literal(node)
    if (node.type === "CallExpression") call(node)
    if (node.type === "ArrayExpression") elements((node["elements"] as ReadonlyArray<Node | null>).filter(isNode))
    if (node.type === "ExpressionStatement" && typeof node["directive"] !== "string") replace(node, ";")
    for (const child of childrenOf(node)) visit(child)
  }
  visit(parseAst(source, { lang: "ts" }) as unknown as Node)
  return mutants
}
