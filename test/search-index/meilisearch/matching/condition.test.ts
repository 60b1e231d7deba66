import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  everyDocument,
  and,
  type Condition,
  heightOf,
  comparison,
  noDocument,
  not,
  or,
  quoted,
  flatten,
  filterText,
} from '../../../../src/search-index/meilisearch/condition.ts'

const [a, b, c] = [comparison('a = 1'), comparison('b = 1'), comparison('c = 1')] as const

/** What the text of a condition means, read by a parser of this language that knows nothing of how it was made. */
function meaningOf(text: string, isTrue: (name: string) => boolean): boolean {
  const tokens = text.match(/\(|\)|AND|OR|NOT|[a-z]+ (?:=|>) -?1/g) ?? []
  let at = 0
  const primary = (): boolean => {
    const token = tokens[at++] ?? ''
    if (token === 'NOT') return !primary()
    if (token === '(') {
      const value = disjunction()
      at++
      return value
    }
    if (token === 'n = -1') return false
    return token === 'n > -1' || isTrue(token[0] ?? '')
  }
  const conjunction = (): boolean => {
    let value = primary()
    while (tokens[at] === 'AND') {
      at++
      const right = primary()
      value &&= right
    }
    return value
  }
  const disjunction = (): boolean => {
    let value = conjunction()
    while (tokens[at] === 'OR') {
      at++
      const right = conjunction()
      value ||= right
    }
    return value
  }
  const value = disjunction()
  expect(at).toBe(tokens.length)
  return value
}

type Plain = string | { readonly op: 'and' | 'or' | 'not'; readonly of: readonly Plain[] }

const { plain } = fc.letrec<{ plain: Plain }>((tie) => ({
  plain: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom('a', 'b', 'c', 'all', 'none'),
    fc.record({
      op: fc.constantFrom('and' as const, 'or' as const),
      of: fc.array(tie('plain'), { maxLength: 3 }),
    }),
    fc.record({ op: fc.constant('not' as const), of: fc.tuple(tie('plain')) }),
  ),
}))

function made(one: Plain): Condition {
  if (one === 'all') return everyDocument
  if (one === 'none') return noDocument
  if (typeof one === 'string') return comparison(`${one} = 1`)
  const parts = one.of.map(made)
  if (one.op === 'not') return not(parts[0]!)
  return one.op === 'and' ? and(parts) : or(parts)
}

function meant(one: Plain, isTrue: (name: string) => boolean): boolean {
  if (typeof one === 'string') return one === 'all' || (one !== 'none' && isTrue(one))
  if (one.op === 'not') return !meant(one.of[0]!, isTrue)
  return one.op === 'and'
    ? one.of.every((part) => meant(part, isTrue))
    : one.of.some((part) => meant(part, isTrue))
}

describe('conditions', () => {
  it('read as they were meant, whatever was put together', () => {
    fc.assert(
      fc.property(plain, fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }), (one, values) => {
        const isTrue = (name: string) => values['abc'.indexOf(name)] === true
        const text = filterText(made(one))
        expect(text === undefined || meaningOf(text, isTrue)).toBe(meant(one, isTrue))
      }),
      { numRuns: 500 },
    )
  })

  it('are flat, without parts that decide nothing', () => {
    expect(filterText(and([a, and([b, everyDocument]), or([c])]))).toBe('a = 1 AND b = 1 AND c = 1')
    expect(filterText(or([and([a, b]), noDocument, c]))).toBe('(a = 1 AND b = 1) OR c = 1')
    expect(and([a, noDocument])).toBe(noDocument)
    expect(or([a, everyDocument])).toBe(everyDocument)
    expect([and([]), or([])]).toEqual([everyDocument, noDocument])
    expect(filterText(everyDocument)).toBeUndefined()
  })

  it('negate leaf by leaf', () => {
    expect(filterText(not(and([a, not(or([b, c]))])))).toBe('NOT a = 1 OR b = 1 OR c = 1')
    expect(not(not(a))).toBe(a)
    expect([not(everyDocument), not(noDocument)]).toEqual([noDocument, everyDocument])
  })
})

describe('deep conditions', () => {
  const alternating = (levels: number): Condition => {
    let deep: Condition = a
    for (let i = 0; i < levels; i++) deep = i % 2 === 0 ? and([b, deep]) : or([c, deep])
    return deep
  }

  it('are left alone where the engine can read them', async () => {
    const condition = alternating(20)
    expect(await flatten(condition, () => Promise.reject(new Error('asked')))).toBe(condition)
  })

  it('of 60 levels need few levels when their depths are looked up', async () => {
    const asked: number[] = []
    const flat = await flatten(alternating(60), (part) => {
      asked.push(heightOf(part))
      return Promise.resolve(comparison('n IN [1]'))
    })
    expect(heightOf(flat)).toBeLessThanOrEqual(20)
    expect(Math.max(...asked)).toBeLessThanOrEqual(20)
    expect(asked.length).toBeGreaterThan(1)
  })

  it('vanish when nothing is found for their depths', async () => {
    const deepAnd = and([c, or([b, alternating(40)])])
    const flat = await flatten(deepAnd, () => Promise.resolve(noDocument))
    expect(filterText(flat)).toBeDefined()
    expect(heightOf(flat)).toBeLessThan(20)
  })
})

describe('values in filters', () => {
  it('stand between quotes that they cannot leave', () => {
    expect(quoted('a"b\\c')).toBe('"a\\"b\\\\c"')
    expect(quoted('" OR n > -1 OR x = "')).toBe('"\\" or n > -1 or x = \\""')
  })

  it('are decomposed and lower case, as the engine stores them', () => {
    expect(quoted('Йод')).toBe('"\u0438\u0306од"')
    expect(quoted('データ')).toBe(`"${'データ'.normalize('NFKD')}"`)
  })
})
