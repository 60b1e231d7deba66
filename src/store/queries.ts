/** The queries in `sparql/`, and the one way to put values into a query: as RDF terms in the place of `$parameters`. */

import { existsSync, readFileSync } from 'node:fs'
import type { Term } from '@rdfjs/types'
import { sparqlText } from './binding/term-text.ts'
import { tokens, type Token } from './binding/tokens.ts'

/** A query with `$parameters`, legal SPARQL as it stands. */
export type Query = { readonly name: string; readonly tokens: readonly Token[] }

/**
 * A term stands in every place of its parameter. A list fills `VALUES $name { UNDEF }`; rows fill
 * `VALUES ($name $other) { (UNDEF UNDEF) }` and are given under the first name of that list.
 */
export type Values = Readonly<Record<string, Term | readonly Term[] | readonly (readonly Term[])[]>>

const folder = new URL('../../sparql/', import.meta.url)
const loaded = new Map<string, Query>()

/** A query from text, for tests and for queries that are composed of terms only. */
export const queryOf = (text: string, name = 'inline'): Query => ({ name, tokens: tokens(text) })

/** `sparql/{name}.rq` or `.ru`, read once. An Error when there is none. */
export function loadQuery(name: string): Query {
  const known = loaded.get(name)
  if (known) return known
  const path = ['rq', 'ru'].map((kind) => new URL(`${name}.${kind}`, folder)).find(existsSync)
  if (!path) throw new Error(`no query sparql/${name}.rq or .ru`)
  const query = queryOf(readFileSync(path, 'utf8'), name)
  loaded.set(name, query)
  return query
}

const isTerm = (value: Values[string] | readonly Term[]): value is Term => 'termType' in value

type Block = {
  readonly names: readonly string[]
  readonly tuple: boolean
  /** Tokens of the opening and the closing brace. */
  readonly from: number
  readonly to: number
}

/** Token range of the braces after `VALUES $a` or `VALUES ($a $b)`, when the token at `at` is that `VALUES`. */
function blockAt(query: Query, at: number): Block | undefined {
  if (query.tokens[at]?.text.toUpperCase() !== 'VALUES') return undefined
  const names: string[] = []
  let tuple = false
  for (let next = at + 1; next < query.tokens.length; next += 1) {
    const token = query.tokens[next]
    if (token?.kind === 'parameter') names.push(token.text.slice(1))
    else if (token?.text === '(') tuple = true
    else if (token?.text === '{') {
      const to = query.tokens.findIndex(
        ({ kind, text }, i) => i > next && kind === 'mark' && text === '}',
      )
      return names.length === 0 ? undefined : { names, tuple, from: next, to }
    } else if (token?.kind === 'word') return undefined
  }
  return undefined
}

function rowsText(block: Block, value: Values[string], query: Query): string {
  const fail = (why: string) => new Error(`${query.name}: $${block.names.join(' $')} ${why}`)
  if (isTerm(value)) throw fail('stands in VALUES and needs a list')
  const rows = value.map((row) => {
    const terms: readonly Term[] = isTerm(row) ? [row] : row
    if (terms.length !== block.names.length) throw fail(`needs rows of ${block.names.length}`)
    const text = terms.map(sparqlText).join(' ')
    return block.tuple ? `(${text})` : text
  })
  return `{ ${rows.join('\n')} }`
}

/** Text as it stands, the place of a term, or the braces of a `VALUES`. */
type Part = string | { readonly name: string } | { readonly block: Block }

const parted = new WeakMap<Query, readonly Part[]>()

/** The parts of a query, found once. */
function partsOf(query: Query): readonly Part[] {
  const known = parted.get(query)
  if (known) return known
  const blocks = query.tokens.flatMap((_, at) => blockAt(query, at) ?? [])
  const listed = new Set(blocks.flatMap(({ names }) => names))
  const parts: Part[] = []
  let text = ''
  const put = (part: Part) => {
    parts.push(text, part)
    text = ''
  }
  for (const [at, token] of query.tokens.entries()) {
    const block = blocks.find(({ from, to }) => at >= from && at <= to)
    const name = token.kind === 'parameter' ? token.text.slice(1) : undefined
    if (block) {
      if (at === block.from) put({ block })
    } else if (name === undefined) text += token.text
    else if (listed.has(name)) text += `?${name}`
    else put({ name })
  }
  parts.push(text)
  parted.set(query, parts)
  return parts
}

/**
 * The text of a query with its values in place. A missing or unused value, a list without `VALUES`, or a term that
 * cannot stand in a query is an Error: these are mistakes of ours, never of a client.
 */
export function bind(query: Query, values: Values): string {
  const used = new Set<string>()
  const valueOf = (name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`${query.name}: no value for $${name}`)
    used.add(name)
    return value
  }
  const texts = partsOf(query).map((part) => {
    if (typeof part === 'string') return part
    if ('block' in part) return rowsText(part.block, valueOf(part.block.names[0] ?? ''), query)
    const value = valueOf(part.name)
    if (!isTerm(value)) throw new Error(`${query.name}: $${part.name} is a list without VALUES`)
    return ` ${sparqlText(value)} `
  })
  const unused = Object.keys(values).filter((name) => !used.has(name))
  if (unused.length > 0) throw new Error(`${query.name}: has no $${unused.join(', $')}`)
  return texts.join('')
}
