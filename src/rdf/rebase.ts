/**
 * Replaces the base of the platform's IRIs in N-Triples and N-Quads: whole terms that begin with it, also as datatypes; never text
 * inside literals.
 */

import { isJsonObject, type Json } from '../text/json.ts'
import { quoteIri, quoteLiteral, termIn } from './lines.ts'
import { names } from './names.ts'
import { ctl, systemGraph } from './namespaces.ts'

/** Replacement of a base by another one. */
export type Rebase = {
  /** Bases with a trailing slash. */
  readonly from: string
  readonly to: string
  /** Names a graph, whose skolem IRIs have a part that depends on its name; to be called for every graph before terms are replaced. */
  readonly knowGraph: (graph: string) => void
  /** Replaces the base of an IRI; other texts stay. */
  readonly iri: (text: string) => string
  /** Replaces the base in the terms of statements, one on a line, whose order stays. */
  readonly terms: (statements: string) => string
  /** Replaces the base in a line, without its end, of the system graph, where some literals name IRIs. */
  readonly fact: (line: string) => string
  /** Replaces the base in texts of a JSON value that as a whole are IRIs. */
  readonly json: (value: Json) => Json
  /** Number of terms that were replaced until now. */
  readonly replaced: () => number
}

/** Literals, whose text stays, IRIs, and labels that answers and drafts make of skolem IRIs. */
const literalOrNode = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"|<([^<>"\n]*)>|(?<=_:g)([0-9a-f]{16})(?=_2f_)/g
const escapes = /\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})/g

const unescaped = (iri: string) =>
  iri.includes('\\')
    ? iri.replace(escapes, (_, short?: string, long?: string) =>
        String.fromCodePoint(Number.parseInt(short ?? long ?? '', 16)),
      )
    : iri

const literalOfFact = new RegExp(`^<[^>]*> <${ctl('').value}(base|changed|spelling)> (".*") \\.$`)
/** Last part of the prefix of the skolem IRIs of a graph. */
const labelIn = (genid: string) => genid.split('/').at(-2) ?? ''

const graphOfQuad = ` <${systemGraph}> .`

/** Makes the replacement of one base by another; a missing trailing slash is added. */
export function rebase(fromBase: string, toBase: string): Rebase {
  const [{ base: from, genid, genidPrefix }, { base: to, genid: newGenid }] = [
    names(fromBase),
    names(toBase),
  ]
  const [genids, labels] = [new Map<string, string>(), new Map<string, string>()]
  let replaced = 0
  const renamed = (text: string) => {
    if (!text.startsWith(from)) return text
    if (!text.startsWith(genidPrefix)) return to + text.slice(from.length)
    const end = text.indexOf('/', genidPrefix.length) + 1
    const prefix = genids.get(text.slice(0, end))
    return prefix === undefined ? to + text.slice(from.length) : prefix + text.slice(end)
  }
  const iri = (text: string) => {
    const result = renamed(text)
    if (result !== text) replaced += 1
    return result
  }
  const terms = (statements: string) =>
    statements.replace(literalOrNode, (term, raw?: string, label?: string) => {
      if (raw === undefined) return (label === undefined ? undefined : labels.get(label)) ?? term
      const before = unescaped(raw)
      const after = iri(before)
      return after === before ? term : quoteIri(after)
    })
  return {
    from,
    to,
    knowGraph: (graph) => {
      const name = renamed(graph)
      if (name === graph) return
      const [before, after] = [genid(graph), newGenid(name)]
      genids.set(before, after)
      labels.set(labelIn(before), labelIn(after))
    },
    iri,
    terms,
    fact: (line) => changedFact(line, { terms, iri }),
    json: (value) => changedTexts(value, iri),
    replaced: () => replaced,
  }
}

function changedFact(line: string, { terms, iri }: Pick<Rebase, 'terms' | 'iri'>): string {
  const [, name, literal = ''] = literalOfFact.exec(line) ?? []
  const value = literal === '' ? undefined : termIn(literal)?.value
  if (value === undefined) return terms(line)
  // Either a line, or the base itself, or a version, a space and an IRI.
  const changed = name === 'spelling' ? terms(value) : value.split(' ').map(iri).join(' ')
  const start = line.slice(0, line.length - literal.length - 2)
  return `${terms(start)}${quoteLiteral(changed)} .`
}

function changedTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((element: Json) => changedTexts(element, change))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value)
  return Object.fromEntries(members.map(([key, member]) => [key, changedTexts(member, change)]))
}

/** Replaces the base in a line, without its end, of N-Quads; comments and empty lines stay. */
export function rebaseQuad(change: Rebase, line: string): string {
  if (line.trimStart().startsWith('#')) return line
  if (!line.endsWith(graphOfQuad)) return change.terms(line)
  return `${change.fact(`${line.slice(0, -graphOfQuad.length)} .`).slice(0, -2)}${graphOfQuad}`
}
