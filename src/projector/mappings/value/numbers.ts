/** Numbers and truth values. */

import { settle, type Mapping, type Ranked } from '../mapping.ts'

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** The number that a text spells in plain decimal form; nothing beyond ±2^53. */
export function numberOf(text: string): number | undefined {
  const trimmed = text.trim()
  if (!decimal.test(trimmed)) return undefined
  const number = Number(trimmed)
  return Math.abs(number) <= 2 ** 53 ? number + 0 : undefined
}

/** Integer and Numeric: a JSON number, a fraction is kept. */
export const numeric: Mapping = (nodes, site, scene) => {
  const found: number[] = []
  for (const node of nodes) {
    const number = node.termType === 'Literal' ? numberOf(node.value) : undefined
    if (number === undefined) scene.report(site.path, 'bad-number', node)
    else if (!found.includes(number)) found.push(number)
  }
  found.sort((a, b) => a - b)
  if (!site.single) return found.length > 0 ? found : undefined
  if (found.length > 1) scene.report(site.path, 'too-many-values', String(found[1]))
  return found[0]
}

const truths = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** Boolean: `true`, `false`, `1`, `0` (XSD 1.1 part 2, 3.3.2). */
export const truth: Mapping = (nodes, site, scene) => {
  const values: Ranked[] = []
  for (const node of nodes) {
    const json = node.termType === 'Literal' ? truths.get(node.value.trim()) : undefined
    if (json === undefined) scene.report(site.path, 'bad-boolean', node)
    else values.push({ key: String(json), json })
  }
  return settle(values, site, scene)
}
