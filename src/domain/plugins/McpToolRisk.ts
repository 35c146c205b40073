/**
 * How risky a server's tool is: medium unless the person says otherwise. Pure.
 */
import type { McpServerEntry } from "./McpServerEntry.ts"
import { type EffectClass, higherRisk, type Risk } from "../tools/Risk.ts"

/**
 * What the person said of this very tool stands. Otherwise a server that says that its tool destroys raises the risk;
 * nothing that a server says lowers it.
 */
export const mcpToolRisk = (
  { risk = "medium", tools }: Pick<McpServerEntry, "risk" | "tools">,
  tool: { readonly name: string; readonly isDestructive: boolean }
): Risk => tools?.[tool.name]?.risk ?? (tool.isDestructive ? higherRisk(risk, "high") : risk)

/** A second call is a second effect unless the person says otherwise. */
export const mcpToolEffect = ({ tools }: Pick<McpServerEntry, "tools">, name: string): EffectClass =>
  tools?.[name]?.effect ?? "once"
