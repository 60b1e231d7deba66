/** The parentheses and quotation marks of a query that have a partner; the others are separators. */

import { Failure } from '../../errors.ts'

export type Marks = {
  /** Index of an opening quotation mark → index of its partner. */
  readonly quotes: ReadonlyMap<number, number>
  /** Indices of opening and closing parentheses with a partner, outside quoted text. */
  readonly parentheses: ReadonlySet<number>
}

/** Two passes over the text. Throws `query-too-complex` when pairs of parentheses are nested deeper than `depth`. */
export function marksOf(text: string, depth: number): Marks {
  const quotes = quotePairs(text)
  const parentheses = new Set<number>()
  const open: number[] = []
  eachOutside(text, quotes, (index) => {
    if (text[index] === '(') open.push(index)
    else if (text[index] === ')') {
      const partner = open.pop()
      if (partner !== undefined) parentheses.add(partner).add(index)
    }
  })
  limitDepth(text, parentheses, depth)
  return { quotes, parentheses }
}

function quotePairs(text: string): Map<number, number> {
  const pairs = new Map<number, number>()
  let from = text.indexOf('"')
  while (from >= 0) {
    const to = text.indexOf('"', from + 1)
    if (to < 0) break
    pairs.set(from, to)
    from = text.indexOf('"', to + 1)
  }
  return pairs
}

function eachOutside(
  text: string,
  quotes: ReadonlyMap<number, number>,
  visit: (index: number) => void,
): void {
  for (let index = 0; index < text.length; index++) {
    const end = quotes.get(index)
    if (end === undefined) visit(index)
    else index = end
  }
}

function limitDepth(text: string, parentheses: ReadonlySet<number>, depth: number): void {
  const order = [...parentheses].sort((a, b) => a - b)
  let level = 0
  for (const index of order) {
    level += text[index] === '(' ? 1 : -1
    if (level > depth) {
      const detail = `q may nest at most ${depth} levels of parentheses (limit queryDepth)`
      throw new Failure('query-too-complex', detail, { errors: [{ parameter: 'q', detail }] })
    }
  }
}
