/** Conditions that are nested deeper than the engine's parser goes. */

import { and, heightOf, or, type Condition } from './condition.ts'

/** Levels of parentheses: the parser counts four or five per level and takes 150. */
const deepest = 20

/**
 * The same set in fewer levels: what lies too deep is looked up first and stands as the condition that `resolve` answers.
 */
export async function shallow(
  condition: Condition,
  resolve: (part: Condition) => Promise<Condition>,
): Promise<Condition> {
  if (heightOf(condition) <= deepest) return condition
  if (condition.kind !== 'and' && condition.kind !== 'or') return condition
  const parts: Condition[] = []
  for (const part of condition.of) {
    const inner = await shallow(part, resolve)
    parts.push(heightOf(inner) >= deepest ? await resolve(inner) : inner)
  }
  return condition.kind === 'and' ? and(parts) : or(parts)
}
